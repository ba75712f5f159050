import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { KeyImage } from '../../../src/monero/crypto/types.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { IncomingFilter, IncomingField } from '../../../src/store/tables/incoming.js';
import { amount, U64_MAX } from '../../../src/util/amount.js';
import { parseJson } from '../../../src/util/json.js';
import { Field, type RowTemplate } from '../../../src/util/json-writer.js';
import { isUnlocked } from '../../../src/monero/cryptonote/unlock-time.js';
import { bytes, output, page, received } from '../fixtures.js';
import { clearChain } from '../../support/chain/cleared-chain.js';

let file = WalletStore.create(':memory:', new Uint8Array(32));
beforeEach(() => {
  file = WalletStore.create(':memory:', new Uint8Array(32));
});
afterEach(() => file.close());

const FIELDS: readonly IncomingField[] = [
  'account',
  'amount',
  'frozen',
  'globalIndex',
  'height',
  'keyImage',
  'minor',
  'publicKey',
  'spent',
  'txHash',
  'unlocked',
];
const SHAPE = Object.fromEntries(FIELDS.map((name) => [name, new Field(name)]));
const ALL = { min: -1, max: Number.MAX_SAFE_INTEGER };
const VIEW: IncomingFilter = { account: 0, chainHeight: 100, now: 1_700_000_000 };

const rows = (
  shape: RowTemplate<IncomingField>,
  filter: Partial<IncomingFilter> = {},
  range = ALL,
): unknown =>
  file.read((r) =>
    parseJson(`[${Buffer.from(r.incoming.rows(shape, { ...VIEW, ...filter }, range) ?? []).toString()}]`),
  );

const hex = (byte: number): string => byte.toString(16).padStart(2, '0').repeat(32);

