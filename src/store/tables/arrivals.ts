import type { Statement } from '../../util/sql-database.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { MinedPaymentFacts, PaymentFacts } from '../../model/events.js';
import type { Sight } from '../../model/arrival.js';
import type { Db } from '../file/database.js';

/** Identity of a payment, with the time at which it is seen now [Unix s]. */
interface SeenColumns {
  readonly txHash: Uint8Array;
  readonly account: number;
  readonly minor: number;
  readonly time: number;
}

/** Reads when payments arrived. */
export class ArrivalReader {
  protected readonly db: Db;
  readonly #first: Statement<[Uint8Array], number | null>;

  constructor(db: Db) {
    this.db = db;
    this.#first = db
      .prepare<[Uint8Array], number | null>('SELECT min(time) FROM arrival WHERE tx_hash = ?')
      .pluck();
  }

  /** Returns the time of the first sight of a transaction [Unix s]; undefined if none is recorded. */
  firstSight(txHash: Hash): number | undefined {
    return this.#first.get(txHash) ?? undefined;
  }
}

/**
 * SQL of the time from which on a payment that is seen now counts as arrived. A request that is cancelled counts no later
 * payment, whatever the clock says.
 */
const afterCancellation = (time: string): string =>
  `max(${time}, coalesce((SELECT cancelled + 1 FROM payment_request WHERE minor = :minor AND account = :account), 0))`;

/** Records when payments arrive: once for each payment. */
export class ArrivalWriter extends ArrivalReader {
  readonly #see: Statement<[SeenColumns & { readonly since: number | null }]>;
  readonly #mine: Statement<[SeenColumns & { readonly blockTime: number }], number>;
  readonly #contest: Statement<[Uint8Array]>;

  constructor(db: Db) {
    super(db);
    const insert =
      'INSERT INTO arrival (tx_hash, account, minor, time, since) VALUES (:txHash, :account, :minor';
    this.#see = db.prepare(
      `${insert}, ${afterCancellation(':time')}, ${afterCancellation(':since')}) ON CONFLICT DO NOTHING`,
    );
    this.#mine = db
      .prepare<[SeenColumns & { readonly blockTime: number }], number>(
        `${insert}, ${afterCancellation(':time')}, NULL)
         ON CONFLICT DO UPDATE SET time = iif(since IS NULL, time, max(since, min(time, :blockTime))), since = NULL
         RETURNING time`,
      )
      .pluck();
    this.#contest = db.prepare('UPDATE arrival SET contested = 1 WHERE tx_hash = ? AND contested = 0');
  }

  /** Records the first sight of a payment in the mempool. */
  see(
    { txHash, subaddress: { major, minor } }: Pick<PaymentFacts, 'txHash' | 'subaddress'>,
    { time, since }: Sight,
  ): void {
    this.#see.run({ txHash, account: major, minor, time, since: since ?? null });
  }

  /**
   * Records the first sight of a payment in a block. If the mempool held it before and left its time open, its block
   * decides.
   * @param time time at which it arrived if this is its first sight [Unix s].
   * @returns the recorded time of its arrival [Unix s].
   */
  mine({ txHash, subaddress: { major, minor }, timestamp }: MinedPaymentFacts, time: number): number {
    return this.#mine.get({ txHash, account: major, minor, time, blockTime: timestamp }) ?? time;
  }

  /** Records that the mempool has seen another transaction with the inputs of this one. */
  contest(txHash: Hash): void {
    this.#contest.run(txHash);
  }
}
