import { describe, expect, it, jest } from '@jest/globals';
import { loadCurve } from '../../../../src/monero/crypto/curve/load-curve.js';
import { Point } from '../../../../src/monero/crypto/curve/point.js';
import { publicKeyOf } from '../../../../src/monero/crypto/derivation.js';
import { scalarBytes } from '../../../../src/monero/crypto/scalar.js';
import type { Hash, PublicKey } from '../../../../src/monero/crypto/types.js';
import { formatAddress, integrate } from '../../../../src/monero/cryptonote/address.js';
import { parseExtra, writeExtra, type ExtraField } from '../../../../src/monero/cryptonote/extra.js';
import { transactionHash } from '../../../../src/monero/cryptonote/transaction.js';
import type { PaymentId, Transaction } from '../../../../src/monero/cryptonote/types.js';
import { loadKernel } from '../../../../src/monero/kernel/load-kernel.js';
import { referenceKernel } from '../../../../src/monero/kernel/reference-kernel.js';
import type { ScanKernel } from '../../../../src/monero/kernel/kernel.js';
import type { RctBase } from '../../../../src/monero/ringct/types.js';
import {
  scanBlock,
  ownOutputsIn,
  ownOutputsOf,
  receivedPaymentId,
} from '../../../../src/monero/wallet/scan/block-scan.js';
import type { FetchedTx } from '../../../../src/monero/wallet/scan/fetched-tx.js';
import { SubaddressTable } from '../../../../src/monero/wallet/scan/subaddress-table.js';
import { outputTo } from '../../../support/chain/coinbase.js';
import { TORSION } from '../../../support/values/edge-points.js';
import { extraOf } from '../../../support/chain/heavy-txs.js';
import { toPublicKey } from '../../../support/values/plain-points.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { amount } from '../../../../src/util/amount.js';
import { toHex } from '../../../../src/util/bytes.js';
import { COIN, faultOf, holder, payeeOf } from '../fixtures.js';
import { fetchedOf, payment, withPrefix } from '../payment-fixture.js';

const rng = seededRng('block scan');
const shop = holder(rng);
const customer = holder(rng);
const stranger = holder(rng);
const ID = rng(8) as PaymentId;
const viewOnly = { viewSecret: shop.viewSecret };
const table = (): SubaddressTable => {
  const made = new SubaddressTable(shop.spendPublicKey, shop.viewSecret, { major: 2, minor: 3 });
  made.expandTo({ major: 0, minor: 0 });
  return made;
};

const TX_SECRET = 77n;
/** A miner transaction with one output to the shop. */
const minerTx: Transaction = {
  prefix: {
    version: 2,
    unlockTime: 160n,
    inputs: [{ type: 'gen', height: 100 }],
    outputs: [{ ...outputTo(formatAddress(shop.address()), 0, TX_SECRET), amount: amount(600_000_000_000n) }],
    extra: writeExtra([{ type: 'publicKey', key: publicKeyOf(scalarBytes(TX_SECRET)) }]),
  },
  rct: { base: { type: 0, fee: amount(0n), pseudoOuts: [], ecdhInfo: [], outPk: [] } },
};

const withId = payment(customer, [payeeOf(integrate(shop.address(), ID), 3n * COIN)], rng);
const several = payment(
  customer,
  [payeeOf(shop.address({ major: 0, minor: 2 }), 2n * COIN), payeeOf(shop.address(), COIN)],
  rng,
);
const foreign = payment(customer, [payeeOf(stranger.address(), COIN)], rng);

const blockOf = (txs: readonly FetchedTx[]) => ({ minerTx, txHashes: txs.map(({ hash }) => hash) });

