import { DaemonError } from '../daemon/errors.js';
import { WalletError } from '../wallet/model/wallet-error.js';
import { describeDaemonError } from './context/fault-reason.js';
import type { Accounts } from './accounts/accounts.js';
import type { WalletContext } from './context/wallet-context.js';

type Context = Pick<WalletContext, 'daemon'>;

/** Sibling services. */
interface Services {
  readonly accounts: Accounts;
}

export interface MiningOrder {
  readonly threads: number;
  readonly background: boolean;
  readonly ignoreBattery: boolean;
}

/** Has the daemon mine to the primary address. */
export class Mining {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** @param mostThreads what this machine has; at least 2 are allowed. @throws WalletError `invalid`, `mining_refused` */
  async start({ threads, background, ignoreBattery }: MiningOrder, mostThreads: number): Promise<void> {
    const most = Math.max(mostThreads, 2);
    if (threads < 1 || threads > most)
      throw new WalletError({
        kind: 'invalid',
        reason: `threads_count is a number from 1 to ${most}`,
        text: 'The specified number of threads is inappropriate.',
      });
    const address = this.#services.accounts.address({ major: 0, minor: 0 });
    await refusable('start', () =>
      this.#context.daemon.client().startMining(address, threads, background, ignoreBattery),
    );
  }

  /** @throws WalletError `mining_refused`, also where the daemon does not mine. */
  async stop(): Promise<void> {
    await refusable('stop', () => this.#context.daemon.client().stopMining());
  }
}

/** Whatever keeps the daemon from it has one code. Source: wallet_rpc_server.cpp `on_start_mining`. */
async function refusable(action: 'start' | 'stop', ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (cause) {
    if (cause instanceof DaemonError)
      throw new WalletError(
        { kind: 'mining_refused', action, reason: describeDaemonError(cause) },
        { cause },
      );
    throw cause;
  }
}