describe('outputs written as JSON by SQLite', () => {
  it('have every field, amounts with all digits', () => {
    const most = (1n << 63n) - 1n;
    file.write((w) =>
      w.applyPage(
        page(1, 3, {
          received: [received(1, 2), received(2, 3)],
          outputs: [
            output(1, 2, most, { subaddress: { major: 0, minor: 7 } }),
            // Unknown key image, as in a view-only wallet.
            output(2, 3, 5n, { keyImage: undefined as unknown as KeyImage }),
          ],
          spends: [{ keyImage: bytes<KeyImage>(101), txHash: bytes(9), height: 3 }],
        }),
      ),
    );
    expect(rows(SHAPE)).toEqual([
      {
        account: 0n,
        amount: most,
        frozen: false,
        globalIndex: 1n,
        height: 2n,
        keyImage: hex(101),
        minor: 7n,
        publicKey: hex(101),
        spent: true,
        txHash: hex(1),
        unlocked: true,
      },
      {
        account: 0n,
        amount: 5n,
        frozen: false,
        globalIndex: 2n,
        height: 3n,
        keyImage: '',
        minor: 0n,
        publicKey: hex(102),
        spent: false,
        txHash: hex(2),
        unlocked: true,
      },
    ]);
  });

  it('have the size of their transaction, also of one that was found at another height, and 0 without one', () => {
    const sized = (tx: number, height: number, size?: number) => ({
      ...received(tx, height),
      ...(size === undefined ? {} : { size }),
    });
    file.write((w) =>
      w.applyPage(
        page(1, 9, {
          received: [sized(1, 1, 1500), sized(2, 5, 1700), sized(3, 6)],
          outputs: [output(1, 1, 5n), output(2, 4, 6n), output(3, 6, 7n)],
        }),
      ),
    );
    expect(rows(new Field('txSize'))).toEqual([1500n, 1700n, 0n]);
  });

  it('keep the constants of a template', () => {
    file.write((w) => w.applyPage(page(1, 1, { received: [received(1, 1)], outputs: [output(1, 1, 5n)] })));
    const shape = {
      'it\'s 100% "sure"': "%d %s '",
      nested: { amount: new Field('amount' as const) },
      none: {},
    };
    expect(rows(shape)).toEqual([{ 'it\'s 100% "sure"': "%d %s '", nested: { amount: 5n }, none: {} }]);
  });

  it('are those of the filter, in chain order', () => {
    const at = (tx: number, height: number, major: number, minor: number, more = {}) =>
      output(tx, height, BigInt(tx), { subaddress: { major, minor }, ...more });
    file.write((w) => {
      w.applyPage(
        page(1, 9, {
          received: [1, 2, 3, 4, 5].map((tx) => received(tx, tx)),
          outputs: [at(5, 5, 0, 2), at(4, 4, 1, 0), at(3, 3, 0, 1), at(2, 2, 0, 2), at(1, 1, 0, 0)],
          spends: [{ keyImage: bytes<KeyImage>(102), txHash: bytes(9), height: 6 }],
        }),
      );
    });
    const amounts = (filter: Partial<IncomingFilter>, range = ALL): unknown =>
      rows(new Field('amount'), filter, range);
    expect(amounts({})).toEqual([1n, 2n, 3n, 5n]);
    expect(amounts({ account: 1 })).toEqual([4n]);
    expect(amounts({ account: 2 })).toEqual([]);
    expect(amounts({ minors: [2, 1] })).toEqual([2n, 3n, 5n]);
    expect(amounts({ spent: true })).toEqual([2n]);
    expect(amounts({ spent: false, minors: [2] })).toEqual([5n]);
    expect(amounts({}, { min: 1, max: 3 })).toEqual([2n, 3n]);
    expect(
      file.read((r) => r.incoming.rows(new Field('amount'), { ...VIEW, account: 2 }, ALL)),
    ).toBeUndefined();
  });

  test('of one block are in chain order, however they are stored', () => {
    const txs = Array.from({ length: 200 }, (_, tx) => tx);
    const place = (tx: number): number => (tx * 37) % 200;
    file.write((w) =>
      w.applyPage(
        page(1, 1, {
          received: txs.map((tx) => received(tx, 1)),
          outputs: txs.map((tx) => output(tx, 1, 1n, { globalIndex: place(tx), publicKey: bytes(tx) })),
        }),
      ),
    );
    expect(rows(new Field('globalIndex'))).toEqual(txs.map(BigInt));
  });

  test('with equal indices, as before RingCT, are in the order in which they were found', () => {
    const found = [7, 3, 9, 1];
    file.write((w) =>
      w.applyPage(
        page(1, 1, {
          received: found.map((tx) => received(tx, 1)),
          outputs: found.map((tx) => output(tx, 1, BigInt(tx), { globalIndex: 5, publicKey: bytes(tx) })),
        }),
      ),
    );
    expect(rows(new Field('amount'))).toEqual(found.map(BigInt));
  });

  it('are divided into pages of whole blocks', () => {
    file.write((w) =>
      w.applyPage(
        page(1, 9, {
          received: [1, 2, 3, 4].map((tx) => received(tx, Math.ceil(tx / 2))),
          outputs: [1, 2, 3, 4].map((tx) => output(tx, Math.ceil(tx / 2), 1n)),
        }),
      ),
    );
    const end = (range: { min: number; max: number }, count: number) =>
      file.read((r) => r.incoming.divide(range, count)?.page.max);
    expect(end(ALL, 1)).toBe(1);
    expect(end(ALL, 3)).toBe(2);
    expect(end(ALL, 4)).toBe(2);
    expect(end(ALL, 5)).toBeUndefined();
    expect(end({ min: 1, max: 9 }, 3)).toBeUndefined();
  });

  const edge = (value: bigint) => fc.bigInt({ min: value - 12n, max: value + 12n });
  test('are unlocked under the same conditions as in the wallet', () => {
    const [now, chainHeight] = [1_700_000_000, 100];
    fc.assert(
      fc.property(
        fc.integer({ min: 80, max: 110 }),
        fc.oneof(
          edge(500_000_000n),
          edge(BigInt(chainHeight)),
          fc.bigInt({ min: BigInt(now) - 200n, max: BigInt(now) + 200n }),
          fc.bigInt({ min: 0n, max: U64_MAX }),
          edge(1n << 63n),
          fc.constantFrom(0n, U64_MAX),
        ),
        (height, unlockTime) => {
          file.write((w) => {
            clearChain(w, { hard: true });
            w.applyPage(
              page(height, 1, {
                received: [{ ...received(1, height), unlockTime }],
                outputs: [output(1, height, 1n, { unlockTime })],
              }),
            );
          });
          expect(rows(new Field('unlocked'), { chainHeight, now })).toEqual([
            isUnlocked({ height, unlockTime }, chainHeight, now),
          ]);
        },
      ),
    );
  });

  it('include the imported outputs of an offline wallet', () => {
    file.write((w) =>
      w.imported.put(
        0,
        [1, 2].map((tx) => ({
          publicKey: bytes(100 + tx),
          derivationKey: bytes(tx),
          outputIndex: 0,
          globalIndex: tx,
          amount: amount(BigInt(tx)),
          rct: true,
          subaddress: { major: 0, minor: tx },
          keyImage: bytes<KeyImage>(100 + tx),
          spent: tx === 2,
          frozen: false,
          requested: false,
        })),
        true,
      ),
    );
    const json = file.read((r) => r.incoming.importedRows(SHAPE, { ...VIEW, spent: true }));
    expect(parseJson(Buffer.from(json ?? []).toString())).toEqual({
      account: 0n,
      amount: 2n,
      frozen: false,
      globalIndex: 2n,
      height: 0n,
      keyImage: hex(102),
      minor: 2n,
      publicKey: hex(102),
      spent: true,
      txHash: hex(0),
      unlocked: true,
    });
    expect(file.read((r) => r.incoming.importedRows(SHAPE, { ...VIEW, account: 1 }))).toBeUndefined();
  });
});
