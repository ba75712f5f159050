import { AMOUNT_BASE } from '../../monero/crypto/curve/curve.js';
import { loadCurve } from '../../monero/crypto/curve/load-curve.js';
import type { Commitment, Hash, KeyImage } from '../../monero/crypto/types.js';
import { parseExtra, writeExtra } from '../../monero/cryptonote/extra.js';
import {
  parsePrunedTransaction,
  parseTransaction,
  prunedTransaction,
  transaction,
} from '../../monero/cryptonote/transaction.js';
import type { KeyInput, Transaction } from '../../monero/cryptonote/types.js';
import { fcmpProofSize } from '../../monero/ringct/fcmp-proof-size.js';
import type { FcmpProofs, RctBase } from '../../monero/ringct/types.js';
import { ZERO } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { encode } from '../../util/codec.js';
import type { ServedPayment } from '../store/served-blocks.js';
import { inPayingBlock } from './block-lies.js';
import { eachTransaction, type Fault } from './fault.js';
import type { LieContext } from './lie-context.js';
import { randomPoint } from './nobody.js';

/* Lies about payments that stand in the chain. Their identities in the block stay the true ones. */

/** Largest number of a bit of an amount. */
const HIGHEST_BIT = 63;

type Change = (tx: Transaction, lie: LieContext) => Transaction;

function changed({ blob, prunableHash }: ServedPayment, change: Change, lie: LieContext): ServedPayment {
  if (prunableHash === undefined) return { blob: encode(transaction, change(parseTransaction(blob), lie)) };
  return { blob: encode(prunedTransaction, change(parsePrunedTransaction(blob), lie)), prunableHash };
}

/** Returns a fault that changes each payment of a block. */
const inPayments = (help: string, change: Change, more: Pick<Fault, 'most' | 'needs'> = {}): Fault => ({
  ...more,
  help,
  block: inPayingBlock((served, _, lie) => ({
    ...served,
    payments: served.payments.map((payment) => changed(payment, change, lie)),
  })),
});

const withBase = (tx: Transaction, change: (base: RctBase) => RctBase): Transaction =>
  tx.rct === undefined ? tx : { ...tx, rct: { ...tx.rct, base: change(tx.rct.base) } };

/** Inverts one bit of each encrypted amount. */
const withBit = (tx: Transaction, bit: number): Transaction =>
  withBase(tx, (base) => ({
    ...base,
    ecdhInfo: base.ecdhInfo.map((info) => ({
      ...info,
      amount: info.amount.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)),
    })),
  }));

/** Adds an amount to that of each commitment. */
const withMore = (tx: Transaction, more: bigint): Transaction =>
  withBase(tx, (base) => ({
    ...base,
    outPk: base.outPk.map(
      (commitment) => loadCurve().multiexp([commitment, AMOUNT_BASE], [1n, more]) as Commitment,
    ),
  }));

/** Returns a placeholder of a proof of inputs, with the size that readers expect. */
const proofFor = (inputs: number, fcmp: FcmpProofs): FcmpProofs => ({
  ...fcmp,
  proof: new Uint8Array(fcmpProofSize(inputs, fcmp.layers)),
});

/** Changes the inputs, and the lists of the prunable part that have an entry for each input. */
function withInputs(
  tx: Transaction,
  change: <T>(list: readonly T[], of: 'inputs' | 'proofs') => T[],
): Transaction {
  const { rct } = tx;
  const prefix = { ...tx.prefix, inputs: change(tx.prefix.inputs, 'inputs') };
  if (rct?.prunable === undefined) return { ...tx, prefix };
  const { clsags, pseudoOuts, fcmp } = rct.prunable;
  return {
    ...tx,
    prefix,
    rct: {
      ...rct,
      prunable: {
        ...rct.prunable,
        clsags: change(clsags, 'proofs'),
        pseudoOuts: change(pseudoOuts, 'proofs'),
        ...(fcmp && { fcmp: proofFor(prefix.inputs.length, fcmp) }),
      },
    },
  };
}

