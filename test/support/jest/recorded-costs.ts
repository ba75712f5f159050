import { appendFileSync, readdirSync, readFileSync } from 'node:fs';

/** Variable that names a file, to which each test file of a run adds a line with its costs; absent: none are recorded. */
const TEST_COSTS = 'TEST_COSTS';

/** Length of a clock tick in `/proc/PID/stat` [s]. */
const TICK = 0.01;

/** Costs of a test file, which are recorded when it ends. */
export interface RecordedCosts {
  end(): void;
}

/** Reads a file of `/proc`. @returns an empty text for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** CPU of a process and of its children that have ended, so far [s]. Source: proc(5). */
function cpuOf(process: string): readonly [own: number, ended: number] {
  const [, text = ''] = /\) (.*)$/s.exec(read(`/proc/${process}/stat`)) ?? [];
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = text.split(' ').slice(11, 15).map(Number);
  return [(user + system) * TICK, (childUser + childSystem) * TICK];
}

/** CPU of the programs that a process started and that run, and of theirs, so far [s]. */
function cpuOfRunning(process: string): number {
  const threads = readdirSync(`/proc/${process}/task`);
  const children = threads.flatMap((thread) =>
    read(`/proc/${process}/task/${thread}/children`)
      .split(' ')
      .filter((child) => child !== ''),
  );
  return children.reduce((sum, child) => {
    const [own, ended] = cpuOf(child);
    return sum + own + ended + cpuOfRunning(child);
  }, 0);
}

const cpuSoFar = (): readonly number[] => [...cpuOf('self'), cpuOfRunning('self')];

/**
 * Begins to measure a test file, if the variable is set: `TEST_COSTS=/tmp/costs bin/test` adds a line a file with its path,
 * wall time, and the CPU of the worker, of the programs that it started and that have ended, and of those that run on: the
 * process of its servers (`server-host.ts`) [s].
 */
export function recordedCosts(testPath: string): RecordedCosts | undefined {
  const file = process.env[TEST_COSTS];
  if (file === undefined) return undefined;
  const start = Date.now();
  const before = cpuSoFar();
  return {
    end() {
      const cpu = cpuSoFar().map((now, index) => now - (before[index] ?? 0));
      const figures = [(Date.now() - start) / 1000, ...cpu];
      const [, name = testPath] = /\/build\/test\/(.*)\.test\.js$/.exec(testPath) ?? [];
      appendFileSync(file, `${[name, ...figures.map((figure) => figure.toFixed(2))].join('\t')}\n`);
    },
  };
}
