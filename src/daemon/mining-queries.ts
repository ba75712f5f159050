import type { MiningStatus } from './daemon.js';
import { LIMIT, type DaemonCalls } from './daemon-calls.js';

/**
 * Time limit for stopping to mine [ms]. A daemon that has just started to mine completes its RandomX dataset before it
 * answers.
 */
const STOP_MINING_TIMEOUT_MS = 60_000;

export async function startMining(
  calls: DaemonCalls,
  address: string,
  threads: number,
  background: boolean,
  ignoreBattery: boolean,
): Promise<void> {
  const body = {
    miner_address: address,
    threads_count: threads,
    do_background_mining: background,
    ignore_battery: ignoreBattery,
  };
  await calls.json('/start_mining', body, { limit: LIMIT.small }, () => undefined);
}

export async function stopMining(calls: DaemonCalls): Promise<void> {
  const options = { limit: LIMIT.small, timeout: STOP_MINING_TIMEOUT_MS };
  await calls.json('/stop_mining', {}, options, () => undefined);
}

export async function miningStatus(calls: DaemonCalls): Promise<MiningStatus> {
  return calls.json('/mining_status', {}, { limit: LIMIT.small }, (r) => ({
    active: r.bool('active'),
    threads: r.number('threads_count', 0),
  }));
}
