import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { HeightRange, TxRange } from '../../../src/store/tables/pages.js';
import { divided, PagedReader } from '../../../src/services/context/paged-reader.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { output, page, received } from '../../store/fixtures.js';

const KEY = new Uint8Array(32).fill(1);
const ALL: HeightRange = { min: -1, max: Number.MAX_SAFE_INTEGER };

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'paged-reading-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Blocks 1 to `count`, each of which pays once. */
function payments(store: WalletStore, count: number): void {
  const heights = Array.from({ length: count }, (_, i) => i + 1);
  store.write((w) =>
    w.applyPage(
      page(1, count, {
        received: heights.map((height) => received(height, height)),
        outputs: heights.map((height) => output(height, height, 1n)),
      }),
    ),
  );
}

/** Heights of payments, three at once. */
const heights = divided(
  (r, range: TxRange) => r.payments.divide(range, 3),
  (r, range) => r.payments.list(range).map(({ tx }) => tx.height),
);

const contextOf = (store: WalletStore) => {
  let isOpen = true;
  return {
    store,
    assertOpen: () => {
      if (!isOpen) throw new WalletError({ kind: 'no_wallet' });
    },
    close: () => {
      isOpen = false;
      store.close();
    },
  };
};

async function all<T>(pages: AsyncIterable<T>, meanwhile: () => void = () => undefined): Promise<T[]> {
  const read: T[] = [];
  for await (const each of pages) {
    read.push(each);
    meanwhile();
  }
  return read;
}

describe('a long list', () => {
  it('comes in pages', async () => {
    const context = contextOf(WalletStore.create(join(directory, 'wallet'), KEY));
    payments(context.store, 7);
    const reading = new PagedReader(context);
    expect(await all(reading.pages(ALL, heights))).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(await all(reading.pages({ min: 1, max: 3 }, heights))).toEqual([[2, 3]]);
    reading.release();
    context.close();
  });

  it('of pages that a refresh has not committed commits none of them', async () => {
    const { store, ...context } = contextOf(WalletStore.create(join(directory, 'wallet'), KEY));
    payments(store, 5);
    const { eventVersion } = store;
    const found = {
      received: [received(6, 6), received(7, 7)],
      outputs: [output(6, 6, 1n), output(7, 7, 1n)],
    };
    store.addPage(page(6, 2, found), { isFollowed: true });
    const reading = new PagedReader({ ...context, store });
    expect(await all(reading.pages(ALL, heights))).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    reading.release();
    // A commit would have reported the events of the pages.
    expect(store.eventVersion).toBe(eventVersion);
    context.close();
  });

  it('comes in pages where one block has all of it', async () => {
    const context = contextOf(WalletStore.create(join(directory, 'wallet'), KEY));
    const txs = [1, 2, 3, 4, 5, 6, 7];
    context.store.write((w) =>
      w.applyPage(
        page(1, 1, {
          received: txs.map((tx) => received(tx, 1)),
          outputs: txs.map((tx) => output(tx, 1, BigInt(tx))),
        }),
      ),
    );
    const reading = new PagedReader(context);
    const pages = await all(
      reading.pages(
        ALL,
        divided(
          (r, range: TxRange) => r.payments.divide(range, 3),
          (r, range) => r.payments.list(range).map(({ amount }) => Number(amount)),
        ),
      ),
    );
    expect(pages).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    reading.release();
    context.close();
  });

  it('is that of one moment, and so are others read with it, whatever is written meanwhile', async () => {
    const context = contextOf(WalletStore.create(join(directory, 'wallet'), KEY));
    payments(context.store, 7);
    const reading = new PagedReader(context);
    const [one, other] = [reading.pages(ALL, heights), reading.pages(ALL, heights)];
    const forget = (): void => context.store.write((w) => w.detach(2));
    expect((await all(one, forget)).flat()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect((await all(other, forget)).flat()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    reading.release();
    const later = new PagedReader(context);
    expect((await all(later.pages(ALL, heights))).flat()).toEqual([1]);
    later.release();
    context.close();
    expect(() => WalletStore.open(join(directory, 'wallet'), KEY).close()).not.toThrow();
  });

  it('ends with the wallet', async () => {
    for (const changed of [false, true]) {
      const context = contextOf(WalletStore.create(join(directory, `wallet ${changed}`), KEY));
      payments(context.store, 7);
      const reading = new PagedReader(context);
      const pages = reading.pages(ALL, heights);
      if (changed) context.store.write((w) => w.detach(2));
      context.close();
      await expect(all(pages)).rejects.toMatchObject({ fault: { kind: 'no_wallet' } });
      reading.release();
    }
  });

  it('is not read after its release', async () => {
    const context = contextOf(WalletStore.create(join(directory, 'wallet'), KEY));
    payments(context.store, 7);
    const reading = new PagedReader(context);
    const pages = reading.pages(ALL, heights);
    reading.release();
    await expect(all(pages)).rejects.toThrow('release');
    context.close();
  });

  it('of a store in memory is read in one go', async () => {
    const context = contextOf(WalletStore.create(':memory:', KEY));
    payments(context.store, 7);
    const pages = new PagedReader(context).pages(ALL, heights);
    context.store.write((w) => w.detach(2));
    expect(await all(pages)).toEqual([[1, 2, 3, 4, 5, 6, 7]]);
    context.close();
  });
});
