import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { seededRng } from '../support/fakes/seeded-rng.js';

/* Mining on our daemon. The real daemon would need gigabytes of memory to start. */

/** Source: core_rpc_server_commands_defs.h `COMMAND_RPC_MINING_STATUS`. */
const STATUS_FIELDS = [
  'active',
  'address',
  'bg_idle_threshold',
  'bg_ignore_battery',
  'bg_min_idle_seconds',
  'bg_target',
  'block_reward',
  'block_target',
  'difficulty',
  'difficulty_top64',
  'is_background_mining_enabled',
  'pow_algorithm',
  'speed',
  'status',
  'threads_count',
  'untrusted',
  'wide_difficulty',
] as const;

const address = new ChainWallet(seededRng('mining')).addressText();
let ours: Monerod;

beforeAll(async () => {
  ours = await startRegtestDaemon(['--block-time=0.1']);
});

afterAll(async () => {
  await ours?.stop();
});

const heightOf = async (daemon: Monerod): Promise<number> =>
  Number((await daemon.plain('/get_height')).height);

describe('mining', () => {
  it('continues at a fixed interval until it is stopped', async () => {
    const body = { miner_address: address, threads_count: 1, do_background_mining: false };
    expect(await ours.plain('/start_mining', body)).toMatchObject({ status: 'OK' });
    expect(await ours.plain('/set_log_hash_rate', { visible: true })).toMatchObject({ status: 'OK' });
    await until('three blocks', async () => (await heightOf(ours)) > 3);
    expect(await ours.plain('/mining_status')).toMatchObject({
      active: true,
      address,
      threads_count: 1,
      speed: expect.any(Number),
      is_background_mining_enabled: false,
      difficulty: 1,
      status: 'OK',
    });
    expect(await ours.plain('/stop_mining')).toMatchObject({ status: 'OK' });
    const height = await heightOf(ours);
    expect(await ours.plain('/mining_status')).toMatchObject({
      active: false,
      address: '',
      threads_count: 0,
      speed: 0,
    });
    expect(await ours.plain('/set_log_hash_rate', { visible: true })).toMatchObject({
      status: 'NOT MINING',
    });
    // Timer: three block intervals of the daemon, in which a miner that goes on would find blocks.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await heightOf(ours)).toBeLessThanOrEqual(height + 1);
  });

  it('pays the address, block after block', async () => {
    const { headers } = await ours.rpc('get_block_headers_range', { start_height: 1, end_height: 3 });
    for (const { miner_tx_hash, reward } of headers as Loose[]) {
      const { txs } = await ours.plain('/get_transactions', {
        txs_hashes: [miner_tx_hash],
        decode_as_json: true,
      });
      const [output] = (JSON.parse((txs as Loose[])[0].as_json as string) as Loose).vout as Loose[];
      expect(output.amount).toBe(reward);
    }
  });

  it('is reported with the fields of monerod 0.18, active or idle, and refused while active', async () => {
    const body = { miner_address: address, threads_count: 1 };
    await ours.plain('/start_mining', body);
    expect(await ours.plain('/start_mining', body)).toMatchObject({ status: 'Already mining' });
    const active = await ours.plain('/mining_status');
    await ours.plain('/stop_mining');
    const idle = await ours.plain('/mining_status');
    for (const status of [active, idle])
      expect(Object.keys(status as object).sort()).toEqual([...STATUS_FIELDS]);
  });

  it('by generateblocks makes the requested number of blocks', async () => {
    const before = await heightOf(ours);
    const { height, blocks } = await ours.rpc('generateblocks', {
      amount_of_blocks: 5,
      wallet_address: address,
    });
    expect(blocks).toHaveLength(5);
    expect(height).toBe(before + 4);
    expect(await heightOf(ours)).toBe(before + 5);
  });
});
