import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Call, observed, type CallObserver, type CallOutcome } from '../../http/calls/dispatcher.js';
import { INTERNAL_ERROR, RpcError } from '../../http/calls/errors.js';
import type { DaemonCallReport } from '../../daemon/call-report.js';
import type { ComingFork } from '../coming-forks.js';
import type { DaemonHealth } from '../daemon-health.js';
import { addGauge } from './gauges.js';

/** Upper bounds of the histogram of durations [s]. */
const DURATIONS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Label for all methods that do not exist, since clients can choose any name. */
const UNKNOWN = 'unknown';

/** Metrics of the requests of clients. */
export class CallMetrics {
  readonly #total: Counter<'method' | 'code'>;
  readonly #duration: Histogram<'method'>;
  readonly #http: Counter<'code'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#total = new Counter({
      name: 'wallet_rpc_requests_total',
      help: 'Calls by method and code: 0 for a result, otherwise the code of the JSON-RPC error.',
      labelNames: ['method', 'code'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'wallet_rpc_request_duration_seconds',
      help: 'Time from the complete request to its result, or to the first page of a long one.',
      labelNames: ['method'],
      buckets: DURATIONS,
      registers,
    });
    this.#http = new Counter({
      name: 'wallet_rpc_http_responses_total',
      help: 'Answers by HTTP status; 401 counts failed logins, and the first request of each digest login.',
      labelNames: ['code'],
      registers,
    });
  }

  noteStatus(status: number): void {
    this.#http.inc({ code: String(status) });
  }

  /**
   * Wraps a call function, and measures its calls. @param nameOf returns the canonical name of a method; undefined for
   * an unknown method.
   */
  measured(
    call: Call,
    nameOf: (method: string) => string | undefined,
    onBug: (error: unknown, method: string) => void,
  ): Call {
    return observed(call, this.#observer(nameOf), onBug);
  }

  #observer(nameOf: (method: string) => string | undefined): CallObserver {
    return (method) => {
      const name = nameOf(method) ?? UNKNOWN;
      const start = performance.now();
      return (outcome) => {
        this.#total.inc({ method: name, code: String(codeOf(outcome)) });
        this.#duration.observe({ method: name }, (performance.now() - start) / 1000);
      };
    };
  }
}

function codeOf(outcome: CallOutcome): number {
  if ('result' in outcome) return 0;
  return outcome.error instanceof RpcError ? outcome.error.code : INTERNAL_ERROR;
}

/** Metrics of the daemon's state, and of the calls to it on all threads. */
export class DaemonMetrics {
  readonly #duration: Histogram<'call'>;
  readonly #errors: Counter<'call' | 'kind'>;
  readonly #forgeries: Counter;

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
    // Without labels the series begins with zero, so that an alert sees the first forgery.
    this.#forgeries = new Counter({
      name: 'wallet_rpc_daemon_forgeries_total',
      help: 'Answers of daemons that contradict the hashes which prove them.',
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
    this.#addNode(registry, health);
  }

  #addNode(registry: Registry, health: DaemonHealth): void {
    addGauge(
      registry,
      'wallet_rpc_daemon_behind_blocks',
      'Blocks of its peers that the daemon lacks.',
      () => {
        const { info } = health;
        return info && Math.max(0, info.targetHeight - info.height);
      },
    );
    for (const way of ['outgoing', 'incoming'] as const)
      addGauge(
        registry,
        `wallet_rpc_daemon_${way}_peers`,
        'Connections of the daemon to peers; absent if the daemon does not tell them.',
        () => health.info?.peers?.[way],
      );
    addGauge(
      registry,
      'wallet_rpc_daemon_unknown_fork_blocks',
      'Blocks until a hard fork of a version that this server does not know; absent if none is ahead.',
      () => {
        const { info, unknownFork } = health;
        return info && unknownFork && unknownFork.height - info.height;
      },
    );
    for (const [name, help, valueOf] of [
      [
        'height',
        'Height of the first block of a hard fork whose rules are not final.',
        ({ height }) => height,
      ],
      ['blocks', 'Blocks until the first block of such a fork; 0 or less after it.', ({ blocks }) => blocks],
    ] as readonly [string, string, (fork: ComingFork) => number][])
      new Gauge({
        ...{ name: `wallet_rpc_daemon_fork_${name}`, help, labelNames: ['version'], registers: [registry] },
        collect() {
          this.reset();
          for (const fork of health.newForks) this.set({ version: fork.version }, valueOf(fork));
        },
      });
  }

  note({ call, seconds, failure }: DaemonCallReport): void {
    this.#duration.observe({ call }, seconds);
    if (failure !== undefined) this.#errors.inc({ call, kind: failure });
    if (failure === 'forged') this.#forgeries.inc();
  }
}
