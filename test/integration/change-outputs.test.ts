import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { exchangeMultisigInfo, formGroup, signInTurn } from '../support/wallets/multisig-party.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/*
 * Payments whose change is several outputs, with the real daemon and the reference's wallet as counterpart. The tests
 * build on each other in order.
 */

const XMR = 1_000_000_000_000;

const stranger = new ChainWallet(seededRng('change stranger'));

let daemon: Monerod;
let ours: WalletRpc;
let theirs: WalletRpc;
/** Without a daemon: the reference's and ours. */
let offline: WalletRpc[];
let ourAddress: string;
let theirAddress: string;
let theirSubaddress: string;

const refreshAll = (): Promise<unknown> => Promise.all([ours.rpc('refresh'), theirs.rpc('refresh')]);

async function confirm(blocks: number): Promise<void> {
  await daemon.generate(theirAddress, blocks);
  await refreshAll();
}

/** Unspent outputs of an account, of one transaction if given. */
async function unspent(wallet: WalletRpc, account_index: number, txid?: string): Promise<Loose[]> {
  const { transfers = [] } = await wallet.rpc('incoming_transfers', {
    transfer_type: 'available',
    account_index,
  });
  return (transfers as Loose[]).filter(({ tx_hash: hash }) => txid === undefined || hash === txid);
}

const amountsOf = (outputs: readonly Loose[]): number[] => outputs.map(({ amount }) => amount as number);
const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

/** Rows of a transaction in a list of transfers of a wallet. */
async function rows(wallet: WalletRpc, list: string, txid: string): Promise<Loose[]> {
  const reply = await wallet.rpc('get_transfers', { [list]: true, all_accounts: true });
  return ((reply[list] ?? []) as Loose[]).filter((entry) => entry.txid === txid);
}

/** Asserts that the change is so many outputs, each within 20 % of their mean. */
function expectParts(parts: readonly number[], count: number, change: number): void {
  expect(parts).toHaveLength(count);
  expect(sum(parts)).toBe(change);
  for (const part of parts) {
    expect(part).toBeGreaterThanOrEqual((0.8 * change) / count);
    expect(part).toBeLessThanOrEqual((1.2 * change) / count);
  }
}

const fund = async (address: string, amount: number): Promise<void> => {
  await theirs.rpc('transfer', { destinations: [{ address, amount }] });
  await confirm(10);
};

beforeAll(async () => {
  daemon = await startMonerod();
  const online = { daemon: daemon.address };
  const args = ['--export-format=0.18.0', '--api-version=1.32'];
  [ours, theirs, ...offline] = await Promise.all([
    startWalletRpc({ ...online, args }),
    startReference({ ...online, args: ['--trusted-daemon'] }),
    startReference(),
    startWalletRpc({ args }),
  ]);
  await ours.rpc('create_wallet', { filename: 'ours', password: '', language: 'English' });
  await theirs.rpc('create_wallet', { filename: 'theirs', password: '', language: 'English' });
  ourAddress = (await ours.rpc('get_address')).address as string;
  theirAddress = (await theirs.rpc('get_address')).address as string;
  theirSubaddress = (await theirs.rpc('create_address')).address as string;
  await ours.rpc('create_account');
  await daemon.generate(theirAddress, 90);
  await refreshAll();
});

afterAll(async () => {
  await Promise.all([ours, theirs, ...(offline ?? [])].map((server) => server?.stop()));
  await daemon?.stop();
});

