import { systemClock } from '../../util/clock.js';
import type { Logger } from 'pino';
import { DaemonError } from '../../daemon/errors.js';
import { belowTip, heightOfDatedWallet, lowestTip, readTip, type ChainTip } from '../context/chain-tip.js';
import type { DaemonConnection } from '../context/daemon-connection.js';

/** Deadline for the daemon's height [ms]; after it, a new wallet determines its height at its first refresh. */
const HEIGHT_DEADLINE_MS = 10_000;

/** Returns the ends of the chains of all listed daemons except the serving daemon, by their last probes. */
export type OtherTips = () => readonly ChainTip[];

/** A restore height that was lowered, because the chain ends below it. */
export interface LoweredHeight {
  readonly asked: number;
  /** Number of blocks of the chain. */
  readonly blocks: number;
  /** Height from which the wallet is scanned. */
  readonly from: number;
}

/** Height from which a new wallet is scanned, and the requested height if the chain ends below it. */
export interface PlacedHeight {
  /**
   * Height from which the wallet is scanned; undefined if no daemon answered: the first refresh determines the height
   * by the time of creation.
   */
  readonly restoreHeight: number | undefined;
  readonly lowered?: LoweredHeight;
}

/** Chooses the heights from which new wallets are scanned, by the ends of the chains of the listed daemons. */
export class NewHeights {
  readonly #daemon: Pick<DaemonConnection, 'client'>;
  readonly #otherTips: OtherTips;
  readonly #log: Pick<Logger, 'warn'>;

  constructor(daemon: Pick<DaemonConnection, 'client'>, otherTips: OtherTips, log: Pick<Logger, 'warn'>) {
    this.#daemon = daemon;
    this.#otherTips = otherTips;
    this.#log = log;
  }

  /** Returns the height from which a wallet of random keys is scanned; undefined if no daemon answers. */
  async ofNewKeys(): Promise<number | undefined> {
    const tip = await this.#tip();
    return tip === undefined ? undefined : belowTip(tip.blocks);
  }

  /**
   * Returns the height from which a wallet of given keys is scanned. Lowers a height above the tip, unless the daemon
   * is syncing or does not answer, because the wallet would miss the payments between the tip and a higher height. A
   * margin below the tip suffices, since the wallet is made now, and no payment to it was mined yet. The first refresh,
   * which may come many blocks later, also decides by the date of the wallet (`sync/restore-height.ts`), but knows one
   * daemon only.
   * @param asked requested height.
   */
  async ofGivenKeys(asked: number): Promise<PlacedHeight> {
    const tip = asked === 0 ? undefined : await this.#tip();
    if (tip === undefined || asked <= tip.blocks || asked <= tip.target) return { restoreHeight: asked };
    const from = belowTip(tip.blocks);
    this.#log.warn(
      { restoreHeight: asked, blocks: tip.blocks, scannedFrom: from },
      'the restore height of a new wallet lies above the newest block; it is scanned from a lower one',
    );
    return { restoreHeight: from, lowered: { asked, blocks: tip.blocks, from } };
  }

  /**
   * Returns the height from which a wallet that received nothing before a time is scanned; undefined if no daemon
   * answers.
   * @param time Unix time [s].
   */
  async ofDatedKeys(time: number): Promise<PlacedHeight> {
    const tip = await this.#tip();
    if (tip === undefined) return { restoreHeight: undefined };
    try {
      return { restoreHeight: await heightOfDatedWallet(this.#daemon.client(), tip.blocks, time) };
    } catch (error) {
      if (error instanceof DaemonError) return { restoreHeight: undefined };
      throw error;
    }
  }

  /**
   * Reads the end of the chain. @returns number of blocks, and the height to which the daemon is syncing (0 once it is
   * synchronised); undefined if no daemon answers.
   */
  async #tip(): Promise<{ readonly blocks: number; readonly target: number } | undefined> {
    try {
      const tip = await readTip(this.#daemon.client(), { deadline: HEIGHT_DEADLINE_MS });
      const blocks = lowestTip(tip, this.#otherTips(), systemClock.now() / 1000);
      return { blocks, target: tip.info.synchronized ? 0 : tip.info.targetHeight };
    } catch (error) {
      if (error instanceof DaemonError) return undefined;
      throw error;
    }
  }
}
