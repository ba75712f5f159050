import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterOwnTime } from './own-time.js';
import type { Failure } from './switches.js';

/** Run of one test file. */
export interface Job {
  readonly path: string;
  /** Active mutant; without it the code is the original one. */
  readonly mutant?: string;
  /** Full names of the tests to run; without it all run. */
  readonly only?: readonly string[];
  /** True: the outcome lists the mutants that each test reached. */
  readonly collect?: boolean;
  /** Mutants to try with each test, and time limits of the tests [ms], in place of one run. */
  readonly round?: {
    readonly plan: readonly (readonly [test: string, mutants: readonly string[]])[];
    readonly limits: readonly (readonly [test: string, ms: number])[];
  };
}

/** Mutants that a test reached, and its duration. */
export interface Reached {
  readonly test: string;
  readonly ms: number;
  readonly mutants: readonly string[];
}

export interface Outcome {
  /** First test that failed; undefined if all passed, or in a round. */
  readonly failure?: string | undefined;
  readonly ms: number;
  readonly reached: readonly Reached[];
  /** Mutants that ended a round, because the tests fail without them, too, once they have run. */
  readonly spoilt?: readonly string[] | undefined;
}

/** End of a run without an outcome: the time limit, the end of the process, or the wish of the caller. */
export interface Broken {
  readonly broken: 'timeout' | 'crash' | 'over';
  /** Mutant that a round was at. */
  readonly mutant?: string | undefined;
}

export const isBroken = (end: Outcome | Broken): end is Broken => 'broken' in end;

type Message =
  | { readonly started: string; readonly limitMs: number }
  | { readonly killed: Failure }
  | { readonly outcome: Outcome };

/** Reactions of the caller to the progress of a round. */
export interface Watch {
  /** Called when a test noticed a mutant. */
  onKill(failure: Failure): void;
  /** True: the round ends. */
  isOver(): boolean;
}

/** Runs of a process after which it is replaced: modules of old runs stay in memory. */
const MOST_RUNS = 300;

/** Process that runs test files. It is started anew after a crash or a run beyond its time limit. */
export class TestProcess {
  #child: ChildProcess | undefined;
  #runs = 0;
  readonly #say: ((line: string) => void) | undefined;

  /** @param say reports each run; with it, errors of the processes are shown, too. */
  constructor(say?: (line: string) => void) {
    this.#say = say;
  }

  /**
   * Runs a job. @param limitMs longest time of the process without an answer; in a round, before and after its tests.
   */
  async run(job: Job, limitMs: number, watch?: Watch): Promise<Outcome | Broken> {
    if (++this.#runs % MOST_RUNS === 0) await this.stop();
    const end = await this.#answer(await this.#started(), job, limitMs, watch);
    const work = job.mutant ?? (job.round === undefined ? 'original' : 'round');
    const result = isBroken(end)
      ? end.broken
      : `${end.failure ?? 'passed'}, ${end.spoilt === undefined ? '' : 'spoilt, '}${end.ms} ms`;
    this.#say?.(`${work}  ${job.path}  ${job.only?.length ?? 'all'} tests: ${result}`);
    return end;
  }

  async #answer(child: ChildProcess, job: Job, limitMs: number, watch?: Watch): Promise<Outcome | Broken> {
    let started = '';
    let finish = (): void => undefined;
    const end = await new Promise<Outcome | Broken>((resolve) => {
      const fail = (broken: Broken['broken']) => (): void =>
        resolve({ broken, ...(started === '' ? {} : { mutant: started }) });
      const limited = (ms = limitMs): NodeJS.Timeout => afterOwnTime(fail('timeout'), ms, child.pid);
      let timer = limited();
      const onExit = fail('crash');
      const onMessage = (message: Message): void => {
        clearTimeout(timer);
        timer = limited('started' in message ? message.limitMs : limitMs);
        if ('started' in message) ({ started } = message);
        else if ('killed' in message) watch?.onKill(message.killed);
        else resolve(message.outcome);
        if (watch?.isOver() === true) fail('over')();
      };
      finish = () => {
        clearTimeout(timer);
        child.removeListener('exit', onExit).removeListener('message', onMessage);
      };
      child.once('exit', onExit).on('message', onMessage).send(job);
    });
    finish();
    if (isBroken(end)) await this.stop();
    return end;
  }

  async #started(): Promise<ChildProcess> {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) return this.#child;
    const child = fork(fileURLToPath(new URL('runner-process.js', import.meta.url)), {
      stdio: ['ignore', 'ignore', this.#say === undefined ? 'ignore' : 'inherit', 'ipc'],
      execArgv: [
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
        '--max-old-space-size=1024',
        '--max-semi-space-size=64',
      ],
    });
    this.#child = child;
    await once(child, 'message');
    return child;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}
