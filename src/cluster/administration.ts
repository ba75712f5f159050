import { setTimeout as pause } from 'node:timers/promises';
import { toHex } from '../util/bytes.js';
import { readAddress } from './database/address.js';
import type { ClusterSecret } from './cluster-secret.js';
import { DEFAULT_LEASE_MS, type Member } from './cluster.js';
import { DatabaseLeases } from './leases/database-leases.js';
import { DatabaseMembers } from './members/database-members.js';
import { ClusterRefused, ClusterUnreachable } from './errors.js';
import type { WalletEntry } from './lease.js';
import { beatOf, watchedColumns, type MemberWatch, type Watched } from './members/member-watch.js';
import { Membership } from './members/membership.js';
import {
  holderProof,
  bytesOf,
  departurePurpose,
  emptyLog,
  keysPurpose,
  namePurpose,
} from './database/rows.js';
import { checkSchema, isMadeWith, sealedCheck } from './database/schema.js';
import {
  CallFailed,
  type DatabaseState,
  type Row,
  type Session,
  type Statement,
} from './database/session.js';
import { Sessions } from './database/sessions.js';

/** Settings with which a command reaches the database of a cluster. */
export interface AdministrationSettings {
  readonly urls: string;
  readonly secret: ClusterSecret;
  readonly isSingle: boolean;
  /** Receives a message about each row that is ignored, with the reason. */
  readonly warn: (message: string) => void;
}

/** State of a cluster. */
export interface ClusterState {
  /** Server that takes writes, `host:port`. */
  readonly server: string;
  readonly database: DatabaseState;
  /** Number of standbys that are connected to it. */
  readonly standbys: number;
  readonly members: readonly Member[];
  readonly wallets: readonly WalletEntry[];
}

/** Longest wait for an answer to one change [ms]. */
const TIMEOUT_MS = 30_000;

/** Longest wait for an answer to a change of all rows of the database, or of all rows of a wallet [ms]. */
const ALL_ROWS_MS = 3_600_000;

/** Longest wait for a connection [ms]. */
const CONNECT_MS = 5_000;

/** Longest pause between two looks at the members, to see whether they renew their leases [ms]. */
const LOOK_MS = 100;

/** Changes that an operator makes to the database of a cluster, and that no process of the cluster makes. */
export class Administration {
  readonly #settings: AdministrationSettings;
  readonly #sessions: Sessions;
  readonly #leases: DatabaseLeases;
  readonly #members: DatabaseMembers;
  readonly #watch: MemberWatch;

  private constructor(settings: AdministrationSettings, sessions: Sessions) {
    this.#settings = settings;
    this.#sessions = sessions;
    const { secret, warn } = settings;
    const log = { info: () => undefined, warn: (_fields: object, message: string) => warn(message) };
    // The membership never joins, and so has no lease.
    const membership = new Membership({
      ...{ sessions, secret, log, url: '', capacity: 0 },
      leaseMs: DEFAULT_LEASE_MS,
    });
    this.#watch = membership.watch;
    this.#leases = new DatabaseLeases({ sessions, membership, secret, log });
    this.#members = new DatabaseMembers({ sessions, membership, secret, log });
  }

  /** Runs a task with the database of a cluster. @throws ClusterRefused, ClusterUnreachable, NotReplicated */
  static async run<T>(
    settings: AdministrationSettings,
    task: (administration: Administration) => Promise<T>,
  ): Promise<T> {
    const { urls, isSingle } = settings;
    const log = { info: () => undefined, warn: () => undefined };
    const sessions = new Sessions({ address: readAddress(urls), timeoutMs: TIMEOUT_MS, isSingle, log });
    try {
      return await task(new Administration(settings, sessions));
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      throw new ClusterUnreachable(`the database refuses a call: ${error.message}`, { cause: error });
    } finally {
      sessions.close();
    }
  }

