import { appendFileSync, readFileSync } from 'node:fs';

/** Variable that names a file, to which each test file of a run adds a line with its costs; absent: none are recorded. */
const TEST_COSTS = 'TEST_COSTS';

/** Length of a clock tick in `/proc/PID/stat` [s]. */
const TICK = 0.01;

/** Costs of a test file, which are recorded when it ends. */
export interface RecordedCosts {
  end(): void;
}

/** CPU of this process and of its children that have ended, so far [s]. Source: proc(5). */
function cpuSoFar(): readonly [own: number, children: number] {
  const [, text = ''] = /\) (.*)$/s.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = text.split(' ').slice(11, 15).map(Number);
  return [(user + system) * TICK, (childUser + childSystem) * TICK];
}

/**
 * Begins to measure a test file, if the variable is set: `TEST_COSTS=/tmp/costs bin/test` adds a line a file with its path,
 * wall time, CPU of the worker, and CPU of the programs that it started [s].
 */
export function recordedCosts(testPath: string): RecordedCosts | undefined {
  const file = process.env[TEST_COSTS];
  if (file === undefined) return undefined;
  const start = Date.now();
  const [own, children] = cpuSoFar();
  return {
    end() {
      const [ownNow, childrenNow] = cpuSoFar();
      const figures = [(Date.now() - start) / 1000, ownNow - own, childrenNow - children];
      const [, name = testPath] = /\/build\/test\/(.*)\.test\.js$/.exec(testPath) ?? [];
      appendFileSync(file, `${[name, ...figures.map((figure) => figure.toFixed(2))].join('\t')}\n`);
    },
  };
}
