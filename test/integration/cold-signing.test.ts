import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatAddress } from '../../src/monero/cryptonote/address.js';
import { parseTransaction, transactionHash } from '../../src/monero/cryptonote/transaction.js';
import { fixedBytes, fromHex, toHex } from '../../src/util/bytes.js';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

const COIN = 1_000_000_000_000;
const OWN_SUBADDRESS = { major: 1, minor: 1 };
/** Payments of all wallets together: hash to amount. */
const paid = new Map<string, number>();
const keys = new ChainWallet(seededRng('cold signing'));
const stranger = new ChainWallet(seededRng('cold stranger'));

let daemon: Monerod;
let servers: { ourHot: WalletRpc; ourCold: WalletRpc; theirHot: WalletRpc; theirCold: WalletRpc };

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  const online = { daemon: daemon.address };
  const format = ['--export-format=0.18.0', '--api-version=1.32'];
  const [ourHot, ourCold, theirHot, theirCold] = await Promise.all([
    startWalletRpc({ ...online, args: format }),
    startWalletRpc({ args: format }),
    startReference({ ...online, args: ['--trusted-daemon'] }),
    startReference(),
  ]);
  servers = { ourHot, ourCold, theirHot, theirCold };
  const view = {
    password: '',
    address: keys.addressText(),
    viewkey: toHex(keys.viewSecret),
    restore_height: 0,
  };
  for (const [hot, cold] of [
    [ourHot, ourCold],
    [theirHot, theirCold],
  ] as const) {
    await hot.rpc('generate_from_keys', { ...view, filename: 'hot' });
    await cold.rpc('generate_from_keys', { ...view, filename: 'cold', spendkey: toHex(keys.spendSecret) });
  }
  await daemon.generate(keys.addressText(), 4);
  await daemon.generate(stranger.addressText(), 100);
});

afterAll(async () => {
  await Promise.all(Object.values(servers ?? {}).map((server) => server.stop()));
  await daemon?.stop();
});

/** Outputs of all accounts of a wallet. */
async function outputsOf(server: WalletRpc): Promise<unknown[]> {
  const lists = await Promise.all(
    [0, OWN_SUBADDRESS.major].map((account_index) =>
      server.rpc('incoming_transfers', { transfer_type: 'all', account_index }),
    ),
  );
  return lists.flatMap(({ transfers = [] }: Loose) =>
    (transfers as Loose[]).map(({ amount, pubkey, key_image, subaddr_index, global_index }) => ({
      amount,
      pubkey,
      key_image,
      subaddr_index,
      global_index,
    })),
  );
}

/** Description of a set, without the order of recipients and fields that only newer releases send. */
const plain = ({ desc, summary }: Loose): unknown => {
  const named = ({ recipients = [], ...rest }: Loose): unknown => ({
    ...rest,
    sources: undefined,
    recipients: (recipients as Loose[]).map((one) => `${one.amount} ${one.address}`).sort(),
  });
  return { desc: (desc as Loose[]).map(named), summary: named(summary) };
};

