import { equalBytes, utf8 } from '../util/bytes.js';
import type { ClusterSecret } from './cluster-secret.js';
import type { Row } from './session.js';

/*
 * Where a request goes is decided by two URLs in the database: that of a member, and that of the holder of a wallet. Each
 * has a tag under the secret of the cluster, so that a writer to the database without the secret can only repeat a row that
 * a process has written: its URL is that of a process, which proves for each request that it has the secret
 * (`http/forward/sealed-answer.ts`).
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
