import type { ClusterSecret } from './cluster-secret.js';

/** Longest wait for an answer of the database, by default [ms]. */
export const DEFAULT_TIMEOUT_MS = 5000;

/** Time of a lease, by default [ms]. */
export const DEFAULT_LEASE_MS = 3500;

/** Messages of the cluster: a fixed phrase with fields beside it. */
export interface ClusterLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** How a process takes part in a cluster. */
export interface ClusterSettings {
  /** Address of the database: `postgres://user:password@host:port,host:port/database?sslmode=verify-full`. */
  readonly urls: string;
  readonly secret: ClusterSecret;
  /** This process: where the others reach it, and how many wallets it is meant to hold at most. */
  readonly member: { readonly url: string; readonly capacity: number };
  /** Longest wait for the acknowledgement of one write, and for one answer of the database [ms]; {@link DEFAULT_TIMEOUT_MS} by default. */
  readonly timeoutMs?: number;
  /** How long a lease lasts without a renewal [ms]; {@link DEFAULT_LEASE_MS} by default. The same in all processes. */
  readonly leaseMs?: number;
  /** Allows a database without a quorum of standbys: what one machine alone has is acknowledged. */
  readonly isSingle: boolean;
  readonly log: ClusterLog;
}
