import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { result, type Loose } from '../support/network/json-rpc.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

let daemon: Awaited<ReturnType<typeof startRegtestDaemon>>;
let wallet: WalletRpc;

beforeAll(async () => {
  daemon = await startRegtestDaemon([]);
  wallet = await startWalletRpc({ daemon: daemon.address });
  await createWallet(wallet, 'kept');
});

afterAll(async () => {
  await wallet.stop();
  await daemon.stop();
});

const mine = async (): Promise<void> => {
  const { address } = await wallet.rpc('get_address');
  await result(daemon.port, 'generateblocks', { amount_of_blocks: 1, wallet_address: address });
  await wallet.rpc('refresh');
};

const listed = async (minor: number): Promise<Loose> =>
  ((await wallet.rpc('get_address')).addresses as Loose[])[minor];

const held = async (minor: number): Promise<Loose> =>
  (((await wallet.rpc('get_balance')).per_subaddress ?? []) as Loose[]).find(
    ({ address_index }) => address_index === minor,
  );

describe('cached answers', () => {
  it('change with labels, addresses and payments', async () => {
    expect((await wallet.rpc('get_address')).addresses).toHaveLength(1);
    expect(await listed(0)).toMatchObject({ label: 'Primary account', used: false });
    expect(await held(0)).toBeUndefined();
    await wallet.rpc('create_address', { account_index: 0, label: 'till' });
    expect(await listed(1)).toMatchObject({ label: 'till', used: false });
    await mine();
    expect(await listed(0)).toMatchObject({ label: 'Primary account', used: true });
    const { balance } = await held(0);
    await wallet.rpc('label_address', { index: { major: 0, minor: 0 }, label: 'shop' });
    expect(await listed(0)).toMatchObject({ label: 'shop', used: true });
    expect(await held(0)).toMatchObject({ label: 'shop', balance, num_unspent_outputs: 1 });
    await mine();
    expect((await held(0)).balance).toBeGreaterThan(balance);
    expect(await held(0)).toMatchObject({ unlocked_balance: 0, num_unspent_outputs: 2 });
  });

  it('belong to the open wallet', async () => {
    await createWallet(wallet, 'other');
    expect((await wallet.rpc('get_address')).addresses).toHaveLength(1);
    expect(await held(0)).toBeUndefined();
    await wallet.rpc('open_wallet', { filename: 'kept', password: '' });
    expect(await listed(1)).toMatchObject({ label: 'till' });
  });
});

describe('many new addresses', () => {
  it('are created one call after the other, while other requests are answered', async () => {
    const before = ((await wallet.rpc('get_address')).addresses as Loose[]).length;
    const order: string[] = [];
    const create = async (count: number): Promise<Loose> => {
      const made = await wallet.rpc('create_address', { account_index: 0, count, label: `of ${count}` });
      order.push(`create ${count}`);
      return made;
    };
    const [first, second] = await Promise.all([
      create(3000),
      create(2),
      wallet.rpc('get_version').then(() => order.push('version')),
    ]);
    expect(order[0]).toBe('version');
    const indices = [...(first.address_indices as number[]), ...(second.address_indices as number[])];
    expect(indices.sort((a, b) => a - b)).toEqual(Array.from({ length: 3002 }, (_, i) => before + i));
    const all = (await wallet.rpc('get_address')).addresses as Loose[];
    expect(all).toHaveLength(before + 3002);
    for (const made of [first, second])
      expect((made.address_indices as number[]).map((minor) => all[minor].address)).toEqual(made.addresses);
    expect(new Set(all.map(({ address }) => address)).size).toBe(all.length);
    expect(all[before].label).toMatch(/^of \d+$/);
  });
});

test('few addresses are listed as those of a long list, with repetitions, and in the order of the call', async () => {
  await createWallet(wallet, 'few');
  await wallet.rpc('create_address', { account_index: 0, label: 'second' });
  const { addresses: all } = await wallet.rpc('get_address');
  const ask = async (address_index: readonly number[]): Promise<unknown> =>
    (await wallet.rpc('get_address', { address_index })).addresses;
  for (const indices of [[0], [1, 0, 1], [0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0, 1]])
    expect(await ask(indices)).toEqual(indices.map((minor) => (all as unknown[])[minor]));
  for (const indices of [[99], [0, 0, 0, 0, 0, 0, 0, 0, 99]])
    expect(await wallet.call('get_address', { address_index: indices })).toMatchObject({
      error: { code: -15 },
    });
});
