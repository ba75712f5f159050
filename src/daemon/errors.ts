import { CARROT_ONLY_FORK, FORK_RULES } from '../monero/fork-rules.js';
import type { UnreadBlock } from '../monero/wallet/scan/block-page.js';

/**
 * Kind of a failed call. unreachable: no connection, or it broke. timeout: no answer in time. busy: the daemon is
 * syncing. unauthorized: credentials are missing or wrong. malformed: the answer does not follow the protocol.
 * rejected: the daemon refused the request. too_large: the answer exceeds the limit of the call. tls: the certificate
 * is not accepted. forged: an answer contradicts the hashes that prove it, or breaks a rule of the network. newer_fork: the
 * chain has a block of a newer version than this program knows. unverified: the proof of work of a block cannot be checked
 * now, or belongs to a chain with less work, or other daemons do not confirm an answer; no call to a daemon fails with it.
 */
export type DaemonErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'busy'
  | 'unauthorized'
  | 'malformed'
  | 'rejected'
  | 'too_large'
  | 'tls'
  | 'newer_fork'
  | 'forged'
  | 'unverified';

/** Additional facts of a failed call. */
export interface DaemonErrorOptions extends ErrorOptions {
  /** See {@link DaemonError.notTaken}. Default: true for the kinds `busy`, `unauthorized` and `tls`, else false. */
  readonly notTaken?: boolean;
  /** HTTP status of the answer, if it is not 200. */
  readonly status?: number;
  /** System error code; default: the code of the cause. */
  readonly code?: string | undefined;
  /** See {@link DaemonError.isForeign}. Default: true if there is a `status`. */
  readonly isForeign?: boolean;
}

/** Kinds of errors which prove that the daemon answers. */
const ANSWERS: ReadonlySet<DaemonErrorKind> = new Set(['busy', 'rejected', 'too_large', 'newer_fork']);

/**
 * True for an HTTP status by which a gateway says that it has not asked its daemon, or has received no answer. No
 * daemon sends such a status.
 */
const isOfGateway = (status: number): boolean =>
  status === 429 || (status >= 502 && status <= 504) || (status >= 520 && status <= 530);

/**
 * True if a daemon answered a call, even if the answer is an error.
 * @param failure kind of the error of the call; undefined: no error.
 * @param status HTTP status of the answer, if it is not 200: an answer of a gateway that does not reach its daemon is
 * not an answer of a daemon.
 */
export const isAnswered = (failure: DaemonErrorKind | undefined, status = 200): boolean =>
  failure === undefined || (ANSWERS.has(failure) && !isOfGateway(status));

/** Kinds of failures that a daemon reports before it acts on a request. */
const NEVER_TAKEN: ReadonlySet<DaemonErrorKind> = new Set(['busy', 'unauthorized', 'tls']);

/** Thrown when a call to a daemon fails. The message quotes at most a short text of the daemon. */
export class DaemonError extends Error {
  override readonly name = 'DaemonError';
  readonly kind: DaemonErrorKind;
  /**
   * True if the request certainly had no effect: no byte of it was sent, or the daemon refused it. If false, a payment
   * may have been relayed.
   */
  readonly notTaken: boolean;
  /** HTTP status of the answer, if it is not 200. */
  readonly status?: number;
  /** Error code of the cause, such as `ECONNREFUSED`. */
  readonly code?: string;
  /**
   * True if the answer does not come from a daemon, but perhaps from a gateway: another HTTP status than 200, or a body
   * of another format. The reference treats such an answer like a failed connection. Source: net_utils,
   * http_abstract_invoke.h.
   */
  readonly isForeign: boolean;

  constructor(
    kind: DaemonErrorKind,
    message: string,
    { notTaken, status, code, isForeign, ...options }: DaemonErrorOptions = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.notTaken = notTaken ?? NEVER_TAKEN.has(kind);
    this.isForeign = isForeign ?? status !== undefined;
    if (status !== undefined) this.status = status;
    const anyCode = code ?? errorCode(options.cause);
    if (anyCode !== undefined) this.code = anyCode;
  }
}

/**
 * Returns the system error code of an error, or of its nearest cause that has one; undefined if there is no such code.
 */
function errorCode(error: unknown): string | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = 'cause' in at ? at.cause : undefined)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return undefined;
}

/** Height and version of a block. */
export interface BlockVersion {
  readonly height: number;
  readonly version: number;
}

/** Returns what an operator can do about a version of blocks that a server does not know. */
export const adviceFor = (version: number): string =>
  version <= CARROT_ONLY_FORK
    ? `set --fork-rules ${FORK_RULES}, or update this server`
    : 'update this server';

/** Error of a block with a version whose rules this server does not know. */
export class NewerBlock extends DaemonError {
  readonly block: BlockVersion;
  /** Newest version whose rules this server knows. */
  readonly newestFork: number;

  constructor(block: BlockVersion, newestFork: number) {
    const { height, version } = block;
    super(
      'newer_fork',
      `block ${height} has version ${version}, and ${newestFork} is the newest known here: ${adviceFor(version)}`,
    );
    this.block = block;
    this.newestFork = newestFork;
  }
}

/**
 * Returns the error of a block that cannot be read, because its version is newer than this program, or because the
 * daemon sent wrong bytes.
 */
export const unreadError = (
  height: number,
  { version, cause, isForged, newestFork }: Omit<UnreadBlock, 'cause'> & { readonly cause: Error },
): DaemonError =>
  version !== undefined && version > newestFork
    ? new NewerBlock({ height, version }, newestFork)
    : new DaemonError(
        isForged ? 'forged' : 'malformed',
        `block ${height} of the daemon cannot be read: ${cause.message}`,
        {
          cause,
        },
      );
