import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { paymentOfPending } from '../../../src/monero/wallet/build/signed-payment.js';
import { paymentIdField, writeExtra } from '../../../src/monero/cryptonote/extra.js';
import type { KeyImage } from '../../../src/monero/crypto/types.js';
import type { PaymentId, TxInput } from '../../../src/monero/cryptonote/types.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import type {
  ConstructionData,
  DestinationEntry,
} from '../../../src/monero/wallet/exchange/construction-data.js';
import { signedTxSet, unsignedTxSet } from '../../../src/monero/wallet/exchange/cold-tx-sets.js';
import {
  ExportError,
  openExport,
  sealExport,
  type ExportKind,
} from '../../../src/monero/wallet/exchange/export-blob.js';
import { readOutputExport } from '../../../src/monero/wallet/exchange/exported-outputs.js';
import { keyImagesOf, pendingTx, type PendingTx } from '../../../src/monero/wallet/exchange/pending-tx.js';
import { describeTransfers } from '../../../src/monero/wallet/exchange/transfer-description.js';
import { checkInfo, signerInfo, type SignerInfo } from '../../../src/monero/wallet/multisig/info.js';
import { infoByOutput, namedInfo } from '../../../src/monero/wallet/multisig/named-info.js';
import { multisigTxSet } from '../../../src/monero/wallet/multisig/tx-set.js';
import { concatBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { CodecError, decode, encode } from '../../../src/util/codec.js';
import { exportKeys, vectors } from '../../monero/wallet/cold-vectors.js';
import { holder, ownedOutput, payeeOf } from '../../monero/wallet/fixtures.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';
import {
  memberOf,
  proposalOf,
  sharedOutput,
  withKeyImages,
} from '../../monero/wallet/multisig/shared-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import type { Parser, Target } from '../target.js';
import { readVectors } from '../vectors.js';

const opened = (kind: ExportKind, hex: string): Uint8Array => openExport(kind, fromHex(hex), exportKeys);

/** Key image of an output in another account. */
const OTHER_IMAGE = new Uint8Array(32).fill(9) as KeyImage;

/** Returns pending transactions that contradict themselves, or name their destinations in other ways. */
function variantsOf(pending: PendingTx): PendingTx[] {
  const { tx, change, destinations } = pending;
  const { inputs } = tx.prefix;
  const withInputs = (change: (input: TxInput, at: number) => TxInput): PendingTx => ({
    ...pending,
    tx: { ...tx, prefix: { ...tx.prefix, inputs: inputs.map(change) } },
  });
  const named = (form: Partial<DestinationEntry>): PendingTx => ({
    ...pending,
    destinations: destinations.map((entry) => ({ ...entry, original: '', ...form })),
  });
  const id = paymentIdField({ kind: 'short', id: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) as PaymentId });
  const extra = concatBytes(tx.prefix.extra, writeExtra([id]));
  const integrated = named({ isIntegrated: true });
  return [
    withInputs((input) => inputs[0] ?? input),
    withInputs((input, at) => (at > 0 && input.type === 'key' ? { ...input, keyImage: OTHER_IMAGE } : input)),
    { ...pending, change: { ...change, amount: change.amount + 1n } },
    named({ isIntegrated: false, isSubaddress: false }),
    named({ isIntegrated: false, isSubaddress: true }),
    integrated,
    { ...integrated, tx: { ...tx, prefix: { ...tx.prefix, extra } } },
  ];
}

/**
 * Returns a reader of pending transactions as the server has it, of a wallet that owns the inputs of the given ones. It
 * refuses as the server does.
 */
