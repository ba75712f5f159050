import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Reply } from '../support/network/json-rpc.js';
import { lowerLimit, limitWithSpare } from '../support/processes/process-limits.js';
import { until } from '../support/fakes/until.js';
import { SLOW_HASHES } from '../support/jest/slow-hashes.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/*
 * Full disks, and paths that are not regular files. A limit on file sizes, set on the running server, simulates a full
 * disk: it needs no privileges, and the same system calls fail.
 */

const password = 'p';
const language = 'English';
const name = 'w';

let server: WalletRpc;

const pid = (): number => server.process.child.pid ?? 0;
/** Threads of the server. */
const threads = (): number => readdirSync(`/proc/${pid()}/task`).length;
const filesOf = (wallet: string): string[] =>
  readdirSync(server.walletDir).filter((file) => file === wallet || file.startsWith(`${wallet}.`));

async function withoutRoom<T>(task: () => Promise<T>): Promise<T> {
  const raise = lowerLimit(pid(), 'fsize', 16);
  try {
    return await task();
  } finally {
    raise();
  }
}

/** Error of a full disk. */
const NO_ROOM = {
  code: -1,
  message: expect.stringMatching(
    /^the file '[^'/]+' cannot be used: .*(disk|size limit).*\((E|SQLITE_)[A-Z_]+\)$/,
  ),
};

beforeAll(async () => {
  // Every hash is computed, on a thread.
  server = await startWalletRpc({ env: { [SLOW_HASHES]: '/nonexistent' } });
  await createWallet(server, name, password);
  await server.rpc('set_attribute', { key: 'k', value: 'before' });
});

afterAll(async () => {
  await server?.stop();
});

describe('a full disk', () => {
  const key = async (type: string): Promise<string> =>
    String((await server.rpc('query_key', { key_type: type })).key);

  test.each(
    someRows([
      ['create_wallet', () => Promise.resolve({ language })],
      ['restore_deterministic_wallet', async () => ({ seed: await key('mnemonic') })],
      [
        'generate_from_keys',
        async () => ({
          address: (await server.rpc('get_address')).address,
          viewkey: await key('view_key'),
          spendkey: await key('spend_key'),
        }),
      ],
    ] as const),
  )(
    'fails %s with its cause, leaves no file of the wallet, and the next attempt succeeds',
    async (method, keys) => {
      const filename = `new-${method}`;
      const given = { ...(await keys()), filename, password };
      const { address } = await server.rpc('get_address');
      const { error } = await withoutRoom(() => server.call(method, given));
      expect(error).toEqual(NO_ROOM);
      expect(filesOf(filename)).toEqual([`${filename}.lock`]);
      // The previously open wallet stays open.
      expect((await server.rpc('get_address')).address).toBe(address);
      await server.rpc(method, given);
      await server.rpc('open_wallet', { filename: name, password });
    },
  );

  it('fails a password change, and the old password still opens the wallet', async () => {
    const change = { old_password: password, new_password: 'q' };
    const { error } = await withoutRoom(() => server.call('change_wallet_password', change));
    expect(error).toEqual(NO_ROOM);
    await server.rpc('close_wallet');
    await server.rpc('open_wallet', { filename: name, password });
    expect(filesOf(name).sort()).toEqual(['w', 'w.keys', 'w.lock', 'w.wallet-rpc-addresses']);
  });

  it('fails a write of the store, which keeps its content and recovers when space is free', async () => {
    const set = (value: string): Promise<unknown> => server.rpc('set_attribute', { key: 'k', value });
    const { error } = await withoutRoom(() =>
      server.call('set_attribute', { key: 'k', value: 'lost'.repeat(1000) }),
    );
    expect(error).toEqual(NO_ROOM);
    expect(await server.rpc('get_attribute', { key: 'k' })).toEqual({ value: 'before' });
    await set('after');
    await server.rpc('close_wallet');
    await server.rpc('open_wallet', { filename: name, password });
    expect(await server.rpc('get_attribute', { key: 'k' })).toEqual({ value: 'after' });
    await set('before');
  });

  itAtNight('fails to open a wallet without reporting it as damaged', async () => {
    await server.rpc('close_wallet');
    const { error } = await withoutRoom(() => server.call('open_wallet', { filename: name, password }));
    expect(error).toEqual(NO_ROOM);
    await server.rpc('open_wallet', { filename: name, password });
    expect(await server.rpc('get_attribute', { key: 'k' })).toEqual({ value: 'before' });
  });
});

