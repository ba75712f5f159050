import { afterAll, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/crypto/types.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { OwnedOutput } from '../../../src/wallet/model/records.js';
import { WatchTable } from '../../../src/wallet/scan/watch-table.js';
import { bytes, output, received } from '../fixtures.js';

const I64_MAX = (1n << 63n) - 1n;

const file = WalletStore.create(':memory:', new Uint8Array(32));
afterAll(() => file.close());

function add(added: OwnedOutput): void {
  file.write((w) => {
    if (!w.payments.has(added.txHash)) w.payments.add(received(added.txHash[0] ?? 0, added.height));
    w.outputs.add(added);
  });
}

const placeOf = ({ amount, subaddress, height }: OwnedOutput): unknown => ({ amount, subaddress, height });

describe('outputs to look out for', () => {
  const small = output(1, 10, 1n);
  const large = output(2, 4_000_000, I64_MAX, { subaddress: { major: 0xffff_ffff, minor: 0xffff_fffe } });
  const { keyImage: none, ...blind } = output(3, 30, 7n, { subaddress: { major: 2, minor: 5 } });
  const buried = output(4, 40, 8n);
  const recent = output(5, 50, 9n);

  it('are none in an empty store', () => {
    expect(file.read((r) => r.watch.named(0))).toHaveLength(0);
    expect(file.read((r) => r.watch.unnamed())).toHaveLength(0);
    expect(file.read((r) => r.watch.anyUnnamed())).toBe(false);
  });

  it('are found by their key images, with what is known of them, but for those spent long ago', () => {
    for (const one of [small, large, blind, buried, recent]) add(one);
    file.write((w) => {
      w.outputs.markSpent({ keyImage: bytes(104), txHash: bytes<Hash>(9), height: 60 });
      w.outputs.markSpent({ keyImage: bytes(105), txHash: bytes<Hash>(9), height: 900 });
    });
    const table = new WatchTable(file.read((r) => r.watch.named(500)));
    expect(table.size).toBe(3);
    for (const one of [small, large, recent])
      expect(table.get(one.keyImage ?? bytes(0))).toEqual(placeOf(one));
  });

  it('are found by their keys while their key images are not known', () => {
    expect(none).toBeDefined();
    const table = new WatchTable(file.read((r) => r.watch.unnamed()));
    expect(table.size).toBe(1);
    expect(table.get(blind.publicKey)).toEqual(placeOf(blind));
    expect(file.read((r) => [r.watch.anyUnnamed(), r.watch.anyUnnamed(2), r.watch.anyUnnamed(0)])).toEqual([
      true,
      true,
      false,
    ]);
  });
});
