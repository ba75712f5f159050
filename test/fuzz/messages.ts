import type { ModuleCoverage } from './coverage.js';
import type { Finding, Limits, Progress } from './fuzzer.js';

/** Order of the main process to fuzz one target, in a process of its own. */
export interface Order {
  readonly target: string;
  readonly cases: number;
  readonly seed: string;
  /** True if the inputs that reach new code are kept, and the coverage is reported: cases take up to four times as long. */
  readonly guided: boolean;
  readonly forMs: number | undefined;
  /** Inputs beside the seeds. */
  readonly corpus: readonly Uint8Array[];
  readonly limits: Limits;
  /** File with the current case, which the main process reads when this one hangs or ends. */
  readonly current: string;
}

/** Message to the main process. */
export type Message =
  | { readonly kind: 'kept'; readonly input: Uint8Array }
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | {
      readonly kind: 'done';
      readonly progress: Progress;
      /** Number of inputs that reached new code, with the seeds. */
      readonly corpus: number;
      /** Undefined of a run that was not guided. */
      readonly coverage: readonly ModuleCoverage[] | undefined;
    };

/** Message to the process of a target: it ends with its batch. */
export const STOP = 'stop';
