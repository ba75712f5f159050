import { describe, expect, it, test } from '@jest/globals';
import type { PublicKey } from '../../../src/monero/crypto/types.js';
import { fillNewStore } from '../../../src/services/manager/wallet-files.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { bytes } from '../../store/fixtures.js';

const newStore = (restoreHeight: number | undefined): WalletStore =>
  WalletStore.create(':memory:', new Uint8Array(32), (w) =>
    fillNewStore(w, { restoreHeight, createdAt: 1_700_000_000, spendPublicKey: bytes<PublicKey>(5) }),
  );

describe('a new store', () => {
  it('begins with one account of one address, and with the time of its creation', () => {
    newStore(7).read((r) => {
      expect(r.accounts.list()).toEqual([{ major: 0, addressCount: 1 }]);
      expect(r.subaddresses.find(bytes<PublicKey>(5))).toEqual({ major: 0, minor: 0 });
      expect(r.meta.get('created_at')).toBe('1700000000');
      expect(r.chain.tip()).toBeUndefined();
    });
  });

  test.each([
    [0, '0'],
    [3_000_000, '3000000'],
  ])('is scanned from the restore height %i', (height, text) => {
    expect(newStore(height).read((r) => r.meta.get('restore_height'))).toBe(text);
  });

  it('has no restore height where no daemon could be asked: the first refresh finds one', () => {
    expect(newStore(undefined).read((r) => r.meta.get('restore_height'))).toBeUndefined();
  });
});
