import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { outputPages } from '../../../src/services/cold/output-pages.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { WalletError } from '../../../src/monero/wallet/model/wallet-error.js';
import { coldPair, exportedOutputs } from '../../support/cold-pair.js';
import { paidOutput } from '../../support/paid-outputs.js';
import { seededRng } from '../../support/seeded-rng.js';
import { output, page, received } from '../../store/fixtures.js';
import { holder } from '../../monero/wallet/fixtures.js';

const KEY = new Uint8Array(32).fill(1);
const COUNT = 150;

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
    const expected = store.read((r) => r.outputs.inOrder());
    const pages = outputPages({ store, assertOpen }, {}, (r, range) => r.outputs.inOrder(range));
    const read = [];
    for await (const each of pages) {
      read.push(each);
      store.write((w) => expected.forEach((one) => w.outputs.setFrozen(one, true)));
    }
    expect(read.map(({ length }) => length)).toEqual([64, 64, 22]);
    expect(read.flat()).toEqual(expected);
    expect(store.read((r) => r.outputs.inOrder()).every(({ frozen }) => frozen)).toBe(true);
  });

  it('end with an error when the wallet is closed', async () => {
    const pages = outputPages({ store, assertOpen }, {}, (r, range) => r.outputs.importFacts(range));
    expect((await pages.next()).value).toHaveLength(64);
    isOpen = false;
    await expect(pages.next()).rejects.toMatchObject({ fault: { kind: 'no_wallet' } });
  });
});

describe('exports and imports of many outputs', () => {
  it('hold all of them, in their order', async () => {
    const rng = seededRng('output pages');
    const owner = holder(rng);
    const outputs = Array.from({ length: COUNT }, (_, i) => paidOutput(owner, BigInt(i + 1), i + 1, rng));
    const { watch, signer } = coldPair(owner, outputs, 'current', join(directory, 'watch'));
    const [all, start] = [{ all: true, start: 0, count: Infinity }, 70];
    const { outputs: exported } = await exportedOutputs(watch, all);
    const hex = async (range: typeof all): Promise<string> =>
      Buffer.from(await watch.outputTransfer.export(range)).toString('hex');
    expect(await signer.outputTransfer.importBlob(await hex({ ...all, count: start }), false)).toBe(start);
    expect(await signer.outputTransfer.importBlob(await hex({ ...all, start }), false)).toBe(COUNT);
    expect((await exportedOutputs(signer, all)).outputs.map(({ publicKey }) => publicKey)).toEqual(
      exported.map(({ publicKey }) => publicKey),
    );

    const { images } = await signer.keyImageTransfer.export(true);
    const sums = { height: COUNT, spent: 0n, unspent: BigInt((COUNT * (COUNT + 1)) / 2) };
    expect(await watch.keyImageTransfer.import(images.slice(start), start)).toEqual(sums);
    expect(await watch.keyImageTransfer.import(images, 0)).toEqual(sums);
    expect(watch.wallet.fakeSync.learned).toHaveLength(COUNT);
    const { store: watching } = watch.wallet;
    expect(watching.read((r) => r.outputs.inOrder().map(({ keyImage }) => keyImage))).toEqual(
      outputs.map(({ keyImage }) => keyImage),
    );
    watching.close();
  });
});