describe('a scan of a block', () => {
  const txs = [foreign.tx, withId.tx, several.tx];

  it('finds the payments to the addresses of a wallet, with amounts and payment id, in the order of the block', () => {
    const found = scanBlock(blockOf(txs), txs, viewOnly, table());
    expect(found.map(({ hash }) => hash)).toEqual([
      transactionHash(minerTx),
      withId.tx.hash,
      several.tx.hash,
    ]);
    expect(
      found.map(({ outputs }) => outputs.map(({ amount: value, subaddress }) => [value, subaddress.minor])),
    ).toEqual([
      [[600_000_000_000n, 0]],
      [[3n * COIN, 0]],
      expect.arrayContaining([
        [2n * COIN, 2],
        [COIN, 0],
      ]),
    ]);
    expect(found.map(({ paymentId }) => paymentId)).toEqual([undefined, ID, undefined]);
    for (const { tx, outputs } of found)
      for (const { outputIndex, publicKey } of outputs)
        expect(tx.prefix.outputs[outputIndex]?.publicKey).toEqual(publicKey);
  });

  it('reads the dummy payment id that payers add to a payment without one as zeros', () => {
    const { tx } = payment(customer, [payeeOf(shop.address(), COIN)], rng);
    const found = scanBlock({ ...blockOf([tx]), minerTx: foreign.parsed }, [tx], viewOnly, table());
    expect(found.map(({ paymentId }) => paymentId)).toEqual([new Uint8Array(8)]);
  });

  it('reads no payment id of a transaction whose first key is not a point, and finds its outputs by the others', () => {
    const { fields } = parseExtra(withId.parsed.prefix.extra);
    const noPoint = { type: 'publicKey', key: new Uint8Array(32).fill(0xff) as PublicKey } as const;
    const txWith = (extra: readonly ExtraField[]) =>
      fetchedOf(withPrefix(withId.parsed, { extra: writeExtra(extra) }), rng);
    for (const [extra, paymentId] of [
      [[...fields, noPoint], ID],
      [[noPoint, ...fields], undefined],
    ] as const) {
      const sent = [txWith(extra)];
      const found = scanBlock({ ...blockOf(sent), minerTx: foreign.parsed }, sent, viewOnly, table());
      expect(found.map((one) => one.outputs.map(({ amount: value }) => value))).toEqual([[3n * COIN]]);
      expect(found.map((one) => one.paymentId)).toEqual([paymentId]);
    }
  });

  it('fails where the curve arithmetic fails, and does not take the key for one that is not a point', () => {
    const { fields } = parseExtra(withId.parsed.prefix.extra);
    expect(receivedPaymentId(fields, shop.viewSecret)).toEqual(ID);
    const multiply = jest.spyOn(loadCurve(), 'multiplyEach').mockImplementation(() => {
      throw new Error('out of memory');
    });
    try {
      expect(() => receivedPaymentId(fields, shop.viewSecret)).toThrow('out of memory');
    } finally {
      multiply.mockRestore();
    }
  });

  it('computes key images with the spend key only', () => {
    const images = (keys: Parameters<typeof scanBlock>[2]) =>
      scanBlock(blockOf(txs), txs, keys, table()).flatMap(({ outputs }) =>
        outputs.map((one) => one.keyImage),
      );
    expect(images(viewOnly)).toEqual([undefined, undefined, undefined, undefined]);
    expect(new Set(images(shop).map(String)).size).toBe(4);
    for (const { outputs } of scanBlock(blockOf(txs), txs, viewOnly, table()))
      for (const output of outputs) expect(output).not.toHaveProperty('keyImage');
  });

  it('finds a payment to an address that an earlier payment of the block brings within the lookahead', () => {
    const near = payment(customer, [payeeOf(shop.address({ major: 0, minor: 2 }), COIN)], rng).tx;
    const far = payment(customer, [payeeOf(shop.address({ major: 0, minor: 4 }), COIN)], rng).tx;
    const amounts = (sent: readonly FetchedTx[]): number =>
      scanBlock({ ...blockOf(sent), minerTx: foreign.parsed }, sent, viewOnly, table()).length;
    expect(amounts([near, far])).toBe(2);
    expect(amounts([far, near])).toBe(1);
  });

  it('refuses transactions that are not those of the block', () => {
    const block = blockOf(txs);
    const scan = (sent: readonly FetchedTx[]) => faultOf(() => scanBlock(block, sent, viewOnly, table()));
    const [first, second, third] = txs as [FetchedTx, FetchedTx, FetchedTx];
    for (const sent of [
      [first, second],
      [...txs, first],
      [second, first, third],
      [first, { ...second, blob: third.blob }, third],
      [first, { ...second, prunableHash: rng(32) as Hash }, third],
      [first, { ...second, blob: second.blob.slice(1) }, third],
    ])
      expect(scan(sent)).toMatchObject({ kind: 'wrong_transaction' });
  });
});

