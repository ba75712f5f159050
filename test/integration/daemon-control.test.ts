import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../support/network/certificate.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startFakeDaemon } from '../support/fakes/fake-daemon.js';
import { refusal, sideBySide, step } from '../support/wallets/side-by-side.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight } from '../support/jest/lanes.js';

let daemon: Monerod;
let ours: WalletRpc;
let theirs: WalletRpc;
/** The reference, without a wallet. */
let without: WalletRpc;
const servers = (): readonly [WalletRpc, WalletRpc] => [ours, theirs];

beforeAll(async () => {
  daemon = await startMonerod();
  [ours, theirs, without] = await Promise.all([
    startWalletRpc({ daemon: daemon.address }),
    startReference({ daemon: daemon.address }),
    startReference(),
  ]);
});

afterAll(async () => {
  await Promise.all([ours?.stop(), theirs?.stop(), without?.stop()]);
  await daemon?.stop();
});

describe('logging, before any wallet is open', () => {
  sideBySide(
    [
      step('set_log_level', 'the least'),
      step('set_log_categories', 'an addition', { categories: '+wallet.rpc:INFO' }),
      step('set_log_categories', 'a removal', { categories: '-wallet.rpc:INFO,net:FATAL' }),
      step('set_log_categories', 'a level', { categories: '1' }),
      step('set_log_categories', 'a level and a list', { categories: '1,net:ERROR' }),
      step('set_log_categories', 'an unknown level', { categories: '17' }),
      step('set_log_categories', 'a list', { categories: '*:WARNING,wallet.wallet2:ERROR' }),
      step('set_log_categories', 'no severity', { categories: 'nonsense' }),
      refusal('set_log_level', 'a level above all', { level: 5 }, -44),
      refusal('set_log_level', 'a level below all', { level: -1 }, -44),
      refusal('set_log_level', 'a level beyond a byte', { level: 128 }, -32602),
      refusal('set_log_level', 'a level in words', { level: 'high' }, -32602),
      refusal(
        'set_log_categories',
        'a text without end',
        { categories: 'x'.repeat(20_000) },
        -32602,
        'the reference has no limit',
      ),
      step('set_log_categories', 'a refusal changes nothing', { categories: '+' }),
      step('set_log_categories', 'nothing'),
    ],
    servers,
  );

  it('takes effect at once', async () => {
    const requests = (): number => ours.process.output().split('method=get_version').length - 1;
    await ours.rpc('set_log_level', { level: 0 });
    const before = requests();
    await ours.rpc('get_version');
    await ours.rpc('set_log_level', { level: 4 });
    await ours.rpc('get_version');
    await until('the request in the log', () => requests() === before + 1);
    await ours.rpc('set_log_categories', { categories: '*:ERROR' });
    await ours.rpc('get_version');
    await ours.rpc('set_log_level', { level: 2 });
    await ours.rpc('get_version');
    await until('the second request in the log', () => requests() === before + 2);
  });
});

describe('mining', () => {
  beforeAll(async () => {
    for (const wallet of servers()) await createWallet(wallet, 'w');
  });

  sideBySide(
    [
      refusal('start_mining', 'no threads', {}, -1),
      refusal('start_mining', 'more threads than cores', { threads_count: 5000 }, -1),
      refusal('start_mining', 'threads below zero', { threads_count: -1 }, -32602),
      refusal('stop_mining', 'a daemon that does not mine', {}, -1),
    ],
    servers,
  );

  it('pays the primary address, with all requested parameters', async () => {
    const seen: unknown[] = [];
    const asking = await startFakeDaemon((path, body) => {
      if (path.endsWith('_mining')) seen.push([path, body]);
      return { status: 'OK' };
    });
    const [mine, other] = await Promise.all([
      startWalletRpc({ daemon: asking.address }),
      startReference({ daemon: asking.address }),
    ]);
    try {
      for (const wallet of [mine, other]) {
        await createWallet(wallet);
        const { address } = await wallet.rpc('get_address');
        await wallet.rpc('start_mining', {
          threads_count: 2,
          do_background_mining: true,
          ignore_battery: true,
        });
        await wallet.rpc('stop_mining');
        const body = {
          miner_address: address,
          threads_count: 2,
          do_background_mining: true,
          ignore_battery: true,
        };
        expect(seen.splice(0)).toEqual([
          ['/start_mining', body],
          ['/stop_mining', expect.any(Object)],
        ]);
      }
    } finally {
      await Promise.all([mine.stop(), other.stop()]);
      await asking.stop();
    }
  });

  itAtNight('is refused for an untrusted daemon, and without a daemon', async () => {
    for (const options of [{ daemon: daemon.address, args: ['--untrusted-daemon'] }, {}]) {
      const [mine, other] = await Promise.all([startWalletRpc(options), startReference(options)]);
      try {
        for (const wallet of [mine, other]) {
          await createWallet(wallet);
          expect((await wallet.call('start_mining', { threads_count: 1 })).error?.code).toBe(-1);
        }
      } finally {
        await Promise.all([mine.stop(), other.stop()]);
      }
    }
  });
});

