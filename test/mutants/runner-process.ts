import { join } from 'node:path';
import { readConfig } from 'jest-config';
import runnerModule from 'jest-runner';
import runtimeModule from 'jest-runtime';
import { TestWatcher } from 'jest-watcher';
import { ownMs } from './own-time.js';
import { switches } from './switches.js';
import { ROOT, TARGET_FILES, compiledFile } from './target-files.js';
import type { Job, Outcome } from './test-process.js';

/** The packages declare the types of their CommonJS form, and export the classes themselves to ES modules. */
const TestRunner = runnerModule as unknown as typeof runnerModule.default;
const Runtime = runtimeModule as unknown as typeof runtimeModule.default;

// Runs test files one after the other in this process, which keeps compiled code. Each message is a job, each answer an
// outcome.

/** Time beyond the limit of a test after which its process ends [ms]: a test that only waits ends by its own limit. */
const HOOKS_MS = 1500;

/** Position of a module of this folder. */
const here = (name: string): string => join(ROOT, 'build', 'test', 'mutants', name);

const { globalConfig, projectConfig } = await readConfig(
  { _: [], $0: 'mutants', runInBand: true } as unknown as Parameters<typeof readConfig>[0],
  join(ROOT, 'jest.config.js'),
);
const pattern = TARGET_FILES.map((file) => compiledFile(file).replaceAll(/[.\\]/g, String.raw`\$&`)).join(
  '|',
);
const config = {
  ...projectConfig,
  // The same code is transformed once in a process.
  cache: false,
  testTimeout: 60_000,
  testEnvironment: here('environment.js'),
  transform: [[`^(?:${pattern})$`, here('transform.js'), {}]] as typeof projectConfig.transform,
};
const context = await Runtime.createContext(config, { maxWorkers: 1, watchman: false });

async function run({ path, mutant, only, collect, round }: Job): Promise<Outcome> {
  switches.active = mutant;
  switches.only = only === undefined ? undefined : new Set(only);
  switches.failure = undefined;
  switches.byTest.clear();
  switches.reached = collect === true ? new Set() : undefined;
  switches.round = round && {
    plan: new Map(round.plan),
    limits: new Map(round.limits),
    failures: [],
    killed: new Set(),
    spoilt: undefined,
    onStart: (test, mutant = '') =>
      process.send?.({ started: mutant, limitMs: HOOKS_MS + (switches.round?.limits.get(test) ?? 0) }),
    onKill: (killed) => process.send?.({ killed }),
  };
  const runner = new TestRunner({ ...globalConfig, silent: true }, {});
  const start = ownMs();
  let failure: string | undefined;
  runner.on('test-file-failure', ([, error]) => void (failure = error.message.split('\n', 1)[0] ?? ''));
  runner.on('test-file-success', ([, { numFailingTests, testExecError }]) => {
    if (round === undefined && numFailingTests > 0) failure = 'test file failed';
    if (testExecError !== undefined) failure = 'test file failed to load';
  });
  await runner.runTests([{ context, path }], new TestWatcher({ isWatchMode: false }), { serial: true });
  return {
    failure: switches.failure ?? failure,
    ms: Math.round(ownMs() - start),
    reached: [...switches.byTest].map(([test, { mutants, ms }]) => ({ test, ms, mutants: [...mutants] })),
    spoilt: switches.round?.spoilt,
  };
}

process.on('message', (job: Job) => {
  void run(job).then((outcome) => process.send?.({ outcome }));
});
process.on('disconnect', () => process.exit());
// While tests run, Jest counts both as failures of the running test. Afterwards they belong to work that a test left behind,
// which would end the process of the next one.
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);
process.send?.('ready');
