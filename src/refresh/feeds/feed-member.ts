import type { SecretKey } from '../../monero/crypto/types.js';
import type { ChainPage } from './chain-page.js';
import { positionOf, type ChainPosition } from './chain-position.js';
import type { RefreshFrom } from './chain-position.js';
import type { MatchStream } from '../../monero/wallet/scan/output-matches.js';

/** A wallet's request for the blocks that it lacks. */
export interface FeedRequest extends RefreshFrom {
  /** Earliest time of the daemon's answers; see {@link RefreshFrom.asOf}. */
  readonly asOf: number;
  readonly viewSecret: SecretKey;
  readonly signal: AbortSignal;
}

/** Consecutive blocks that a wallet lacks, with the outputs that its view key may decrypt. */
export interface MemberPage {
  readonly page: ChainPage;
  /** Matches of the page's outputs. Read them once, before the next page is requested. */
  readonly matches: MatchStream;
}

/** A wallet that reads the chain in a {@link ChainPass}. */
export class FeedMember {
  readonly viewSecret: SecretKey;
  readonly asOf: number;
  readonly signal: AbortSignal;
  /** Position after the last block that was handed to this wallet. */
  position: ChainPosition;
  /** Total time that other members have waited for this wallet [ms]. */
  heldUpMs = 0;
  /** Ends the scan of the page that was last handed to this wallet. */
  stopReading: () => void = () => undefined;

  constructor(request: FeedRequest) {
    this.viewSecret = request.viewSecret;
    this.asOf = request.asOf;
    this.signal = request.signal;
    this.position = positionOf(request);
  }
}
