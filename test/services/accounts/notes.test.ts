import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { bytes } from '../../store/fixtures.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';

const MISSING = { kind: 'attribute_missing' };
const [one, two, three] = [1, 2, 3].map((n) => bytes<Hash>(n)) as [Hash, Hash, Hash];

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet({ backgroundSync: 'custom-background-password' });
});
afterEach(() => wallet.close());

describe('a note', () => {
  it('is that set last for its transaction, known to the wallet or not, and empty before', () => {
    const { annotations } = wallet;
    annotations.setNotes([
      { txHash: one, note: 'rent' },
      { txHash: two, note: 'tea' },
      { txHash: one, note: 'rent of May' },
    ]);
    expect(annotations.notes([two, three, one, two])).toEqual(['tea', '', 'rent of May', 'tea']);
  });

  it('is removed by an empty one', () => {
    const { annotations } = wallet;
    annotations.setNotes([{ txHash: one, note: 'rent' }]);
    annotations.setNotes([{ txHash: one, note: '' }]);
    expect(annotations.notes([one])).toEqual(['']);
    expect(wallet.store.read((r) => r.notes.isEmpty())).toBe(true);
  });

  it('is stored whole with any characters, a zero byte among them', () => {
    wallet.annotations.setNotes([{ txHash: one, note: 'a\0b\u{1f600}' }]);
    expect(wallet.annotations.notes([one])).toEqual(['a\0b\u{1f600}']);
  });

  it('is read in pages, in the order of the hashes', async () => {
    wallet.annotations.setNotes([{ txHash: one, note: 'rent' }]);
    const hashes = Array.from({ length: 100 }, (_, i) => (i === 99 ? one : two));
    const pages: (readonly string[])[] = [];
    for await (const page of wallet.annotations.notePages(hashes)) pages.push(page);
    expect(pages.flat()).toEqual(hashes.map((hash) => (hash === one ? 'rent' : '')));
    expect(pages.length).toBeGreaterThan(1);
  });

  it('is stored with all others of the call, or none of them is', () => {
    const notes = [
      { txHash: one, note: 'rent' },
      { txHash: two.subarray(1) as Hash, note: 'tea' },
    ];
    expect(() => wallet.annotations.setNotes(notes)).toThrow();
    expect(wallet.annotations.notes([one])).toEqual(['']);
  });
});

describe('an attribute', () => {
  it('is the value set last', async () => {
    wallet.annotations.setAttribute('k', 'v');
    wallet.annotations.setAttribute('k', 'w');
    wallet.annotations.setAttribute('', '');
    expect([wallet.annotations.attribute('k'), wallet.annotations.attribute('')]).toEqual(['w', '']);
    expect(await faultOf(() => wallet.annotations.attribute('K'))).toEqual(MISSING);
  });
});

describe('a wallet that syncs under a password of its own', () => {
  it('shows neither notes nor attributes', async () => {
    wallet.annotations.setNotes([{ txHash: one, note: 'rent' }]);
    wallet.annotations.setAttribute('k', 'v');
    wallet.hide();
    expect(wallet.annotations.notes([one, two])).toEqual(['', '']);
    expect(await faultOf(() => wallet.annotations.attribute('k'))).toEqual(MISSING);
  });
});
