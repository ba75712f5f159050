import { Gauge, type Registry, Counter } from 'prom-client';
import { systemClock } from '../../util/clock.js';
import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';

/** Adds a gauge whose value is read at each scrape; it is absent from the scrape while the value is undefined. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  value: () => number | undefined,
): void {
  new Gauge({
    ...{ name, help, registers: [registry] },
    collect() {
      const now = value();
      if (now === undefined) this.remove();
      else this.set(now);
    },
  });
}

/** Adds a counter whose value is read at each scrape. */
export function addCounter(registry: Registry, name: string, help: string, value: () => number): void {
  new Counter({
    ...{ name, help, registers: [registry] },
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}

const NANOSECONDS = 1e9;
/** Interval between two samples of the event loop's delay [ms]. */
const RESOLUTION_MS = 20;

/** Quantiles of the delay that are exported, with their percentage. */
const PARTS = [
  ['p50', 50],
  ['p99', 99],
  ['max', 100],
] as const;

/** Histogram of the event loop's delay; undefined before the first scrape. */
let delays: IntervalHistogram | undefined;

/** Facts that do not change while the process runs. */
export type BuildInfo = Readonly<Record<'version' | 'node' | 'network' | 'api', string>>;

/** Adds metrics of the memory, processor time and event loop of this process. */
export function addProcessMetrics(registry: Registry, info: BuildInfo): void {
  const registers = [registry];
  const gauge = (...args: [name: string, help: string, value: () => number]): void =>
    addGauge(registry, ...args);
  const labelNames = Object.keys(info) as (keyof BuildInfo)[];
  new Gauge({
    ...{ name: 'wallet_rpc_build_info', help: 'Always 1; the labels describe the server.' },
    ...{ labelNames, registers },
  }).set(info, 1);
  const started = systemClock.now() / 1000 - process.uptime();
  gauge('wallet_rpc_process_start_time_seconds', 'Start of the process, as Unix time.', () => started);
  addCounter(registry, 'wallet_rpc_process_cpu_seconds_total', 'Processor time of all threads.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  gauge('wallet_rpc_process_resident_memory_bytes', 'Memory of the process.', () =>
    process.memoryUsage.rss(),
  );
  gauge(
    'wallet_rpc_heap_used_bytes',
    'Heap of the main thread in use.',
    () => process.memoryUsage().heapUsed,
  );
  gauge('wallet_rpc_heap_size_bytes', 'Heap of the main thread.', () => process.memoryUsage().heapTotal);
  for (const [part, percentile] of PARTS)
    gauge(
      `wallet_rpc_event_loop_delay_${part}_seconds`,
      `Delay of the event loop since the last scrape: ${part}.`,
      () => delayAt(percentile),
    );
}

/** Returns a percentile of the sampled delays [s]. Reading the highest percentile resets the samples. */
function delayAt(percentile: number): number {
  if (delays === undefined) {
    delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delays.enable();
  }
  const sample = delays.count === 0 ? 0 : delays.percentile(percentile) / NANOSECONDS;
  if (percentile === 100) delays.reset();
  // A sample contains the interval of the timer, too.
  return Math.max(0, sample - RESOLUTION_MS / 1000);
}