  /** Reads the state of the cluster, after it has watched each member until it is known to live or to have ended. */
  async state(): Promise<ClusterState> {
    await this.#check();
    await this.#observe();
    return this.#connected(async (session) => {
      const [row] = await session.call(
        CONNECT_MS,
        (sql) => sql`SELECT count(*)::int AS standbys FROM pg_stat_replication`,
      );
      const { host, port } = session.host;
      return {
        ...{ server: `${host}:${port}`, database: session.state, standbys: Number(row?.['standbys']) },
        ...{ members: await this.#members.list(), wallets: await this.#leases.list() },
      };
    });
  }

  /**
   * Forgets a member that does not live. Other processes take its wallets over.
   * @returns `unknown` for a URL that no member has, `alive` for a member that lives: nothing is changed.
   */
  async removeMember(url: string): Promise<'removed' | 'unknown' | 'alive'> {
    await this.#check();
    const ended = beatsOfEnded(await this.#observe());
    const { lives } = await this.#sessions.write((sql) => ({
      tables: sql`
        known AS MATERIALIZED (
          SELECT url, process IS NOT NULL AND ${beatOf(sql)} <> ALL (string_to_array(${ended}::text, ',')) AS lives
          FROM wallet_rpc.member WHERE url = ${url} FOR UPDATE),
        freed AS (
          UPDATE wallet_rpc.wallet SET process = NULL FROM known WHERE holder = known.url AND NOT lives),
        gone AS (DELETE FROM wallet_rpc.member USING known WHERE member.url = known.url AND NOT lives)`,
      answer: sql`(SELECT lives FROM known) AS lives`,
    }));
    return typeof lives !== 'boolean' ? 'unknown' : lives ? 'alive' : 'removed';
  }

  /**
   * Deletes the rows of a wallet that has left the cluster. Its name stays taken, so that no process takes an older
   * copy for it. @returns false for a wallet that is not known, or has not left: nothing is changed.
   */
  async removeWallet(name: string): Promise<boolean> {
    await this.#check();
    const id = this.#settings.secret.idOf(name);
    const { known } = await this.#sessions.write(
      (sql) => ({
        tables: sql`
        locked AS MATERIALIZED (
          SELECT id FROM wallet_rpc.wallet WHERE id = ${id} AND left_to IS NOT NULL FOR UPDATE),
        ${emptyLog(sql)}`,
        answer: sql`EXISTS (SELECT FROM locked) AS known`,
      }),
      ALL_ROWS_MS,
    );
    return known === true;
  }

  /**
   * Encrypts all rows that the secret protects under another secret, in one transaction. No process may live. A call
   * that is repeated after an interruption notices that the rows are under the other secret already.
   * @returns number of the wallets; undefined if the tables are under the other secret already.
   * @throws ClusterRefused `members_alive`, `other_secret`
   */
  async rotate(next: ClusterSecret): Promise<number | undefined> {
    const ended = beatsOfEnded(await this.#observe());
    return this.#connected(async (session) => {
      const call = (statement: Statement): Promise<readonly Row[]> => session.call(ALL_ROWS_MS, statement);
      const commit = async (): Promise<void> => {
        await call((sql) => sql`COMMIT`);
        // An earlier run may have committed everything without an answer of the quorum.
        await session.commit(TIMEOUT_MS, () => ({}), this.#settings.isSingle);
      };
      await call((sql) => sql`BEGIN`);
      // The lock keeps processes from writing and from joining meanwhile.
      await call(
        (sql) => sql`
          LOCK TABLE wallet_rpc.meta, wallet_rpc.member, wallet_rpc.wallet, wallet_rpc.frame, wallet_rpc.base,
            wallet_rpc.base_part IN ACCESS EXCLUSIVE MODE`,
      );
      const [meta] = await call((sql) => sql`SELECT secret_check FROM wallet_rpc.meta`);
      if (isMadeWith(next, meta?.['secret_check'])) {
        await commit();
        return undefined;
      }
      await checkSchema(session, this.#settings.secret, ALL_ROWS_MS);
      const living = await call(
        (sql) => sql`
          SELECT url FROM wallet_rpc.member
          WHERE process IS NOT NULL AND ${beatOf(sql)} <> ALL (string_to_array(${ended}::text, ',')) ORDER BY url`,
      );
      if (living.length > 0)
        throw new ClusterRefused(
          'members_alive',
          `processes of the cluster live: stop ${living.map(({ url }) => String(url)).join(', ')}`,
        );
      const wallets = await call(
        (sql) => sql`SELECT id, name, keys_file, epoch, holder, left_to FROM wallet_rpc.wallet`,
      );
      let number = 0;
      for (const row of wallets) number += (await this.#rotateWallet(row, next, call)) ? 1 : 0;
      await call((sql) => sql`DELETE FROM wallet_rpc.member`);
      await call((sql) => sql`UPDATE wallet_rpc.meta SET secret_check = ${sealedCheck(next)}::bytea`);
      await commit();
      return number;
    });
  }

  /**
   * Writes the rows of one wallet under another secret.
   * @returns false for a row that neither secret decrypts, which stays.
   */
  async #rotateWallet(
    row: Row,
    next: ClusterSecret,
    call: (statement: Statement) => Promise<readonly Row[]>,
  ): Promise<boolean> {
    const { secret, warn } = this.#settings;
    const id = bytesOf(row, 'id');
    let name: Uint8Array;
    try {
      name = secret.open(namePurpose(id), bytesOf(row, 'name'));
    } catch {
      warn(
        `the row ${toHex(id).slice(0, 16)} of a wallet was not written with the secret, and stays as it is`,
      );
      return false;
    }
    const moved = next.idOf(Buffer.from(name).toString('utf8'));
    const again = (purpose: (id: Uint8Array) => string, sealed: Uint8Array): Uint8Array =>
      next.seal(purpose(moved), secret.open(purpose(id), sealed));
    // A wallet that has left has no keys in the database.
    const keys = bytesOf(row, 'keys_file');
    const sealedKeys = keys.length === 0 ? keys : again(keysPurpose, keys);
    const departure = row['left_to'] === null ? null : again(departurePurpose, bytesOf(row, 'left_to'));
    const { holder } = row;
    const epoch = BigInt(String(row['epoch']));
    const proof = typeof holder === 'string' ? holderProof(next, moved, epoch, holder) : null;
    await call(
      (sql) => sql`
        UPDATE wallet_rpc.wallet
        SET id = ${moved}::bytea, name = ${next.seal(namePurpose(moved), name)}::bytea,
          keys_file = ${sealedKeys}::bytea, left_to = ${departure}::bytea, holder_proof = ${proof}::bytea, process = NULL
        WHERE id = ${id}`,
    );
    for (const table of ['frame', 'base', 'base_part'])
      await call(
        (sql) =>
          sql`UPDATE ${sql.unsafe(`wallet_rpc.${table}`)} SET wallet = ${moved}::bytea WHERE wallet = ${id}`,
      );
    return true;
  }

  /** Watches the members until each has renewed its leases, and lives, or has ended. */
  async #observe(): Promise<readonly Watched[]> {
    for (;;) {
      const rows = await this.#sessions.read(
        (sql) => sql`SELECT url, ${watchedColumns(sql)} FROM wallet_rpc.member`,
      );
      const members = rows.map((row) => this.#watch.note(String(row['url']), row));
      const open = members.filter(({ remainingMs, moves }) => remainingMs > 0 && moves === 0);
      if (open.length === 0) return members;
      await pause(Math.min(LOOK_MS, ...open.map(({ remainingMs }) => remainingMs)));
    }
  }

  /** Checks that the tables are of this version and secret. @throws ClusterRefused */
  #check(): Promise<void> {
    return this.#connected((session) => checkSchema(session, this.#settings.secret, TIMEOUT_MS));
  }

  /** Runs a task with a connection of its own, which ends with it: changes that were not committed are undone. */
  async #connected<T>(task: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#sessions.connect(CONNECT_MS, CONNECT_MS);
    try {
      return await task(session);
    } finally {
      session.end();
    }
  }
}

/** Lists the beats of members whose leases have ended, separated by commas: only a renewal changes them. */
const beatsOfEnded = (members: readonly Watched[]): string =>
  members
    .filter(({ remainingMs }) => remainingMs === 0)
    .map(({ beat }) => beat)
    .join(',');
