import type { Decision } from './decisions.js';
import type { Resources } from './soak-process.js';

/** Numbers of a world until now. */
export interface WorldFigures {
  /** Calls with a result, with an error, and without an answer, in the last round. */
  readonly answered: number;
  readonly refused: number;
  readonly broken: number;
  /** Numbers of refusals in the last round, by error code. */
  readonly codes: Readonly<Record<string, number>>;
  readonly facts: number;
  readonly orders: number;
  readonly paid: number;
  /** Orders that were paid anew, since a reorganisation or a lie excluded a payment. */
  readonly paidAnew: number;
  readonly requests: number;
  readonly events: number;
  /** Events that streams and webhooks have sent. */
  readonly streamed: number;
  readonly delivered: number;
}

export interface RoundReport extends WorldFigures {
  readonly round: number;
  readonly troubles: readonly string[];
  /** Time of the load and of the rest after it, and of the comparisons [ms]. */
  readonly troubleMs: number;
  readonly checkMs: number;
  readonly resources: readonly (Resources & { readonly process: string })[];
  readonly faults: readonly string[];
}

/** Named part of a table of troubles, with the number of its uses. */
export interface Used {
  readonly name: string;
  readonly title: string;
  readonly answers: number;
}

/** Report of a soak run. */
export interface SoakReport {
  readonly seed: string;
  /** Time of its start, ISO 8601. */
  readonly begun: string;
  readonly ms: number;
  readonly wallets: number;
  readonly nodes: readonly string[];
  readonly troubles: readonly { readonly name: string; readonly title: string }[];
  readonly behaviours: readonly Used[];
  readonly clients: readonly Used[];
  /** Troubles that could not be brought about on this machine. */
  readonly unavailable: readonly { readonly trouble: string; readonly reason: string }[];
  readonly rounds: readonly RoundReport[];
  readonly decisions: readonly Decision[];
  readonly faults: readonly string[];
}
