import { utf8, equalBytes } from '../../util/bytes.js';
import type { ClusterSecret } from '../cluster-secret.js';
import { ClusterRefused } from '../errors.js';
import type { Row, Session } from './session.js';

/** Version of the tables. */
export const SCHEMA_VERSION = 2;

/** Longest time for making the tables [ms]. */
const INIT_MS = 30_000;

/** Number that keeps two processes from making the tables at the same time. */
const INIT_LOCK = 0x77_72_70_63;

/** Plain text that is stored under the secret, so that another secret is noticed. */
const CHECK = utf8('wallet-rpc cluster');
const CHECK_PURPOSE = 'check of the secret';

/**
 * The tables. Names and keys files of wallets are under the secret of the cluster; frames and bases are pages which the
 * wallet encrypted. Ciphertext cannot be compressed (EXTERNAL).
 */
const TABLES = `
  CREATE SCHEMA wallet_rpc;

  -- One row.
  CREATE TABLE wallet_rpc.meta (
    only_row     boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version      integer NOT NULL,
    secret_check bytea   NOT NULL                        -- a known text under the secret
  );

  -- Processes. A process has its leases for as long as its row has its number. Another process removes the number once it
  -- has seen the row unchanged for lease_ms by a clock of its own.
  CREATE TABLE wallet_rpc.member (
    url      text        PRIMARY KEY,
    process  uuid,                                       -- a random number of each start; NULL once it is found dead
    capacity integer     NOT NULL CHECK (capacity >= 0), -- wallets
    lease_ms integer     NOT NULL CHECK (lease_ms > 0),  -- time from a renewal to the end of its leases
    expires  timestamptz NOT NULL,                       -- by the clock of the database: rows of long ago are deleted
    timeline text        NOT NULL,                       -- of the database at its last renewal
    proof    bytea                                       -- of url and process, under the secret
  );

  CREATE TABLE wallet_rpc.wallet (
    id        bytea  PRIMARY KEY CHECK (octet_length(id) = 32), -- HMAC of the name
    name      bytea  NOT NULL,
    keys_file bytea  NOT NULL,
    is_new    boolean NOT NULL,                                 -- it was added without a store
    epoch     bigint NOT NULL CHECK (epoch > 0),                -- grows with each change of its holder
    holder    text,                                             -- url of a member; NULL while it is free
    process   uuid,                                             -- process of the member
    claim     uuid   NOT NULL,                                  -- a random number of each change of its holder
    holder_proof bytea,                                         -- of id, epoch and holder, under the secret
    left_to   bytea                                             -- where its files are; NULL unless it has left the cluster
  );
  CREATE INDEX wallet_holder ON wallet_rpc.wallet (holder);

  CREATE TABLE wallet_rpc.frame (
    wallet   bytea  NOT NULL,
    sequence bigint NOT NULL CHECK (sequence > 0),
    epoch    bigint NOT NULL,
    hash     bytea  NOT NULL CHECK (octet_length(hash) = 32),   -- SHA-256 of the pages
    total    bigint NOT NULL,                                   -- bytes of all frames up to this one
    pages    bytea  NOT NULL,
    PRIMARY KEY (wallet, sequence)
  );
  ALTER TABLE wallet_rpc.frame ALTER COLUMN pages SET STORAGE EXTERNAL;

  -- The complete base of each wallet.
  CREATE TABLE wallet_rpc.base (
    wallet   bytea   PRIMARY KEY,
    sequence bigint  NOT NULL CHECK (sequence >= 0),            -- it contains the log up to this one
    epoch    bigint  NOT NULL,
    upload   uuid    NOT NULL,
    parts    integer NOT NULL CHECK (parts > 0),
    bytes    bigint  NOT NULL,
    total    bigint  NOT NULL                                   -- bytes of all frames that it contains
  );

  CREATE TABLE wallet_rpc.base_part (
    wallet  bytea   NOT NULL,
    upload  uuid    NOT NULL,                                   -- a random number of each base
    part    integer NOT NULL CHECK (part >= 0),
    content bytea   NOT NULL,
    PRIMARY KEY (wallet, upload, part)
  );
  ALTER TABLE wallet_rpc.base_part ALTER COLUMN content SET STORAGE EXTERNAL;
`;

