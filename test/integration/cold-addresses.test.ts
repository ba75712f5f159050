import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { describeAtNight, itAtNight } from '../support/jest/lanes.js';

const COIN = 1_000_000_000_000;
/** Index of an address and of an account far beyond the lookahead of new wallets under test, 20 and 5. */
const ADDRESS = 40;
const ACCOUNT = 7;

let daemon: Monerod;
let payer: WalletRpc;
let outside: string;
let servers: { ourHot: WalletRpc; ourCold: WalletRpc };

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  const online = { daemon: daemon.address };
  const [ourHot, ourCold] = await Promise.all([startWalletRpc(online), startWalletRpc()]);
  servers = { ourHot, ourCold };
  payer = await startWalletRpc(online);
  await createWallet(payer, 'payer');
  outside = (await payer.rpc('get_address')).address as string;
  await daemon.generate(outside, 90);
});

afterAll(async () => {
  await Promise.all([...Object.values(servers ?? {}), payer].map((server) => server?.stop()));
  await daemon?.stop();
});

/** Creates the far addresses of a wallet. */
async function createFar(server: WalletRpc): Promise<void> {
  for (let index = 1; index <= ADDRESS; index++) await server.rpc('create_address', { account_index: 0 });
  for (let account = 1; account <= ACCOUNT; account++) await server.rpc('create_account');
}

let pairs = 0;
/** Makes a view-only wallet and an offline one with the same new keys, and pays far addresses. */
async function pair(hot: WalletRpc, cold: WalletRpc): Promise<void> {
  const filename = `wallet-${++pairs}`;
  await createWallet(servers.ourCold, filename);
  const key = async (key_type: string): Promise<string> =>
    (await servers.ourCold.rpc('query_key', { key_type })).key as string;
  const [address, viewkey, spendkey] = [
    (await servers.ourCold.rpc('get_address')).address as string,
    await key('view_key'),
    await key('spend_key'),
  ];
  const keys = { password: '', restore_height: 0, address, viewkey };
  await hot.rpc('generate_from_keys', { ...keys, filename: `${filename}-hot` });
  await cold.rpc('generate_from_keys', { ...keys, filename: `${filename}-cold`, spendkey });
  await hot.rpc('refresh');
  await createFar(hot);
  const addressOf = async (account_index: number, index: number): Promise<string> =>
    (await hot.rpc('get_address', { account_index, address_index: [index] })).addresses[0].address as string;
  await payer.rpc('refresh');
  await payer.rpc('transfer', {
    destinations: [
      { address, amount: COIN },
      { address: await addressOf(0, ADDRESS), amount: 2 * COIN },
      { address: await addressOf(ACCOUNT, 0), amount: 3 * COIN },
    ],
  });
  await daemon.generate(outside, 11);
  await hot.rpc('refresh');
}

/** Passes outputs to the offline wallet, and their key images back. */
async function exchange(hot: WalletRpc, cold: WalletRpc, all = true): Promise<Loose> {
  const { outputs_data_hex } = await hot.rpc('export_outputs', { all });
  const imported = await cold.rpc('import_outputs', { outputs_data_hex });
  const { offset = 0, signed_key_images } = await cold.rpc('export_key_images', { all: true });
  await hot.rpc('import_key_images', { offset, signed_key_images });
  return imported;
}

/** Pays from an address of the view-only wallet, signed by the offline one. */
async function pay(hot: WalletRpc, cold: WalletRpc, account_index: number, index: number): Promise<void> {
  const { unsigned_txset } = await hot.rpc('transfer', {
    ...{ account_index, subaddr_indices: [index] },
    destinations: [{ address: outside, amount: COIN }],
  });
  const described = await cold.rpc('describe_transfer', { unsigned_txset });
  expect(described.summary.recipients).toEqual([{ address: outside, amount: COIN }]);
  const { signed_txset, tx_hash_list } = await cold.rpc('sign_transfer', { unsigned_txset });
  expect(await hot.rpc('submit_transfer', { tx_data_hex: signed_txset })).toEqual({ tx_hash_list });
  await daemon.generate(outside, 11);
  await hot.rpc('refresh');
}

describe('an offline wallet of ours that imports outputs of addresses beyond its lookahead', () => {
  it('knows these addresses from then on, and signs payments from them', async () => {
    const { ourHot: hot, ourCold: cold } = servers;
    await pair(hot, cold);
    expect(await exchange(hot, cold)).toEqual({ num_imported: 3 });
    const { addresses } = await hot.rpc('get_address', { address_index: [ADDRESS] });
    expect((await cold.rpc('get_address', { address_index: [ADDRESS] })).addresses).toMatchObject([
      { address: (addresses as Loose[])[0]?.address as string, used: true },
    ]);
    expect((await cold.rpc('get_accounts')).subaddress_accounts).toHaveLength(ACCOUNT + 1);
    await pay(hot, cold, 0, ADDRESS);
    await exchange(hot, cold, false);
    await pay(hot, cold, ACCOUNT, 0);
  });

  itAtNight('still knows them after it was closed and opened', async () => {
    const { ourHot: hot, ourCold: cold } = servers;
    await pair(hot, cold);
    await exchange(hot, cold);
    await cold.rpc('close_wallet');
    await cold.rpc('open_wallet', { filename: `wallet-${pairs}-cold`, password: '' });
    await pay(hot, cold, 0, ADDRESS);
  });
});

describeAtNight('a view-only wallet and an offline one, whose exports name no addresses,', () => {
  let theirs: { hot: WalletRpc; cold: WalletRpc };
  beforeAll(async () => {
    const online = { daemon: daemon.address, args: ['--trusted-daemon'] };
    const [hot, cold] = await Promise.all([startReference(online), startReference()]);
    theirs = { hot, cold };
  });
  afterAll(() => Promise.all([theirs?.hot.stop(), theirs?.cold.stop()]));

  it.each([
    ["the reference's", 'ours', true],
    ['ours', "the reference's", false],
  ] as const)(
    'of %s and %s, pay from addresses beyond the lookahead once these are created offline',
    async (_, __, isTheirs) => {
      const hot = isTheirs
        ? theirs.hot
        : await startWalletRpc({
            daemon: daemon.address,
            args: ['--export-format=0.18.0', '--api-version=1.32'],
          });
      const cold = isTheirs ? servers.ourCold : theirs.cold;
      await pair(hot, cold);
      const { outputs_data_hex } = await hot.rpc('export_outputs', { all: true });
      expect((await cold.call('import_outputs', { outputs_data_hex })).error).toBeDefined();
      await createFar(cold);
      await exchange(hot, cold);
      await pay(hot, cold, 0, ADDRESS);
      if (!isTheirs) await hot.stop();
    },
  );
});
