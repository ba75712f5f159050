import { toHex } from '../../util/bytes.js';
import type { ClusterSecret } from '../cluster-secret.js';
import type { ClusterLog } from '../cluster.js';
import type { Departure, HeldBy, Left, WalletEntry } from '../lease.js';
import { extendAfterPromotion, removeEnded, watchedColumns } from '../members/member-watch.js';
import type { Membership } from '../members/membership.js';
import {
  hasProof,
  holderProof,
  bytesOf,
  departurePurpose,
  epochOf,
  namePurpose,
  numberOf,
} from '../database/rows.js';
import type { Row } from '../database/session.js';
import type { Sessions } from '../database/sessions.js';

/** A wallet that can be taken. */
export interface Free {
  readonly state: 'free';
  readonly epoch: bigint;
  readonly wasServed: boolean;
}

export interface WalletRowsOptions {
  readonly sessions: Sessions;
  readonly membership: Membership;
  readonly secret: ClusterSecret;
  readonly log: ClusterLog;
}

/** The rows of the wallets in the database: the names, the holders, and whether the holders live. */
export class WalletRows {
  readonly #sessions: Sessions;
  readonly #membership: Membership;
  readonly #secret: ClusterSecret;
  readonly #log: ClusterLog;
  /** Rows, by their ids, about which something was logged. */
  readonly #logged = new Set<string>();
  /** Names of wallets, by their ids: each look at the cluster lists all wallets. */
  readonly #names = new Map<string, string>();

  constructor({ sessions, membership, secret, log }: WalletRowsOptions) {
    this.#sessions = sessions;
    this.#membership = membership;
    this.#secret = secret;
    this.#log = log;
  }

  /** Finds whether a wallet can be taken: the wallet is free, or belongs to this member, or its holder has ended. */
  async look(id: Uint8Array): Promise<Free | HeldBy | Left | undefined> {
    const { found, beat } = await this.#find(id);
    if (found?.state !== 'held' || found.remainingMs > 0) return found;
    const { holder } = found;
    await this.#sessions.write((sql) => ({
      tables: sql`extended AS (${extendAfterPromotion(sql, holder)})`,
    }));
    await this.#sessions.write((sql) => ({ tables: sql`ended AS (${removeEnded(sql, holder, beat)})` }));
    return this.read(id);
  }

  /** Reads the holder of a wallet; undefined if the cluster does not know the wallet. */
  async read(id: Uint8Array): Promise<Free | HeldBy | Left | undefined> {
    return (await this.#find(id)).found;
  }

  /** Reads the holder of a wallet, with the beat of that member. */
  async #find(
    id: Uint8Array,
  ): Promise<{ readonly found: Free | HeldBy | Left | undefined; readonly beat: string }> {
    const [row] = await this.#sessions.read(
      (sql) => sql`
        SELECT epoch, left_to, member.url AS holder, wallet.holder IS NOT NULL AS served, ${watchedColumns(sql)}
        FROM wallet_rpc.wallet
        LEFT JOIN wallet_rpc.member ON member.url = wallet.holder AND member.process = wallet.process
        WHERE id = ${id}`,
    );
    if (row === undefined) return { found: undefined, beat: '' };
    const epoch = epochOf(row);
    if (row['left_to'] !== null)
      return { found: { state: 'left', departure: this.#departureOf(row, id), epoch }, beat: '' };
    const { holder } = row;
    if (typeof holder !== 'string' || holder === this.#membership.url)
      return { found: { state: 'free', epoch, wasServed: row['served'] === true }, beat: '' };
    const { remainingMs, beat } = this.#membership.watch.note(holder, row);
    return { found: { state: 'held', holder, epoch, remainingMs }, beat };
  }

  /** Lists all wallets whose rows were written with the secret, sorted by name. */
  async list(): Promise<readonly WalletEntry[]> {
    const rows = await this.#sessions.read(
      (sql) => sql`
        SELECT wallet.id, wallet.name, wallet.epoch, wallet.holder, wallet.holder_proof, wallet.left_to,
               ${watchedColumns(sql)},
               coalesce(frame.sequence, base.sequence, 0) AS sequence,
               coalesce(frame.total - coalesce(base.total, 0), 0) + coalesce(base.bytes, 0) AS bytes
        FROM wallet_rpc.wallet
        LEFT JOIN wallet_rpc.member ON member.url = wallet.holder AND member.process = wallet.process
        LEFT JOIN wallet_rpc.base ON base.wallet = wallet.id
        LEFT JOIN LATERAL (
          SELECT sequence, total FROM wallet_rpc.frame WHERE frame.wallet = wallet.id ORDER BY sequence DESC LIMIT 1
        ) AS frame ON true`,
    );
    return rows
      .flatMap((row) => {
        const id = bytesOf(row, 'id');
        const name = this.#nameOf(id, bytesOf(row, 'name'));
        if (name === undefined) return [];
        const own = this.#membership.leaseOf(name);
        const { holder } = row;
        const lives = typeof holder === 'string' && this.#membership.watch.note(holder, row).remainingMs > 0;
        return {
          name,
          ...(typeof holder !== 'string'
            ? {}
            : this.#isProven(row, id, holder, lives)
              ? { holder }
              : { hasFalseHolder: true }),
          ...(row['left_to'] === null ? {} : { departure: this.#departureOf(row, id) }),
          epoch: epochOf(row),
          isLapsed: !lives,
          isHere: own?.epoch === epochOf(row) && own.isValid(),
          sequence: numberOf(row, 'sequence'),
          bytes: numberOf(row, 'bytes'),
        };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** True if the holder of a wallet was written with the secret. */
  #isProven(row: Row, id: Uint8Array, holder: string, lives: boolean): boolean {
    const epoch = epochOf(row);
    if (hasProof(row, 'holder_proof', holderProof(this.#secret, id, epoch, holder))) return true;
    if (lives)
      this.#note(
        id,
        { holder },
        'the holder of a wallet is ignored, since it was not written with the secret',
      );
    return false;
  }

  /** Returns the name of a wallet, which never changes for an id; undefined for a row of another secret. */
  #nameOf(id: Uint8Array, sealed: Uint8Array): string | undefined {
    const key = toHex(id);
    let name = this.#names.get(key);
    if (name !== undefined) return name;
    try {
      name = Buffer.from(this.#secret.open(namePurpose(id), sealed)).toString('utf8');
    } catch {
      this.#note(id, {}, 'a wallet of the cluster is ignored, since its row was not written with the secret');
      return undefined;
    }
    this.#names.set(key, name);
    return name;
  }

  /**
   * Reads the place to which a wallet has gone. A wallet whose row was not written with the secret also counts as gone.
   */
  #departureOf(row: Row, id: Uint8Array): Departure {
    try {
      const text = this.#secret.open(departurePurpose(id), bytesOf(row, 'left_to'));
      return JSON.parse(Buffer.from(text).toString('utf8')) as Departure;
    } catch {
      return { token: '', host: 'an unknown machine', directory: 'an unknown directory', time: 0 };
    }
  }

  /** Logs something about the row of a wallet, once. */
  #note(id: Uint8Array, fields: object, message: string): void {
    const key = toHex(id);
    if (this.#logged.has(key)) return;
    this.#logged.add(key);
    this.#log.warn({ row: key.slice(0, 16), ...fields }, message);
  }
}