/**
 * Changes of the tables, by the version that they come from. Processes of that version can go on with the changed
 * tables.
 */
const UPGRADES: readonly string[] = [
  `
  ALTER TABLE wallet_rpc.member ADD COLUMN proof bytea;
  ALTER TABLE wallet_rpc.wallet ADD COLUMN holder_proof bytea, ADD COLUMN left_to bytea;
  `,
];

/** Upgrades the tables to this version. */
async function upgradeSchema(session: Session): Promise<void> {
  const steps = UPGRADES.map(
    (changes, i) =>
      `IF (SELECT version FROM wallet_rpc.meta) = ${i + 1} THEN
         ${changes}
         UPDATE wallet_rpc.meta SET version = ${i + 2};
       END IF;`,
  );
  await session.call(INIT_MS, (sql) =>
    sql.unsafe(
      `DO $upgrade$ BEGIN PERFORM pg_advisory_xact_lock(${INIT_LOCK}); ${steps.join('\n')} END $upgrade$`,
    ),
  );
}

/** Reads the row of the schema. @returns undefined if the tables are missing. */
async function readMeta(session: Session, limitMs: number): Promise<Row | undefined> {
  const [found] = await session.call(
    limitMs,
    (sql) => sql`SELECT to_regclass('wallet_rpc.meta') IS NOT NULL AS present`,
  );
  if (found?.['present'] !== true) return undefined;
  const [row] = await session.call(limitMs, (sql) => sql`SELECT version, secret_check FROM wallet_rpc.meta`);
  return row;
}

/** Returns the known text under a secret. */
export const sealedCheck = (secret: ClusterSecret): Uint8Array => secret.seal(CHECK_PURPOSE, CHECK);

/** True if a column contains the known text under a secret. */
export function isMadeWith(secret: ClusterSecret, sealed: unknown): boolean {
  try {
    return (
      sealed instanceof Uint8Array && equalBytes(secret.open(CHECK_PURPOSE, new Uint8Array(sealed)), CHECK)
    );
  } catch {
    return false;
  }
}

/**
 * Checks that the tables were made with this secret, and not by a newer version; upgrades the tables of an older
 * version.
 * @throws ClusterRefused `no_schema`, `newer_schema`, `other_secret`; CallFailed
 */
export async function checkSchema(session: Session, secret: ClusterSecret, limitMs: number): Promise<void> {
  const meta = await readMeta(session, limitMs);
  if (meta === undefined)
    throw new ClusterRefused(
      'no_schema',
      '--cluster: the database has no tables of a cluster: wallet-rpc cluster init makes them',
    );
  const version = Number(meta['version']);
  if (version > SCHEMA_VERSION)
    throw new ClusterRefused(
      'newer_schema',
      `--cluster: a newer version of wallet-rpc made the tables of the cluster (version ${version}, this one knows ${SCHEMA_VERSION}): install it on this machine`,
    );
  if (!isMadeWith(secret, meta['secret_check']))
    throw new ClusterRefused(
      'other_secret',
      '--cluster-secret-file: the tables of the cluster were made with another secret: copy its file to this machine',
    );
  if (version < SCHEMA_VERSION) await upgradeSchema(session);
}

/**
 * Makes the tables, unless they exist. @returns false if the tables were there already, made with this secret.
 * @throws ClusterRefused `newer_schema`, `other_secret`; CallFailed
 */
export async function createSchema(session: Session, secret: ClusterSecret): Promise<boolean> {
  if ((await readMeta(session, INIT_MS)) === undefined) {
    const check = Buffer.from(sealedCheck(secret)).toString('hex');
    // Several statements without parameters are one transaction.
    await session.call(INIT_MS, (sql) =>
      sql.unsafe(
        `DO $init$ BEGIN
           PERFORM pg_advisory_xact_lock(${INIT_LOCK});
           IF to_regclass('wallet_rpc.meta') IS NULL THEN
             ${TABLES}
             INSERT INTO wallet_rpc.meta (version, secret_check) VALUES (${SCHEMA_VERSION}, '\\x${check}');
           END IF;
         END $init$`,
      ),
    );
    await checkSchema(session, secret, INIT_MS);
    return true;
  }
  await checkSchema(session, secret, INIT_MS);
  return false;
}
