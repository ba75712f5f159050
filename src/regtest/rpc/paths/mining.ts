import { availableParallelism } from 'node:os';
import { formatAddress, standardOf } from '../../../monero/cryptonote/address.js';
import { DIFFICULTY_TARGET_SECONDS } from '../../../monero/cryptonote/constants.js';
import { flag, height, none, params, text } from '../../../http/methods/params.js';
import { RpcError } from '../../../http/calls/errors.js';
import type { Address } from '../../../monero/cryptonote/types.js';
import { CODE } from '../errors.js';
import { defineMethod, type DaemonMethod } from '../method.js';
import { minerAddress } from '../methods/mining.js';
import { replied, wide } from '../shapes.js';

const THREADS_PER_CORE = 4;
const IDLE = {
  speed: 0,
  threads_count: 0,
  address: '',
  block_reward: 0n,
};

function readAddress(given: string): Address | string {
  try {
    return minerAddress(given);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return error.code === CODE.subaddress
      ? "Mining to subaddress isn't supported yet"
      : 'Failed, wrong address';
  }
}

export const miningPaths: readonly DaemonMethod[] = [
  defineMethod({
    name: '/start_mining',
    summary: 'Starts mining to an address, one block per interval.',
    meta: { unrestricted: true },
    params: params({
      miner_address: text.default(''),
      threads_count: height.default(0),
      do_background_mining: flag.default(false),
      ignore_battery: flag.default(false),
    }),
    source: 'COMMAND_RPC_START_MINING, on_start_mining',
    handle({ daemon: { miner } }, { miner_address, threads_count }) {
      const address = readAddress(miner_address);
      if (typeof address === 'string') return replied({}, address);
      if (threads_count > THREADS_PER_CORE * availableParallelism())
        return replied({}, 'Failed, too many threads relative to CPU cores.');
      const started = miner.start({ address, threads: Math.max(1, threads_count) });
      return replied({}, started ? 'OK' : 'Already mining');
    },
  }),

  defineMethod({
    name: '/stop_mining',
    summary: 'Stops mining.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_STOP_MINING, on_stop_mining',
    handle: ({ daemon: { miner } }) => replied({}, miner.stop() ? 'OK' : 'Mining never started'),
  }),

  defineMethod({
    name: '/mining_status',
    summary: 'Status of the miner.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_MINING_STATUS, on_mining_status',
    handle({ daemon: { miner, node } }) {
      const { job } = miner;
      const busy = job && {
        speed: miner.speed,
        threads_count: job.threads,
        address: formatAddress(standardOf(job.address)),
        block_reward: node.chain.measures.baseReward,
      };
      return replied({
        active: job !== undefined,
        ...(busy ?? IDLE),
        pow_algorithm: 'RandomX',
        is_background_mining_enabled: false,
        bg_idle_threshold: 0,
        bg_min_idle_seconds: 0,
        bg_ignore_battery: false,
        bg_target: 0,
        block_target: DIFFICULTY_TARGET_SECONDS,
        ...wide('difficulty', node.chain.difficulty),
      });
    },
  }),

  defineMethod({
    name: '/set_log_hash_rate',
    summary: 'Logs the hash rate or not; without effect here.',
    meta: { unrestricted: true },
    params: params({ visible: flag.default(false) }),
    source: 'COMMAND_RPC_SET_LOG_HASH_RATE, on_set_log_hash_rate',
    handle: ({ daemon: { miner } }) => replied({}, miner.job === undefined ? 'NOT MINING' : 'OK'),
  }),
];
