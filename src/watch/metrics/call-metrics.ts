import { Counter, Histogram, type Registry } from 'prom-client';
import { type Call, observed, type CallObserver, type CallOutcome } from '../../http/calls/dispatcher.js';
import { INTERNAL_ERROR, RpcError } from '../../http/calls/errors.js';

/** Upper bounds of the histogram of durations [s]. */
export const DURATIONS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

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
   * an unknown one.
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
