import type { ClusterSecret } from '../cluster-secret.js';
import { type ClusterLog, OF_COMMAND, type Member, type Members } from '../cluster.js';
import { watchedColumns } from './member-watch.js';
import type { Membership } from './membership.js';
import { hasProof, memberProof, numberOf } from '../database/rows.js';
import type { Sessions } from '../database/sessions.js';

export interface MembersOptions {
  readonly sessions: Sessions;
  readonly membership: Membership;
  readonly secret: ClusterSecret;
  readonly log: ClusterLog;
}

/** The members in the database. */
export class DatabaseMembers implements Members {
  readonly #options: MembersOptions;
  /** URLs without a proof that were logged. */
  readonly #logged = new Set<string>();

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly Member[]> {
    const { sessions, membership, secret } = this.#options;
    const rows = await sessions.read(
      (sql) => sql`
        SELECT url, capacity, proof, ${watchedColumns(sql)},
               (SELECT count(*) FROM wallet_rpc.wallet WHERE holder = url AND wallet.process = member.process) AS wallets
        FROM wallet_rpc.member ORDER BY url COLLATE "C"`,
    );
    const { watch } = membership;
    watch.keep(rows.map(({ url }) => String(url)));
    return rows.flatMap((row) => {
      const url = String(row['url']);
      const { process } = row;
      const { remainingMs } = watch.note(url, row);
      if (row['capacity'] === OF_COMMAND) return [];
      if (typeof process === 'string' && !hasProof(row, 'proof', memberProof(secret, url, process))) {
        if (remainingMs > 0) this.#note(url);
        return [];
      }
      return {
        url,
        capacity: numberOf(row, 'capacity'),
        isAlive: remainingMs > 0,
        remainingMs,
        wallets: numberOf(row, 'wallets'),
        isSelf: url === membership.url,
      };
    });
  }

  /** Logs a living member that is ignored, once. */
  #note(url: string): void {
    if (this.#logged.has(url)) return;
    this.#logged.add(url);
    this.#options.log.warn(
      { url },
      'a member of the cluster is ignored, since its row was not written with the secret',
    );
  }

  async leave(): Promise<void> {
    const { sessions, membership } = this.#options;
    const { url, term } = membership;
    membership.close();
    await sessions.write((sql) => ({
      // The holder in the row of a wallet stays: another process has to serve the wallet.
      tables: sql`
          freed AS (
            UPDATE wallet_rpc.wallet SET process = NULL
            WHERE holder = ${url} AND process = ${term.process}::uuid),
          gone AS (
            DELETE FROM wallet_rpc.member WHERE url = ${url} AND process = ${term.process}::uuid)`,
    }));
  }
}
