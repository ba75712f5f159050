import { afterEach, beforeEach, describe, expect, it, jest, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keccak } from '../../../src/monero/crypto/keccak.js';
import type { PublicKey } from '../../../src/monero/crypto/types.js';
import { type ScannerState, unpackKeyImages } from '../../../src/refresh/scan/scanner-state.js';
import { NewScanners, readWatched } from '../../../src/services/sync/stored-scanner-state.js';
import { joinBytes, toHex, utf8 } from '../../../src/util/bytes.js';
import { yieldToEventLoop } from '../../../src/util/event-loop.js';
import { unpackBlindOutputs } from '../../../src/monero/wallet/scan/ambiguous-spends.js';
import { unpackSubaddresses } from '../../../src/monero/wallet/scan/packed-subaddresses.js';
import { unpackWatchedOutputs } from '../../../src/monero/wallet/scan/watch-table.js';
import type { WalletKeys } from '../../../src/monero/wallet/keys.js';
import { bytes, output, page, received, unnamed } from '../../store/fixtures.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { storedSubaddresses } from '../../support/wallets/stored-subaddresses.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';
import { itAtNight } from '../../support/jest/lanes.js';

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

const keysIn = (packed: Uint8Array | undefined): number[] =>
  unpackWatchedOutputs(packed ?? new Uint8Array()).map(({ key }) => key[0] ?? 0);

/** Outputs in blocks 1 to 3: with key image, before RingCT without, and without. */
const receive = (): void =>
  wallet.store.write((w) =>
    w.applyPage(
      page(0, 4, {
        received: [1, 2, 3].map((n) => received(n, n)),
        outputs: [output(1, 1, 5n), unnamed(output(2, 2, 7n, { rct: false })), unnamed(output(3, 3, 9n))],
      }),
    ),
  );
const BLIND = [
  { amount: 7n, globalIndex: 2, height: 2 },
  { amount: 0n, globalIndex: 3, height: 3 },
];

const outputsIn = (packed: Uint8Array | undefined) => [...unpackBlindOutputs(packed ?? new Uint8Array())];

const subaddressesOf = (packed: Uint8Array): string[] =>
  unpackSubaddresses(packed)
    .map(({ index: { major, minor }, spendPublicKey }) => `${major}/${minor} ${toHex(spendPublicKey)}`)
    .sort();

describe('the watched addresses of a large wallet', () => {
  let directory: string;
  let large: TestWallet;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'watched-'));
    large = new TestWallet({ path: join(directory, 'w') });
    const entries = Array.from({ length: 4999 }, (_, i) => i + 1).map((minor) => ({
      index: { major: 0, minor },
      spendPublicKey: keccak(utf8(String(minor))) as Uint8Array as PublicKey,
    }));
    // Few at a time: many at once are stored packed.
    for (let at = 0; at < entries.length; at += 100)
      large.store.write((w) => w.subaddresses.add(entries.slice(at, at + 100)));
  });
  afterEach(() => {
    large.close();
    rmSync(directory, { recursive: true });
  });

  it('are all read, a few at a time, between which other work goes on', async () => {
    const turns = new EventLoopTurns();
    const packed = joinBytes((await readWatched(large)).subaddresses);
    expect(turns.stop()).toBeGreaterThanOrEqual(2);
    expect(packed).toHaveLength(5000 * 40);
    expect(subaddressesOf(packed)).toEqual(
      subaddressesOf(large.store.read((r) => storedSubaddresses(r.subaddresses))),
    );
  });

  it('have no gap where addresses are created meanwhile: the scanner derives those behind the last one', async () => {
    const reading = readWatched(large);
    const added = Array.from({ length: 300 }, (_, i) => ({
      index: { major: 0, minor: 5000 + i },
      spendPublicKey: keccak(utf8(`more ${i}`)) as Uint8Array as PublicKey,
    }));
    await yieldToEventLoop();
    large.store.write((w) => w.subaddresses.add(added));
    expect(joinBytes((await reading).subaddresses)).toHaveLength(5000 * 40);
  });

  it('are not read further once the wallet is closed', async () => {
    const reading = readWatched(large);
    large.close();
    expect(await faultOf(() => reading)).toEqual({ kind: 'no_wallet' });
  });
});

