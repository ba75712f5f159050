import { chmodSync, copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Opening } from '../../src/cli/opening.js';
import { WalletManager } from '../../src/services/manager/wallet-manager.js';
import type { WalletScope } from '../../src/services/manager/wallet-scope.js';
import { WalletError } from '../../src/model/wallet-error.js';
import { lockWallet } from '../../src/store/file/wallet-lock.js';
import { WalletServer } from '../support/processes/wallet-server.js';

let server: WalletServer;
let manager: WalletManager;
let passwordDir: string;
let opening: Opening | undefined;

beforeEach(async () => {
  server = new WalletServer();
  passwordDir = join(server.path, 'passwords');
  mkdirSync(passwordDir);
  // Files of two closed wallets.
  const maker = new WalletManager(server.settings);
  for (const filename of ['shop', 'till'])
    await maker.scope(filename).createWallet({ filename, password: `${filename}!`, language: 'English' });
  await maker.close();
  manager = new WalletManager(server.settings);
});

afterEach(async () => {
  await opening?.close();
  opening = undefined;
  await manager.close();
  await server.close();
});

const setPassword = (name: string, password = `${name}!`): void =>
  writeFileSync(join(passwordDir, name), `${password}\n`);

/** Opens wallets as at the start of a server, and resolves once each was tried. */
async function open(...names: string[]): Promise<Opening> {
  opening = new Opening({
    ...{ server: manager, log: server.settings.log },
    ...{ open: names, directory: server.path, passwordDir },
  });
  opening.start();
  await opening.settled();
  return opening;
}

const unopened = (of: Opening): [name: string, cause: string][] =>
  of.progress().unopened.map(({ name, cause }) => [name, cause]);

const isOpen = (name: string): boolean => manager.scope(name).find() !== undefined;

/** Error lines of the log about a wallet. */
const errorsOf = (name: string): number =>
  server.lines.filter((line) => line['level'] === 50 && line['name'] === name).length;

describe('wallets of the start', () => {
  it('are waited for until each was tried, and are no trouble once all are open', async () => {
    setPassword('shop');
    setPassword('till');
    const starting = open('shop', 'till');
    expect(opening?.progress()).toEqual({ waiting: 2, unopened: [] });
    expect((await starting).progress()).toEqual({ waiting: 0, unopened: [] });
    expect(['shop', 'till'].map(isOpen)).toEqual([true, true]);
  });

  it('that cannot be opened are named with their causes, and the others are open', async () => {
    setPassword('shop');
    setPassword('till', 'another');
    const tried = await open('shop', 'till', 'none', 'a/b');
    expect(unopened(tried).sort()).toEqual([
      ['a/b', 'bad_wallet_name'],
      ['none', 'wallet_missing'],
      ['till', 'wrong_password'],
    ]);
    expect(tried.progress().waiting).toBe(0);
    expect(isOpen('shop')).toBe(true);
  });
});

describe('a call for a wallet of the start', () => {
  const held = (name: string): Promise<void> => manager.scope(name).untilOpened(undefined, 60_000);

  it('waits until it is open, also before the first is tried', async () => {
    setPassword('shop');
    opening = new Opening({
      ...{ server: manager, log: server.settings.log },
      ...{ open: ['shop'], directory: server.path, passwordDir },
    });
    const waiting = held('shop').then(() => isOpen('shop'));
    opening.start();
    expect(await waiting).toBe(true);
  });

  it('does not wait any more once it could not be opened, and has the reason without the path of its password', async () => {
    setPassword('shop', 'another');
    mkdirSync(join(passwordDir, 'till'));
    await open('shop', 'till');
    for (const [name, failure] of [
      ['shop', 'invalid password'],
      ['till', 'its password file cannot be read'],
    ] as const) {
      await held(name);
      expect(() => manager.scope(name).require(undefined)).toThrow(
        expect.objectContaining({ fault: { kind: 'wallet_not_open', name, failure } }),
      );
    }
  });

  it('that opens it before its turn opens it for good: closed again, it stays closed', async () => {
    setPassword('shop');
    opening = new Opening({
      ...{ server: manager, log: server.settings.log },
      ...{ open: ['shop'], directory: server.path, passwordDir },
    });
    await manager.scope('shop').openWallet({ filename: '', password: 'shop!' });
    const wallet = manager.scope('shop').find();
    if (wallet !== undefined) await manager.scope('shop').closeWallet(wallet);
    opening.start();
    await opening.settled();
    expect([isOpen('shop'), opening.progress()]).toEqual([false, { waiting: 0, unopened: [] }]);
  });
});

