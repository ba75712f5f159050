import { DaemonError } from '../daemon/errors.js';
import { WalletError } from '../model/wallet-error.js';
import { describeDaemonError } from './context/fault-reason.js';
import type { Accounts } from './accounts/accounts.js';
import type { WalletContext } from './context/wallet-context.js';

type Context = Pick<WalletContext, 'daemon'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
}

export interface MiningRequest {
  readonly threads: number;
  readonly background: boolean;
  readonly ignoreBattery: boolean;
}

/** Starts and stops mining by the daemon to the primary address. */
export class Mining {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Starts mining. @param cpuThreads number of CPU threads of this machine; at least 2 mining threads are allowed.
   * @throws WalletError `invalid`, `mining_refused`
   */
  async start({ threads, background, ignoreBattery }: MiningRequest, cpuThreads: number): Promise<void> {
    const maxThreads = Math.max(cpuThreads, 2);
    if (threads < 1 || threads > maxThreads)
      throw new WalletError({
        kind: 'invalid',
        reason: `threads_count is a number from 1 to ${maxThreads}`,
        text: 'The specified number of threads is inappropriate.',
      });
    const address = this.#services.accounts.address({ major: 0, minor: 0 });
    await withRefusal('start', () =>
      this.#context.daemon.client().startMining(address, threads, background, ignoreBattery),
    );
  }

  /** Stops mining. @throws WalletError `mining_refused`, also if the daemon is not mining. */
  async stop(): Promise<void> {
    await withRefusal('stop', () => this.#context.daemon.client().stopMining());
  }
}

/**
 * Runs a call to the daemon. @throws WalletError `mining_refused` in place of every daemon error. Source:
 * wallet_rpc_server.cpp `on_start_mining`.
 */
async function withRefusal(action: 'start' | 'stop', call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (cause) {
    if (cause instanceof DaemonError)
      throw new WalletError(
        { kind: 'mining_refused', action, reason: describeDaemonError(cause) },
        { cause },
      );
    throw cause;
  }
}
