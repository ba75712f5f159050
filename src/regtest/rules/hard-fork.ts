/** Version of the consensus rules and the height at which it activates. */
export interface Fork {
  readonly version: number;
  readonly height: number;
}

/** The genesis block has version 1, all others the latest one. Source: cryptonote_core.cpp `regtest_hard_forks`. */
export const FORKS: readonly [Fork, ...Fork[]] = [
  { version: 1, height: 0 },
  { version: 16, height: 1 },
];

/** Number of blocks whose votes count. Source: hardfork.h `DEFAULT_WINDOW_SIZE`. */
const VOTING_WINDOW = 10_080;
/** Required share of votes [%]; regtest requires none. */
const THRESHOLD_PERCENT = 0;

export const LATEST_VERSION = FORKS.reduce((latest, { version }) => Math.max(latest, version), 0);

/** Version of a block at a height. */
export const versionAt = (height: number): number =>
  FORKS.reduce((found, fork) => (fork.height <= height ? fork.version : found), FORKS[0].version);

/** True when a block at a height may carry these versions. Source: hardfork.cpp `do_check`. */
export const isVersionAllowed = (major: number, minor: number, height: number): boolean =>
  major === versionAt(height) && minor >= major && minor <= 0xff;

/** Status of a hard fork. */
export interface ForkStatus {
  /** The next block follows these rules or later ones. */
  readonly enabled: boolean;
  /** Number of blocks whose votes were counted. */
  readonly window: number;
  readonly votes: number;
  /** Required number of votes. */
  readonly threshold: number;
  /** Version that blocks vote for. */
  readonly voting: number;
  /** First height at which blocks may follow these rules; undefined for an unknown version. */
  readonly earliestHeight: number | undefined;
}

/** @param height number of blocks. Source: hardfork.cpp `get_voting_info`. */
export function forkStatus(height: number, version: number): ForkStatus {
  const window = Math.min(height, VOTING_WINDOW);
  // Every block votes for the latest version, except the genesis block while it is inside the window.
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
