import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { WalletDirectory } from '../../../src/services/context/wallet-directory.js';
import { OpenWallets, type Holder } from '../../../src/services/manager/open-wallets.js';
import type { NewWallet } from '../../../src/services/manager/wallet-opener.js';
import type { OpenWallet } from '../../../src/services/open-wallet.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { FakeOpener } from '../../support/fakes/fake-opener.js';
import { fault } from '../../support/wallets/service-wallet.js';

let path: string;
let directory: WalletDirectory;
let opener: FakeOpener;
let wallets: OpenWallets;
let lines: unknown[];

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'wallets-'));
  directory = new WalletDirectory(path);
  for (const name of ['a', 'b', 'a.background']) writeFileSync(join(path, `${name}.keys`), name);
  opener = new FakeOpener();
  lines = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  wallets = new OpenWallets(log, opener.scheduler, () => opener.opener);
});

afterEach(() => rmSync(path, { recursive: true, force: true }));

const at = (name: string) => directory.locate(name);
const open = (name: string, holder: Holder = 'current'): Promise<OpenWallet> =>
  wallets.open(at(name), 'p', holder);
const names = (): string[] => wallets.all().map(({ name }) => name);
const fails = (step: string, error: Error): unknown => opener.on.set(step, () => Promise.reject(error));
const trouble = new Error('disk trouble');

/** Keeps a step waiting. @returns ends it. */
function hold(step: string): () => void {
  let end: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => (end = resolve));
  opener.on.set(step, () => waiting);
  return end;
}

describe('the current wallet', () => {
  it('is replaced by the next one, which is open before the first is closed', async () => {
    await open('a');
    const b = await open('b');
    expect(opener.steps).toEqual(['read a', 'open a', 'resume a', 'read b', 'open b', 'resume b', 'close a']);
    expect([wallets.current, names()]).toEqual([b, ['b']]);
  });

  it('stays current where the next one cannot be opened', async () => {
    const a = await open('a');
    await expect(wallets.open(at('b'), 'wrong', 'current')).rejects.toMatchObject(
      fault({ kind: 'wrong_password' }),
    );
    await expect(open('missing')).rejects.toMatchObject(fault({ kind: 'wallet_missing', name: 'missing' }));
    fails('open b', trouble);
    await expect(open('b')).rejects.toBe(trouble);
    expect([wallets.current, names()]).toEqual([a, ['a']]);
  });

  it('is closed and opened again where it is asked for once more, after its password was checked', async () => {
    const first = await open('a');
    await expect(wallets.open(at('a'), 'wrong', 'current')).rejects.toMatchObject(
      fault({ kind: 'wrong_password' }),
    );
    expect(wallets.current).toBe(first);
    const second = await open('a');
    expect(second).not.toBe(first);
    expect(opener.steps.slice(-4)).toEqual(['read a', 'close a', 'open a', 'resume a']);
  });

  it('gives way to its own background files: they share the store', async () => {
    await open('a');
    await open('a.background');
    expect(opener.steps.slice(-3)).toEqual(['close a', 'open a.background', 'resume a.background']);
  });

  it('is replaced where closing it fails, which is logged', async () => {
    await open('a');
    fails('close a', trouble);
    const b = await open('b');
    expect([wallets.current, names()]).toEqual([b, ['b']]);
    expect(lines).toContainEqual(expect.objectContaining({ level: 50, name: 'a' }));
  });

  it('in memory is open until it is replaced, and has no path', async () => {
    const memory = await wallets.create({ paths: undefined, password: 'p' } as NewWallet, 'current');
    expect([names(), wallets.current]).toEqual([[''], memory]);
    await open('a');
    expect([names(), opener.steps.at(-1)]).toEqual([['a'], 'close ']);
  });
});