describe('the watched outputs of a large wallet', () => {
  let directory: string;
  let large: TestWallet;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'watched-'));
    large = new TestWallet({ path: join(directory, 'w') });
    large.store.write((w) =>
      w.applyPage(
        page(0, 5, {
          received: [received(1, 1)],
          outputs: Array.from({ length: OUTPUTS }, (_, i) => {
            const found = output(i + 1000, 1, 5n, { txHash: bytes(1), outputIndex: i });
            return i % 2 === 0 ? found : unnamed(found);
          }),
        }),
      ),
    );
    for (let i = 0; i < IMAGES; i++)
      large.store.write((w) =>
        w.importedKeyImages.set({ publicKey: bytes(70_000 + i), keyImage: bytes(90_000 + i), proven: true }),
      );
  });
  afterEach(() => {
    large.close();
    rmSync(directory, { recursive: true });
  });
  const OUTPUTS = 5000;
  const IMAGES = 2100;

  it('are all read, a few at a time, between which other work goes on', async () => {
    const turns = new EventLoopTurns();
    const { withKeyImage, withoutKeyImage, blind, importedKeyImages } = await readWatched(large);
    expect(turns.stop()).toBeGreaterThanOrEqual(4);
    expect(large.store.read((r) => r.watch.ranges()).length).toBeGreaterThanOrEqual(3);
    expect(unpackWatchedOutputs(withKeyImage)).toHaveLength(OUTPUTS / 2);
    expect(unpackWatchedOutputs(withoutKeyImage)).toHaveLength(OUTPUTS / 2);
    expect(outputsIn(blind)).toHaveLength(OUTPUTS / 2);
    expect([...unpackKeyImages(importedKeyImages)]).toHaveLength(IMAGES);
    expect(withKeyImage).toEqual(large.store.read((r) => r.watch.withKeyImage(0)));
  });

  itAtNight(
    'are read a few at a time in a wallet in memory too, once more where it changes meanwhile',
    async () => {
      receive();
      const keys = Array.from({ length: 4100 }, (_, i) => ({
        index: { major: 0, minor: i + 1 },
        spendPublicKey: keccak(utf8(`in memory ${i}`)) as Uint8Array as PublicKey,
      }));
      for (let at = 0; at < keys.length; at += 100)
        wallet.store.write((w) => w.subaddresses.add(keys.slice(at, at + 100)));
      const turns = new EventLoopTurns();
      const scanners = new NewScanners(wallet);
      const reading = scanners.begin(() => Promise.resolve(scanners.state()));
      await yieldToEventLoop();
      const late = { index: { major: 1, minor: 0 }, spendPublicKey: bytes<PublicKey>(0) };
      wallet.store.write((w) => w.subaddresses.add([late]));
      const { subaddresses, withKeyImage } = await reading;
      expect(turns.stop()).toBeGreaterThanOrEqual(4);
      expect(subaddressesOf(joinBytes(subaddresses))).toHaveLength(4102);
      expect(keysIn(withKeyImage)).toEqual([101]);
    },
  );

  it('are read once more for a new scanner where they change meanwhile', async () => {
    const scanners = new NewScanners(large);
    const late = unnamed(output(9000, 6, 1n, { txHash: bytes(2) }));
    let state: ScannerState | undefined;
    const begun = scanners.begin(() => {
      state = scanners.state();
      return Promise.resolve();
    });
    await yieldToEventLoop();
    large.store.write((w) => w.applyPage(page(5, 2, { received: [received(2, 6)], outputs: [late] })));
    scanners.noteChange();
    await begun;
    expect(unpackWatchedOutputs(state?.withoutKeyImage ?? new Uint8Array())).toHaveLength(OUTPUTS / 2 + 1);
  });

  it('are those of the moment where they change all the time', async () => {
    const scanners = new NewScanners(large);
    let left = 0;
    const change = (): void => {
      scanners.noteChange();
      if (left < 10_000) setImmediate(change);
    };
    change();
    const state = await scanners.begin(() => {
      left = Infinity;
      return Promise.resolve(scanners.state());
    });
    expect(unpackWatchedOutputs(state.withKeyImage)).toHaveLength(OUTPUTS / 2);
  });
});

/** Number of rows that are read at once, of each table. */
const AT_ONCE = 512;