describe.each(
  someRows([
    ['ours', "the reference's", 'ourHot', 'theirCold', 'ourCold'],
    ["the reference's", 'ours', 'theirHot', 'ourCold', 'theirCold'],
    ['ours', 'ours', 'ourHot', 'ourCold', 'theirCold'],
  ] as const),
)('a view-only wallet of %s and an offline one of %s', (_, __, hotName, coldName, otherName) => {
  let hot: WalletRpc;
  let cold: WalletRpc;
  let before: number;

  beforeAll(async () => {
    hot = servers[hotName];
    cold = servers[coldName];
    await hot.rpc('refresh');
  });

  it('exchange outputs and key images', async () => {
    const known = await outputsOf(hot);
    const { outputs_data_hex } = await hot.rpc('export_outputs', { all: true });
    expect(await cold.rpc('import_outputs', { outputs_data_hex })).toEqual({ num_imported: known.length });
    const { offset = 0, signed_key_images } = await cold.rpc('export_key_images', { all: true });
    expect(signed_key_images).toHaveLength(known.length);
    const imported = await hot.rpc('import_key_images', { offset, signed_key_images });
    expect(imported.unspent).toBe((await hot.rpc('get_balance', { all_accounts: true })).balance);
    before = (await hot.rpc('get_balance')).balance as number;
    expect(await outputsOf(cold)).toEqual(await outputsOf(hot));
  });

  it('pay together, and show the same', async () => {
    const other = servers[otherName];
    const destinations = [
      { amount: COIN, address: stranger.addressText() },
      { amount: 2 * COIN, address: stranger.addressText({ major: 0, minor: 3 }) },
      { amount: COIN / 2, address: keys.addressText(OWN_SUBADDRESS) },
    ];
    const total = 3.5 * COIN;
    const made = await hot.rpc('transfer', {
      destinations,
      get_tx_hex: true,
      get_tx_metadata: true,
      get_tx_key: true,
    });
    expect(made).toMatchObject({ amount: total, multisig_txset: '' });
    const { unsigned_txset, fee } = made;
    const described = await cold.rpc('describe_transfer', { unsigned_txset });
    expect(plain(described)).toEqual(plain(await other.rpc('describe_transfer', { unsigned_txset })));
    expect(described.desc[0]).not.toHaveProperty('weight');
    expect(described.desc[0]).toMatchObject({ fee, ring_size: 16, change_address: keys.addressText() });

    const { signed_txset, tx_hash_list, tx_key_list } = await cold.rpc('sign_transfer', {
      unsigned_txset,
      get_tx_keys: true,
    });
    const [txid] = tx_hash_list as string[];
    expect(await hot.rpc('submit_transfer', { tx_data_hex: signed_txset })).toEqual({ tx_hash_list });
    const { pending } = await hot.rpc('get_transfers', { pending: true, pool: true });
    expect(pending).toHaveLength(1);
    expect(pending[0]).toMatchObject({ txid, amount: total, fee });
    expect((await cold.rpc('get_tx_key', { txid })).tx_key).toBe(tx_key_list[0]);
    // The signer keeps the key, and sends the scalar 1 instead.
    expect((await hot.rpc('get_tx_key', { txid })).tx_key).toBe(`01${'0'.repeat(62)}`);

    await daemon.generate(stranger.addressText(), 12);
    await hot.rpc('refresh');
    const { out } = await hot.rpc('get_transfers', { out: true });
    const shown = (out as Loose[]).find((entry) => entry.txid === txid);
    expect(shown).toMatchObject({ amount: total, fee, type: 'out' });
    expect(shown.destinations).toHaveLength(destinations.length);
    expect(shown.destinations).toEqual(expect.arrayContaining(destinations));
    expect(await hot.rpc('get_balance')).toMatchObject({ balance: before - total - fee });
    before -= total + (fee as number);
    paid.set(txid ?? '', total);
  });

  it('reveal a payment id to its receiver only', async () => {
    const id = fixedBytes(fromHex('0123456789abcdef'), 8, 'PaymentId');
    const address = formatAddress({ ...stranger.address(), kind: 'integrated', paymentId: id });
    const { unsigned_txset, fee } = await hot.rpc('transfer', { destinations: [{ address, amount: COIN }] });
    const { desc } = await cold.rpc('describe_transfer', { unsigned_txset });
    expect(desc[0]).toMatchObject({ payment_id: toHex(id), recipients: [{ address, amount: COIN }] });
    const { signed_txset, tx_raw_list } = await cold.rpc('sign_transfer', {
      unsigned_txset,
      export_raw: true,
    });
    const tx = parseTransaction(fromHex(tx_raw_list[0] as string));
    expect(stranger.paymentId(tx)).toEqual(id);
    const { tx_hash_list } = await hot.rpc('submit_transfer', { tx_data_hex: signed_txset });
    expect(tx_hash_list).toEqual([toHex(transactionHash(tx))]);
    await daemon.generate(stranger.addressText(), 12);
    await hot.rpc('refresh');
    const { transfer } = await hot.rpc('get_transfer_by_txid', { txid: tx_hash_list[0] });
    expect(transfer).toMatchObject({ amount: COIN, fee, destinations: [{ address, amount: COIN }] });
    // The reference decrypts it with the transaction key, which the signer did not send.
    if (hot === servers.ourHot) expect(transfer.payment_id).toBe(toHex(id));
    paid.set(tx_hash_list[0] as string, COIN);
  });

  it('exchange new outputs only', async () => {
    const { outputs_data_hex } = await hot.rpc('export_outputs');
    const whole = (await hot.rpc('export_outputs', { all: true })).outputs_data_hex as string;
    expect((outputs_data_hex as string).length).toBeLessThan(whole.length);
    const known = await outputsOf(hot);
    expect(await cold.rpc('import_outputs', { outputs_data_hex })).toEqual({ num_imported: known.length });
    const { offset, signed_key_images } = await cold.rpc('export_key_images');
    expect(offset).toBeGreaterThan(0);
    expect(offset + (signed_key_images as Loose[]).length).toBe(known.length);
    const imported = await hot.rpc('import_key_images', { offset, signed_key_images });
    expect(imported.unspent).toBe((await hot.rpc('get_balance', { all_accounts: true })).balance);
    // The export of 0.18.0 lacks the subaddress of an output: all belong to the primary address there.
    const facts = async (server: WalletRpc): Promise<unknown[]> =>
      ((await outputsOf(server)) as Loose[])
        .map(({ subaddr_index: index, ...rest }) => (cold === servers.theirCold ? rest : { ...rest, index }))
        .sort((a, b) => a.global_index - b.global_index);
    expect(await facts(cold)).toEqual(await facts(hot));
  });
});

