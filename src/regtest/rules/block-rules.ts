import { parseTransaction } from '../../monero/cryptonote/transaction.js';
import type { Block } from '../../monero/cryptonote/types.js';
import type { Hash } from '../../monero/crypto/types.js';
import { fromHex } from '../../util/bytes.js';
import { DIFFICULTY_TARGET_SECONDS } from '../../monero/cryptonote/constants.js';
import { TIMESTAMP_WINDOW } from '../../monero/cryptonote/difficulty.js';
import { median } from '../../util/median.js';

/** Version of the consensus rules and the height at which it activates. */
export interface Fork {
  readonly version: number;
  readonly height: number;
}

/**
 * Hard forks of regtest: the genesis block has version 1, all other blocks the latest version. Source:
 * cryptonote_core.cpp `regtest_hard_forks`.
 */
const FORKS: readonly [Fork, ...Fork[]] = [
  { version: 1, height: 0 },
  { version: 16, height: 1 },
];

/** Number of latest blocks whose votes count. Source: hardfork.h `DEFAULT_WINDOW_SIZE`. */
const VOTING_WINDOW = 10_080;
/** Share of votes that a fork needs [%]; in regtest 0. */
const THRESHOLD_PERCENT = 0;

export const LATEST_VERSION = FORKS.reduce((latest, { version }) => Math.max(latest, version), 0);

/** Returns the version that a block at a height must have. */
export const versionAt = (height: number): number =>
  FORKS.reduce((found, fork) => (fork.height <= height ? fork.version : found), FORKS[0].version);

/** Returns true if a block at a height may have these versions. Source: hardfork.cpp `do_check`. */
export const isVersionAllowed = (major: number, minor: number, height: number): boolean =>
  major === versionAt(height) && minor >= major && minor <= 0xff;

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

/**
 * Returns the status of a version.
 * @param height number of blocks of the chain. Source: hardfork.cpp `get_voting_info`.
 */
export function forkStatus(height: number, version: number): ForkStatus {
  const window = Math.min(height, VOTING_WINDOW);
  // Every block in the window votes for the latest version, except the genesis block.
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

/**
 * Miner transaction of the genesis block of mainnet, which regtest shares. Source: cryptonote_config.h `GENESIS_TX`,
 * `GENESIS_NONCE`.
 */
const GENESIS_TX =
  '013c01ff0001ffffffffffff03029b2e4c0281c0b02e7c53291a94d1d0cbff8883f8024f5142ee494ffbbd08807121017767aafcde9be00dcfd098715ebcf7f410daebc582fda69d24a28e9d0bc890d1';
const GENESIS_NONCE = 10_000;

/** Genesis block. Source: cryptonote_tx_utils.cpp `generate_genesis_block`. */
export const GENESIS: Block = {
  header: {
    majorVersion: 1,
    minorVersion: 0,
    timestamp: 0,
    prevHash: new Uint8Array(32) as Hash,
    nonce: GENESIS_NONCE,
  },
  minerTx: parseTransaction(fromHex(GENESIS_TX)),
  txHashes: [],
};

/**
 * Returns the time with which unlock times are compared [Unix s]. It is derived from the chain, so that all nodes
 * agree.
 * @param latest timestamps of the latest 60 blocks, oldest first.
 * @param now clock [Unix s], used for a shorter chain. Source: blockchain.cpp `get_adjusted_time`.
 */
export function adjustedTime(latest: readonly number[], now: number): number {
  const last = latest.at(-1);
  if (latest.length < TIMESTAMP_WINDOW || last === undefined) return now;
  const projected = median(latest) + ((TIMESTAMP_WINDOW + 1) * DIFFICULTY_TARGET_SECONDS) / 2;
  return Math.min(last + DIFFICULTY_TARGET_SECONDS, projected);
}
