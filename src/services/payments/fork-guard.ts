import { DaemonError, FIRST_UNKNOWN_FORK, type BlockVersion } from '../../daemon/errors.js';
import { WalletError } from '../../model/wallet-error.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'daemon'>;

/** Refuses to build transactions where the chain follows rules that this program does not know. */
export class ForkGuard {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Checks that the next block of the chain has a known version. Source: wallet2.cpp `use_fork_rules`.
   * @throws WalletError `fork_unsupported`
   */
  async check(): Promise<void> {
    const { daemon } = this.#context;
    if (daemon.acceptsAnyVersion) return;
    const fork = daemon.newerBlock ?? (await this.#activeFork());
    if (fork !== undefined) throw new WalletError({ kind: 'fork_unsupported', ...fork });
  }

  /** Returns the first unknown fork if it is active at the next block; undefined also if the daemon does not tell. */
  async #activeFork(): Promise<BlockVersion | undefined> {
    const version = FIRST_UNKNOWN_FORK;
    try {
      const { enabled, earliestHeight = 0 } = await this.#context.daemon.client().hardForkInfo(version);
      return enabled ? { height: earliestHeight, version } : undefined;
    } catch (error) {
      // A transaction of the wrong rules is refused by the network, and moves no money.
      if (error instanceof DaemonError) return undefined;
      throw error;
    }
  }
}
