import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { parseConfigFile } from '../../src/cli/config/config-file.js';
import { ConfigError } from '../../src/cli/config/config-values.js';
import { post } from '../support/network/json-rpc.js';
import { freePort, start, stop } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { referenceEnv } from '../support/processes/reference-preload.js';
import { MAIN } from '../support/processes/wallet-rpc.js';
import { isNight } from '../support/jest/lanes.js';

/* Lines of a config file, read by both programs. */

const run = promisify(execFile);

/** Text that the reference shows in its error, so that a test sees the value that it read. */
const SHOWN = 'max-log-file-size';
/** Ends the reference once all lines before were accepted. */
const LAST = 'max-log-files=last';

const ALL_LINES = [
  ...['# a', '  # a', '#', '', ' \t ', '\r', '#offline', '#offline=maybe'],
  ...['offline=', 'offline=1', 'offline = 1', 'offline=true', 'offline=yes', 'offline=on', 'offline=ON'],
  ...[
    'offline=0',
    'offline=no',
    'offline=False',
    'offline=OFF',
    'offline=1 # a',
    'offline=#0',
    'offline=1\r',
  ],
  ...['offline=2', 'offline=t', 'offline="1"', "offline='1'", 'offline=1 ; a', 'offline=maybe', 'offline=1,'],
  ...['offline', 'offline 1', 'offline:1', SHOWN, '; a', '// a', 'a', '[a', 'a]', '[a]b', '\v', '['],
  ...['[a]', '[a] # b', ' [a] ', '[]', '[a.]', '[ ]', '[a=b]', '[a]\noffline=1', '[offline]\n=1', '[#a]'],
  ...['=', '=a', 'nope=1', 'Offline=1', 'offlin=1', '--offline=1', 'off line=1', 'help=1', 'constructor=1'],
  ...['\u00a0offline=1', '\ufeffoffline=1', 'config-file=/nowhere', 'wallet-dir=/nowhere', 'rpc-login='],
  ...['offline=1\noffline=1', 'offline=0\noffline=1', 'rpc-login=a:b\nrpc-login=a:b', 'log-level=1\n[x]'],
  ...[
    'a',
    '"a b"',
    "'a'",
    'a\\',
    'a#b',
    'a # b',
    '#a',
    '\ta b\t',
    'a=b',
    '=a',
    '$HOME',
    '~',
    'a;b',
    'é',
    '\va\v',
  ].map((value) => `${SHOWN}=${value}`),
  `${SHOWN}=a\\\nb=1`,
];
/** Each sixth one in the lane of each commit: the reference starts for each. */
const LINES = ALL_LINES.filter((_, i) => isNight || i % 6 === 0);

/** Result of a file: the value of {@link SHOWN}, if it has one and is read, or the kind of the refusal. */
function readByUs(text: string): string {
  try {
    const { [SHOWN]: shown } = parseConfigFile(`${text}\n${LAST}`);
    return typeof shown === 'string' ? `value ${shown}` : 'read';
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [, kind] =
      /: (?:.* )?(unknown setting|not of the form|given twice|is a switch)/.exec(error.message) ?? [];
    return kind ?? error.message;
  }
}

/** Kinds of our refusals, by the beginning of the reference's sentence. */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/^unrecognised option/, 'unknown setting'],
  [/^the options configuration file contains an invalid line/, 'not of the form'],
  [/^option '.*' cannot be specified more than once/, 'given twice'],
  [/^the argument .* for option 'offline' is invalid/, 'is a switch'],
];

let directory: string;
const byReference = new Map<string, string>();

async function readByReference(text: string, path: string): Promise<string> {
  writeFileSync(path, `${text}\n${LAST}\n`);
  const args = [`--config-file=${path}`, `--log-file=${join(directory, 'log')}`, `--wallet-dir=${directory}`];
  const { stdout, stderr } = await run('monero-wallet-rpc', args, { env: referenceEnv() }).catch(
    (failed: { readonly stdout: string; readonly stderr: string }) => failed,
  );
  const [, sentence = stdout + stderr] = /^Failed to parse arguments: (.*)$/m.exec(stdout + stderr) ?? [];
  if (sentence.includes("for option 'max-log-files' is invalid")) return 'read';
  const [, value] =
    new RegExp(`^the argument(?: \\('(.*)'\\))? for option '${SHOWN}' is invalid`).exec(sentence) ?? [];
  if (sentence.endsWith(`for option '${SHOWN}' is invalid`)) return `value ${value ?? ''}`;
  return REFUSALS.find(([pattern]) => pattern.test(sentence))?.[1] ?? sentence;
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'config-'));
  const waiting = [...LINES.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      byReference.set(next[1], await readByReference(next[1], join(directory, `${next[0]}.conf`)));
  };
  await Promise.all([work(), work(), work()]);
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('a line of the config file', () => {
  test.each(LINES)('is read as in the reference: %j', (line) => {
    expect(readByUs(line)).toBe(byReference.get(line));
  });

  it('is tested in each way', () => {
    expect(new Set([...byReference.values()].map((result) => result.replace(/^value.*/s, 'value')))).toEqual(
      new Set(['read', 'value', 'unknown setting', 'not of the form', 'given twice', 'is a switch']),
    );
  });
});

describe('a config file of odd lines', () => {
  it.each([
    ['wallet-rpc', [process.execPath, MAIN]],
    ['monero-wallet-rpc', ['monero-wallet-rpc']],
  ])('starts %s with the same login and the same log file', async (name, [program = '', ...before]) => {
    const log = join(directory, `${name} "log" = a;b`);
    const config = join(directory, `${name}.conf`);
    writeFileSync(
      config,
      [
        '# settings',
        `\twallet-dir = ${directory}   # wallets`,
        `log-file=${log}# not part of the name`,
        'rpc-login = user:pass # shop',
        'offline=ON',
        'rpc-ssl = disabled\r',
        '[end]',
      ].join('\n'),
    );
    const port = await freePort();
    const running = start(
      program,
      [...before, `--config-file=${config}`, `--rpc-bind-port=${port}`],
      referenceEnv(),
    );
    try {
      const asked = { jsonrpc: '2.0', id: '0', method: 'get_version' };
      await until('the server', async () =>
        (await post(port, '/json_rpc', asked).catch(() => undefined))?.status === 401 ? true : undefined,
      );
      const { stdout } = await run('curl', [
        ...['-s', '--digest', '-u', 'user:pass', '-d', JSON.stringify(asked)],
        `http://127.0.0.1:${port}/json_rpc`,
      ]);
      expect(JSON.parse(stdout)).toMatchObject({ result: {} });
      expect(existsSync(log)).toBe(true);
    } finally {
      await stop(running);
    }
  });
});