describe('own outputs', () => {
  const { parsed } = several;

  it('are the same with the plain kernel', () => {
    const all = [minerTx, parsed, foreign.parsed, withId.parsed];
    const by = (kernel: ScanKernel) => ownOutputsOf(all, shop, table(), { kernel });
    expect(by(referenceKernel)).toEqual(by(loadKernel()));
    expect(by(referenceKernel).map(({ length }) => length)).toEqual([1, 2, 0, 1]);
  });

  const base = parsed.rct?.base;
  if (base === undefined) throw new Error('no RingCT');
  const withRct = (changes: Partial<RctBase>): Transaction => ({
    ...parsed,
    rct: { base: { ...base, ...changes } },
  });

  it.each<[string, Partial<RctBase>]>([
    ['another commitment', { outPk: base.outPk.toReversed() }],
    ['no commitment', { outPk: [] }],
    ['no encrypted amount', { ecdhInfo: [] }],
    ['an amount above 64 bits', { type: 2 }],
  ])('are void with %s', (_, changes) => {
    expect(ownOutputsIn(withRct(changes), shop, table())).toEqual([]);
  });

  it.each<[string, Transaction]>([
    ['version 1', { prefix: { ...minerTx.prefix, version: 1 }, signatures: [] }],
    ['a miner transaction', minerTx],
  ])('of %s have a plain amount and the mask 1; those without an amount are void', (_, tx) => {
    const paying = (value: bigint) =>
      ownOutputsIn(
        withPrefix(tx, { outputs: tx.prefix.outputs.map((one) => ({ ...one, amount: amount(value) })) }),
        viewOnly,
        table(),
      ).map((one) => [one.amount, one.mask]);
    expect(paying(1n)).toEqual([[1n, 1n]]);
    expect(paying(COIN)).toEqual([[COIN, 1n]]);
    expect(paying(0n)).toEqual([]);
  });

  it('are listed by ascending index, although additional keys are tried after the main one', () => {
    const payees = [0, 1, 2, 0, 1, 2].map((minor, i) =>
      payeeOf(shop.address({ major: 0, minor }), BigInt(i + 1) * COIN),
    );
    for (const order of [payees, payees.toReversed()]) {
      const found = ownOutputsIn(payment(customer, order, rng).parsed, shop, table());
      expect(found).toHaveLength(6);
      const indices = found.map(({ outputIndex }) => outputIndex);
      expect(indices).toEqual(indices.toSorted((a, b) => a - b));
    }
  });

  it('are found by the first of several keys with the same derivation', () => {
    const key = publicKeyOf(scalarBytes(TX_SECRET));
    const twin = toPublicKey(Point.fromHex(toHex(key)).add(TORSION));
    for (const keys of [
      [key, twin],
      [twin, key],
    ]) {
      const tx = withPrefix(minerTx, { extra: extraOf(keys) });
      const found = ownOutputsIn(tx, viewOnly, table());
      expect(found.map(({ derivationKey }) => derivationKey)).toEqual([keys[0]]);
    }
  });

  it('are not found by an additional key where the transaction has no main key', () => {
    const { fields } = parseExtra(parsed.prefix.extra);
    const additional = fields.filter(({ type }) => type !== 'publicKey');
    expect(additional.map(({ type }) => type)).toContain('additionalKeys');
    expect(ownOutputsIn(withPrefix(parsed, { extra: writeExtra(additional) }), shop, table())).toEqual([]);
    expect(ownOutputsIn(parsed, shop, table())).toHaveLength(2);
  });

  it('leave no derivation in memory', () => {
    const kernel = loadKernel();
    const scan = kernel.scan.bind(kernel);
    const ownKeyImages = kernel.ownKeyImages.bind(kernel);
    const kept: Uint8Array[] = [];
    kernel.scan = (...args) => {
      const hits = scan(...args);
      kept.push(hits.derivations);
      return hits;
    };
    kernel.ownKeyImages = (outputs, secrets) => {
      kept.push(outputs.derivations);
      return ownKeyImages(outputs, secrets);
    };
    expect(ownOutputsOf([parsed], shop, table(), { kernel })[0]).toHaveLength(2);
    expect(kept.flatMap((bytes) => [...bytes]).filter((byte) => byte !== 0)).toEqual([]);
    expect(kept).toHaveLength(2);
  });

  it('need a canonical view key', () => {
    const viewSecret = new Uint8Array(32).fill(0xff) as typeof shop.viewSecret;
    expect(() => ownOutputsIn(parsed, { viewSecret }, table())).toThrow(RangeError);
  });
});
