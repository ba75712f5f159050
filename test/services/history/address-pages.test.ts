import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { addressOutputs, addressPayments } from '../../../src/services/history/address-pages.js';
import { PagedReader } from '../../../src/services/context/paged-reader.js';
import type { IncomingFilter } from '../../../src/store/tables/incoming.js';
import { IN_MEMORY } from '../../../src/store/file/database.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { Field } from '../../../src/util/row-template.js';
import type { IncomingField } from '../../../src/monero/wallet/model/records.js';
import { bytes, output, page, received } from '../../store/fixtures.js';

const KEY = new Uint8Array(32).fill(1);
const BLOCKS = 8;
const field = (name: IncomingField): Field<IncomingField> => new Field(name);
const ROW = {
  amount: field('amount'),
  height: field('height'),
  index: field('globalIndex'),
  key: field('publicKey'),
  minor: field('minor'),
  spent: field('spent'),
};

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'address-pages-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** An output of a random wallet. */
interface Paid {
  readonly major: number;
  readonly minor: number;
  readonly change: boolean;
  /** One of few keys; undefined: a key of its own. */
  readonly reused: number | undefined;
  readonly spent: boolean;
  /** Distance of its global index from the place in its block, which lets indices be equal. */
  readonly moved: number;
}

const paid: fc.Arbitrary<Paid> = fc.record({
  major: fc.constantFrom(0, 0, 0, 1),
  minor: fc.integer({ min: 0, max: 5 }),
  change: fc.constantFrom(false, false, true),
  reused: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 1, 2, 3),
  spent: fc.boolean(),
  moved: fc.constantFrom(0, 0, 1, 3),
});

const transactions = fc.array(
  fc.record({
    height: fc.integer({ min: 0, max: BLOCKS - 1 }),
    outputs: fc.array(paid, { minLength: 1, maxLength: 4 }),
  }),
  { maxLength: 40 },
);

/** Writes a random wallet. Hashes, and the order in which outputs are found, are not those of the chain. */
function fill(
  store: WalletStore,
  txs: readonly { readonly height: number; readonly outputs: readonly Paid[] }[],
): void {
  const hashOf = (tx: number): number => 1 + ((17 * tx) % 41);
  const outputs = txs.flatMap(({ height, outputs: made }, tx) =>
    made.map(({ major, minor, change, reused, spent, moved }, i) => {
      const key = reused === undefined ? 1000 + 10 * tx + i : 500 + reused;
      return {
        spent,
        output: output(hashOf(tx), height, BigInt(1 + ((tx * 7 + i) % 5)), {
          ...{ subaddress: { major, minor }, change, outputIndex: i },
          ...{ globalIndex: 10_000 * height + 4 * tx + i - moved },
          ...{ publicKey: bytes<PublicKey>(key), keyImage: bytes<KeyImage>(10_000 + key) },
        }),
      };
    }),
  );
  store.write((w) => {
    w.applyPage(
      page(0, BLOCKS, {
        received: txs.map(({ height }, tx) => received(hashOf(tx), height)),
        outputs: outputs.map(({ output: found }) => found).reverse(),
        spends: outputs.flatMap(({ spent, output: { keyImage } }) =>
          spent && keyImage !== undefined ? [{ keyImage, txHash: bytes(200), height: BLOCKS - 1 }] : [],
        ),
      }),
    );
  });
}

async function all<T>(pages: AsyncIterable<T>, meanwhile: () => void = () => undefined): Promise<T[]> {
  const found: T[] = [];
  for await (const each of pages) {
    if (found.length === 0) meanwhile();
    found.push(each);
  }
  return found;
}

const textOf = (rows: readonly (Uint8Array | undefined)[]): string =>
  rows.flatMap((row) => (row === undefined ? [] : [Buffer.from(row).toString('utf8')])).join(',');

const scopes = fc.record({
  txs: transactions,
  account: fc.constantFrom(0, 0, 1),
  // Some of them more than once, and of addresses without outputs.
  minors: fc.array(fc.constantFrom(0, 1, 2, 3, 4, 5, 9), { minLength: 1, maxLength: 8 }),
  min: fc.integer({ min: -1, max: BLOCKS }),
  max: fc.oneof(fc.integer({ min: -1, max: BLOCKS }), fc.constant(Number.MAX_SAFE_INTEGER)),
  rows: fc.integer({ min: 1, max: 9 }),
  detached: fc.integer({ min: 0, max: BLOCKS }),
});

