import { afterAll, describe, expect, it } from '@jest/globals';
import type { Hash, SecretKey } from '../../../src/monero/crypto/types.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { WatchTable } from '../../../src/monero/wallet/scan/watch-table.js';
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

describe('watched outputs', () => {
  const small = output(1, 10, 1n);
  const large = output(2, 4_000_000, I64_MAX, { subaddress: { major: 0xffff_ffff, minor: 0xffff_fffe } });
  const { keyImage: none, ...blind } = output(3, 30, 7n, { subaddress: { major: 2, minor: 5 } });
  const buried = output(4, 40, 8n);
  const recent = output(5, 50, 9n);

  it('are none in an empty store', () => {
    expect(file.read((r) => r.watch.withKeyImage(0))).toHaveLength(0);
    expect(file.read((r) => r.watch.withoutKeyImage())).toHaveLength(0);
    expect(file.read((r) => r.watch.anyLegacyWithoutKeyImage())).toBe(false);
  });

  it('are packed by key image with their data, without those whose spend cannot be undone', () => {
    for (const one of [small, large, blind, buried, recent]) add(one);
    file.write((w) => {
      w.outputs.markSpent({ keyImage: bytes(104), txHash: bytes<Hash>(9), height: 60 });
      w.outputs.markSpent({ keyImage: bytes(105), txHash: bytes<Hash>(9), height: 900 });
    });
    const table = new WatchTable(file.read((r) => r.watch.withKeyImage(500)));
    expect(table.size).toBe(3);
    for (const one of [small, large, recent])
      expect(table.get(one.keyImage ?? bytes(0))).toEqual(placeOf(one));
  });

  it('are packed by output key while their key images are unknown', () => {
    expect(none).toBeDefined();
    const table = new WatchTable(file.read((r) => r.watch.withoutKeyImage()));
    expect(table.size).toBe(1);
    expect(table.get(blind.publicKey)).toEqual(placeOf(blind));
    expect(
      file.read((r) => [
        r.watch.anyLegacyWithoutKeyImage(),
        r.watch.anyLegacyWithoutKeyImage(2),
        r.watch.anyLegacyWithoutKeyImage(0),
      ]),
    ).toEqual([true, true, false]);
    // No info of signers gives key images of the form of the fork.
    const secret = new Uint8Array(32) as SecretKey;
    const carrot = { extensionG: secret, extensionT: secret, context: new Uint8Array(33) };
    add({
      ...blind,
      txHash: bytes<Hash>(66),
      publicKey: bytes(66),
      subaddress: { major: 3, minor: 0 },
      carrot,
    });
    expect(file.read((r) => r.watch.anyLegacyWithoutKeyImage(3))).toBe(false);
  });
});
