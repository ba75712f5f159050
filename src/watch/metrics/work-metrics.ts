import type { Registry } from 'prom-client';
import type { WorkStatus } from '../../services/work/work-verification.js';
import { addCounter, addGauge } from './gauges.js';

/** Adds metrics of the checks of proof of work; none without `--verify-work`. */
export function addWorkMetrics(registry: Registry, work: { readonly status: WorkStatus } | undefined): void {
  if (work === undefined) return;
  const gauge = (name: string, help: string, value: (status: WorkStatus) => number | undefined): void =>
    addGauge(registry, `wallet_rpc_work_${name}`, help, () => value(work.status));
  gauge(
    'verified_height_blocks',
    'Number of blocks up to which proof of work is verified.',
    (s) => s.height + 1,
  );
  gauge(
    'waiting_pages',
    'Pages of blocks that wait until their proof of work is verified.',
    (s) => s.waiting,
  );
  gauge('blocked', '1 if the last attempt to verify blocks failed.', (s) => Number(s.problem !== undefined));
  gauge('process_memory_bytes', 'Memory of the process that computes the hashes.', (s) => s.process.memory);
  gauge(
    'hash_seconds',
    'Mean time of the latest 16 hashes.',
    (s) => s.process.hashMs && s.process.hashMs / 1000,
  );
  const counter = (name: string, help: string, value: (status: WorkStatus) => number): void =>
    addCounter(registry, `wallet_rpc_work_${name}_total`, help, () => value(work.status));
  counter('checks', 'Blocks whose proof of work was computed.', (s) => s.process.checked);
  counter('process_ends', 'Processes that have ended before the server.', (s) => s.process.ended);
}
