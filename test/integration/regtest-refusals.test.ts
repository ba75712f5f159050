import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { block as blockCodec, parseBlock } from '../../src/monero/cryptonote/block.js';
import { Point } from '../../src/monero/crypto/curve/point.js';
import { ORDER, intToBytes } from '../../src/monero/crypto/scalar.js';
import { parseTransaction, transaction } from '../../src/monero/cryptonote/transaction.js';
import type { Block, KeyInput, Transaction, TxPrefix } from '../../src/monero/cryptonote/types.js';
import type { BulletproofPlus, Clsag, RctBase, RctPrunable } from '../../src/monero/ringct/types.js';
import { amount } from '../../src/util/amount.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { encode } from '../../src/util/codec.js';
import type { SignedTx } from '../../src/monero/wallet/build/signing.js';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { makePayment } from '../support/wallets/payments.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startMiner, startTwins, type TwinChain } from '../support/chain/twin-chain.js';

/* Invalid transactions and blocks: our daemon and the real one refuse them alike. */

let twins: TwinChain;
let miner: ChainWallet;
let good: SignedTx;
let rival: SignedTx;

const FLAGS = [
  'low_mixin',
  'double_spend',
  'invalid_input',
  'invalid_output',
  'too_big',
  'overspend',
  'fee_too_low',
  'too_few_outputs',
  'sanity_check_failed',
];

/** Submits a transaction to both daemons. @returns status and flagged reasons. */
async function verdicts(hex: string): Promise<{ ours: Loose; theirs: Loose }> {
  const ask = { tx_as_hex: hex, do_sanity_checks: false };
  const [ours, theirs] = await Promise.all(
    [twins.ours, twins.theirs].map(async (daemon) => {
      const reply = await daemon.plain('/send_raw_transaction', ask);
      return { status: reply.status, flags: FLAGS.filter((flag) => reply[flag]) };
    }),
  );
  return { ours, theirs };
}

beforeAll(async () => {
  twins = await startTwins(['--allow-unlock-time']);
  miner = await startMiner(twins, seededRng('refusals'));
  const twin = new ChainWallet(seededRng('refusals'));
  await twin.scan(twins.ours);
  const payee = miner.address({ major: 1, minor: 1 });
  good = await makePayment(twins.ours, miner, { to: [[payee, 1_000_000_000_000n]] }, seededRng('good'));
  // The twin has the same keys and makes the same choice of outputs.
  rival = await makePayment(twins.ours, twin, { to: [[payee, 999_999_999_999n]] }, seededRng('good'));
});

afterAll(async () => {
  await twins?.stop();
});

const withPrefix = (tx: Transaction, change: (prefix: TxPrefix) => Partial<TxPrefix>): Transaction => ({
  ...tx,
  prefix: { ...tx.prefix, ...change(tx.prefix) },
});

const withInput = (tx: Transaction, change: (input: KeyInput) => Partial<KeyInput>): Transaction =>
  withPrefix(tx, ({ inputs }) => ({
    inputs: inputs.map((input, i) =>
      i === 0 && input.type === 'key' ? { ...input, ...change(input) } : input,
    ),
  }));

const withBase = (tx: Transaction, change: (base: RctBase) => Partial<RctBase>): Transaction => {
  if (tx.rct === undefined) throw new Error('not a RingCT transaction');
  return { ...tx, rct: { ...tx.rct, base: { ...tx.rct.base, ...change(tx.rct.base) } } };
};

const withPrunable = (tx: Transaction, change: (of: RctPrunable) => Partial<RctPrunable>): Transaction => {
  if (tx.rct?.prunable === undefined) throw new Error('not a whole transaction');
  return { ...tx, rct: { ...tx.rct, prunable: { ...tx.rct.prunable, ...change(tx.rct.prunable) } } };
};

const withProof = (tx: Transaction, change: (of: BulletproofPlus) => Partial<BulletproofPlus>): Transaction =>
  withPrunable(tx, ({ bulletproofsPlus }) => ({
    bulletproofsPlus: bulletproofsPlus.map((proof) => ({ ...proof, ...change(proof) })),
  }));

const withClsag = (tx: Transaction, change: (of: Clsag) => Partial<Clsag>): Transaction =>
  withPrunable(tx, ({ clsags }) => ({
    clsags: clsags.map((clsag, i) => (i === 0 ? { ...clsag, ...change(clsag) } : clsag)),
  }));