describe('a payment with five change outputs', () => {
  it.each<[string, number, () => readonly string[]]>(
    someRows<[string, number, () => readonly string[]]>([
      ['a standard address', 0, () => [theirAddress]],
      ['a subaddress, from another account', 1, () => [theirSubaddress]],
      ['a subaddress beside a standard address', 0, () => [theirSubaddress, theirAddress]],
      [
        'a subaddress beside a standard address, from another account',
        1,
        () => [theirSubaddress, theirAddress],
      ],
    ]),
  )('to %s leaves outputs to pay with at once', async (_, account_index, payees) => {
    const { address } = await ours.rpc('get_address', { account_index });
    const earlier = await unspent(ours, account_index);
    for (const { key_image } of earlier) await ours.rpc('freeze', { key_image });
    await fund(address as string, 3 * XMR);
    const destinations = payees().map((payee) => ({ address: payee, amount: XMR / 4 }));
    const before = (await ours.rpc('get_balance', { account_index })) as { balance: number };
    const theirBefore = (await theirs.rpc('get_balance')).balance as number;

    const paid = await ours.rpc('transfer', { account_index, destinations, change_outputs: 5 });
    const txid = paid.tx_hash as string;
    const change = 3 * XMR - paid.amount - paid.fee;
    expect(paid.amount).toBe(destinations.length * (XMR / 4));
    expect(await rows(ours, 'pending', txid)).toMatchObject([{ amount: paid.amount, fee: paid.fee }]);
    expect((await ours.rpc('get_balance', { account_index })).balance).toBe(
      before.balance - paid.amount - paid.fee,
    );

    // The reference's wallet does not mine meanwhile, so that its balance grows by the payment only.
    await daemon.generate(stranger.addressText(), 10);
    await refreshAll();
    expect((await theirs.rpc('get_balance')).balance).toBe(theirBefore + paid.amount);
    expect(sum(amountsOf(await rows(theirs, 'in', txid)))).toBe(paid.amount);
    const parts = await unspent(ours, account_index, txid);
    expectParts(amountsOf(parts), 5, change);
    expect(parts.map(({ unlocked, subaddr_index }) => [unlocked, subaddr_index])).toEqual(
      Array(5).fill([true, { major: account_index, minor: 0 }]),
    );
    expect(await rows(ours, 'in', txid)).toEqual([]);
    expect(await rows(ours, 'out', txid)).toMatchObject([
      { amount: paid.amount, fee: paid.fee, destinations: expect.arrayContaining(destinations) },
    ]);

    const later = [{ address: theirAddress, amount: XMR / 100 }];
    const second = await ours.rpc('transfer', { account_index, destinations: later });
    const third = await ours.rpc('transfer', { account_index, destinations: later });
    await confirm(1);
    for (const { tx_hash } of [second, third]) expect(await rows(theirs, 'in', tx_hash)).toHaveLength(1);
    for (const { key_image } of earlier) await ours.rpc('thaw', { key_image });
  });

  itAtNight('can be relayed later', async () => {
    const { address } = await ours.rpc('create_account');
    await fund(address as string, XMR);
    const made = await ours.rpc('transfer', {
      account_index: 2,
      destinations: [{ address: theirSubaddress, amount: XMR / 2 }],
      ...{ change_outputs: 5, do_not_relay: true, get_tx_metadata: true },
    });
    expect(await ours.rpc('relay_tx', { hex: made.tx_metadata })).toEqual({ tx_hash: made.tx_hash });
    expect((await ours.rpc('get_balance', { account_index: 2 })).balance).toBe(XMR / 2 - made.fee);
    await confirm(10);
    const parts = await unspent(ours, 2, made.tx_hash as string);
    expectParts(amountsOf(parts), 5, XMR / 2 - made.fee);
    expect(await rows(ours, 'out', made.tx_hash)).toMatchObject([{ amount: XMR / 2, fee: made.fee }]);
  });

  it('deducts the fee from the destination where requested', async () => {
    // One output, so that the change and its parts do not depend on the inputs that chance selects.
    const { address, account_index } = await ours.rpc('create_account');
    await fund(address as string, XMR);
    const paid = await ours.rpc('transfer', {
      ...{ account_index, change_outputs: 3, subtract_fee_from_outputs: [0] },
      destinations: [{ address: theirAddress, amount: XMR / 5 }],
    });
    await confirm(10);
    expect(paid.amount).toBe(XMR / 5 - paid.fee);
    expect((await ours.rpc('get_balance', { account_index })).balance).toBe(XMR - XMR / 5);
    expectParts(
      amountsOf(await unspent(ours, account_index as number, paid.tx_hash as string)),
      3,
      0.8 * XMR,
    );
  });

  it.each([
    [0, 1],
    [15, 1],
    [2, 15],
  ])('is refused for %i change outputs beside %i destinations', async (change_outputs, count) => {
    const destinations = Array.from({ length: count }, () => ({ address: theirAddress, amount: 1000 }));
    const { error } = await ours.call('transfer', { destinations, change_outputs });
    expect(error?.code).toBe(-4);
  });
});

