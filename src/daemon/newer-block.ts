import { NEWEST_FORK } from '../monero/cryptonote/constants.js';
import type { UnreadBlock } from './block-parser.js';
import { DaemonError } from './errors.js';

/** Height and version of a block. */
export interface BlockVersion {
  readonly height: number;
  readonly version: number;
}

/** Error of a block whose version is newer than all versions whose rules are known. */
export class NewerBlock extends DaemonError {
  readonly block: BlockVersion;

  constructor(block: BlockVersion) {
    const { height, version } = block;
    super(
      'newer_fork',
      `block ${height} has version ${version}, and ${NEWEST_FORK} is the newest known here: update this server`,
    );
    this.block = block;
  }
}

/** Number of the first hard fork whose rules are unknown. */
export const FIRST_UNKNOWN_FORK = NEWEST_FORK + 1;

/** True if the rules of a block version are unknown. Source: hardfork.cpp, block versions are numbers of hard forks. */
export const isNewer = (version: number): boolean => version > NEWEST_FORK;

/** Returns the error of a block that cannot be read: its version is newer, or the daemon sent wrong bytes. */
export const unreadError = (height: number, { version, cause }: UnreadBlock): DaemonError =>
  version !== undefined && isNewer(version)
    ? new NewerBlock({ height, version })
    : new DaemonError('malformed', `block ${height} of the daemon cannot be read: ${cause.message}`, {
        cause,
      });