describe('a view-only wallet that imports key images late', () => {
  itAtNight(
    'has the right balance after the import, and lists payments without change after a rescan',
    async () => {
      const { ourHot, ourCold, theirHot } = servers;
      const exchange = async (hot: WalletRpc): Promise<unknown> => {
        await hot.rpc('refresh');
        await ourCold.rpc('import_outputs', await hot.rpc('export_outputs', { all: true }));
        await hot.rpc('import_key_images', await ourCold.rpc('export_key_images', { all: true }));
        const { balance, unlocked_balance } = await hot.rpc('get_balance', { all_accounts: true });
        return { balance, unlocked_balance };
      };
      await exchange(theirHot);
      const { unsigned_txset } = await theirHot.rpc('sweep_all', {
        address: stranger.addressText(),
        account_index: OWN_SUBADDRESS.major,
      });
      const { signed_txset, tx_hash_list } = await ourCold.rpc('sign_transfer', { unsigned_txset });
      await theirHot.rpc('submit_transfer', { tx_data_hex: signed_txset });
      await daemon.generate(stranger.addressText(), 12);

      await ourHot.rpc('generate_from_keys', {
        filename: 'late',
        password: '',
        address: keys.addressText(),
        viewkey: toHex(keys.viewSecret),
        restore_height: 0,
      });
      const right = await exchange(theirHot);
      expect(await exchange(ourHot)).toEqual(right);
      await ourHot.rpc('rescan_blockchain');
      const { out } = await ourHot.rpc('get_transfers', { out: true, all_accounts: true });
      const { balance, unlocked_balance } = await ourHot.rpc('get_balance', { all_accounts: true });
      expect({ balance, unlocked_balance }).toEqual(right);
      expect((out as Loose[]).map(({ txid }) => txid as string).sort()).toEqual(
        [...paid.keys(), ...(tx_hash_list as string[])].sort(),
      );
      await ourHot.rpc('open_wallet', { filename: 'hot', password: '' });
      const [swept] = tx_hash_list as [string];
      await ourHot.rpc('refresh');
      const { transfer } = await ourHot.rpc('get_transfer_by_txid', {
        txid: swept,
        account_index: OWN_SUBADDRESS.major,
      });
      expect(transfer.type).toBe('out');
    },
  );
});