describe('a wallet with several change outputs', () => {
  it('shows the same balance when restored from its seed, by us and by the reference', async () => {
    const { key: seed } = await ours.rpc('query_key', { key_type: 'mnemonic' });
    const { balance } = await ours.rpc('get_balance', { all_accounts: true });
    await ours.rpc('close_wallet');
    for (const wallet of [ours, theirs]) {
      const restore = { filename: 'again', password: '', seed, restore_height: 0 };
      await wallet.rpc('restore_deterministic_wallet', restore);
      await wallet.rpc('refresh');
      expect((await wallet.rpc('get_balance', { all_accounts: true })).balance).toBe(balance);
    }
    await ours.rpc('open_wallet', { filename: 'ours', password: '' });
    await theirs.rpc('open_wallet', { filename: 'theirs', password: '' });
  });

  it.each(
    someRows<[string, number]>([
      ["the reference's", 0],
      ['ours', 1],
    ]),
  )('is paid from by a view-only wallet and an offline one of %s', async (_, at) => {
    const { key: viewkey } = await ours.rpc('query_key', { key_type: 'view_key' });
    const { key: spendkey } = await ours.rpc('query_key', { key_type: 'spend_key' });
    const cold = offline[at] as WalletRpc;
    const view = { password: '', address: ourAddress, viewkey, restore_height: 0 };
    await cold.rpc('generate_from_keys', { ...view, filename: 'cold', spendkey });
    await ours.rpc('generate_from_keys', { ...view, filename: `hot${at}` });
    try {
      await ours.rpc('refresh');
      const { outputs_data_hex } = await ours.rpc('export_outputs', { all: true });
      await cold.rpc('import_outputs', { outputs_data_hex });
      const { offset = 0, signed_key_images } = await cold.rpc('export_key_images', { all: true });
      await ours.rpc('import_key_images', { offset, signed_key_images });
      const { balance } = await ours.rpc('get_balance');
      const destinations = [
        { address: theirAddress, amount: XMR / 50 },
        { address: theirSubaddress, amount: XMR / 50 },
      ];
      const { unsigned_txset, fee } = await ours.rpc('transfer', { destinations, change_outputs: 5 });
      const { desc } = await cold.rpc('describe_transfer', { unsigned_txset });
      expect(desc).toMatchObject([{ fee, change_address: ourAddress }]);
      expect(amountsOf(desc[0].recipients)).toEqual([XMR / 50, XMR / 50]);
      const change = desc[0].change_amount as number;
      expect(change).toBe(desc[0].amount_in - XMR / 25 - fee);
      const signed = await cold.rpc('sign_transfer', { unsigned_txset });
      const [txid] = signed.tx_hash_list as [string];
      await ours.rpc('submit_transfer', { tx_data_hex: signed.signed_txset });
      expect(await rows(ours, 'pending', txid)).toMatchObject([{ amount: XMR / 25, fee }]);
      await confirm(10);
      expect((await ours.rpc('get_balance')).balance).toBe(balance - XMR / 25 - fee);
      expectParts(amountsOf(await unspent(ours, 0, txid)), 5, change);
      expect(await rows(ours, 'out', txid)).toMatchObject([{ amount: XMR / 25, fee }]);
      expect(await rows(ours, 'in', txid)).toEqual([]);
    } finally {
      await ours.rpc('open_wallet', { filename: 'ours', password: '' });
    }
  });

  itAtNight('can belong to a group with signers of the reference', async () => {
    const online = [ours, await startReference({ daemon: daemon.address })];
    try {
      const address = await formGroup(online, 2, 'group');
      await daemon.generate(theirAddress, 1);
      await theirs.rpc('refresh');
      await theirs.rpc('transfer', { destinations: [{ address, amount: XMR }] });
      await daemon.generate(theirAddress, 10);
      await exchangeMultisigInfo(online);
      const made = await ours.rpc('transfer', {
        destinations: [
          { address: theirAddress, amount: XMR / 5 },
          { address: theirSubaddress, amount: XMR / 5 },
        ],
        change_outputs: 5,
      });
      const { set, txids } = await signInTurn(made.multisig_txset as string, online.slice(1));
      await ours.rpc('submit_multisig', { tx_data_hex: set });
      await daemon.generate(theirAddress, 10);
      await Promise.all(online.map((wallet) => wallet.rpc('refresh')));
      const change = 0.6 * XMR - made.fee;
      for (const wallet of online) {
        expect((await wallet.rpc('get_balance')).balance).toBe(change);
        expect(await rows(wallet, 'out', txids[0] ?? '')).toMatchObject([
          { amount: 0.4 * XMR, fee: made.fee },
        ]);
      }
      expectParts(amountsOf(await unspent(ours, 0, txids[0])), 5, change);
    } finally {
      await online[1]?.stop();
    }
  });
});
