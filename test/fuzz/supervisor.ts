import { Worker } from 'node:worker_threads';
import type { ModuleCoverage } from './coverage.js';
import type { Finding, FindingKind, Progress } from './fuzzer.js';
import { CURRENT_HEAD, type Message, type Order } from './messages.js';

/** Result of fuzzing one target. */
export interface TargetReport extends Progress {
  readonly target: string;
  /** Number of inputs that reached new code, with the seeds. */
  readonly kept: number;
  /** Number of cases in a second of processor time. */
  readonly casesPerSecond: number;
  readonly coverage: readonly ModuleCoverage[];
  readonly findings: readonly Finding[];
}

export interface RunOptions {
  readonly cases: number;
  readonly seed: string;
  readonly forMs?: number;
  readonly onFinding: (finding: Finding) => void;
}

/** Largest input whose bytes are known when its case ends the thread [bytes]. */
const MOST_KNOWN_BYTES = 4 << 20;
/** Time after which a case counts as endless [ms]. The thread itself judges cases that end. */
const HANG_MS = 20_000;
const WATCH_MS = 1_000;
/** Memory for objects of the thread [MiB]: more than a case may take ends it. */
const HEAP_MIB = 512;
/** Number of threads for one target; each but the first replaces one that ended. */
const MOST_THREADS = 20;

type Done = Extract<Message, { readonly kind: 'done' }>;

/** Runs a thread. @returns its result; if it ended before, the kind and the cause. */
function runThread(
  order: Order,
  onMessage: (message: Message) => void,
): Promise<Done | readonly [FindingKind, string]> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('thread.js', import.meta.url), {
      workerData: order,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    const head = new Int32Array(order.current, 0, 1);
    let last = 0;
    let since = performance.now();
    const end = (result: Done | readonly [FindingKind, string]): void => {
      clearInterval(watch);
      resolve(result);
    };
    const watch = setInterval(() => {
      const now = Atomics.load(head, 0);
      if (now !== last) since = performance.now();
      last = now;
      // The first case waits for the modules of the target.
      if (now === 0 || performance.now() - since < HANG_MS) return;
      end(['hang', `does not end within ${HANG_MS / 1000} s`]);
      void worker.terminate();
    }, WATCH_MS);
    worker.on('message', (message: Message) => (message.kind === 'done' ? end(message) : onMessage(message)));
    worker.on('error', (error: Error & { readonly code?: string }) =>
      end(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? ['memory', `objects take more than ${HEAP_MIB} MiB`]
          : ['crash', `outside of the call: ${error.stack ?? error.message}`],
      ),
    );
    worker.on('exit', (code) => end(['crash', `the thread ended with code ${code}`]));
  });
}

/** Fuzzes one target in threads. Replaces a thread that a case ends; its inputs are kept. */
export async function fuzzTarget(target: string, options: RunOptions): Promise<TargetReport> {
  const current = new SharedArrayBuffer(CURRENT_HEAD + MOST_KNOWN_BYTES);
  const head = new Int32Array(current, 0, 2);
  const corpus: Uint8Array[] = [];
  const findings: Finding[] = [];
  const note = (finding: Finding): void => {
    findings.push(finding);
    options.onFinding(finding);
  };
  const end = performance.now() + (options.forMs ?? Infinity);
  let before = 0;
  for (let thread = 0; thread < MOST_THREADS; thread++) {
    Atomics.store(head, 0, 0);
    const result = await runThread(
      {
        target,
        cases: Math.max(0, options.cases - before),
        seed: thread === 0 ? options.seed : `${options.seed}/${thread}`,
        forMs: options.forMs === undefined ? undefined : Math.max(0, end - performance.now()),
        corpus,
        current,
      },
      (message) => {
        if (message.kind === 'kept') corpus.push(message.input);
        if (message.kind === 'finding') note(message.finding);
      },
    );
    const cases = Atomics.load(head, 0);
    if ('kind' in result) {
      const { progress, corpus: kept, cpuMs, coverage } = result;
      return {
        ...progress,
        target,
        cases: before + progress.cases,
        kept,
        casesPerSecond: Math.round((1000 * progress.cases) / cpuMs),
        coverage,
        findings,
      };
    }
    if (cases === 0) throw new Error(`${target}: ${result[1]}`);
    before += cases;
    const input = new Uint8Array(current, CURRENT_HEAD, Atomics.load(head, 1)).slice();
    note({ target, kind: result[0], text: result[1], input });
  }
  throw new Error(`${target}: ${MOST_THREADS} threads ended early`);
}
