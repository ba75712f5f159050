import { toHex, equalBytes, utf8 } from '../../util/bytes.js';
import type { Row, Sql } from './session.js';
import type { ClusterSecret } from '../cluster-secret.js';

/** Returns a column of bytes, copied from the buffer of the connection. @throws TypeError for another column. */
export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw new TypeError(`the column ${column} is not bytes`);
  return new Uint8Array(value);
}

/** Returns a column of an integer that is exact as a number. @throws TypeError for another column. */
export function numberOf(row: Row, column: string): number {
  const value = Number(row[column] ?? Number.NaN);
  if (!Number.isSafeInteger(value)) throw new TypeError(`the column ${column} is not an integer`);
  return value;
}

/** Returns the epoch of a wallet's row. */
export const epochOf = (row: Row): bigint => BigInt(String(row['epoch']));

/** A wallet that this process holds. */
interface Held {
  readonly id: Uint8Array;
  readonly epoch: bigint;
  readonly term: { readonly process: string };
}

/** The row of a wallet if this process has its lease, as the table `held` with the columns id and epoch. */
export type HeldTable = ReturnType<Sql>;

/**
 * Writes the query of the row of a wallet that this process holds. The result is empty once another process has taken
 * the wallet, or has removed the number of this process in order to take it: the result does not depend on a clock. The
 * row is locked until the commit, acknowledged or not: another process takes the wallet (`FOR UPDATE`) only when each
 * statement with this query has ended. Locks of several such statements, and an update of other columns, do not exclude
 * each other.
 */
export const heldRow = (sql: Sql, { id, epoch, term }: Held): HeldTable => sql`
  SELECT wallet.id, wallet.epoch
  FROM wallet_rpc.wallet JOIN wallet_rpc.member ON member.url = wallet.holder AND member.process = wallet.process
  WHERE wallet.id = ${id} AND wallet.epoch = ${epoch.toString()}::bigint AND wallet.process = ${term.process}::uuid
  FOR KEY SHARE OF wallet`;

/** Writes the deletion of the log of the wallets in the table `locked`, as tables of a WITH. */
export const emptyLog = (sql: Sql): ReturnType<Sql> => sql`
  frames AS (DELETE FROM wallet_rpc.frame USING locked WHERE wallet = locked.id),
  bases AS (DELETE FROM wallet_rpc.base USING locked WHERE wallet = locked.id),
  parts AS (DELETE FROM wallet_rpc.base_part USING locked WHERE wallet = locked.id)`;

/** Returns the number of the lock under which bases of a wallet are put in place, and rows of its log are deleted. */
export const lockOf = (id: Uint8Array): bigint => Buffer.from(id).readBigInt64BE(0);

/*
 * Purposes of sealed columns: each column of each wallet has a key of its own, so that no two columns can be exchanged.
 * The parameter of a purpose is the key of the wallet's rows.
 */

export const namePurpose = (id: Uint8Array): string => `name of ${toHex(id)}`;

export const keysPurpose = (id: Uint8Array): string => `keys file of ${toHex(id)}`;

/** Returns the purpose of the place of a wallet that has left. */
export const departurePurpose = (id: Uint8Array): string => `departure of ${toHex(id)}`;

/*
 * Two URLs in the database decide where a request goes: the URL of a member, and the URL of the holder of a wallet.
 * Each has a tag under the secret of the cluster, so that a writer to the database without the secret can only repeat a
 * row that a process has written: the URL in such a row belongs to a process, which proves for each request that it has
 * the secret (`http/forward/sealed-answer.ts`).
 */

/** Returns the tag of the URL of a member, which belongs to one of its terms. */
export const memberProof = (secret: ClusterSecret, url: string, process: string): Uint8Array =>
  secret.tag('member', utf8(url), utf8(process));

/** Returns the tag of the holder of a wallet, which belongs to one epoch. @param id key of the wallet's rows */
export const holderProof = (secret: ClusterSecret, id: Uint8Array, epoch: bigint, url: string): Uint8Array =>
  secret.tag('holder', id, utf8(epoch.toString()), utf8(url));

/** True if a column contains a tag. */
export const hasProof = (row: Row, column: string, proof: Uint8Array): boolean => {
  const value = row[column];
  return value instanceof Uint8Array && equalBytes(value, proof);
};
