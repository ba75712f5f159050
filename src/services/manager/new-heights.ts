import type { Logger } from 'pino';
import { DaemonError } from '../../daemon/errors.js';
import { belowTip, lowestTip, readTip, type ChainTip } from '../context/chain-tip.js';
import type { DaemonConnection } from '../context/daemon-connection.js';

/** Deadline for the daemon's height [ms]. Without it a new wallet determines its height at the first refresh. */
const HEIGHT_DEADLINE_MS = 10_000;

/** Ends of the chains of the listed daemons that do not serve, by their last probes. */
export type OtherTips = () => readonly ChainTip[];

/** A restore height that was replaced, because the chain ends below it. */
export interface LoweredHeight {
  readonly asked: number;
  /** Number of blocks of the chain. */
  readonly blocks: number;
  /** First height that is scanned instead. */
  readonly from: number;
}

/** First height that a new wallet scans, and the one that was asked for instead where the chain ends below it. */
export interface PlacedHeight {
  readonly restoreHeight: number;
  readonly lowered?: LoweredHeight;
}

/** Chooses the first heights of new wallets from the ends of the chains that the listed daemons have. */
export class NewHeights {
  readonly #daemon: Pick<DaemonConnection, 'client'>;
  readonly #otherTips: OtherTips;
  readonly #log: Pick<Logger, 'warn'>;

  constructor(daemon: Pick<DaemonConnection, 'client'>, otherTips: OtherTips, log: Pick<Logger, 'warn'>) {
    this.#daemon = daemon;
    this.#otherTips = otherTips;
    this.#log = log;
  }

  /** First height of a wallet of random keys; undefined if no daemon answers. */
  async ofNewKeys(): Promise<number | undefined> {
    const tip = await this.#tip();
    return tip === undefined ? undefined : belowTip(tip.blocks);
  }

  /**
   * First height of a wallet of given keys. A height above the tip, where the wallet can have received nothing, loses
   * the payments up to it: it is lowered, unless the daemon syncs or does not answer.
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

  /** @returns the number of blocks of the chain, and the height to which the daemon syncs; 0 once it has. */
  async #tip(): Promise<{ readonly blocks: number; readonly target: number } | undefined> {
    try {
      const tip = await readTip(this.#daemon.client(), { deadline: HEIGHT_DEADLINE_MS });
      const blocks = lowestTip(tip, this.#otherTips(), Date.now() / 1000);
      return { blocks, target: tip.info.synchronized ? 0 : tip.info.targetHeight };
    } catch (error) {
      if (error instanceof DaemonError) return undefined;
      throw error;
    }
  }
}
