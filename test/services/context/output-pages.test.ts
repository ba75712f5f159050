import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { outputPages } from '../../../src/services/context/paged-reader.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { coldPair, exportedOutputs } from '../../support/wallets/cold-pair.js';
import { paidOutput } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { output, page, received } from '../../store/fixtures.js';
import { holder } from '../../monero/wallet/fixtures.js';

const KEY = new Uint8Array(32).fill(1);
/** Number of outputs in the store; two pages and a part of one. */
const COUNT = 550;
/** Number of outputs that are exported and imported; a page and a part of one. */
const EXPORTED = 300;

let directory = '';
let store: WalletStore;
let isOpen = true;
const assertOpen = (): void => {
  if (!isOpen) throw new WalletError({ kind: 'no_wallet' });
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'output-pages-'));
  store = WalletStore.create(join(directory, 'wallet'), KEY);
  isOpen = true;
  const heights = Array.from({ length: COUNT }, (_, i) => i + 1);
  store.write((w) =>
    w.applyPage(
      page(1, COUNT, {
        received: heights.map((height) => received(height, height)),
        outputs: heights.map((height) => output(height, height, 1n)),
      }),
    ),
  );
});

afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('outputs in pages', () => {
  it('are those of the moment of the call, although others change meanwhile', async () => {
    const before = store.read((r) => r.outputs.inOrder());
    const expected = store.read((r) => r.outputs.exportFacts().page);
    const pages = outputPages({ store, assertOpen }, {}, (r, range, most) =>
      r.outputs.exportFacts(range, most),
    );
    const read = [];
    for await (const each of pages) {
      read.push(each);
      store.write((w) => before.forEach((one) => w.outputs.setFrozen(one, true)));
    }
    expect(read.map(({ length }) => length)).toEqual([256, 256, 38]);
    expect(read.flat()).toEqual(expected);
    expect(store.read((r) => r.outputs.inOrder()).every(({ frozen }) => frozen)).toBe(true);
  });

  it('end with an error when the wallet is closed', async () => {
    const pages = outputPages({ store, assertOpen }, {}, (r, range, most) =>
      r.outputs.importFacts(range, most),
    );
    expect((await pages.next()).value).toHaveLength(256);
    isOpen = false;
    await expect(pages.next()).rejects.toMatchObject({ fault: { kind: 'no_wallet' } });
  });
});

describe('exports and imports of many outputs', () => {
  it('hold all of them, in their order', async () => {
    const rng = seededRng('output pages');
    const owner = holder(rng);
    const outputs = Array.from({ length: EXPORTED }, (_, i) => paidOutput(owner, BigInt(i + 1), i + 1, rng));
    const { watch, signer } = coldPair(owner, outputs, 'current', join(directory, 'watch'));
    const [all, start] = [{ all: true, start: 0, count: Infinity }, 70];
    const { outputs: exported } = await exportedOutputs(watch, all);
    const hex = async (range: typeof all): Promise<string> =>
      Buffer.from(await watch.outputTransfer.export(range)).toString('hex');
    expect(await signer.outputTransfer.importBlob(await hex({ ...all, count: start }), false)).toBe(start);
    expect(await signer.outputTransfer.importBlob(await hex({ ...all, start }), false)).toBe(EXPORTED);
    expect((await exportedOutputs(signer, all)).outputs.map(({ publicKey }) => publicKey)).toEqual(
      exported.map(({ publicKey }) => publicKey),
    );

    const { images } = await signer.keyImageTransfer.export(true);
    const sums = { height: EXPORTED, spent: 0n, unspent: BigInt((EXPORTED * (EXPORTED + 1)) / 2) };
    expect(await watch.keyImageTransfer.import(images.slice(start), start)).toEqual(sums);
    expect(await watch.keyImageTransfer.import(images, 0)).toEqual(sums);
    expect(watch.wallet.fakeSync.learned).toHaveLength(EXPORTED);
    const { store: watching } = watch.wallet;
    expect(watching.read((r) => r.outputs.inOrder().map(({ keyImage }) => keyImage))).toEqual(
      outputs.map(({ keyImage }) => keyImage),
    );
    watching.close();
  });
});
