import { randomUUID } from 'node:crypto';
import { utf8 } from '../../util/bytes.js';
import { KeyedMutex } from '../../util/concurrency.js';
import type { ClusterSecret } from '../cluster-secret.js';
import type { ClusterLog } from '../cluster.js';
import { ClusterUnreachable, Fenced, MemberGone, WalletKnown } from '../errors.js';
import type {
  CreateOptions,
  Departure,
  HeldBy,
  Lease,
  Leases,
  Left,
  LossReason,
  Taken,
  WalletEntry,
} from '../lease.js';
import { watchedColumns } from '../members/member-watch.js';
import { HeldLease, type Membership } from '../members/membership.js';
import {
  hasProof,
  holderProof,
  memberProof,
  bytesOf,
  departurePurpose,
  emptyLog,
  heldRow,
  keysPurpose,
  namePurpose,
  numberOf,
} from '../database/rows.js';
import type { Sessions } from '../database/sessions.js';
import { WalletRows } from './wallet-rows.js';

/** Largest number of attempts to take a wallet whose holder changes meanwhile. */
const MOST_TRIES = 5;

export interface LeasesOptions {
  readonly sessions: Sessions;
  readonly membership: Membership;
  readonly secret: ClusterSecret;
  readonly log: ClusterLog;
}

/** The leases in the database. */
export class DatabaseLeases implements Leases {
  readonly #sessions: Sessions;
  readonly #membership: Membership;
  readonly #secret: ClusterSecret;
  readonly #rows: WalletRows;
  /** Changes of a wallet's holder, by name. */
  readonly #changes = new KeyedMutex();

  constructor({ sessions, membership, secret, log }: LeasesOptions) {
    this.#sessions = sessions;
    this.#membership = membership;
    this.#secret = secret;
    this.#rows = new WalletRows({ sessions, membership, secret, log });
  }