describe('a wallet under its own path', () => {
  it('is open beside the current one, and opened once for all requests', async () => {
    await open('a');
    const b = await open('b', 'path');
    expect(await open('b', 'path')).toBe(b);
    expect([names(), wallets.current?.name, wallets.findByPath(at('b'))]).toEqual([['a', 'b'], 'a', b]);
    expect(wallets.findByPath(at('a'))).toBeUndefined();
    expect(wallets.findByKeysFile(at('a').keys)).toBe(wallets.current);
  });

  it('that becomes current too stays open until both release it', async () => {
    const a = await open('a', 'path');
    expect(await open('a')).toBe(a);
    expect(await open('a')).toBe(a);
    await wallets.release(a, 'current');
    expect([wallets.current, wallets.findByPath(at('a'))]).toEqual([undefined, a]);
    await expect(wallets.release(a, 'current')).rejects.toMatchObject(fault({ kind: 'no_wallet' }));
    await wallets.release(a, 'path');
    expect([names(), opener.steps.filter((step) => step === 'close a')]).toEqual([[], ['close a']]);
    await expect(wallets.release(a, 'path')).rejects.toMatchObject(fault({ kind: 'no_wallet' }));
  });

  it('that is current already is not opened again, and stays open until both release it', async () => {
    const a = await open('a');
    await expect(wallets.open(at('a'), 'wrong', 'path')).rejects.toMatchObject(
      fault({ kind: 'wrong_password' }),
    );
    expect(wallets.findByPath(at('a'))).toBeUndefined();
    expect(await open('a', 'path')).toBe(a);
    expect(opener.steps.filter((step) => step === 'open a')).toHaveLength(1);
    await wallets.release(a, 'path');
    expect([wallets.current, wallets.findByPath(at('a')), names()]).toEqual([a, undefined, ['a']]);
    await open('a', 'path');
    await open('b');
    expect([wallets.findByPath(at('a')), names()]).toEqual([a, ['a', 'b']]);
    await wallets.release(a, 'path');
    expect([names(), opener.steps.at(-1)]).toEqual([['b'], 'close a']);
  });

  it('is closed where background sync cannot resume', async () => {
    fails('resume a', trouble);
    await expect(open('a', 'path')).rejects.toBe(trouble);
    expect([names(), opener.steps.at(-1)]).toEqual([[], 'close a']);
  });
});

describe('opening a wallet', () => {
  it('wipes the keys that were read, also where it fails', async () => {
    await open('a');
    fails('open b', trouble);
    await expect(open('b')).rejects.toBe(trouble);
    const secrets = opener.read.flatMap(({ viewSecret, spendSecret }) => [viewSecret, spendSecret]);
    expect(secrets).toHaveLength(4);
    expect(secrets.every((secret) => secret?.every((byte) => byte === 0))).toBe(true);
  });

  it('does not wait for another wallet, and waits for the same one', async () => {
    const end = hold('open a');
    const both = [open('a', 'path'), open('a', 'path')];
    await open('b', 'path');
    expect(opener.steps.filter((step) => step.endsWith(' a'))).toEqual(['read a', 'open a']);
    end();
    const [first, second] = await Promise.all(both);
    expect(second).toBe(first);
  });
});

describe('the refresh period', () => {
  it('is 20 seconds by default, and that of the current wallet passes to the next one', async () => {
    const a = await open('a');
    await open('b', 'path');
    expect([...opener.periods]).toEqual([
      ['a', 20],
      ['b', 20],
    ]);
    wallets.setPeriod(a, 'current', 90);
    await wallets.create({ paths: at('c'), password: 'p' } as NewWallet, 'current');
    expect([...opener.periods]).toEqual([
      ['b', 20],
      ['c', 90],
    ]);
    wallets.setPeriod(wallets.findByPath(at('b')), 'path', undefined);
    expect(opener.periods.get('b')).toBeUndefined();
  });

  it.each([
    [7, 7],
    [0, undefined],
  ])('of %d seconds, given at the start, is that of every wallet until it is set', async (given, period) => {
    const { scheduler } = opener;
    wallets = new OpenWallets(pino({ level: 'silent' }), scheduler, () => opener.opener, given);
    const a = await open('a', 'path');
    await open('b');
    expect([...opener.periods]).toEqual([
      ['a', period],
      ['b', period],
    ]);
    wallets.setPeriod(a, 'path', 90);
    expect(opener.periods.get('a')).toBe(90);
  });

  it('may be set while no wallet is open', async () => {
    wallets.setPeriod(undefined, 'current', undefined);
    await open('a');
    expect([...opener.periods]).toEqual([['a', undefined]]);
  });
});

describe('closing all wallets', () => {
  it('closes each, also where one fails, whose error is thrown', async () => {
    await open('a');
    await open('b', 'path');
    fails('close a', trouble);
    await expect(wallets.close()).rejects.toBe(trouble);
    expect(opener.steps.slice(-2).sort()).toEqual(['close a', 'close b']);
    expect([names(), wallets.current, [...opener.periods]]).toEqual([[], undefined, []]);
  });

  it('waits for a wallet that is being released, and closes it once', async () => {
    const a = await open('a', 'path');
    const end = hold('close a');
    const released = wallets.release(a, 'path');
    await turns();
    const closed = wallets.close();
    end();
    await Promise.all([released, closed]);
    expect(opener.steps.filter((step) => step === 'close a')).toHaveLength(1);
  });

  it('closes a wallet whose opening ends later, and refuses the request', async () => {
    const end = hold('open a');
    const opening = open('a', 'path');
    await turns();
    await wallets.close();
    end();
    await expect(opening).rejects.toMatchObject(fault({ kind: 'no_wallet' }));
    expect([opener.steps.at(-1), names()]).toEqual(['close a', []]);
  });
});
