import { mkdtempSync, readFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino, type Logger } from 'pino';
import { TxNotifier } from '../../src/cli/tx-notifier.js';
import type { NoticeSource } from '../../src/services/events/tx-notices.js';
import { until } from '../support/fakes/until.js';
import { isNight, itAtNight, someRows } from '../support/jest/lanes.js';

const directories: string[] = [];
let directory: string;
let lines: string[];
let log: Logger;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'notify-'));
  directories.push(directory);
  lines = [];
  log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
});
afterAll(() => directories.forEach((path) => rmSync(path, { recursive: true, force: true })));

const txids = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => i.toString(16).padStart(64, '0'));

/** Command that logs how many instances of it run, then sleeps. @param seconds of sleep. */
const counting = (seconds: number): string => {
  const script = join(directory, 'count.sh');
  writeFileSync(
    script,
    `touch ${directory}/running.$1\nls ${directory} | grep -c running >> ${directory}/counts\n` +
      // Timer: a command takes time, in which others could begin.
      `sleep ${seconds}\nrm ${directory}/running.$1\ntouch ${directory}/done.$1\n`,
  );
  return `sh ${script} %s`;
};
const done = (): string[] =>
  readdirSync(directory)
    .filter((name) => name.startsWith('done.'))
    .map((name) => name.slice('done.'.length))
    .sort();
const notifier = (command: string, limitMs?: number): TxNotifier =>
  new TxNotifier({ command, env: process.env, log, ...(limitMs === undefined ? {} : { limitMs }) });

/** A wallet with transactions whose command is to run. */
class Queue implements NoticeSource {
  /** Results of the starts. */
  readonly starts: boolean[] = [];
  readonly #txids: string[];
  readonly wallet: string;

  constructor(txids: readonly string[], wallet = 'shop') {
    this.#txids = [...txids];
    this.wallet = wallet;
  }

  startNext(start: (txid: string) => boolean): boolean {
    const txid = this.#txids.shift();
    if (txid === undefined) return false;
    this.starts.push(start(txid));
    return true;
  }
}

describe('--tx-notify', () => {
  it('runs for every transaction, at most four commands at once', async () => {
    const all = txids(isNight ? 30 : 9);
    const notify = notifier(counting(0.05));
    notify.wake(new Queue(all));
    await until('all commands', () => done().length === all.length);
    expect(done()).toEqual(all);
    const counts = readFileSync(join(directory, 'counts'), 'utf8').trim().split('\n').map(Number);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
    await notify.close(0);
    expect(lines).toEqual([]);
  });

  it('replaces %s by the transaction and %w by the wallet, each as a part of one argument', async () => {
    const script = join(directory, 'wallet.sh');
    writeFileSync(script, `echo "$1" > "${directory}/wallet.$2"\n`);
    const [txid = ''] = txids(1);
    notifier(`sh ${script} of:%w:%w %s`).wake(new Queue([txid], 'a shop; touch %s'));
    const path = join(directory, `wallet.${txid}`);
    await until('the command', () => existsSync(path) && readFileSync(path, 'utf8') !== '');
    expect(readFileSync(path, 'utf8')).toBe('of:a shop; touch %s:a shop; touch %s\n');
  });

  it.each(
    someRows<[string, string, string | undefined]>(
      [
        ['%w', '--output=/etc/passwd', './--output=/etc/passwd'],
        ['%w', '-', './-'],
        ['%w.%s', '-x', undefined],
        ['--wallet=%w', '--x', '--wallet=--x'],
        ['-%w', '-x', '--x'],
        ['%w', 'shop-1', 'shop-1'],
      ],
      4,
    ),
  )('lets no wallet name begin an option: %s with the wallet %s', async (argument, wallet, expected) => {
    const script = join(directory, 'argument.sh');
    writeFileSync(script, `echo "$1" > "${directory}/argument"\n`);
    const [txid = ''] = txids(1);
    notifier(`sh ${script} ${argument}`).wake(new Queue([txid], wallet));
    const path = join(directory, 'argument');
    await until('the command', () => existsSync(path) && readFileSync(path, 'utf8') !== '');
    expect(readFileSync(path, 'utf8')).toBe(`${expected ?? `./${wallet}.${txid}`}\n`);
  });

  itAtNight('starts every queued command before the server stops, if time allows', async () => {
    const all = txids(9);
    const notify = notifier(counting(0.05));
    notify.wake(new Queue(all));
    await notify.close(30_000);
    await until('the last commands', () => done().length === all.length);
    expect(lines).toEqual([]);
  });

  it('starts no command after the end, and logs the wallets that have others', async () => {
    const notify = notifier(counting(20), 20_000);
    const queue = new Queue(txids(6));
    notify.wake(queue);
    await notify.close(10);
    expect(queue.starts).toEqual([true, true, true, true]);
    expect(lines.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(['shop']);
    notify.wake(new Queue(txids(1)));
    await notify.close(0);
    expect(queue.starts).toHaveLength(4);
  });

  itAtNight('lets wallets take turns', async () => {
    const order = join(directory, 'order');
    const script = join(directory, 'order.sh');
    writeFileSync(script, `echo "$1" >> ${order}\n`);
    const notify = notifier(`sh ${script} %w`);
    notify.wake(new Queue(txids(20), 'many'));
    notify.wake(new Queue(txids(1), 'one'));
    await until(
      'all commands',
      () => existsSync(order) && readFileSync(order, 'utf8').split('\n').length > 21,
    );
    // Four commands run at the same time.
    expect(readFileSync(order, 'utf8').split('\n').indexOf('one')).toBeLessThan(5);
  });

  it('starts no command of a wallet that was removed', async () => {
    const notify = notifier(counting(0));
    const removed = new Queue(txids(2), 'removed');
    notify.wake(removed);
    notify.remove(removed);
    notify.wake(new Queue(txids(1)));
    await until('the other command', () => done().length === 1);
    expect(removed.starts).toEqual([]);
  });

  it('goes on with later transactions when commands cannot be run', async () => {
    const notify = notifier(join(directory, 'missing'));
    const queue = new Queue(txids(9));
    notify.wake(queue);
    await until('the last failure', () => lines.length === 9);
    expect(lines[8]).toContain('--tx-notify could not be run');
    expect(queue.starts).toEqual(Array.from({ length: 9 }, () => false));
  });

  it('kills a command that exceeds the time limit, and goes on', async () => {
    const script = join(directory, 'hang.sh');
    writeFileSync(script, `touch ${directory}/done.$1\nsleep infinity\n`);
    const notify = notifier(`sh ${script} %s`, 500);
    notify.wake(new Queue(txids(5)));
    await until('the fifth', () => done().length === 5);
    expect(lines[0]).toContain('was killed');
    await until('the end of all', () => lines.length === 5);
  });
});
