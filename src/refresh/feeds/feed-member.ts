import type { SecretKey } from '../../monero/crypto/types.js';
import type { ChainPage } from './chain-page.js';
import { positionOf, type ChainPosition } from './chain-position.js';
import type { RefreshFrom } from './chain-position.js';
import type { MatchStream } from '../scan/output-matches.js';

/** A wallet's request for the blocks that it lacks. */
export interface FeedRequest extends RefreshFrom {
  /** Moment that the daemon's answers must not be older than; see {@link RefreshFrom.asOf}. */
  readonly asOf: number;
  readonly viewSecret: SecretKey;
  readonly signal: AbortSignal;
}

/** Consecutive blocks that a wallet lacks, with the outputs that its view key may open. */
export interface MemberPage {
  readonly page: ChainPage;
  /** To be read once, before the next page is requested. */
  readonly matches: MatchStream;
}

/** One wallet that reads the chain. */
export class FeedMember {
  readonly viewSecret: SecretKey;
  readonly asOf: number;
  readonly signal: AbortSignal;
  /** Behind the last block that was handed over. */
  position: ChainPosition;
  /** Time that others have waited for this wallet (ms). */
  heldUpMs = 0;
  /** Ends the scan of the page that was handed over. */
  stopReading: () => void = () => undefined;

  constructor(request: FeedRequest) {
    this.viewSecret = request.viewSecret;
    this.asOf = request.asOf;
    this.signal = request.signal;
    this.position = positionOf(request);
  }
}
