import { Counter, Histogram, type Registry } from 'prom-client';
import type { Call } from '../../jsonrpc/dispatcher.js';
import { INTERNAL_ERROR, RpcError } from '../../jsonrpc/errors.js';

/** Upper bounds of durations [s]. */
export const DURATIONS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Label of all methods that are not served: clients choose their names. */
const UNKNOWN = 'unknown';

/** Requests of clients. */
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

  /** Wraps a call function. @param nameOf canonical name of a served method. */
  measured(call: Call, nameOf: (method: string) => string | undefined): Call {
    return async (method, params, origin) => {
      const name = nameOf(method) ?? UNKNOWN;
      const start = performance.now();
      const note = (code: number): void => {
        this.#total.inc({ method: name, code: String(code) });
        this.#duration.observe({ method: name }, (performance.now() - start) / 1000);
      };
      try {
        const result = await call(method, params, origin);
        note(0);
        return result;
      } catch (error) {
        note(error instanceof RpcError ? error.code : INTERNAL_ERROR);
        throw error;
      }
    };
  }
}
