import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toHex } from '../../src/util/bytes.js';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* Sweeps of a view-only wallet, signed by an offline one; one of the two is the reference's, or both are ours. */

const keys = new ChainWallet(seededRng('cold sweeps'));
const stranger = new ChainWallet(seededRng('cold sweeps stranger'));
const SAVINGS = { major: 1, minor: 0 };

let daemon: Monerod;
let servers: { ourHot: WalletRpc; ourCold: WalletRpc; theirHot: WalletRpc; theirCold: WalletRpc };

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  const online = { daemon: daemon.address };
  const format = ['--export-format=0.18.0', '--api-version=1.32'];
  const [ourHot, ourCold, theirHot, theirCold] = await Promise.all([
    startWalletRpc({ ...online, args: [...format, '--trusted-daemon'] }),
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
  for (const hot of [ourHot, theirHot]) await hot.rpc('generate_from_keys', { ...view, filename: 'hot' });
  for (const cold of [ourCold, theirCold])
    await cold.rpc('generate_from_keys', { ...view, filename: 'cold', spendkey: toHex(keys.spendSecret) });
  await daemon.generate(keys.addressText(), 16);
  await daemon.generate(stranger.addressText(), 85);
});

afterAll(async () => {
  await Promise.all(Object.values(servers ?? {}).map((server) => server.stop()));
  await daemon?.stop();
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const spendable = async (hot: WalletRpc): Promise<Loose[]> => {
  const { transfers } = await hot.rpc('incoming_transfers', { transfer_type: 'available' });
  return (transfers as Loose[]).filter(({ unlocked }) => unlocked).sort((a, b) => a.amount - b.amount);
};

describe.each([
  ['ours', "the reference's", 'ourHot', 'theirCold'],
  ["the reference's", 'ours', 'theirHot', 'ourCold'],
  ['ours', 'ours', 'ourHot', 'ourCold'],
] as const)('a view-only wallet of %s and an offline one of %s', (_, __, hotName, coldName) => {
  let hot: WalletRpc;
  let cold: WalletRpc;

  const balance = async (): Promise<number> =>
    (await hot.rpc('get_balance', { all_accounts: true })).balance as number;

  /** Signs, submits and mines a set. @returns the payments in the view-only wallet's history. */
  async function settle(unsigned_txset: string): Promise<Loose[]> {
    const { signed_txset, tx_hash_list } = await cold.rpc('sign_transfer', { unsigned_txset });
    expect(await hot.rpc('submit_transfer', { tx_data_hex: signed_txset })).toEqual({ tx_hash_list });
    await daemon.generate(stranger.addressText(), 10);
    await hot.rpc('refresh');
    const { out } = await hot.rpc('get_transfers', { out: true });
    return (out as Loose[]).filter(({ txid }) => (tx_hash_list as string[]).includes(txid as string));
  }

  beforeAll(async () => {
    hot = servers[hotName];
    cold = servers[coldName];
    await hot.rpc('refresh');
    const exported = await hot.rpc('export_outputs', { all: true });
    await cold.rpc('import_outputs', exported);
    await hot.rpc('import_key_images', await cold.rpc('export_key_images', { all: true }));
  });

  it('sweep one output', async () => {
    const before = await balance();
    const [output] = await spendable(hot);
    const made = await hot.rpc('sweep_single', {
      address: stranger.addressText(),
      key_image: output?.key_image,
      outputs: 2,
      get_tx_hex: true,
      get_tx_key: true,
      get_tx_metadata: true,
    });
    expect(made).toMatchObject({ amount: output?.amount - made.fee, multisig_txset: '' });
    expect(made.weight).toBeGreaterThan(1000);
    const { desc, summary } = await cold.rpc('describe_transfer', { unsigned_txset: made.unsigned_txset });
    expect(desc).toMatchObject([
      { amount_in: output?.amount, change_amount: 0, fee: made.fee, ring_size: 16 },
    ]);
    expect(summary).toMatchObject({
      recipients: [{ address: stranger.addressText(), amount: made.amount }],
      fee: made.fee,
    });
    expect(await balance()).toBe(before);
    const [shown] = await settle(made.unsigned_txset);
    expect(shown).toMatchObject({ amount: made.amount, fee: made.fee });
    expect(await balance()).toBe(before - output?.amount);
  });

  it('sweep the outputs of an account below an amount, to an own address', async () => {
    const before = await balance();
    const outputs = await spendable(hot);
    const below_amount = outputs[2]?.amount as number;
    const swept = sum(outputs.slice(0, 2).map(({ amount }) => amount as number));
    const address = keys.addressText(SAVINGS);
    const made = await hot.rpc('sweep_all', { address, account_index: 0, below_amount });
    const fee = sum(made.fee_list);
    expect(sum(made.amount_list)).toBe(swept - fee);
    expect(made.tx_hash_list).toHaveLength(made.fee_list.length);
    const { summary } = await cold.rpc('describe_transfer', { unsigned_txset: made.unsigned_txset });
    expect(summary).toMatchObject({ amount_in: swept, amount_out: swept - fee, fee });
    const shown = await settle(made.unsigned_txset);
    expect(sum(shown.map((entry) => entry.fee as number))).toBe(fee);
    expect(await balance()).toBe(before - fee);
  });

  it('find no dust, and refuse invalid sweeps', async () => {
    const { tx_hash_list = [], unsigned_txset } = await hot.rpc('sweep_dust');
    expect(tx_hash_list).toEqual([]);
    const { desc = [], summary } = await cold.rpc('describe_transfer', { unsigned_txset });
    expect({ desc, summary }).toMatchObject({ desc: [], summary: { amount_in: 0, fee: 0 } });
    const address = stranger.addressText();
    for (const [method, params, code] of [
      ['sweep_all', { address: 'x' }, -2],
      ['sweep_all', { address, below_amount: 1 }, -4],
      ['sweep_single', { address, key_image: 'zz' }, -10],
      ['sweep_single', { address, key_image: '00'.repeat(32) }, -1],
    ] as const)
      expect([method, (await hot.call(method, params)).error?.code]).toEqual([method, code]);
  });
});

describe('the answers to a view-only wallet', () => {
  it('have the same fields as those of the reference', async () => {
    const { ourHot, theirHot } = servers;
    await Promise.all([ourHot, theirHot].map((hot) => hot.rpc('refresh')));
    const [output] = await spendable(ourHot);
    const address = stranger.addressText();
    for (const [method, params] of [
      ['sweep_single', { address, key_image: output?.key_image }],
      ['sweep_all', { address, below_amount: output?.amount + 1 }],
      ['sweep_dust', {}],
      ['transfer', { destinations: [{ address, amount: 1 }] }],
      ['transfer_split', { destinations: [{ address, amount: 1 }] }],
    ] as const) {
      const [mine, other] = await Promise.all([ourHot, theirHot].map((hot) => hot.rpc(method, params)));
      // The amounts by destination are newer than 0.18.0.
      const fields = (answer: Loose): string[] =>
        Object.keys(answer)
          .filter((name) => !name.startsWith('amounts_by_dest'))
          .sort();
      expect([method, fields(mine)]).toEqual([method, fields(other)]);
    }
  });
});