function pendingReader(known: readonly PendingTx[]): (pending: PendingTx) => void {
  const elsewhere = ownedOutput(0n, { keyImage: OTHER_IMAGE, subaddress: { major: 1, minor: 0 } });
  const own = new Map([
    [toHex(OTHER_IMAGE), elsewhere],
    ...known.flatMap((pending) => {
      const { change, destinations, tx } = pending;
      const spent = [change, ...destinations].reduce(
        (sum, entry) => sum + entry.amount,
        tx.rct?.base.fee ?? 0n,
      );
      return keyImagesOf(tx).map((keyImage, i): [string, OwnedOutput] => [
        toHex(keyImage),
        ownedOutput(i === 0 ? spent : 0n, { keyImage }),
      ]);
    }),
  ]);
  return (pending) => {
    const inputs = keyImagesOf(pending.tx).flatMap((keyImage) => own.get(toHex(keyImage)) ?? []);
    try {
      paymentOfPending(pending, inputs, 'mainnet');
    } catch (error) {
      if (!(error instanceof CodecError || error instanceof RangeError)) throw error;
    }
  };
}

const encoded = (pending: PendingTx): Uint8Array => encode(pendingTx, pending);

function pendingParser(): Parser {
  const { vectors: recorded } = readVectors<{ readonly vectors: readonly { readonly metadata: string }[] }>(
    'wallet/pending-tx.json',
  );
  const known = recorded.map(({ metadata }) => decode(pendingTx, fromHex(metadata)));
  const read = pendingReader(known);
  const seeds = [
    ...recorded.map(({ metadata }) => fromHex(metadata)),
    ...known.flatMap(variantsOf).map(encoded),
  ];
  return { seeds, run: (input) => read(decode(pendingTx, input)) };
}

function signedParser(): Parser {
  const seed = opened('signedTxs', vectors.signedTxs);
  const set = decode(signedTxSet, seed);
  const variants = set.txs.flatMap(variantsOf).map((one) => encode(signedTxSet, { ...set, txs: [one] }));
  const read = pendingReader(set.txs);
  return { seeds: [seed, ...variants], run: (input) => decode(signedTxSet, input).txs.forEach(read) };
}

/** Parser of unsigned sets, as the server describes them; beside the recorded one, sets with odd destinations. */
function unsignedParser(): Parser {
  const codec = unsignedTxSet('current');
  const recorded = opened('unsignedTxs', vectors.unsignedTxs);
  const set = decode(codec, recorded);
  const changed = (change: (data: ConstructionData) => Partial<ConstructionData>): Uint8Array =>
    encode(codec, { ...set, txs: set.txs.map((data) => ({ ...data, ...change(data) })) });
  const id = paymentIdField({ kind: 'short', id: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) as PaymentId });
  return {
    seeds: [
      recorded,
      encode(codec, set),
      changed(({ outputs }) => ({ outputs: [...outputs, ...outputs] })),
      changed(({ change }) => ({ change: { ...change, amount: 0n } })),
      changed(({ outputs }) => ({ extra: writeExtra([id]), outputs: outputs.slice(0, 1) })),
      changed(({ change }) => ({ account: 1, change: { ...change, isSubaddress: true } })),
    ],
    run: (input) => describeTransfers(decode(codec, input).txs, 'mainnet'),
  };
}

/** Parser of exports of every kind in their encryption, with the signature of the right key. */
function exportParser(): Parser {
  const kinds: readonly ExportKind[] = ['outputs', 'unsignedTxs', 'signedTxs', 'multisigInfo', 'multisigTxs'];
  const rng = seededRng('exports');
  const blobs = kinds.map((kind) => sealExport(kind, rng(100), exportKeys, rng));
  return {
    seeds: [...blobs, fromHex(vectors.outputs)],
    run(input) {
      let refusal: unknown;
      for (const kind of kinds)
        try {
          openExport(kind, input, exportKeys);
        } catch (error) {
          if (!(error instanceof ExportError)) throw error;
          refusal = error;
        }
      throw refusal;
    },
  };
}

const rng = seededRng('sets');

/** A group of two signers of three, with outputs. */
function group() {
  const accounts = groupOf(randomSigners(3, rng), 2, rng);
  const [account] = accounts;
  if (account === undefined) throw new Error('no member');
  const outputs = [0, 1].map((place) => sharedOutput(account, 5_000_000_000_000n, place, rng));
  return { account, outputs, members: accounts.map((one) => memberOf(one, outputs, rng)) };
}

