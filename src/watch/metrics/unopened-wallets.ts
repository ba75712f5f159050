import { Gauge, type Registry } from 'prom-client';
import type { StartProgress } from '../readiness.js';

/** Adds a gauge with one series for each wallet of `--open` that could not be opened; none if all are open. */
export function addUnopened(registry: Registry, start: () => StartProgress): void {
  new Gauge({
    name: 'wallet_rpc_wallet_unopened',
    help: '1 for a wallet of --open that could not be opened; absent once it is open.',
    labelNames: ['wallet', 'cause'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name: wallet, cause } of start().unopened) this.set({ wallet, cause }, 1);
    },
  });
}
