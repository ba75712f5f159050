import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModuleCoverage } from './coverage.js';
import { CurrentCaseReader } from './current-case.js';
import { LIMITS, type Finding, type FindingKind, type Limits, type Progress } from './fuzzer.js';
import { STOP, type Message, type Order } from './messages.js';

/** Result of a run of one target. */
export interface RunResult extends Progress {
  /** Number of inputs that reached new code, with the seeds. */
  readonly kept: number;
  /** Undefined of a run that was not guided. */
  readonly coverage: readonly ModuleCoverage[] | undefined;
}

export interface RunOptions {
  readonly cases: number;
  readonly seed: string;
  readonly guided: boolean;
  readonly forMs?: number;
  readonly limits?: Limits;
  /** Ends the run after its batch. */
  readonly signal?: AbortSignal;
  /** Inputs beside the seeds. */
  readonly corpus?: readonly Uint8Array[];
  readonly onKept?: (input: Uint8Array) => void;
  readonly onProgress?: (progress: Progress) => void;
  readonly onFinding: (finding: Finding) => void;
}

/** Number of processes for one run; each but the first replaces one that ended. */
const MOST_PROCESSES = 20;
/** Longest end of the error output that is kept [characters]. */
const MOST_ERROR_TEXT = 8192;
const NS_PER_MS = 1_000_000;

type Done = Extract<Message, { readonly kind: 'done' }>;

/** State of a process. */
interface ProcessState {
  /** Processor time of its main thread [ms]. */
  readonly cpuMs: number;
  /** False while it waits. */
  readonly isRunning: boolean;
}

/** Reads the state of another process. @returns undefined if it has ended. Source: proc_pid_schedstat, proc_pid_stat(5). */
function stateOf(pid: number): ProcessState | undefined {
  try {
    const task = `/proc/${pid}/task/${pid}`;
    const [cpuNs] = readFileSync(`${task}/schedstat`, 'latin1').split(' ');
    const stat = readFileSync(`${task}/stat`, 'latin1');
    const state = stat.charAt(stat.lastIndexOf(')') + 2);
    return { cpuMs: Number(cpuNs) / NS_PER_MS, isRunning: state === 'R' };
  } catch {
    return undefined;
  }
}

/**
 * Watches whether the cases of a process end, by its processor time: on a busy machine, or while it is stopped, a case
 * takes any time.
 */
class HangWatch {
  readonly #limits: Limits;
  readonly #current: CurrentCaseReader;
  #calls = 0;
  /** Processor time at which the current case was first seen [ms]. */
  #since = 0;
  #lastCpuMs = 0;
  #idleMs = 0;

  constructor(limits: Limits, current: CurrentCaseReader) {
    this.#limits = limits;
    this.#current = current;
  }