  create(
    name: string,
    keysFile: Uint8Array,
    { hasStore, returnsFrom }: CreateOptions = { hasStore: false },
  ): Promise<Lease> {
    return this.#changing(name, async (id) => {
      if (returnsFrom !== undefined) return this.#takeBack(name, id, keysFile, returnsFrom);
      const { term, url } = this.#membership;
      const claim = randomUUID();
      const sealedName = this.#secret.seal(namePurpose(id), utf8(name));
      const sealedKeys = this.#secret.seal(keysPurpose(id), keysFile);
      const proof = holderProof(this.#secret, id, 1n, url);
      const row = await this.#sessions.write((sql) => ({
        tables: sql`
          self AS (
            SELECT url, process FROM wallet_rpc.member
            WHERE url = ${url} AND process = ${term.process}::uuid),
          added AS (
            INSERT INTO wallet_rpc.wallet AS known (id, name, keys_file, is_new, epoch, holder, process, claim, holder_proof)
            SELECT ${id}::bytea, ${sealedName}::bytea, ${sealedKeys}::bytea, ${!hasStore}::boolean, 1, url, process,
              ${claim}::uuid, ${proof}::bytea FROM self
            ON CONFLICT (id) DO UPDATE SET claim = known.claim WHERE known.claim = excluded.claim
            RETURNING id)`,
        answer: sql`EXISTS (SELECT FROM self) AS joined, EXISTS (SELECT FROM added) AS added`,
      }));
      if (row['joined'] !== true) throw notJoined();
      if (row['added'] !== true) throw new WalletKnown(name);
      return this.#hold(new HeldLease(name, id, 1n, term));
    });
  }

  /**
   * Takes a wallet that has left the cluster, with an empty log.
   * @throws WalletKnown unless the wallet has left with this token.
   */
  async #takeBack(name: string, id: Uint8Array, keysFile: Uint8Array, token: string): Promise<Lease> {
    const found = await this.#rows.read(id);
    if (found?.state !== 'left' || found.departure.token !== token) throw new WalletKnown(name);
    const { term, url } = this.#membership;
    const claim = randomUUID();
    const epoch = found.epoch + 1n;
    const sealedKeys = this.#secret.seal(keysPurpose(id), keysFile);
    const proof = holderProof(this.#secret, id, epoch, url);
    const row = await this.#sessions.write(
      (sql) => ({
        tables: sql`
        self AS (
          SELECT url, process FROM wallet_rpc.member
          WHERE url = ${url} AND process = ${term.process}::uuid),
        locked AS MATERIALIZED (
          SELECT wallet.id FROM wallet_rpc.wallet, self
          WHERE wallet.id = ${id} AND (claim = ${claim}::uuid
            OR left_to IS NOT NULL AND claim = ${token}::uuid AND epoch = ${found.epoch.toString()}::bigint)
          FOR UPDATE OF wallet),
        ${emptyLog(sql)},
        taken AS (
          UPDATE wallet_rpc.wallet
          SET epoch = ${epoch.toString()}::bigint, claim = ${claim}::uuid, holder = self.url, process = self.process,
            holder_proof = ${proof}::bytea, keys_file = ${sealedKeys}::bytea, is_new = false, left_to = NULL
          FROM self, locked WHERE wallet.id = locked.id
          RETURNING wallet.id)`,
        answer: sql`EXISTS (SELECT FROM self) AS joined, EXISTS (SELECT FROM taken) AS taken`,
      }),
      this.#sessions.longMs,
    );
    if (row['joined'] !== true) throw notJoined();
    if (row['taken'] !== true) throw new WalletKnown(name);
    return this.#hold(new HeldLease(name, id, epoch, term));
  }

  leave(lease: Lease, departure: Departure): Promise<void> {
    return this.#changing(lease.name, async (id) => {
      const held = this.#heldBy(lease);
      this.#membership.end(held);
      const sealed = this.#secret.seal(departurePurpose(id), utf8(JSON.stringify(departure)));
      const row = await this.#sessions.write((sql) => ({
        tables: sql`
          held AS MATERIALIZED (${heldRow(sql, held)}),
          locked AS MATERIALIZED (SELECT wallet.id FROM wallet_rpc.wallet JOIN held ON held.id = wallet.id FOR UPDATE OF wallet),
          gone AS (
            UPDATE wallet_rpc.wallet
            SET epoch = ${(held.epoch + 1n).toString()}::bigint, claim = ${departure.token}::uuid, holder = NULL,
              process = NULL, holder_proof = NULL, keys_file = '', left_to = ${sealed}::bytea
            FROM locked WHERE wallet.id = locked.id
            RETURNING 1)`,
        answer: sql`
          EXISTS (SELECT FROM gone)
            OR EXISTS (SELECT FROM wallet_rpc.wallet WHERE id = ${id} AND claim = ${departure.token}::uuid) AS gone`,
      }));
      if (row['gone'] !== true) throw new Fenced(lease.name, lease.epoch);
    });
  }

  take(name: string): Promise<Taken | HeldBy | Left | undefined> {
    return this.#changing(name, async (id) => {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const found = await this.#rows.look(id);
        if (found === undefined || found.state !== 'free') return found;
        const lease = await this.#claim(name, id, found.epoch);
        if (lease !== undefined) return this.#contentOf(lease, found.wasServed);
      }
      throw new ClusterUnreachable(`other processes take the wallet ${name} at the same time`);
    });
  }

  renew(): Promise<void> {
    return this.#membership.renew();
  }

  onLost(listener: (lease: Lease, reason: LossReason) => void): void {
    this.#membership.onLost(listener);
  }

  release(lease: Lease): Promise<void> {
    return this.#changing(lease.name, async (id) => {
      this.#membership.end(lease);
      await this.#sessions.write((sql) => ({
        tables: sql`
          freed AS (
            UPDATE wallet_rpc.wallet SET holder = NULL, process = NULL
            WHERE id = ${id} AND epoch = ${lease.epoch.toString()}::bigint)`,
      }));
    });
  }

  abandon(lease: Lease): Promise<void> {
    return this.#changing(lease.name, async (id) => {
      this.#membership.end(lease);
      await this.#sessions.write((sql) => ({
        tables: sql`
          freed AS (
            UPDATE wallet_rpc.wallet SET process = NULL
            WHERE id = ${id} AND epoch = ${lease.epoch.toString()}::bigint)`,
      }));
    });
  }

  handOver(lease: Lease, memberUrl: string): Promise<void> {
    return this.#changing(lease.name, async (id) => {
      const held = this.#heldBy(lease);
      const [row] = await this.#sessions.read(
        (sql) => sql`SELECT ${watchedColumns(sql)}, proof FROM wallet_rpc.member WHERE url = ${memberUrl}`,
      );
      const lives = row !== undefined && this.#membership.watch.note(memberUrl, row).remainingMs > 0;
      const process = String(row?.['process']);
      if (!lives || !hasProof(row, 'proof', memberProof(this.#secret, memberUrl, process)))
        throw new MemberGone(memberUrl);
      const proof = holderProof(this.#secret, id, held.epoch + 1n, memberUrl);
      this.#membership.end(held);
      const claim = randomUUID();
      const { given } = await this.#sessions.write((sql) => ({
        tables: sql`
          locked AS MATERIALIZED (SELECT FROM wallet_rpc.wallet WHERE id = ${id} FOR UPDATE),
          given AS (
            UPDATE wallet_rpc.wallet
            SET epoch = ${(held.epoch + 1n).toString()}::bigint, claim = ${claim}::uuid, holder = member.url,
              process = member.process, holder_proof = ${proof}::bytea
            FROM locked, wallet_rpc.member
            WHERE id = ${id} AND member.url = ${memberUrl} AND member.process = ${process}::uuid
              AND (epoch = ${held.epoch.toString()}::bigint AND wallet.process = ${held.term.process}::uuid
                OR claim = ${claim}::uuid)
            RETURNING id)`,
        answer: sql`EXISTS (SELECT FROM given) AS given`,
      }));
      if (given !== true) throw new Fenced(lease.name, lease.epoch);
    });
  }

  list(): Promise<readonly WalletEntry[]> {
    return this.#rows.list();
  }

  async setKeysFile(lease: Lease, keysFile: Uint8Array): Promise<void> {
    const held = this.#heldBy(lease);
    const sealed = this.#secret.seal(keysPurpose(held.id), keysFile);
    const { stored } = await this.#sessions.write((sql) => ({
      tables: sql`
        held AS MATERIALIZED (${heldRow(sql, held)}),
        stored AS (
          UPDATE wallet_rpc.wallet SET keys_file = ${sealed}::bytea FROM held WHERE wallet.id = held.id
          RETURNING wallet.id)`,
      answer: sql`EXISTS (SELECT FROM stored) AS stored`,
    }));
    if (stored !== true) throw this.#fenced(held);
  }

  remove(lease: Lease): Promise<void> {
    return this.#changing(lease.name, async (id) => {
      const held = this.#heldBy(lease);
      this.#membership.end(held);
      const row = await this.#sessions.write(
        (sql) => ({
          tables: sql`
          held AS MATERIALIZED (${heldRow(sql, held)}),
          locked AS MATERIALIZED (SELECT wallet.id FROM wallet_rpc.wallet JOIN held ON held.id = wallet.id FOR UPDATE OF wallet),
          ${emptyLog(sql)},
          gone AS (DELETE FROM wallet_rpc.wallet USING locked WHERE wallet.id = locked.id RETURNING 1)`,
          answer: sql`
          EXISTS (SELECT FROM gone) OR NOT EXISTS (SELECT FROM wallet_rpc.wallet WHERE id = ${id}) AS gone`,
        }),
        this.#sessions.longMs,
      );
      if (row['gone'] !== true) throw new Fenced(lease.name, lease.epoch);
    });
  }

  /** Takes a wallet that has a given epoch. @returns undefined if the wallet has another epoch by now. */
  async #claim(name: string, id: Uint8Array, epoch: bigint): Promise<HeldLease | undefined> {
    const { term, url } = this.#membership;
    const claim = randomUUID();
    const proof = holderProof(this.#secret, id, epoch + 1n, url);
    // An earlier lease of this process must not write any more when its wallet is read.
    const own = this.#membership.leaseOf(name);
    if (own !== undefined) this.#membership.end(own);
    const row = await this.#sessions.write((sql) => ({
      tables: sql`
        self AS (
          SELECT url, process FROM wallet_rpc.member
          WHERE url = ${url} AND process = ${term.process}::uuid),
        locked AS MATERIALIZED (SELECT id FROM wallet_rpc.wallet WHERE id = ${id} FOR UPDATE),
        taken AS (
          UPDATE wallet_rpc.wallet
          SET epoch = ${(epoch + 1n).toString()}::bigint, claim = ${claim}::uuid, holder = self.url,
            process = self.process, holder_proof = ${proof}::bytea
          FROM self, locked
          WHERE wallet.id = locked.id AND left_to IS NULL
            AND (epoch = ${epoch.toString()}::bigint OR claim = ${claim}::uuid)
          RETURNING wallet.id)`,
      answer: sql`EXISTS (SELECT FROM self) AS joined, EXISTS (SELECT FROM taken) AS taken`,
    }));
    if (row['joined'] !== true) throw notJoined();
    return row['taken'] === true ? this.#hold(new HeldLease(name, id, epoch + 1n, term)) : undefined;
  }

  async #contentOf(lease: HeldLease, wasServed: boolean): Promise<Taken> {
    const [row] = await this.#sessions.read(
      (sql) => sql`
        SELECT keys_file, is_new, base.sequence AS base_sequence, base.bytes AS base_bytes,
               coalesce((SELECT max(sequence) FROM wallet_rpc.frame WHERE frame.wallet = id), base.sequence, 0)
                 AS sequence
        FROM wallet_rpc.wallet LEFT JOIN wallet_rpc.base ON base.wallet = id
        WHERE id = ${lease.id}`,
    );
    if (row === undefined) throw this.#fenced(lease);
    const keysFile = this.#secret.open(keysPurpose(lease.id), bytesOf(row, 'keys_file'));
    const isNew = row['is_new'] === true;
    const sequence = numberOf(row, 'sequence');
    const taken = { state: 'taken', lease, keysFile, sequence, isNew, wasServed } as const;
    if (row['base_sequence'] === null) return taken;
    return {
      ...taken,
      base: { sequence: numberOf(row, 'base_sequence'), bytes: numberOf(row, 'base_bytes') },
    };
  }

  /** Runs a change of a wallet's holder, after earlier ones of the same wallet. */
  #changing<T>(name: string, change: (id: Uint8Array) => Promise<T>): Promise<T> {
    const id = this.#secret.idOf(name);
    return this.#changes.run(name, () => change(id));
  }

  #hold(lease: HeldLease): HeldLease {
    this.#membership.add(lease);
    return lease;
  }

  /** Returns a lease of this process. @throws Fenced if it has ended. */
  #heldBy(lease: Lease): HeldLease {
    const held = this.#membership.leaseOf(lease.name);
    if (held === undefined || held !== lease) throw new Fenced(lease.name, lease.epoch);
    return held;
  }

  #fenced(lease: HeldLease): Fenced {
    this.#membership.lose(lease, 'taken');
    return new Fenced(lease.name, lease.epoch);
  }
}

const notJoined = (): ClusterUnreachable =>
  new ClusterUnreachable('this process is no member of the cluster at the moment: its lease lapsed');
