import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { until } from '../support/fakes/until.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/* The log and the audit log at standard output and standard error: files, pipes and sockets that others write to. */

const CALLS = 20;

const directory = mkdtempSync(join(tmpdir(), 'output-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let file = '';
let number = 0;
let server: WalletRpc | undefined;
beforeEach(() => {
  number += 1;
  file = join(directory, `${number}.log`);
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

/** Starts the server by a command of bash, in which `$@` is the command of the server. */
const startUnder = (script: string, args: readonly string[]): Promise<WalletRpc> =>
  startWalletProcess({ under: ['bash', '-c', script, 'bash'], args });

interface Lines {
  /** Methods of the lines of the audit log. */
  readonly audit: readonly string[];
  /** Messages of the lines of the log file. */
  readonly log: readonly string[];
  /** Messages of the lines at standard output. */
  readonly text: readonly string[];
}

/** Reads the lines of an output. @throws Error for a line that is of no kind, such as a torn one. */
function linesOf(output: string): Lines {
  const lines = { audit: [] as string[], log: [] as string[], text: [] as string[] };
  for (const line of output.split('\n').slice(0, -1)) {
    const [, message] = /^\d{4}-\d\d-\d\d [\d:.]+ [TDIWEF] (.*)$/.exec(line) ?? [];
    if (message !== undefined) lines.text.push(message);
    else {
      const { level, method, msg } = JSON.parse(line) as Readonly<Record<string, unknown>>;
      if (level === undefined) lines.audit.push(String(method));
      else lines.log.push(String(msg));
    }
  }
  return lines;
}

/** Makes calls, each of which writes lines of both logs. */
async function makeCalls(wallet: WalletRpc): Promise<void> {
  for (let i = 0; i < CALLS; i++)
    await wallet.rpc('set_log_categories', { categories: i % 2 === 0 ? '*:INFO' : '*:DEBUG' });
}

const count = (names: readonly string[], name: string): number => names.filter((one) => one === name).length;

/** Waits for the line of the last call, then checks that each call has its line, and no line is torn. */
async function expectWhole(read: () => string, audited: number): Promise<Lines> {
  await until('the lines', () => count(linesOf(read()).audit, 'set_log_categories') >= audited || undefined);
  const lines = linesOf(read());
  expect(count(lines.audit, 'set_log_categories')).toBe(audited);
  return lines;
}

const readFile = (): string => readFileSync(file, 'utf8');

describe('an audit log and a log file at standard output', () => {
  const paths = ['/dev/stdout', '/proc/self/fd/1', '/dev/fd/1'];

  it.each(someRows(paths))('write whole lines into a file beside the text of the log: %s', async (path) => {
    server = await startUnder(`exec "$@" > ${file}`, [`--audit-log=${path}`, `--log-file=${path}`]);
    await makeCalls(server);
    const lines = await expectWhole(readFile, CALLS);
    expect(lines.log).toContain('Starting wallet RPC server');
    expect(lines.text).toContain('Starting wallet RPC server');
  });

  it.each(someRows(paths))('write into a socket, such as that of systemd: %s', async (path) => {
    // Programs of these tests have sockets at standard output and error.
    server = await startWalletProcess({ args: [`--audit-log=${path}`, `--log-file=${path}`] });
    await makeCalls(server);
    const lines = await expectWhole(server.process.output, CALLS);
    expect(lines.log).toContain('Starting wallet RPC server');
  });

  itAtNight('write into a pipe', async () => {
    server = await startUnder(`exec "$@" > >(cat > ${file})`, [
      '--audit-log=/dev/stdout',
      '--log-file=/dev/stdout',
    ]);
    await makeCalls(server);
    expect((await expectWhole(readFile, CALLS)).log).toContain('Starting wallet RPC server');
  });

  itAtNight('do so under the name of the file that standard output was opened with', async () => {
    server = await startUnder(`exec "$@" > ${file}`, [`--audit-log=${file}`]);
    await makeCalls(server);
    expect((await expectWhole(readFile, CALLS)).text).toContain('Starting wallet RPC server');
  });

  itAtNight('stay where they are, with their rights, when the server reopens its logs', async () => {
    server = await startUnder(`umask 022; exec "$@" > ${file}`, [
      '--audit-log=/dev/stdout',
      '--log-file=/dev/stdout',
    ]);
    await makeCalls(server);
    server.process.child.kill('SIGHUP');
    await makeCalls(server);
    await expectWhole(readFile, 2 * CALLS);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(statSync('/dev/stdout').isFile()).toBe(false);
  });
});

itAtNight('an audit log at standard error writes whole lines there alone', async () => {
  server = await startUnder(`exec "$@" 2> ${file}`, ['--audit-log=/dev/stderr']);
  await makeCalls(server);
  expect((await expectWhole(readFile, CALLS)).text).toEqual([]);
});

itAtNight(
  'an audit log in a file that standard output shares goes on in a new file after a rotation',
  async () => {
    server = await startUnder(`exec "$@" > ${file}`, [`--audit-log=${file}`]);
    await makeCalls(server);
    renameSync(file, `${file}.1`);
    server.process.child.kill('SIGHUP');
    await until('the new file', () => existsSync(file) || undefined);
    await makeCalls(server);
    await expectWhole(readFile, CALLS);
    await expectWhole(() => readFileSync(`${file}.1`, 'utf8'), CALLS);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  },
);

itAtNight('an audit log at a device leaves the rights of the device as they are', async () => {
  const before = statSync('/dev/null').mode;
  server = await startWalletProcess({ args: ['--audit-log=/dev/null'] });
  await makeCalls(server);
  expect(statSync('/dev/null').mode).toBe(before);
});
