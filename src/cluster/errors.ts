/**
 * Error of a call for a wallet whose lease has ended: another process may hold the wallet. The wallet must be closed,
 * and its unsent frames dropped.
 */
export class Fenced extends Error {
  override readonly name = 'Fenced';
  readonly wallet: string;
  /** The epoch of the lost lease. */
  readonly epoch: bigint;

  constructor(wallet: string, epoch: bigint) {
    super(`the lease of wallet ${wallet} with epoch ${epoch} is gone`);
    this.wallet = wallet;
    this.epoch = epoch;
  }
}

/**
 * Error of a write that a quorum of databases did not acknowledge in time. Its outcome is unknown: it may be stored,
 * now or later. The same write can be repeated: it is stored once.
 */
export class NotReplicated extends Error {
  override readonly name = 'NotReplicated';
  /** Cause of the error, for messages which themselves say that nothing was replicated. */
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`not replicated: ${reason}`, options);
    this.reason = reason;
  }
}

/** Error of a call while no database of the cluster that takes writes answers. Nothing was written. */
export class ClusterUnreachable extends Error {
  override readonly name = 'ClusterUnreachable';
}

/** Reason why a process may not take part in the cluster. */
export type RefusalReason =
  | 'address' // the text of --cluster is no address of a database
  | 'clock' // the clocks of process and database differ by more than ten minutes
  | 'login' // the database refuses the user, the password or the name of the database
  | 'members_alive' // processes of the cluster live, and must not
  | 'member_taken' // another live process has the same URL
  | 'no_quorum' // the database acknowledges writes that one machine alone has
  | 'newer_schema' // a newer version of this program made the tables
  | 'no_schema' // the tables are missing
  | 'other_secret' // another secret file made the tables
  | 'pooler' // a pooler of connections stands before the database
  | 'secret_length' // the secret file is not 64 hex digits
  | 'secret_missing' // the secret file does not exist, or cannot be read
  | 'secret_exists' // a secret file is there already
  | 'secret_open' // others than its owner can use the secret file
  | 'version'; // the database is older than PostgreSQL 14

/** Error of a process that may not take part in a cluster, with the reason as one sentence for the operator. */
export class ClusterRefused extends Error {
  override readonly name = 'ClusterRefused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Error of adding a wallet whose name another wallet of the cluster has already. */
export class WalletKnown extends Error {
  override readonly name = 'WalletKnown';
  readonly wallet: string;

  constructor(wallet: string) {
    super(`the cluster has a wallet ${wallet} already`);
    this.wallet = wallet;
  }
}

/** Error of giving a wallet to a member that does not live. The wallet was not given away. */
export class MemberGone extends Error {
  override readonly name = 'MemberGone';
  readonly url: string;

  constructor(url: string) {
    super(`the member ${url} of the cluster does not live`);
    this.url = url;
  }
}
