/** Rules that hold from a height on. */
export interface Fork {
  readonly version: number;
  readonly height: number;
}

/** The first block is of the first rules, all others of the latest. Source: cryptonote_core.cpp `regtest_hard_forks`. */
export const FORKS: readonly [Fork, ...Fork[]] = [
  { version: 1, height: 0 },
  { version: 16, height: 1 },
];

/** Blocks whose votes count. Source: hardfork.h `DEFAULT_WINDOW_SIZE`. */
const VOTING_WINDOW = 10_080;
/** Of blocks in percent. Regtest asks for none. */
const THRESHOLD_PERCENT = 0;

export const LATEST_VERSION = FORKS.reduce((latest, { version }) => Math.max(latest, version), 0);

/** Version that a block at a height carries. */
export const versionAt = (height: number): number =>
  FORKS.reduce((found, fork) => (fork.height <= height ? fork.version : found), FORKS[0].version);

/** May a block at a height carry these versions? Source: hardfork.cpp `do_check`. */
export const isVersionAllowed = (major: number, minor: number, height: number): boolean =>
  major === versionAt(height) && minor >= major && minor <= 0xff;

/** How a fork stands. */
export interface ForkStanding {
  /** The rules of the next block are these or later ones. */
  readonly enabled: boolean;
  /** Blocks whose votes were counted. */
  readonly window: number;
  readonly votes: number;
  /** Votes that it takes. */
  readonly threshold: number;
  /** The version that blocks vote for. */
  readonly voting: number;
  /** First height at which blocks may follow these rules; undefined for rules that nobody knows. */
  readonly earliestHeight: number | undefined;
}

/** @param height number of blocks. Source: hardfork.cpp `get_voting_info`. */
export function forkStanding(height: number, version: number): ForkStanding {
  const window = Math.min(height, VOTING_WINDOW);
  // Every block votes for the latest version, but for the first, which leaves the window in time.
  const dissenting = version > FORKS[0].version && height <= VOTING_WINDOW ? 1 : 0;
  return {
    enabled: versionAt(height) >= version,
    window,
    votes: version > LATEST_VERSION ? 0 : window - dissenting,
    threshold: Math.ceil((window * THRESHOLD_PERCENT) / 100),
    voting: LATEST_VERSION,
    earliestHeight: FORKS.find((fork) => fork.version >= version)?.height,
  };
}