/** Changes the per-member lists of every ring: offsets and scalars. */
const withRings = (tx: Transaction, change: <T>(members: readonly T[]) => T[]): Transaction =>
  withPrunable(
    withPrefix(tx, ({ inputs }) => ({
      inputs: inputs.map((input) =>
        input.type === 'key' ? { ...input, keyOffsets: change(input.keyOffsets) } : input,
      ),
    })),
    ({ clsags }) => ({ clsags: clsags.map((clsag) => ({ ...clsag, s: change(clsag.s) })) }),
  );

/** Replaces bytes. */
const by =
  (bytes: Uint8Array) =>
  <B extends Uint8Array>(old: B): B =>
    Uint8Array.from(old, (_, i) => bytes[i] ?? 0) as unknown as B;
/** Another valid point. */
const otherPoint = by(Point.BASE.toBytes());
const otherScalar = <B extends Uint8Array>(bytes: B): B =>
  Uint8Array.from(bytes, (byte, i) => (i === 0 ? byte ^ 1 : byte)) as unknown as B;
const NO_POINT = new Uint8Array(32).fill(0xff);
const noPoint = by(NO_POINT);
const identity = by(Point.ZERO.toBytes());
const tooLarge = by(intToBytes(ORDER));
/** Point of order 2. */
const TORSION = Point.fromHex('ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', true);
const twisted = <B extends Uint8Array>(bytes: B): B =>
  Point.fromBytes(bytes, true).add(TORSION).toBytes() as unknown as B;

const first = <T>(list: readonly T[], change: (item: T) => T): T[] =>
  list.map((item, i) => (i === 0 ? change(item) : item));

