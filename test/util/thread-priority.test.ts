import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../src/util/thread-priority.js', import.meta.url));

/** Nice value of this process, which the ones that it starts inherit. */
const NICE = getPriority();

/** Nice value of a thread in the background. */
const LOWERED = Math.min(NICE + 10, 19);

/** A thread of another process. */
interface Thread {
  readonly name: string;
  readonly nice: number;
}

/** Runs a function of the module in another process, and in a worker of it. @returns the threads of the process after it. */
function threadsAfter(call: string): readonly Thread[] {
  const script = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { Worker } from 'node:worker_threads';
    import { setPriority } from 'node:os';
    import { pathToFileURL } from 'node:url';
    const { href } = pathToFileURL(process.argv[1]);
    const run = 'import { parentPort } from "node:worker_threads"; import { runInBackground } from ' +
      JSON.stringify(href) + '; runInBackground(); parentPort.postMessage(0); parentPort.on("message", () => {});';
    const { runEngineInBackground } = await import(href);
    ${call}
    const threads = readdirSync('/proc/self/task').map((id) => {
      const stat = readFileSync('/proc/self/task/' + id + '/stat', 'utf8');
      const end = stat.lastIndexOf(')');
      return { name: stat.slice(stat.indexOf('(') + 1, end), nice: Number(stat.slice(end + 2).split(' ')[16]) };
    });
    process.stdout.write(JSON.stringify(threads));
    process.exit(0);`;
  const options = { encoding: 'utf8' } as const;
  const args = ['--input-type=module', '--eval', script, program];
  return JSON.parse(execFileSync(process.execPath, args, options)) as Thread[];
}

const startWorker = `await new Promise((resolve) => new Worker(run, { eval: true }).once('message', resolve));`;

const major = Number(process.versions.node.split('.')[0]);

(process.platform === 'linux' ? describe : describe.skip)('priority of threads', () => {
  test('of a thread that runs in the background is 10 below that of the others', () => {
    const threads = threadsAfter(startWorker);
    expect(threads.filter(({ nice }) => nice === LOWERED)).toHaveLength(1);
    expect(threads.filter(({ nice }) => nice === NICE)).toHaveLength(threads.length - 1);
  });

  test('is the lowest one where 10 more would exceed it', () => {
    const threads = threadsAfter(`setPriority(0, 12); ${startWorker}`);
    expect(threads.filter(({ nice }) => nice === 19)).toHaveLength(1);
  });

  test("of V8's own threads is lowered, and of no others", () => {
    const threads = threadsAfter('runEngineInBackground();');
    const isEngine = (name: string): boolean => name.endsWith('V8Worker');
    // Node.js names them since version 24.
    expect(threads.some(({ name }) => isEngine(name))).toBe(major >= 24);
    for (const { name, nice } of threads)
      expect([name, nice]).toEqual([name, isEngine(name) ? LOWERED : NICE]);
  });
});
