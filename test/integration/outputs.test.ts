import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import { refusal, sideBySide, step } from '../support/wallets/side-by-side.js';
import { startTwins, type Twins } from '../support/wallets/twins.js';
import type { WalletRpc } from '../support/processes/wallet-rpc.js';

/* Frozen outputs and spent status, compared with the reference on the same wallet. */

const XMR = 1_000_000_000_000;

let twins: Twins;
let images: string[];

const availableOf = async (wallet: WalletRpc): Promise<Loose[]> =>
  ((await wallet.rpc('incoming_transfers', { transfer_type: 'available' })).transfers ?? []) as Loose[];

beforeAll(async () => {
  twins = await startTwins(80);
  const outputs = await availableOf(twins.ours);
  images = outputs.filter(({ unlocked }) => unlocked).map(({ key_image }) => key_image as string);
});

afterAll(() => twins?.stop());

const unlockedOf = async (wallet: WalletRpc): Promise<number> =>
  (await wallet.rpc('get_balance')).unlocked_balance as number;

describe('freeze, thaw and frozen', () => {
  it('keep all but two outputs out of payments, as in the reference', async () => {
    expect(images.length).toBeGreaterThan(3);
    const [first = '', second = '', ...others] = images;
    for (const wallet of [twins.ours, twins.theirs]) {
      for (const key_image of others) expect(await wallet.rpc('freeze', { key_image })).toEqual({});
      expect(await wallet.rpc('frozen', { key_image: others[0] })).toEqual({ frozen: true });
      expect(await wallet.rpc('frozen', { key_image: first })).toEqual({ frozen: false });
    }
    expect(await unlockedOf(twins.ours)).toBe(await unlockedOf(twins.theirs));
    const held = (await twins.ours.rpc('get_balance')).balance;
    expect(held).toBe((await twins.theirs.rpc('get_balance')).balance);

    const order = { destinations: [{ amount: 40 * XMR, address: twins.address }], do_not_relay: true };
    const { spent_key_images } = await twins.ours.rpc('transfer', order);
    expect([...spent_key_images.key_images].sort()).toEqual([first, second].sort());
    const { error } = await twins.ours.call('transfer', {
      ...order,
      destinations: [{ amount: 80 * XMR, address: twins.address }],
    });
    expect([-17, -37]).toContain(error?.code);
  });

  it('keep an unrelayed payment of a frozen output from being relayed', async () => {
    const [key_image = ''] = images;
    const { tx_metadata } = await twins.ours.rpc('transfer', {
      destinations: [{ amount: 40 * XMR, address: twins.address }],
      do_not_relay: true,
      get_tx_metadata: true,
    });
    await twins.ours.rpc('freeze', { key_image });
    expect((await twins.ours.call('relay_tx', { hex: tx_metadata })).error?.code).toBe(-4);
    await twins.ours.rpc('thaw', { key_image });
    expect((await twins.daemon.plain('/get_transaction_pool_hashes')).tx_hashes).toBeUndefined();
  });

  it('survive a restart and a rescan, until the outputs are thawed', async () => {
    const [, , key_image = ''] = images;
    await twins.ours.rpc('close_wallet');
    await twins.ours.rpc('open_wallet', { filename: 'twin', password: '' });
    await twins.ours.rpc('rescan_blockchain');
    expect(await twins.ours.rpc('frozen', { key_image })).toEqual({ frozen: true });
    for (const image of images.slice(2)) {
      await twins.ours.rpc('thaw', { key_image: image });
      await twins.theirs.rpc('thaw', { key_image: image });
    }
    expect(await twins.ours.rpc('frozen', { key_image })).toEqual({ frozen: false });
    expect(await unlockedOf(twins.ours)).toBe(await unlockedOf(twins.theirs));
  });

  sideBySide(
    ['freeze', 'thaw', 'frozen'].flatMap((method) => [
      refusal(method, 'no key image', {}, -1),
      refusal(method, 'no hex', { key_image: 'zz'.repeat(32) }, -10),
      refusal(method, 'a short one', { key_image: '00' }, -10),
      refusal(method, 'an unknown key image', { key_image: '02'.repeat(32) }, -1),
    ]),
    () => [twins.ours, twins.theirs],
  );
});

describe('rescan_spent', () => {
  sideBySide([step('rescan_spent', 'nothing to correct')], () => [twins.ours, twins.theirs]);

  it('finds spends in blocks that were not scanned', async () => {
    const before = await unlockedOf(twins.ours);
    const paid = await twins.theirs.rpc('transfer', {
      destinations: [{ amount: XMR, address: twins.address }],
    });
    await twins.daemon.generate(twins.address, 2);
    const { height } = (await twins.daemon.rpc('get_info')) as Loose;
    // The block of the spend is skipped.
    await twins.ours.rpc('refresh', { start_height: height - 1 });
    const spent: string[] = paid.spent_key_images?.key_images ?? [];
    const known = await availableOf(twins.ours);
    const missed = known.filter(({ key_image }) => spent.includes(key_image as string));
    expect(missed).toHaveLength(spent.length);
    expect(spent.length).toBeGreaterThan(0);
    await twins.ours.rpc('rescan_spent');
    const left = (await availableOf(twins.ours)).map(({ key_image }) => key_image as string);
    expect(left.filter((image) => spent.includes(image))).toEqual([]);
    expect(await unlockedOf(twins.ours)).toBeLessThan(before);
    // A full scan gives the same result, and the spending transaction.
    await twins.ours.rpc('rescan_blockchain');
    await twins.theirs.rpc('refresh');
    expect((await twins.ours.rpc('get_balance')).balance).toBe(
      (await twins.theirs.rpc('get_balance')).balance,
    );
  });

  it('frees inputs of payments that are neither in the pool nor in the chain', async () => {
    const order = { destinations: [{ amount: XMR, address: twins.address }] };
    const foreign = await twins.theirs.rpc('transfer', order);
    await twins.ours.rpc('get_transfers', { pool: true });
    const own = await twins.ours.rpc('transfer', order);
    await twins.daemon.rpc('flush_txpool');
    await twins.ours.rpc('rescan_spent');
    const available = (await availableOf(twins.ours)).map(({ key_image }) => key_image as string);
    for (const vanished of [foreign, own])
      expect(available).toEqual(expect.arrayContaining(vanished.spent_key_images.key_images));
    const { failed } = await twins.ours.rpc('get_transfers', { failed: true });
    expect(failed).toContainEqual(expect.objectContaining({ txid: own.tx_hash }));
  });

  it('is refused for an untrusted daemon', async () => {
    const { ours, daemon } = twins;
    await ours.rpc('set_daemon', { address: daemon.address, trusted: false });
    expect((await ours.call('rescan_spent')).error?.code).toBe(-1);
    await ours.rpc('set_daemon', { address: daemon.address, trusted: true });
    expect(await ours.rpc('rescan_spent')).toEqual({});
  });
});