function infoParser(): Parser {
  const { account, outputs, members } = group();
  const keys = { spendPublicKey: account.spendPublicKey, viewPublicKey: publicKeyOf(account.commonSecret) };
  const own = outputs.map(({ output }) => ({ publicKey: output.publicKey, earlier: undefined }));
  return {
    seeds: members.flatMap(({ signer, fresh }) => {
      const infos = fresh.map(({ info }) => info);
      const sent: SignerInfo = { ...keys, signer, outputs: infos };
      const withNames = {
        ...sent,
        outputs: infos.map((info, i) => namedInfo(info, own[i]?.publicKey ?? signer)),
      };
      return [encode(signerInfo, sent), encode(signerInfo, withNames)];
    }),
    run(input) {
      const info = decode(signerInfo, input);
      infoByOutput(info.outputs, own);
      checkInfo(info, keys, account);
    },
  };
}

function multisigSetParser(): Parser {
  const { members, outputs } = group();
  const payee = payeeOf(holder(rng).address(), 1_000_000_000_000n);
  const proposal = proposalOf(members, withKeyImages(members, outputs), [payee], rng);
  const signers = members.map(({ signer }) => signer);
  const read = pendingReader([proposal]);
  return {
    seeds: [proposal, ...variantsOf(proposal)].map((one) =>
      encode(multisigTxSet, { txs: [one], signers: signers.slice(0, 1) }),
    ),
    run(input) {
      const { txs } = decode(multisigTxSet, input);
      for (const { construction } of txs) describeTransfers([construction], 'mainnet');
      txs.forEach(read);
    },
  };
}

const SHARED = ['monero/wallet/exchange/binary-archive', 'monero/wallet/exchange/construction-data'];

export const targets: readonly Target[] = [
  {
    name: 'export',
    errors: [ExportError],
    modules: ['monero/wallet/exchange/export-blob'],
    words: ['Monero output export\x04', 'Monero signed tx set\x05'],
    prepare: exportParser,
  },
  {
    name: 'outputs',
    errors: [CodecError],
    modules: [
      'monero/wallet/exchange/exported-outputs',
      'monero/wallet/exchange/transfer-details',
      ...SHARED,
    ],
    prepare: () => ({
      seeds: [vectors.outputs, vectors.outputsOnceKnown].map((hex) => opened('outputs', hex)),
      run: readOutputExport,
    }),
  },
  {
    name: 'unsigned-set',
    errors: [CodecError],
    modules: [
      'monero/wallet/exchange/cold-tx-sets',
      'monero/wallet/exchange/transfer-description',
      'monero/wallet/exchange/exported-outputs',
      ...SHARED,
    ],
    prepare: unsignedParser,
  },
  {
    name: 'signed-set',
    errors: [CodecError],
    modules: [
      'monero/wallet/exchange/cold-tx-sets',
      'monero/wallet/exchange/pending-tx',
      'monero/wallet/build/signed-payment',
      ...SHARED,
    ],
    prepare: signedParser,
  },
  {
    name: 'pending-tx',
    errors: [CodecError],
    modules: ['monero/wallet/exchange/pending-tx', 'monero/wallet/build/signed-payment', ...SHARED],
    prepare: pendingParser,
  },
  {
    name: 'multisig-set',
    errors: [CodecError],
    modules: [
      'monero/wallet/multisig/tx-set',
      'monero/wallet/exchange/pending-tx',
      'monero/wallet/exchange/transfer-description',
      ...SHARED,
    ],
    prepare: multisigSetParser,
  },
  {
    name: 'multisig-info',
    errors: [CodecError],
    modules: ['monero/wallet/multisig/info', 'monero/wallet/multisig/named-info'],
    prepare: infoParser,
  },
];
