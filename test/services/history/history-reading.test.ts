import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { History, type IncomingKind } from '../../../src/services/history/history.js';
import { amount } from '../../../src/util/amount.js';
import type { Paged } from '../../../src/util/paged.js';
import { Field } from '../../../src/util/json-writer.js';
import type { IncomingField } from '../../../src/store/tables/incoming.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { storeHistory } from '../../support/wallets/history-fixture.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';

const BLOCKS = 600;
const ALL = { minHeight: -1, maxHeight: Number.MAX_SAFE_INTEGER };
const field = (name: IncomingField): Field<IncomingField> => new Field(name);
const SHAPE = { amount: field('amount'), spent: field('spent'), open: field('unlocked'), at: field('minor') };

/** Rows of incoming outputs. */
async function rowsOf({ pages, release }: Paged<Uint8Array | undefined>): Promise<Record<string, unknown>[]> {
  const texts: string[] = [];
  for await (const text of pages) if (text !== undefined) texts.push(Buffer.from(text).toString('utf8'));
  release();
  return JSON.parse(`[${texts.join(',')}]`) as Record<string, unknown>[];
}

describe('incoming outputs', () => {
  let wallet: TestWallet;
  let history: History;
  beforeEach(() => {
    wallet = new TestWallet();
    storeHistory(wallet);
    history = new History(wallet, wallet);
  });
  afterEach(() => wallet.close());

  const amounts = async (
    kind: IncomingKind,
    account = 0,
    minors: readonly number[] = [],
  ): Promise<unknown[]> =>
    (await rowsOf(history.incoming(kind, account, minors, { amount: field('amount') }))).map(
      (row) => row['amount'],
    );

  it('are those of an account or some of its addresses, spent, unspent or both, change too', async () => {
    expect(await amounts('all')).toEqual([5, 6, 7, 2]);
    expect(await amounts('available')).toEqual([6, 7, 2]);
    expect(await amounts('unavailable')).toEqual([5]);
    expect(await amounts('all', 0, [1, 2])).toEqual([7]);
    expect([await amounts('all', 1), await amounts('all', 5)]).toEqual([[8], []]);
  });

  it('are JSON of the shape asked for, with their lock as of now', async () => {
    wallet.store.write((w) =>
      w.applyPage(page(30, 1, { received: [received(6, 30)], outputs: [output(6, 30, 9n)] })),
    );
    expect(await rowsOf(history.incoming('available', 0, [0], SHAPE))).toEqual([
      { amount: 6, spent: false, open: true, at: 0 },
      { amount: 2, spent: false, open: true, at: 0 },
      { amount: 9, spent: false, open: false, at: 0 },
    ]);
  });

  it('of an offline wallet are those that were imported, after any of the chain', async () => {
    const imported = {
      ...{ publicKey: bytes<PublicKey>(1), derivationKey: bytes<PublicKey>(2), keyImage: bytes<KeyImage>(3) },
      ...{
        outputIndex: 0,
        globalIndex: 0,
        amount: amount(4n),
        rct: true,
        subaddress: { major: 0, minor: 0 },
      },
      ...{ spent: true, frozen: false, requested: false },
    };
    wallet.store.write((w) => w.imported.put(0, [imported], true));
    expect(await amounts('all')).toEqual([5, 6, 7, 2, 4]);
    expect(await amounts('unavailable')).toEqual([5, 4]);
  });
});

describe('a long history on disk', () => {
  let directory: string;
  let wallet: TestWallet;
  let history: History;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'history-'));
    wallet = new TestWallet({ path: join(directory, 'w') });
    history = new History(wallet, wallet);
    const heights = Array.from({ length: BLOCKS }, (_, height) => height);
    const hash = (height: number): Hash => bytes<Hash>(height & 0xff).fill(height >> 8, 1, 2);
    wallet.store.write((w) =>
      w.applyPage(
        page(0, BLOCKS, {
          received: heights.map((height) => ({ ...received(height, height), txHash: hash(height) })),
          outputs: heights.map((height) =>
            output(height, height, BigInt(height + 1), {
              ...{ txHash: hash(height), publicKey: hash(height) as never, keyImage: hash(height) as never },
            }),
          ),
        }),
      ),
    );
  });
  afterEach(() => {
    wallet.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Number of rows in each page. */
  async function sizesOf(pages: AsyncIterable<readonly unknown[]> | undefined): Promise<number[]> {
    const sizes: number[] = [];
    for await (const rows of pages ?? []) {
      sizes.push(rows.length);
      if (sizes.length === 1) wallet.store.write((w) => w.detach(1));
    }
    return sizes;
  }

  it('is read page by page, as it was when it was asked for', async () => {
    const { lists, release } = history.list(new Set(['in', 'out', 'pool']), ALL);
    const all = history.allPayments(-1);
    expect(await sizesOf(lists.in)).toEqual([...Array<number>(9).fill(64), 24]);
    expect(await sizesOf(all.pages)).toEqual([...Array<number>(9).fill(64), 24]);
    release();
    all.release();
    expect(await sizesOf(history.list(new Set(['in']), ALL).lists.in)).toEqual([1]);
  });

  it.each<[string, () => AsyncIterable<unknown> | undefined]>([
    ['incoming transactions', () => history.list(new Set(['in']), ALL).lists.in],
    ['payments', () => history.allPayments(-1).pages],
  ])('of %s ends with the wallet that is closed between two pages', async (_, read) => {
    const pages = read()?.[Symbol.asyncIterator]();
    expect(await pages?.next()).toMatchObject({ done: false });
    const rest = pages?.next();
    wallet.close();
    expect(await faultOf(() => rest)).toEqual({ kind: 'no_wallet' });
  });

  it('is refused in a wallet that is closed', async () => {
    wallet.close();
    expect(await faultOf(() => history.list(new Set(['in']), ALL))).toEqual({ kind: 'no_wallet' });
    expect(await faultOf(() => history.allPayments(-1))).toEqual({ kind: 'no_wallet' });
    expect(await faultOf(() => history.incoming('all', 0, [], SHAPE))).toEqual({ kind: 'no_wallet' });
  });
});