describe('once all key images are imported', () => {
  it('both view-only wallets have the same balance, and ours lists every payment, including those of others', async () => {
    const { ourHot, ourCold, theirHot } = servers;
    const balances: unknown[] = [];
    for (const hot of [ourHot, theirHot]) {
      await hot.rpc('refresh');
      await ourCold.rpc('import_outputs', await hot.rpc('export_outputs', { all: true }));
      const imported = await hot.rpc(
        'import_key_images',
        await ourCold.rpc('export_key_images', { all: true }),
      );
      const { balance, unlocked_balance } = await hot.rpc('get_balance', { all_accounts: true });
      expect(imported.unspent).toBe(balance);
      balances.push([balance, unlocked_balance]);
    }
    expect(balances[0]).toEqual(balances[1]);
    const { out, in: received } = await ourHot.rpc('get_transfers', { in: true, out: true });
    expect(new Map((out as Loose[]).map(({ txid, amount }) => [txid, amount]))).toEqual(paid);
    expect((received as Loose[]).every(({ type }) => type === 'block')).toBe(true);
  });
});

describe('a wallet that scans the chain itself', () => {
  let reader: WalletRpc;

  beforeAll(async () => {
    reader = await startWalletRpc({ daemon: daemon.address });
    await reader.rpc('generate_from_keys', {
      ...{ filename: 'reader', password: '', address: keys.addressText() },
      ...{ viewkey: toHex(keys.viewSecret), restore_height: 0 },
    });
    await reader.rpc('refresh');
  });

  afterAll(async () => {
    await reader?.stop();
  });

  it('counts known imported outputs, and changes nothing', async () => {
    const known = await outputsOf(reader);
    const shown = () =>
      Promise.all([
        outputsOf(reader),
        reader.rpc('get_balance', { all_accounts: true }),
        reader.rpc('export_key_images', { all: true }).catch(String),
      ]);
    const before = await shown();
    const all = await reader.rpc('export_outputs', { all: true });
    expect(await reader.rpc('import_outputs', all)).toEqual({ num_imported: known.length });
    const some = await reader.rpc('export_outputs', { all: true, start: 1, count: 2 });
    expect(await reader.rpc('import_outputs', some)).toEqual({ num_imported: 3 });
    expect(await shown()).toEqual(before);
  });

  it("refuses all outputs with the reference's message under 1.32", async () => {
    const wallet = await startWalletRpc({ daemon: daemon.address, args: ['--api-version=1.32'] });
    try {
      await createWallet(wallet, 'hot');
      await daemon.generate((await wallet.rpc('get_address')).address, 1);
      await wallet.rpc('refresh');
      const all = await wallet.rpc('export_outputs', { all: true });
      expect((await wallet.call('import_outputs', all)).error).toMatchObject({
        ...{ code: -1, message: 'Hot wallets cannot import outputs' },
      });
    } finally {
      await wallet.stop();
    }
  });

  it('refuses unknown outputs', async () => {
    const all = await reader.rpc('export_outputs', { all: true });
    const { height } = await reader.rpc('get_height');
    await reader.rpc('generate_from_keys', {
      ...{ filename: 'since today', password: '', address: keys.addressText() },
      ...{ viewkey: toHex(keys.viewSecret), restore_height: height },
    });
    await daemon.generate(stranger.addressText(), 2);
    await reader.rpc('refresh');
    expect((await reader.call('import_outputs', all)).error?.code).toBe(-1);
    expect(await outputsOf(reader)).toEqual([]);
  });
});
