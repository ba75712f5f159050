import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import type { PublicKey } from '../../../src/monero/crypto/types.js';
import { readParams } from '../../../src/http/params.js';
import { RpcError } from '../../../src/http/errors.js';
import { registry } from '../../../src/rpc/registry.js';
import { verifyKeyImage, type SignedKeyImage } from '../../../src/monero/wallet/scan/key-images.js';
import { WalletError } from '../../../src/monero/wallet/model/wallet-error.js';
import { paymentOfPending } from '../../../src/monero/wallet/build/signed-payment.js';
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
import { ZERO } from '../../../src/util/amount.js';
import { JsonError, parseJson } from '../../../src/util/json.js';
import { fromHex } from '../../../src/util/bytes.js';
import { CodecError, decode, encode } from '../../../src/util/codec.js';
import { exportKeys, vectors } from '../../monero/wallet/cold-vectors.js';
import { holder, payeeOf } from '../../monero/wallet/fixtures.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';
import {
  memberOf,
  proposalOf,
  sharedOutput,
  withKeyImages,
} from '../../monero/wallet/multisig/shared-outputs.js';
import { seededRng } from '../../support/seeded-rng.js';
import { textParser, type Parser, type Target } from '../target.js';
import { readVectors } from '../vectors.js';

const opened = (kind: ExportKind, hex: string): Uint8Array => openExport(kind, fromHex(hex), exportKeys);

/** Calls the parts of the server that read a pending transaction. Refuses as the server does. */
function readPending(pending: PendingTx): void {
  keyImagesOf(pending.tx);
  try {
    paymentOfPending(pending, [], 'mainnet');
  } catch (error) {
    if (!(error instanceof CodecError || error instanceof RangeError)) throw error;
  }
}

function pendingParser(): Parser {
  const { vectors: recorded } = readVectors<{ readonly vectors: readonly { readonly metadata: string }[] }>(
    'wallet/pending-tx.json',
  );
  return {
    seeds: recorded.map(({ metadata }) => fromHex(metadata)),
    run: (input) => readPending(decode(pendingTx, input)),
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

/** Parser of the parameters of `import_key_images`, whose images are verified for the outputs of a wallet. */
function keyImageParser(): Parser {
  const method = registry.find('import_key_images');
  if (method === undefined) throw new Error('no such method');
  const keys = vectors.known.map(({ publicKey }) => fromHex(publicKey) as PublicKey);
  const wallet = {
    context: { daemon: { trusted: true } },
    assertOpen: () => undefined,
    keyImageTransfer: {
      import(images: readonly SignedKeyImage[]) {
        for (const [i, image] of images.entries())
          verifyKeyImage(keys[i % keys.length] ?? (new Uint8Array(32) as PublicKey), image);
        return Promise.resolve({ height: 0, spent: ZERO, unspent: ZERO });
      },
    },
  };
  const images = vectors.signedKeyImages.map(({ keyImage, signature }) => ({
    key_image: keyImage,
    signature,
  }));
  return textParser(
    [images, images.slice(0, 1)].map((one) => JSON.stringify({ offset: 0, signed_key_images: one })),
    async (text) =>
      method.handle({ wallet } as never, (await readParams(method.params, parseJson(text))) as never),
  );
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
  return {
    seeds: [encode(multisigTxSet, { txs: [proposal], signers: signers.slice(0, 1) })],
    run(input) {
      const { txs } = decode(multisigTxSet, input);
      for (const { construction } of txs) describeTransfers([construction], 'mainnet');
      txs.forEach(readPending);
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
    name: 'key-images',
    errors: [JsonError, RpcError, WalletError],
    modules: ['monero/wallet/scan/key-images', 'monero/crypto/ring-signature'],
    words: ['"key_image":"', '"signature":"', '"signed_key_images":', '00', 'ff'],
    prepare: keyImageParser,
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
    prepare: () => {
      const set = unsignedTxSet('current');
      const plain = opened('unsignedTxs', vectors.unsignedTxs);
      return {
        seeds: [plain, encode(set, decode(set, plain))],
        run: (input) => describeTransfers(decode(set, input).txs, 'mainnet'),
      };
    },
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
    prepare: () => ({
      seeds: [opened('signedTxs', vectors.signedTxs)],
      run: (input) => decode(signedTxSet, input).txs.forEach(readPending),
    }),
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
