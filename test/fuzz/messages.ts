import type { ModuleCoverage } from './coverage.js';
import type { Finding, Progress } from './fuzzer.js';

/** Order of the main thread to fuzz one target. */
export interface Order {
  readonly target: string;
  readonly cases: number;
  readonly seed: string;
  readonly forMs: number | undefined;
  readonly corpus: readonly Uint8Array[];
  /** Current case, which the main thread reads when this thread hangs or ends: its number, its length, its bytes. */
  readonly current: SharedArrayBuffer;
}

/** Message to the main thread. */
export type Message =
  | { readonly kind: 'kept'; readonly input: Uint8Array }
  | { readonly kind: 'finding'; readonly finding: Finding }
  | {
      readonly kind: 'done';
      readonly progress: Progress;
      /** Number of inputs that reached new code, with the seeds. */
      readonly corpus: number;
      /** Processor time of the cases and of their coverage [ms]. */
      readonly cpuMs: number;
      readonly coverage: readonly ModuleCoverage[];
    };

/** Place of the bytes of the current case in the shared memory. */
export const CURRENT_HEAD = 8;