let made = 0;

/** Opens a store on disk that the task fills; a list of it is read in pages. */
async function withStore(path: string, task: (store: WalletStore) => Promise<void>): Promise<void> {
  const store = WalletStore.create(path, KEY);
  try {
    await task(store);
  } finally {
    store.close();
  }
}

const newPath = (): string => join(directory, `wallet-${made++}`);
const readerOf = (store: WalletStore): PagedReader => new PagedReader({ store, assertOpen: () => undefined });

describe.each([
  ['on disk, while blocks are undone', newPath],
  ['in memory', () => IN_MEMORY],
])('a list of some addresses of a wallet %s', (_, pathOf) => {
  const isOnDisk = pathOf() !== IN_MEMORY;

  it('has the payments of the whole list to these addresses, in its order', async () => {
    await fc.assert(
      fc.asyncProperty(scopes, ({ txs, account, minors, min, max, rows, detached }) =>
        withStore(pathOf(), async (store) => {
          fill(store, txs);
          const expected = store.read((r) => r.payments.list({ min, max }, { account, minors }));
          const reading = readerOf(store);
          const pages = addressPayments(reading, { account, minors, range: { min, max } }, rows);
          const found = await all(pages, () => {
            if (isOnDisk) store.write((w) => w.detach(detached));
          });
          reading.release();
          expect(found.flat()).toEqual(expected);
          // A page ends with a transaction, whose outputs to the addresses are at most eight.
          if (isOnDisk) for (const { length } of found) expect(length).toBeLessThanOrEqual(2 * rows + 8);
        }),
      ),
      { numRuns: 60 },
    );
  });

  it('has the outputs of the whole list at these addresses, in its order, moved ones too', async () => {
    await fc.assert(
      fc.asyncProperty(
        scopes,
        fc.constantFrom(undefined, true, false),
        ({ txs, account, minors, min, max, rows, detached }, spent) =>
          withStore(pathOf(), async (store) => {
            fill(store, txs);
            const range = { min, max };
            const filter: IncomingFilter = {
              ...{ account, chainHeight: BLOCKS, now: 1_700_000_000 },
              ...(spent === undefined ? {} : { spent }),
            };
            const expected = store.read((r) => r.incoming.rows(ROW, { ...filter, minors }, range));
            const reading = readerOf(store);
            const pages = addressOutputs(reading, { account, minors, range }, rows, (r, numbers) =>
              r.incoming.listedRows(ROW, filter, numbers),
            );
            const found = await all(pages, () => {
              if (isOnDisk) store.write((w) => w.detach(detached));
            });
            reading.release();
            expect(textOf(found)).toBe(textOf([expected]));
          }),
      ),
      { numRuns: 60 },
    );
  });
});

describe('a list of more addresses than are begun in one step', () => {
  it.each([newPath, () => IN_MEMORY])('is complete, and in the order of the chain', async (pathOf) => {
    await withStore(pathOf(), async (store) => {
      const addresses = 300;
      const txs = Array.from({ length: addresses }, (_, tx) => tx);
      const minorOf = (tx: number): number => (tx * 7) % addresses;
      store.write((w) =>
        w.applyPage(
          page(0, BLOCKS, {
            received: txs.map((tx) => received(1000 + tx, tx % BLOCKS)),
            outputs: txs.map((tx) =>
              output(1000 + tx, tx % BLOCKS, BigInt(tx + 1), {
                ...{ subaddress: { major: 0, minor: minorOf(tx) }, globalIndex: tx },
                ...{ publicKey: bytes<PublicKey>(5000 + tx), keyImage: bytes<KeyImage>(9000 + tx) },
              }),
            ),
          }),
        ),
      );
      const scope = {
        account: 0,
        minors: Array.from({ length: addresses }, (_, minor) => minor),
        range: { min: -1, max: BLOCKS },
      };
      const reading = readerOf(store);
      const found = (await all(addressPayments(reading, scope))).flat();
      reading.release();
      expect(found).toHaveLength(addresses);
      expect(found).toEqual(store.read((r) => r.payments.list({ min: -1, max: BLOCKS })));
    });
  });
});