const withKeyImages = (tx: Transaction, image: () => KeyImage): Transaction => ({
  ...tx,
  prefix: {
    ...tx.prefix,
    inputs: tx.prefix.inputs.map((input) => (input.type === 'key' ? { ...input, keyImage: image() } : input)),
  },
});

/** Adds an input for each key image, with the ring of the first input. */
function withSpends(tx: Transaction, images: readonly KeyImage[]): Transaction {
  const [first] = tx.prefix.inputs;
  const keyOffsets = first?.type === 'key' ? first.keyOffsets : [];
  const added = images.map((keyImage): KeyInput => ({ type: 'key', amount: ZERO, keyOffsets, keyImage }));
  return withInputs(tx, (list, of) => [
    ...list,
    ...(of === 'inputs' ? (added as unknown as typeof list) : added.flatMap(() => list.slice(0, 1))),
  ]);
}

function withPaymentId(tx: Transaction): Transaction {
  const { fields } = parseExtra(tx.prefix.extra);
  const extra = writeExtra(
    fields.map((field) =>
      field.type === 'nonce'
        ? { ...field, nonce: field.nonce.map((byte, i) => (i === 0 ? byte : byte ^ 1)) }
        : field,
    ),
  );
  return { ...tx, prefix: { ...tx.prefix, extra } };
}

const otherHash = (lie: LieContext): Hash => lie.once('other hash', () => lie.rng(32) as Hash);

/** Lies about the payments of one block: that at `at_height`, or the newest one that has payments. */
export const PAYMENT_LIES = {
  'raised-amount': inPayments(
    'bit n of each amount in a block of payments is set, and the commitments are raised to fit',
    (tx, { value }) => withMore(withBit(tx, value), 1n << BigInt(value)),
    { most: HIGHEST_BIT },
  ),
  'changed-amount': inPayments(
    'bit n of each encrypted amount in a block of payments is inverted',
    (tx, { value }) => withBit(tx, value),
    { most: HIGHEST_BIT },
  ),
  'changed-commitment': inPayments(
    'the commitments in a block of payments are to n atomic units more',
    (tx, { value }) => withMore(tx, BigInt(value)),
  ),
  'changed-output-key': inPayments(
    'the output keys in a block of payments are other ones (1)',
    (tx, lie) => ({
      ...tx,
      prefix: {
        ...tx.prefix,
        outputs: tx.prefix.outputs.map((output, i) => ({
          ...output,
          publicKey: lie.once(`output key ${i}`, () => randomPoint(lie.rng)),
        })),
      },
    }),
  ),
  'changed-payment-id': inPayments(
    'the payment ids in a block of payments are other ones (1)',
    withPaymentId,
  ),
  'changed-unlock-time': inPayments('the unlock time in a block of payments is n', (tx, { value }) => ({
    ...tx,
    prefix: { ...tx.prefix, unlockTime: BigInt(value) },
  })),
  'changed-key-image': inPayments(
    'the key images in a block of payments are other ones, so that nothing seems spent (1)',
    (tx, lie) =>
      withKeyImages(tx, () => lie.once('key image', () => randomPoint(lie.rng) as Uint8Array as KeyImage)),
  ),
  'added-key-image': inPayments(
    'the payments of a block spend the key images `key_images`, too (1)',
    (tx, { target }) => withSpends(tx, target.keyImages),
    { needs: 'key_images' },
  ),
  'removed-key-image': inPayments('the payments of a block spend nothing (1)', (tx) =>
    withInputs(tx, () => []),
  ),
  'wrong-prunable-hash': {
    ...inPayments('the hash of the prunable part of payments is another one (1)', (tx) => tx),
    pages: ['/get_blocks.bin'],
    block: inPayingBlock((served, { prune }, lie) =>
      prune
        ? { ...served, payments: served.payments.map(({ blob }) => ({ blob, prunableHash: otherHash(lie) })) }
        : served,
    ),
    ...eachTransaction((entry, lie) => ({ ...entry, prunable_hash: toHex(otherHash(lie)) })),
  },
} satisfies Record<string, Fault>;