describe('a process with too many files open', () => {
  it('reports the cause, also of a thread that does not start, and recovers when files are closed', async () => {
    // The thread of the slow hash, which a new password needs, ends after some idle seconds. Starting another opens files.
    const created = server.rpc('create_wallet', { filename: 'before', password: 'another', language });
    let most = 0;
    const ended = until('the end of the idle thread', () => {
      const now = threads();
      most = Math.max(most, now);
      return now < most;
    });
    await Promise.all([created, ended]);
    const attempt = async (spare: number): Promise<Reply> => {
      const raise = lowerLimit(pid(), 'nofile', limitWithSpare(pid(), spare));
      return server.call('create_wallet', { filename: 'many', password, language }).finally(raise);
    };
    let spare = 1;
    for (; ; spare++) {
      const { error } = await attempt(spare);
      if (error === undefined) break;
      expect({ spare, ...error }).toEqual({
        spare,
        code: -1,
        message: expect.stringMatching(/too many files open/),
      });
      expect(filesOf('many').filter((file) => file !== 'many.lock')).toEqual([]);
    }
    expect(spare).toBeGreaterThan(3);
    await server.rpc('open_wallet', { filename: name, password });
    await server.rpc('open_wallet', { filename: 'many', password });
    await server.rpc('open_wallet', { filename: name, password });
  });
});

/** Program that leaves a socket at a path. */
const LISTEN = "require('net').createServer().listen(process.argv[1], () => process.exit())";

describe('a path that is not a regular file', () => {
  const OBSTACLES: readonly (readonly [string, (at: string) => void, RegExp])[] = [
    ['directory', (at) => mkdirSync(at), /directory/],
    ['FIFO', (at) => void execFileSync('mkfifo', [at]), /no regular file/],
    ['device', (at) => void execFileSync('mknod', [at, 'c', '1', '3']), /no regular file/],
    ['socket', (at) => void execFileSync(process.execPath, ['-e', LISTEN, at]), /socket/],
    ['link to itself', (at) => symlinkSync(basename(at), at), /symbolic link/],
  ];
  // The rights of root are needed to make a device.
  const made = OBSTACLES.filter(([what]) => what !== 'device' || process.getuid?.() === 0);

  test.each(someRows(made))(
    'such as a %s in place of the keys file is refused at once',
    async (what, put, text) => {
      const filename = `keys-${what}`;
      const path = join(server.walletDir, `${filename}.keys`);
      put(path);
      expect((await server.call('open_wallet', { filename, password })).error).toEqual({
        code: -1,
        message: expect.stringMatching(text),
      });
      expect((await server.call('create_wallet', { filename, password, language })).error?.code).toBe(-21);
      rmSync(path, { recursive: true });
    },
  );

  test.each(someRows(made))(
    'such as a %s in place of the store is refused at once',
    async (what, put, text) => {
      const filename = `store-${what}`;
      await createWallet(server, filename, password);
      await server.rpc('close_wallet');
      const path = join(server.walletDir, filename);
      rmSync(path);
      put(path);
      const { error } = await server.call('open_wallet', { filename, password });
      expect([error?.code, JSON.stringify(error)]).toEqual([-1, expect.stringMatching(text)]);
      rmSync(path, { recursive: true });
      await server.rpc('open_wallet', { filename, password });
    },
  );

  test.each(someRows(made))(
    'such as a %s in place of the lock is refused at once',
    async (what, put, text) => {
      const filename = `lock-${what}`;
      const path = join(server.walletDir, `${filename}.lock`);
      put(path);
      expect((await server.call('create_wallet', { filename, password, language })).error).toEqual({
        code: -1,
        message: expect.stringMatching(text),
      });
      expect(existsSync(join(server.walletDir, `${filename}.keys`))).toBe(false);
    },
  );
});
