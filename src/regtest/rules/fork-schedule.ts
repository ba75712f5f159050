import { CARROT_FORK, CARROT_ONLY_FORK } from '../../monero/fork-rules.js';

/** Version of the consensus rules and the height at which it activates. */
export interface Fork {
  readonly version: number;
  readonly height: number;
}

/** Heights of the next fork: of the first block that may have its form, and of the first one that must. */
export interface ForkHeights {
  readonly from: number;
  readonly only: number;
}

/**
 * Hard forks of regtest: the genesis block has version 1, all other blocks the latest version. Source:
 * cryptonote_core.cpp `regtest_hard_forks`.
 */
const REGTEST: readonly Fork[] = [
  { version: 1, height: 0 },
  { version: 16, height: 1 },
];

/** Number of latest blocks whose votes count. Source: hardfork.h `DEFAULT_WINDOW_SIZE`. */
const VOTING_WINDOW = 10_080;
/** Share of votes that a fork needs [%]; in regtest 0. */
const THRESHOLD_PERCENT = 0;

/** Votes and activation of a version of the rules. */
export interface ForkStatus {
  /** True if the next block follows the rules of this version or of a later one. */
  readonly enabled: boolean;
  /** Number of blocks whose votes were counted. */
  readonly window: number;
  readonly votes: number;
  /** Number of votes that the version needs. */
  readonly threshold: number;
  /** Version for which blocks vote. */
  readonly voting: number;
  /** Lowest height at which blocks may follow the rules of this version; undefined for an unknown version. */
  readonly earliestHeight: number | undefined;
}

/** Versions of the rules by height. */
export class ForkSchedule {
  /** All versions, by ascending height. */
  readonly forks: readonly Fork[];
  readonly latest: number;
  /** True if the next fork has a height. */
  readonly hasNextFork: boolean;

  /** @param next heights of the next fork; absent: the chain stays at the rules of today. */
  constructor(next?: ForkHeights) {
    this.hasNextFork = next !== undefined;
    this.forks =
      next === undefined
        ? REGTEST
        : [
            ...REGTEST,
            { version: CARROT_FORK, height: next.from },
            { version: CARROT_ONLY_FORK, height: next.only },
          ];
    this.latest = this.forks.at(-1)?.version ?? 1;
  }

  /** Returns the version that a block at a height must have. */
  versionAt(height: number): number {
    return this.forks.findLast((fork) => fork.height <= height)?.version ?? 1;
  }

  /** Returns true if a block at a height may have these versions. Source: hardfork.cpp `do_check`. */
  isVersionAllowed(major: number, minor: number, height: number): boolean {
    return major === this.versionAt(height) && minor >= major && minor <= 0xff;
  }

  /**
   * Returns the status of a version.
   * @param height number of blocks of the chain. Source: hardfork.cpp `get_voting_info`.
   */
  statusOf(version: number, height: number): ForkStatus {
    const window = Math.min(height, VOTING_WINDOW);
    // Every block in the window votes for the latest version, except the genesis block.
    const dissenting = version > 1 && height <= VOTING_WINDOW ? 1 : 0;
    return {
      enabled: this.versionAt(height) >= version,
      window,
      votes: version > this.latest ? 0 : window - dissenting,
      threshold: Math.ceil((window * THRESHOLD_PERCENT) / 100),
      voting: this.latest,
      earliestHeight: this.forks.find((fork) => fork.version >= version)?.height,
    };
  }
}
