import { DaemonError, type BlockVersion } from '../../daemon/errors.js';
import { WalletError, type Fault } from '../../model/wallet-error.js';
import { CARROT_FORK, CARROT_ONLY_FORK } from '../../monero/fork-rules.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'daemon'>;

/**
 * Refuses new payments from the fork on whose transactions need membership proofs, which this program does not make. Whatever
 * makes, signs or relays a new payment asks it first, before a lock is taken and anything is recorded.
 */
export class ForkGuard {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Checks that the next block of the chain has a version for which payments are made. Source: wallet2.cpp
   * `use_fork_rules`.
   * @throws WalletError `payments_ended`; `fork_unsupported` for a version of which no rule is known.
   */
  async assertPayable(): Promise<void> {
    const fork = await this.active();
    if (fork !== undefined) throw new WalletError(faultOf(fork));
  }

  /**
   * Returns the fork after which no payments are made, with the height of its first block, if it is active at the next block.
   * Undefined also if the daemon does not tell it, and with `--allow-mismatched-daemon-version`.
   */
  async active(): Promise<BlockVersion | undefined> {
    const { daemon } = this.#context;
    if (daemon.acceptsAnyVersion) return undefined;
    if (daemon.newerBlock !== undefined) return daemon.newerBlock;
    try {
      const { enabled, earliestHeight = 0 } = await daemon.client().hardForkInfo(CARROT_FORK);
      return enabled ? { height: earliestHeight, version: CARROT_FORK } : undefined;
    } catch (error) {
      // The error can be ignored: a transaction of the wrong rules is refused by the network, and moves no money.
      if (error instanceof DaemonError) return undefined;
      throw error;
    }
  }
}

/** Returns the error of a payment that would spend an output in the form of the fork. */
export const needsMembershipProof = (): WalletError =>
  new WalletError({
    kind: 'tx_not_possible',
    reason:
      'an output in the form of the fork is spent with a membership proof, which this server does not make',
  });

/** Returns the fault of a payment after a fork. */
const faultOf = ({ height, version }: BlockVersion): Fault => ({
  kind: version <= CARROT_ONLY_FORK ? 'payments_ended' : 'fork_unsupported',
  ...{ height, version },
});