const spoiledTxs: readonly (readonly [string, (tx: Transaction) => Transaction])[] = [
  ['with an unsigned unlock time', (tx) => withPrefix(tx, () => ({ unlockTime: 5n }))],
  ['with another extra', (tx) => withPrefix(tx, ({ extra }) => ({ extra: otherScalar(extra) }))],
  [
    'with another output key',
    (tx) =>
      withPrefix(tx, ({ outputs }) => ({
        outputs: first(outputs, (output) => ({ ...output, publicKey: otherPoint(output.publicKey) })),
      })),
  ],
  [
    'with an output key that is no point',
    (tx) =>
      withPrefix(tx, ({ outputs }) => ({
        outputs: first(outputs, (output) => ({ ...output, publicKey: noPoint(output.publicKey) })),
      })),
  ],
  [
    'with an open amount',
    (tx) =>
      withPrefix(tx, ({ outputs }) => ({
        outputs: first(outputs, (output) => ({ ...output, amount: amount(1n) })),
      })),
  ],
  [
    'with another view tag',
    (tx) =>
      withPrefix(tx, ({ outputs }) => ({
        outputs: first(outputs, (output) => ({ ...output, viewTag: (output.viewTag ?? 0) ^ 1 })),
      })),
  ],
  [
    'with an output without a view tag',
    (tx) =>
      withPrefix(tx, ({ outputs }) => ({
        outputs: first(outputs, ({ amount: value, publicKey }) => ({ amount: value, publicKey })),
      })),
  ],
  [
    'with its outputs swapped',
    (tx) => withPrefix(tx, ({ outputs }) => ({ outputs: [...outputs].reverse() })),
  ],
  ['with another key image', (tx) => withInput(tx, ({ keyImage }) => ({ keyImage: otherPoint(keyImage) }))],
  [
    'with a key image that is no point',
    (tx) => withInput(tx, ({ keyImage }) => ({ keyImage: noPoint(keyImage) })),
  ],
  [
    'with the identity for a key image',
    (tx) => withInput(tx, ({ keyImage }) => ({ keyImage: identity(keyImage) })),
  ],
  ['with torsion in a key image', (tx) => withInput(tx, ({ keyImage }) => ({ keyImage: twisted(keyImage) }))],
  [
    'with another ring member',
    (tx) => withInput(tx, ({ keyOffsets }) => ({ keyOffsets: first(keyOffsets, (offset) => offset + 1n) })),
  ],
  [
    'with a ring member twice',
    (tx) =>
      withInput(tx, ({ keyOffsets }) => ({
        keyOffsets: keyOffsets.map((offset, i) => (i === 1 ? 0n : offset)),
      })),
  ],
  [
    'with a ring member that does not exist',
    (tx) => withInput(tx, ({ keyOffsets }) => ({ keyOffsets: [...keyOffsets.slice(0, -1), 1_000_000n] })),
  ],
  [
    'with a ring member that is locked',
    (tx) =>
      withInput(tx, ({ keyOffsets }) => {
        const before = keyOffsets.slice(0, -1).reduce((a, b) => a + b, 0n);
        return { keyOffsets: [...keyOffsets.slice(0, -1), 70n - before] };
      }),
  ],
  ['with an input of an open amount', (tx) => withInput(tx, () => ({ amount: amount(17_592_186_044_415n) }))],
  [
    'that spends an input twice',
    (tx) =>
      withPrunable(
        withPrefix(tx, ({ inputs }) => ({ inputs: [...inputs, ...inputs] })),
        ({ clsags, pseudoOuts }) => ({
          clsags: [...clsags, ...clsags],
          pseudoOuts: [...pseudoOuts, ...pseudoOuts],
        }),
      ),
  ],
  ['with rings of 15', (tx) => withRings(tx, (ring) => ring.slice(0, -1))],
  ['with rings of 17', (tx) => withRings(tx, (ring) => [...ring, ...ring.slice(-1)])],
  ['with rings of one', (tx) => withRings(tx, (ring) => ring.slice(0, 1))],
  ['that pays a lower fee than it signed', (tx) => withBase(tx, ({ fee }) => ({ fee: amount(fee - 1n) }))],
  ['that pays no fee', (tx) => withBase(tx, () => ({ fee: amount(0n) }))],
  [
    'with another encrypted amount',
    (tx) =>
      withBase(tx, ({ ecdhInfo }) => ({
        ecdhInfo: first(ecdhInfo, (e) => ({ amount: otherScalar(e.amount) })),
      })),
  ],
  ['with another commitment', (tx) => withBase(tx, ({ outPk }) => ({ outPk: first(outPk, otherPoint) }))],
  [
    'with a commitment that is no point',
    (tx) => withBase(tx, ({ outPk }) => ({ outPk: first(outPk, noPoint) })),
  ],
  ['with its commitments swapped', (tx) => withBase(tx, ({ outPk }) => ({ outPk: [...outPk].reverse() }))],
  [
    'with another pseudo output',
    (tx) => withPrunable(tx, ({ pseudoOuts }) => ({ pseudoOuts: first(pseudoOuts, otherPoint) })),
  ],
  ['with another A in its range proof', (tx) => withProof(tx, ({ A }) => ({ A: otherPoint(A) }))],
  ['with another A1 in its range proof', (tx) => withProof(tx, ({ A1 }) => ({ A1: otherPoint(A1) }))],
  ['with another B in its range proof', (tx) => withProof(tx, ({ B }) => ({ B: otherPoint(B) }))],
  ['with another r1 in its range proof', (tx) => withProof(tx, ({ r1 }) => ({ r1: otherScalar(r1) }))],
  ['with another s1 in its range proof', (tx) => withProof(tx, ({ s1 }) => ({ s1: otherScalar(s1) }))],
  ['with another d1 in its range proof', (tx) => withProof(tx, ({ d1 }) => ({ d1: otherScalar(d1) }))],
  ['with a scalar too large in its range proof', (tx) => withProof(tx, ({ r1 }) => ({ r1: tooLarge(r1) }))],
  ['with another L in its range proof', (tx) => withProof(tx, ({ L }) => ({ L: first(L, otherPoint) }))],
  ['with another R in its range proof', (tx) => withProof(tx, ({ R }) => ({ R: first(R, noPoint) }))],
  [
    'with a range proof for more outputs',
    (tx) => withProof(tx, ({ L, R }) => ({ L: [...L, ...L.slice(0, 1)], R: [...R, ...R.slice(0, 1)] })),
  ],
  [
    'with two range proofs',
    (tx) => withPrunable(tx, ({ bulletproofsPlus: p }) => ({ bulletproofsPlus: [...p, ...p] })),
  ],
  ['with another s in its signature', (tx) => withClsag(tx, ({ s }) => ({ s: first(s, otherScalar) }))],
  ['with another c in its signature', (tx) => withClsag(tx, ({ c1 }) => ({ c1: otherScalar(c1) }))],
  ['with another D in its signature', (tx) => withClsag(tx, ({ D }) => ({ D: otherPoint(D) }))],
  ['with the identity for D', (tx) => withClsag(tx, ({ D }) => ({ D: identity(D) }))],
  ['with a scalar too large in its signature', (tx) => withClsag(tx, ({ s }) => ({ s: first(s, tooLarge) }))],
  [
    'that has no signatures',
    ({ prefix, rct }) => ({
      prefix,
      rct: { base: { ...(rct as { base: RctBase }).base, type: 0 } },
    }),
  ],
];