test.each([AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE])(
  'all of %d outputs, key images and addresses are read, once each',
  async (count) => {
    const numbers = Array.from({ length: count }, (_, i) => i);
    const outputs = numbers.map((i) => output(i + 1000, 1, 5n, { txHash: bytes(1), outputIndex: i }));
    wallet.store.write((w) => {
      w.applyPage(page(0, 5, { received: [received(1, 1)], outputs }));
      for (const i of numbers)
        w.importedKeyImages.set({ publicKey: bytes(70_000 + i), keyImage: bytes(90_000 + i), proven: true });
      // One at a time: many at once are stored packed. The primary address is stored already.
      for (const minor of numbers.slice(1))
        w.subaddresses.add([
          { index: { major: 0, minor }, spendPublicKey: keccak(utf8(`${minor}`)) as Uint8Array as PublicKey },
        ]);
    });
    const { withKeyImage, importedKeyImages, subaddresses } = await readWatched(wallet);
    const keys = unpackWatchedOutputs(withKeyImage).map(({ key }) => toHex(key));
    expect(keys).toEqual(outputs.map(({ keyImage }) => toHex(keyImage ?? new Uint8Array())));
    const images = [...unpackKeyImages(importedKeyImages)].map(({ publicKey }) => toHex(publicKey));
    expect(images).toEqual(numbers.map((i) => toHex(bytes(70_000 + i))).sort());
    expect(new Set(subaddressesOf(joinBytes(subaddresses))).size).toBe(count);
    expect(joinBytes(subaddresses)).toHaveLength(count * 40);
  },
);

describe('the state that the scanner starts from', () => {
  it('leaves none of its pages in memory', () => {
    const release = jest.spyOn(wallet.store, 'releasePages');
    const read = jest.spyOn(wallet.store, 'read');
    wallet.sync.scannerState();
    expect(release).toHaveBeenCalledTimes(1);
    const [released] = release.mock.invocationCallOrder;
    // The first read holds the subaddresses, which are most of the pages.
    expect(released).toBeGreaterThan(read.mock.invocationCallOrder[0] ?? Infinity);
  });

  it('has the keys, the lookahead and the last address of each account', async () => {
    wallet.accounts.create('');
    await wallet.accounts.createAddresses(0, 2, '');
    const { keys, spendPublicKey, lookahead, handedOut, subaddresses } = wallet.sync.scannerState();
    expect(keys).toEqual({ viewSecret: wallet.keys.viewSecret.expose(), spendSecret: wallet.keys.spend });
    expect([spendPublicKey, lookahead]).toEqual([wallet.keys.spendPublicKey, { major: 50, minor: 200 }]);
    expect(handedOut).toEqual([
      { major: 0, minor: 2 },
      { major: 1, minor: 0 },
    ]);
    expect(joinBytes(subaddresses)).toHaveLength(4 * 40);
  });

  it('watches outputs by key image, or by key while that is not known', () => {
    receive();
    wallet.store.write((w) =>
      w.importedKeyImages.set({ publicKey: bytes(9), keyImage: bytes(8), proven: true }),
    );
    const {
      withKeyImage,
      withoutKeyImage: byKey,
      importedKeyImages,
      blind,
      seesPool,
    } = wallet.sync.scannerState();
    expect([keysIn(withKeyImage), keysIn(byKey)]).toEqual([[101], [102, 103]]);
    expect([...unpackKeyImages(importedKeyImages)]).toEqual([{ publicKey: bytes(9), keyImage: bytes(8) }]);
    expect([blind, seesPool]).toEqual([undefined, undefined]);
  });

  it('has the burnt outputs on watched keys', () => {
    const twin = { publicKey: bytes<never>(77), keyImage: bytes<never>(77) };
    wallet.store.write((w) =>
      w.applyPage(
        page(0, 4, {
          received: [received(1, 1), received(2, 2)],
          outputs: [output(1, 1, 5n, twin), output(2, 2, 4n, twin)],
        }),
      ),
    );
    const { withKeyImage, reused } = wallet.sync.scannerState();
    expect([keysIn(withKeyImage), keysIn(reused?.withKeyImage), keysIn(reused?.withoutKeyImage)]).toEqual([
      [77],
      [77],
      [],
    ]);
  });

  it('has no spend key while it is put away, and names outputs whose spends cannot be recognised', () => {
    receive();
    wallet.keystore.dropSpendKey();
    const { keys, blind, seesPool } = wallet.sync.scannerState();
    expect([keys.spendSecret, outputsIn(blind), seesPool]).toEqual([undefined, BLIND, undefined]);
  });

  it('names such outputs of a multisig wallet too, which looks into the mempool all the same', () => {
    receive();
    const multisig = {} as NonNullable<WalletKeys['multisig']>;
    Object.defineProperty(wallet.keystore, 'keys', { value: { ...wallet.keys, multisig } });
    const { blind, seesPool } = wallet.sync.scannerState();
    expect([outputsIn(blind), seesPool]).toEqual([BLIND, true]);
  });
});