describe('a wallet that could not be opened', () => {
  it('is opened when its password file changes, and is not tried before', async () => {
    setPassword('shop', 'another');
    const tried = await open('shop');
    for (let look = 0; look < 5; look++) tried.look();
    await tried.settled();
    expect([unopened(tried), errorsOf('shop')]).toEqual([[['shop', 'wrong_password']], 1]);
    setPassword('shop');
    tried.look();
    await tried.settled();
    expect([unopened(tried), isOpen('shop')]).toEqual([[], true]);
  });

  it('is tried again by itself within five seconds after a change of its files', async () => {
    jest.useFakeTimers({
      doNotFake: [
        'Date',
        'hrtime',
        'nextTick',
        'performance',
        'queueMicrotask',
        'setImmediate',
        'setTimeout',
      ],
    });
    try {
      setPassword('shop', 'another');
      const tried = await open('shop');
      jest.advanceTimersByTime(20_000);
      await tried.settled();
      setPassword('shop');
      jest.advanceTimersByTime(5000);
      await tried.settled();
      expect([unopened(tried), isOpen('shop')]).toEqual([[], true]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is opened when its files appear', async () => {
    setPassword('till');
    renameSync(join(server.path, 'till.keys'), join(server.path, 'moved'));
    const tried = await open('till');
    expect(unopened(tried)).toEqual([['till', 'wallet_missing']]);
    renameSync(join(server.path, 'moved'), join(server.path, 'till.keys'));
    tried.look();
    await tried.settled();
    expect([unopened(tried), isOpen('till')]).toEqual([[], true]);
  });

  it('is opened when its damaged store is replaced by a backup', async () => {
    setPassword('till');
    const store = join(server.path, 'till');
    copyFileSync(store, join(server.path, 'backup'));
    writeFileSync(store, Buffer.alloc(8192, 7));
    const tried = await open('till');
    expect(unopened(tried)).toEqual([['till', 'wallet_corrupt']]);
    copyFileSync(join(server.path, 'backup'), store);
    tried.look();
    await tried.settled();
    expect(isOpen('till')).toBe(true);
  });

  it('is tried again from time to time where another process holds it, and logged once', async () => {
    setPassword('shop');
    const lock = lockWallet(server.paths('shop').lock, 'shop');
    const tried = await open('shop');
    const looks = async (count: number): Promise<void> => {
      for (let look = 0; look < count; look++) tried.look();
      await tried.settled();
    };
    await looks(24);
    expect([unopened(tried), errorsOf('shop')]).toEqual([[['shop', 'wallet_locked']], 1]);
    lock.release();
    await looks(12);
    expect([unopened(tried), isOpen('shop')]).toEqual([[], true]);
  });

  it('is tried again when the server is asked to reload', async () => {
    setPassword('shop');
    const lock = lockWallet(server.paths('shop').lock, 'shop');
    const tried = await open('shop');
    lock.release();
    tried.retry();
    await tried.settled();
    expect([unopened(tried), isOpen('shop')]).toEqual([[], true]);
  });

  it('is no trouble any more once a client has opened it', async () => {
    setPassword('shop', 'another');
    const tried = await open('shop');
    await manager.scope('shop').openWallet({ filename: 'shop', password: 'shop!' });
    expect(unopened(tried)).toEqual([]);
  });

  it('is not opened any more once the server stops', async () => {
    setPassword('shop', 'another');
    const tried = await open('shop');
    await tried.close();
    setPassword('shop');
    tried.look();
    tried.retry();
    await tried.settled();
    expect(isOpen('shop')).toBe(false);
  });

  it('has a reason for a password file that cannot be read', async () => {
    mkdirSync(join(passwordDir, 'shop'));
    chmodSync(passwordDir, 0o700);
    expect(unopened(await open('shop'))).toEqual([['shop', 'wallet_io']]);
  });
});

describe('a wallet that another process of the cluster serves', () => {
  /** Opens wallets in a process that is refused some of them. */
  async function openElsewhere(elsewhere: Set<string>): Promise<Opening> {
    const scope = (name: string): WalletScope => {
      const scoped = manager.scope(name);
      const openWallet: WalletScope['openWallet'] = async (request) => {
        if (elsewhere.has(name)) throw new WalletError({ kind: 'wallet_elsewhere', name, holder: 'another' });
        await scoped.openWallet(request);
      };
      return Object.assign(Object.create(scoped) as WalletScope, { openWallet, find: () => scoped.find() });
    };
    opening = new Opening({
      ...{ server: { scope: scope as WalletManager['scope'], openings: manager.openings } },
      log: server.settings.log,
      ...{ open: ['shop', 'till'], directory: server.path, passwordDir },
    });
    opening.start();
    await opening.settled();
    return opening;
  }

  it('is no failure: the process is ready without it', async () => {
    setPassword('till');
    const tried = await openElsewhere(new Set(['shop']));
    expect(tried.progress()).toEqual({ waiting: 0, unopened: [] });
    expect([errorsOf('shop'), isOpen('shop'), isOpen('till')]).toEqual([0, false, true]);
  });

  it('is no failure any more if it was one before', async () => {
    setPassword('till');
    setPassword('shop', 'another');
    const elsewhere = new Set<string>();
    const tried = await openElsewhere(elsewhere);
    expect(unopened(tried)).toEqual([['shop', 'wrong_password']]);
    elsewhere.add('shop');
    tried.retry();
    await tried.settled();
    expect(tried.progress()).toEqual({ waiting: 0, unopened: [] });
  });
});