  /** Returns a text once the current case counts as endless. Is called in the interval of the limits. */
  step({ cpuMs, isRunning }: ProcessState): string | undefined {
    const { calls } = this.#current;
    if (calls !== this.#calls) {
      this.#calls = calls;
      this.#since = cpuMs;
      this.#idleMs = 0;
    }
    const isIdle = !isRunning && cpuMs - this.#lastCpuMs < 1;
    this.#lastCpuMs = cpuMs;
    // Before the first case, the process imports its modules.
    if (calls === 0) return undefined;
    const { hangMs, idleSeconds, watchMs } = this.#limits;
    this.#idleMs = isIdle ? this.#idleMs + watchMs : 0;
    if (cpuMs - this.#since > hangMs) return `does not end within ${hangMs / 1000} s of processor time`;
    return this.#idleMs >= 1000 * idleSeconds ? `waits without an end` : undefined;
  }
}

/** Returns kind and cause of the end of a process that should not have ended. */
function causeOfEnd(
  { heapMib }: Limits,
  code: number | null,
  signal: string | null,
  errorText: string,
): [FindingKind, string] {
  if (errorText.includes('heap out of memory')) return ['memory', `objects take more than ${heapMib} MiB`];
  // Node.js ends with this code when nothing is left that could settle the promise of the run.
  const UNSETTLED = 13;
  if (code === 0 || code === UNSETTLED) return ['hang', 'waits for nothing'];
  return ['crash', `the process ended with ${signal ?? `code ${code}`}: ${errorText.trim().slice(-1000)}`];
}

/** Runs a process. @returns its result; if it ended before, the kind and the cause. */
function runProcess(
  order: Order,
  current: CurrentCaseReader,
  signal: AbortSignal | undefined,
  onMessage: (message: Message) => void,
): Promise<Done | readonly [FindingKind, string]> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = fork(fileURLToPath(new URL('child.js', import.meta.url)), [], {
      execArgv: [`--max-old-space-size=${order.limits.heapMib}`],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    const hangs = new HangWatch(order.limits, current);
    let errorText = '';
    let done: Done | undefined;
    let hang: string | undefined;
    const stop = (): void => void (child.connected && child.send(STOP));
    const watch = setInterval(() => {
      const state = child.pid === undefined ? undefined : stateOf(child.pid);
      hang ??= state === undefined ? undefined : hangs.step(state);
      if (hang !== undefined) child.kill('SIGKILL');
    }, order.limits.watchMs);
    child.stderr?.on(
      'data',
      (text: Buffer) => (errorText = (errorText + String(text)).slice(-MOST_ERROR_TEXT)),
    );
    child.on('message', (message: Message) => {
      if (message.kind === 'done') done = message;
      else onMessage(message);
    });
    child.on('error', reject);
    child.on('close', (code, ended) => {
      clearInterval(watch);
      signal?.removeEventListener('abort', stop);
      resolve(
        done ?? (hang === undefined ? causeOfEnd(order.limits, code, ended, errorText) : ['hang', hang]),
      );
    });
    child.send(order);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) stop();
  });
}

/** Fuzzes one target in a process. Replaces one that a case ends; its inputs are kept. */
export async function fuzzTarget(target: string, options: RunOptions): Promise<RunResult> {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  const path = join(folder, 'case');
  const current = new CurrentCaseReader(path);
  try {
    return await fuzzIn(target, options, path, current);
  } finally {
    current.close();
    rmSync(folder, { recursive: true });
  }
}

async function fuzzIn(
  target: string,
  options: RunOptions,
  path: string,
  current: CurrentCaseReader,
): Promise<RunResult> {
  const { seed, guided, forMs, limits = LIMITS, signal, onKept, onProgress, onFinding } = options;
  const corpus = [...(options.corpus ?? [])];
  const end = performance.now() + (forMs ?? Infinity);
  const total: Progress = { cases: 0, cpuMs: 0, slowestMs: 0, slowest: new Uint8Array(), peakBytes: 0 };
  const ended: string[] = [];
  while (ended.length < MOST_PROCESSES) {
    current.clear();
    const before = { ...total };
    const add = (progress: Progress): void => {
      const isSlower = progress.slowestMs > before.slowestMs;
      total.cases = before.cases + progress.cases;
      total.cpuMs = before.cpuMs + progress.cpuMs;
      total.slowestMs = isSlower ? progress.slowestMs : before.slowestMs;
      total.slowest = isSlower ? progress.slowest : before.slowest;
      total.peakBytes = Math.max(before.peakBytes, progress.peakBytes);
      onProgress?.(total);
    };
    const result = await runProcess(
      {
        target,
        cases: Math.max(0, options.cases - total.cases),
        seed: ended.length === 0 ? seed : `${seed}/${ended.length}`,
        guided,
        forMs: forMs === undefined ? undefined : Math.max(0, end - performance.now()),
        corpus,
        limits,
        current: path,
      },
      current,
      signal,
      (message) => {
        if (message.kind === 'progress') add(message.progress);
        if (message.kind === 'kept') {
          corpus.push(message.input);
          onKept?.(message.input);
        }
        if (message.kind === 'finding') onFinding(message.finding);
      },
    );
    if ('kind' in result) {
      add(result.progress);
      return { ...total, kept: result.corpus, coverage: result.coverage };
    }
    const [kind, text] = result;
    const { calls, cases, input } = current.read();
    if (calls === 0) throw new Error(`${target}: ${text}`);
    total.cases = before.cases + cases;
    // A kind that was seen before is counted, not repeated.
    if (!ended.includes(kind)) onFinding({ target, kind, text, input });
    ended.push(kind);
    if (signal?.aborted === true || options.cases === 0) break;
  }
  return { ...total, kept: corpus.length, coverage: undefined };
}
