import type { Member, Members } from './member.js';
import type { Membership } from './membership.js';
import { numberOf } from './rows.js';
import type { Sessions } from './sessions.js';

/** The members in the database. */
export class DatabaseMembers implements Members {
  readonly #sessions: Sessions;
  readonly #membership: Membership;

  constructor(sessions: Sessions, membership: Membership) {
    this.#sessions = sessions;
    this.#membership = membership;
  }

  async list(): Promise<readonly Member[]> {
    const rows = await this.#sessions.read(
      (sql) => sql`
        SELECT url, capacity, process IS NOT NULL AS joined,
               extract(epoch FROM expires - clock_timestamp())::float8 * 1000 AS ms,
               (SELECT count(*) FROM wallet_rpc.wallet WHERE holder = url AND wallet.process = member.process) AS wallets
        FROM wallet_rpc.member ORDER BY url COLLATE "C"`,
    );
    return rows.map((row) => {
      const remainingMs = row['joined'] === true ? Math.max(0, Number(row['ms'])) : 0;
      return {
        url: String(row['url']),
        capacity: numberOf(row, 'capacity'),
        isAlive: remainingMs > 0,
        remainingMs,
        wallets: numberOf(row, 'wallets'),
        isSelf: row['url'] === this.#membership.url,
      };
    });
  }

  async leave(): Promise<void> {
    const { url, term } = this.#membership;
    this.#membership.close();
    await this.#sessions.write(
      (sql) => sql`
        -- Its holder stays: another process has to serve the wallet.
        WITH freed AS (
          UPDATE wallet_rpc.wallet SET process = NULL
          WHERE holder = ${url} AND process = ${term.process}::uuid)
        DELETE FROM wallet_rpc.member WHERE url = ${url} AND process = ${term.process}::uuid`,
    );
  }
}
