import { Counter, Histogram, type Registry } from 'prom-client';
import type { DaemonCallReport } from '../../daemon/call-report.js';
import type { DaemonHealth } from '../daemon-health.js';
import { DURATIONS } from './call-metrics.js';
import { addGauge } from './gauge.js';

/** Metrics of the daemon's state, and of the calls to it on all threads. */
export class DaemonMetrics {
  readonly #duration: Histogram<'call'>;
  readonly #errors: Counter<'call' | 'kind'>;

  constructor(registry: Registry, health: DaemonHealth) {
    const registers = [registry];
    this.#duration = new Histogram({
      name: 'wallet_rpc_daemon_request_duration_seconds',
      help: 'Duration of calls to the daemon, retries and failures included.',
      labelNames: ['call'],
      buckets: DURATIONS,
      registers,
    });
    this.#errors = new Counter({
      name: 'wallet_rpc_daemon_errors_total',
      help: 'Failed calls to the daemon.',
      labelNames: ['call', 'kind'],
      registers,
    });
    addGauge(
      registry,
      'wallet_rpc_daemon_up',
      '1 if the last call to the daemon was answered, otherwise 0.',
      () => (health.isOffline ? undefined : Number(health.hasAnswered && health.outage === 0)),
    );
    addGauge(
      registry,
      'wallet_rpc_daemon_height_blocks',
      'Number of blocks of the daemon.',
      () => health.info?.height,
    );
    addGauge(registry, 'wallet_rpc_daemon_synchronized', '1 if the daemon has the chain of its peers.', () =>
      health.info === undefined ? undefined : Number(health.info.synchronized),
    );
  }

  note({ call, seconds, failure }: DaemonCallReport): void {
    this.#duration.observe({ call }, seconds);
    if (failure !== undefined) this.#errors.inc({ call, kind: failure });
  }
}
