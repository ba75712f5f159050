import { decodeBase58, encodeBase58 } from '../../../src/monero/cryptonote/base58.js';
import { ProofError } from '../../../src/monero/wallet/proofs/proof-text.js';
import { signMessage, verifyMessage } from '../../../src/monero/wallet/proofs/message-signature.js';
import { checkReserve, proveReserve } from '../../../src/monero/wallet/proofs/reserve-proof.js';
import { readReserveProof } from '../../../src/monero/wallet/proofs/reserve-proof-text.js';
import { checkBundle } from '../../../src/monero/wallet/proofs/reserve-bundle-check.js';
import { spendProofBody, spendSignatures } from '../../../src/monero/wallet/proofs/spend-proof.js';
import { checkTxProof, proveReceived, proveSent } from '../../../src/monero/wallet/proofs/tx-proof.js';
import { readReserveBundle, reserveBundleShape } from '../../../src/rpc/wire/reserve-bundle.js';
import { amount } from '../../../src/util/amount.js';
import { utf8 } from '../../../src/util/bytes.js';
import type { Json } from '../../../src/util/json.js';
import { writeJson } from '../../../src/util/json-writer.js';
import { oneAccount, twoAccounts } from '../../monero/wallet/bundle-fixture.js';
import { holder } from '../../monero/wallet/fixtures.js';
import { outputsOf, payment } from '../../monero/wallet/payment-fixture.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { textParser, type Parser, type Target } from '../target.js';

const rng = seededRng('proofs');
const [owner, payer] = [holder(rng), holder(rng)];
const address = owner.address();
const message = utf8('a message');
const made = payment(
  payer,
  [
    { address, amount: amount(5n) },
    { address: owner.address({ major: 0, minor: 1 }), amount: amount(7n) },
  ],
  rng,
);
const outputs = outputsOf(owner, made);
const subject = { tx: made.tx, address, message };

function txProofParser(): Parser {
  const seeds = [
    proveSent({ ...subject, keys: made.keys }, rng),
    proveReceived({ ...subject, viewSecret: owner.viewSecret }, rng),
  ];
  return textParser([...seeds, ...seeds.map((proof) => proof.replace('V2', 'V1'))], (proof) =>
    checkTxProof({ ...subject, proof }),
  );
}

/** Parser of the bytes of a reserve proof, which the text has in base58. */
function reserveParser(): Parser {
  const proof = proveReserve({ message, address, outputs, keys: owner }, rng);
  const HEADER = 'ReserveProofV2';
  return {
    seeds: [decodeBase58(proof.slice(HEADER.length))],
    run(input) {
      const read = readReserveProof(HEADER + encodeBase58(input));
      const spent = new Set<string>();
      checkReserve({
        proof: read,
        message,
        address,
        txs: read.entries.map(() => made.tx),
        spent: read.entries.map(() => spent.has('')),
      });
    },
  };
}

const PROOF_WORDS = [
  'OutProofV2',
  'InProofV2',
  'OutProofV1',
  'ReserveProofV1',
  'SpendProofV1',
  'SigV1',
  'SigV2',
  '1',
  'z',
];

export const targets: readonly Target[] = [
  {
    name: 'tx-proof',
    errors: [ProofError],
    modules: ['monero/wallet/proofs/tx-proof', 'monero/wallet/proofs/proof-text'],
    words: PROOF_WORDS,
    prepare: txProofParser,
  },
  {
    name: 'spend-proof',
    errors: [ProofError],
    modules: ['monero/wallet/proofs/spend-proof'],
    words: PROOF_WORDS,
    prepare: () =>
      textParser([`SpendProofV1${'1'.repeat(88 * 4)}`], (text) =>
        spendSignatures(spendProofBody(text), [2, 2]),
      ),
  },
  {
    name: 'reserve-proof',
    errors: [ProofError],
    modules: ['monero/wallet/proofs/reserve-proof', 'monero/wallet/proofs/reserve-proof-text'],
    prepare: reserveParser,
  },
  {
    name: 'reserve-text',
    errors: [ProofError],
    modules: ['monero/wallet/proofs/reserve-proof-text', 'monero/cryptonote/base58'],
    words: PROOF_WORDS,
    prepare: () =>
      textParser([proveReserve({ message, address, outputs, keys: owner }, rng)], readReserveProof),
  },
  {
    name: 'reserve-bundle',
    errors: [ProofError],
    modules: ['rpc/wire/reserve-bundle', 'monero/wallet/proofs/reserve-bundle-check'],
    prepare: () =>
      textParser(
        [oneAccount, twoAccounts].map((bundle) => writeJson(reserveBundleShape(bundle) as unknown as Json)),
        (text) => checkBundle(readReserveBundle(text)),
      ),
  },
  {
    name: 'message-signature',
    errors: [],
    modules: ['monero/wallet/proofs/message-signature'],
    words: PROOF_WORDS,
    maxBytes: 512,
    prepare: () => {
      const task = {
        message,
        keys: owner,
        spendPublicKey: address.spendPublicKey,
        index: { major: 0, minor: 0 },
      };
      const seeds = (['spend', 'view'] as const).map((key) => signMessage({ ...task, key }, rng));
      return textParser([...seeds, ...seeds.map((text) => text.replace('V2', 'V1'))], (signature) =>
        verifyMessage({ message, address, signature }),
      );
    },
  },
];