describe('a wallet of one owner', () => {
  it('is not a multisig one', async () => {
    const status = { multisig: false, kex_is_done: false, ready: false, threshold: 0, total: 0 };
    expect(await ours.rpc('is_multisig')).toEqual(status);
    expect(await theirs.rpc('is_multisig')).toMatchObject({ multisig: false });
  });
});

describe('set_daemon without an open wallet', () => {
  it('sets the daemon for every wallet opened later, where the reference has no wallet to set it for', async () => {
    const wallet = await startWalletRpc();
    try {
      const { address } = daemon;
      expect((await without.call('set_daemon', { address })).error).toMatchObject({ code: -13 });
      expect((await wallet.call('get_balance')).error?.code).toBe(-13);
      for (const [params, text] of [
        [{ address: '' }, /./],
        [{ address, ssl_support: 'maybe' }, /Invalid ssl support mode/],
      ] as const)
        expect((await wallet.call('set_daemon', params)).error).toMatchObject({
          code: -38,
          message: expect.stringMatching(text),
        });
      expect(await wallet.rpc('set_daemon', { address, trusted: true })).toEqual({});
      for (const name of ['first', 'second']) {
        await createWallet(wallet, name);
        await wallet.rpc('refresh');
        // Needs a trusted daemon.
        await wallet.rpc('rescan_spent');
        await wallet.rpc('close_wallet');
      }
      await wallet.rpc('open_wallet', { filename: 'first', password: '' });
      await wallet.rpc('refresh');
      await wallet.rpc('rescan_spent');
    } finally {
      await wallet.stop();
    }
  });
});

describe('set_daemon', () => {
  // A host without a port, and a nonexistent host, which clients use to disconnect from a daemon.
  sideBySide(
    [
      'placeholder',
      'bad_uri',
      'node.invalid',
      'http://node.invalid',
      'https://node.invalid:1/path',
      '[::1]',
    ].map((address) => step('set_daemon', address, { address })),
    servers,
  );

  it('switches to an address that does not answer, and back', async () => {
    await ours.rpc('set_daemon', { address: 'placeholder' });
    expect((await ours.call('refresh')).error?.code).toBe(-38);
    await ours.rpc('set_daemon', { address: daemon.address });
    await ours.rpc('refresh');
  });

  it('refuses unusable TLS files, and a proxy to an unverified node, and the old node stays', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'set-daemon-'));
    const { certFile, keyFile } = makeCertificate(directory);
    const { address } = daemon;
    try {
      const files = { ssl_private_key_path: keyFile, ssl_certificate_path: certFile };
      for (const settings of [
        { ssl_ca_file: join(directory, 'missing') },
        { ssl_ca_file: directory },
        { ssl_ca_file: keyFile },
        { ...files, ssl_private_key_path: certFile },
        { ...files, ssl_certificate_path: join(directory, 'missing') },
      ])
        expect((await ours.call('set_daemon', { address, ...settings })).error?.code).toBe(-38);
      expect((await ours.call('set_daemon', { address, proxy: '127.0.0.1:1' })).error).toMatchObject({
        code: -38,
        message: expect.stringMatching(
          /^SSL or proxy is enabled but no strong verification was configured/,
        ) as unknown,
      });
      await ours.rpc('refresh');
      // A file that is deleted later, and good settings afterwards.
      // Without TLS the daemon would be reached over a connection that was opened before.
      const strict = { address, ssl_support: 'enabled', ssl_ca_file: certFile, ...files };
      await ours.rpc('set_daemon', strict);
      rmSync(certFile);
      for (let i = 0; i < 20; i++)
        expect((await ours.call('refresh')).error).toMatchObject({
          code: -38,
          message: 'no connection to daemon',
        });
      await ours.rpc('set_daemon', { address });
      await ours.rpc('refresh');
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it.each([
    'node.invalid:65536',
    'node.invalid:port',
    'user:password@node.invalid:1',
    'no de',
    ''.padEnd(3, ':'),
  ])('refuses %p, which no address can be', async (address) => {
    expect((await ours.call('set_daemon', { address })).error?.code).toBe(-38);
    await ours.rpc('refresh');
  });
});