describe('a transaction', () => {
  test.each(spoiledTxs)('%s is refused by both, for the same reasons', async (_, spoil) => {
    const { ours, theirs } = await verdicts(toHex(encode(transaction, spoil(parseTransaction(good.blob)))));
    expect(theirs.status).toBe('Failed');
    expect(ours).toEqual(theirs);
  });

  test.each([
    ['nothing', () => ''],
    ['a byte less', (hex: string) => hex.slice(0, -2)],
    ['a byte more', (hex: string) => `${hex}00`],
    ['malformed hex', (hex: string) => `${hex}0`],
    ['RingCT of another type', (hex: string) => hex.replace(RCT_TYPE, '05')],
    ['RingCT of no known type', (hex: string) => hex.replace(RCT_TYPE, '09')],
  ])('that is %s is refused by both', async (_, spoil) => {
    const { ours, theirs } = await verdicts(spoil(toHex(good.blob)));
    expect(theirs.status).toBe('Failed');
    expect(ours.status).toBe('Failed');
  });

  it('that is valid is accepted; a double spend and a resubmission are not', async () => {
    expect(await verdicts(toHex(good.blob))).toMatchObject({
      ours: { status: 'OK' },
      theirs: { status: 'OK' },
    });
    expect(toHex(rival.hash)).not.toBe(toHex(good.hash));
    const refused = await verdicts(toHex(rival.blob));
    expect(refused.ours).toEqual({ status: 'Failed', flags: ['double_spend'] });
    expect(refused.theirs).toEqual(refused.ours);
    for (const daemon of [twins.ours, twins.theirs]) {
      const again = await daemon.plain('/send_raw_transaction', { tx_as_hex: toHex(good.blob) });
      expect(again).toMatchObject({ status: 'OK', not_relayed: true });
      const { transactions } = await daemon.plain('/get_transaction_pool');
      expect(transactions).toMatchObject([{ id_hash: toHex(good.hash), double_spend_seen: true }]);
    }
  });

  it('that spends a mined input is refused', async () => {
    await twins.mine(miner.addressText(), 1);
    const { ours, theirs } = await verdicts(toHex(rival.blob));
    expect(ours).toEqual({ status: 'Failed', flags: ['double_spend', 'invalid_input'] });
    expect(theirs).toEqual(ours);
  });
});

/** Position of the RingCT type in a transaction: behind the extra field. */
const RCT_TYPE = /(?<=^[\s\S]{400,})06(?=[0-9a-f]{6,10}[\s\S]*$)/;

const spoiledBlocks: readonly (readonly [string, (block: Block) => Block])[] = [
  ['of an older version', (b) => ({ ...b, header: { ...b.header, majorVersion: 15 } })],
  ['that votes for an older version', (b) => ({ ...b, header: { ...b.header, minorVersion: 15 } })],
  ['from the future', (b) => ({ ...b, header: { ...b.header, timestamp: b.header.timestamp + 8_000 } })],
  ['from the past', (b) => ({ ...b, header: { ...b.header, timestamp: 1_000_000_000 } })],
  ['of another height', (b) => withMiner(b, () => ({ inputs: [{ type: 'gen', height: 7 }] }))],
  ['that unlocks early', (b) => withMiner(b, ({ unlockTime }) => ({ unlockTime: unlockTime - 1n }))],
  ['that takes too much', (b) => withReward(b, 1n)],
  ['that takes too little', (b) => withReward(b, -1n)],
  ['without outputs', (b) => withMiner(b, () => ({ outputs: [] }))],
  ['with an unknown transaction', (b) => ({ ...b, txHashes: [b.header.prevHash] })],
  ['that follows nothing', (b) => ({ ...b, header: { ...b.header, prevHash: NO_POINT as never } })],
];

const withMiner = (block: Block, change: (prefix: TxPrefix) => Partial<TxPrefix>): Block => ({
  ...block,
  minerTx: withPrefix(block.minerTx, change),
});

const withReward = (block: Block, more: bigint): Block =>
  withMiner(block, ({ outputs }) => ({
    outputs: outputs.map((output) => ({ ...output, amount: amount(output.amount + more) })),
  }));

describe('a block', () => {
  test.each(spoiledBlocks)('%s is accepted by neither', async (what, spoil) => {
    const { blocktemplate_blob } = await twins.ours.rpc('get_block_template', {
      wallet_address: miner.addressText(),
    });
    const blob = toHex(encode(blockCodec, spoil(parseBlock(fromHex(blocktemplate_blob)))));
    const before = await twins.ours.rpc('get_info');
    for (const daemon of [twins.ours, twins.theirs]) {
      const { error } = await daemon.call('submit_block', [blob]);
      // A block with an unknown parent gets no error.
      if (what !== 'that follows nothing') expect(error).toEqual({ code: -7, message: 'Block not accepted' });
      expect((await daemon.rpc('get_info')).top_block_hash).toBe(before.top_block_hash);
    }
  });
});
