import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { walletCalls, walletPath, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletProcess, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { logged } from '../support/processes/process.js';
import { itAtNight } from '../support/jest/lanes.js';

/* Many wallets in one process: each under its own path, and one of them current on /json_rpc. */

const NO_WALLET = -13;
const language = 'English';

/** Interleaved payments of the test of switches; a thousand takes some minutes. */
const PAYMENTS = Number(process.env['INTERLEAVED_PAYMENTS'] ?? '20');

let root: string;
let server: WalletRpc;

const at = (name: string, on = server): WalletCalls => walletCalls(on.port, name);
const addressOf = async (wallet: WalletCalls): Promise<string> =>
  (await wallet.rpc('get_address')).address as string;
const listed = async (name: string): Promise<Loose> =>
  (await server.rpc('list_wallets')).wallets.find((wallet: Loose) => wallet.name === name);

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'paths-'));
  server = await startWalletRpc({ walletDir: join(root, 'wallets') });
});

afterAll(async () => {
  await server?.stop({ keep: true });
  rmSync(root, { recursive: true, force: true });
});

describe('the path of a wallet', () => {
  it('reaches no wallet before it is opened there', async () => {
    await createWallet(server, 'a', 'pa');
    expect((await at('a').call('get_address')).error).toMatchObject({
      code: NO_WALLET,
      message: "No wallet file: the wallet 'a' is not open under its path",
    });
    expect((await at('b').call('get_address')).error).toMatchObject({
      code: NO_WALLET,
      data: {
        explanation: expect.stringMatching(/^the wallet 'b' is not open under its path: call open_wallet/),
      },
    });
    await at('a').rpc('open_wallet', { password: 'pa' });
    expect(await addressOf(at('a'))).toBe((await server.rpc('get_address')).address);
  });

  it('holds a wallet open that /json_rpc opened before, which stays the same wallet', async () => {
    await server.rpc('set_attribute', { key: 'of', value: '/json_rpc' });
    expect((await at('a').rpc('get_attribute', { key: 'of' })).value).toBe('/json_rpc');
    await at('a').rpc('create_address', { label: 'made under its path' });
    expect((await server.rpc('get_address')).addresses).toHaveLength(2);
    // Each closes the wallet for itself; the last one closes it for all.
    await server.rpc('close_wallet');
    expect((await server.call('get_address')).error).toMatchObject({
      ...{ code: NO_WALLET, message: 'No wallet file' },
    });
    expect((await at('a').rpc('get_address')).addresses).toHaveLength(2);
    expect(await listed('a')).toMatchObject({ open: true });
    await at('a').rpc('close_wallet');
    expect(await listed('a')).toEqual({ name: 'a', open: false });
    await server.rpc('open_wallet', { filename: 'a', password: 'pa' });
    await at('a').rpc('open_wallet', { password: 'pa' });
    await at('a').rpc('close_wallet');
    expect((await server.rpc('get_address')).addresses).toHaveLength(2);
    expect((await at('a').call('get_height')).error?.message).toContain("'a'");
    await at('a').rpc('open_wallet', { password: 'pa' });
  });

  it('refuses a wrong password and the name of another wallet', async () => {
    expect((await at('a').call('open_wallet', { password: 'x' })).error?.code).toBe(-1);
    const named = (await at('a').call('open_wallet', { filename: 'b', password: 'pa' })).error;
    expect(named?.data?.explanation).toContain('leave filename out');
  });

  it('creates the wallet of its name, which is not the current one of /json_rpc', async () => {
    await createWallet(at('b'), '', 'pb');
    expect(readdirSync(server.walletDir)).toContain('b.keys');
    expect((await server.rpc('get_address')).address).toBe(await addressOf(at('a')));
    expect(await addressOf(at('b'))).not.toBe(await addressOf(at('a')));
  });

  it('keeps its wallet open whatever /json_rpc opens and closes', async () => {
    const [a, b] = [await addressOf(at('a')), await addressOf(at('b'))];
    await server.rpc('open_wallet', { filename: 'b', password: 'pb' });
    await server.rpc('close_wallet');
    await server.rpc('open_wallet', { filename: 'a', password: 'pa' });
    await createWallet(server, 'c');
    await server.rpc('close_wallet');
    expect([await addressOf(at('a')), await addressOf(at('b'))]).toEqual([a, b]);
    expect((await server.call('get_address')).error?.code).toBe(NO_WALLET);
  });

  it('leaves the wallet open for /json_rpc where it is closed there alone', async () => {
    await server.rpc('open_wallet', { filename: 'a', password: 'pa' });
    await at('a').rpc('close_wallet');
    expect((await at('a').call('get_height')).error?.code).toBe(NO_WALLET);
    expect((await server.rpc('get_address')).address).toMatch(/^4/);
    await at('a').rpc('open_wallet', { password: 'pa' });
  });

  it('gives the open wallet other keys for both of its holders', async () => {
    await createWallet(at('group'));
    await server.rpc('open_wallet', { filename: 'group', password: '' });
    const other = at('other');
    await createWallet(other);
    const infos = [
      (await at('group').rpc('prepare_multisig', { enable_multisig_experimental: true })).multisig_info,
      (await other.rpc('prepare_multisig', { enable_multisig_experimental: true })).multisig_info,
    ];
    await at('group').rpc('make_multisig', { multisig_info: [infos[1]], threshold: 2 });
    expect((await at('group').rpc('is_multisig')).multisig).toBe(true);
    expect((await server.rpc('is_multisig')).multisig).toBe(true);
    expect((await other.rpc('is_multisig')).multisig).toBe(false);
    await server.rpc('close_wallet');
    expect((await listed('group')).multisig).toBe(true);
  });
});

describe('list_wallets', () => {
  it('names every wallet of the directory, with the state of open ones', async () => {
    const { wallets } = await server.rpc('list_wallets');
    expect(wallets.map(({ name, open }: Loose) => [name, open])).toEqual([
      ['a', true],
      ['b', true],
      ['c', false],
      ['group', true],
      ['other', true],
    ]);
    expect(await listed('b')).toEqual({
      ...{ name: 'b', open: true, height: 1, daemon_height: 0 },
      ...{ view_only: false, multisig: false, syncing: false },
    });
    expect(await listed('c')).toEqual({ name: 'c', open: false });
  });

  it('is hidden in restricted mode', async () => {
    const restricted = await startWalletRpc({ args: ['--restricted-rpc'] });
    expect((await restricted.call('list_wallets')).error?.code).toBe(-7);
    await restricted.stop();
  });
});

describe('names of wallets in paths', () => {
  /** Status and text of the answer to a path that is sent as it is. */
  const raw = (path: string): Promise<{ readonly status: number; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({
        ...{ jsonrpc: '2.0', id: 0, method: 'create_wallet', params: { password: '', language } },
      });
      const headers = { 'content-type': 'application/json' };
      const sent = request({ port: server.port, path, method: 'POST', headers }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on('error', reject);
      sent.end(body);
    });

  it.each(['a shop', 'shop.2026', 'Käse', '店', '%2F', 'a%b', '...', '.hidden', 'c++;$x', "it's", '#1?x=y'])(
    'may be %s',
    async (name) => {
      await createWallet(at(name), '', 'p');
      const address = await addressOf(at(name));
      await at(name).rpc('close_wallet');
      await at(name).rpc('open_wallet', { password: 'p' });
      expect(await addressOf(at(name))).toBe(address);
      expect((await listed(name)).open).toBe(true);
      await at(name).rpc('close_wallet');
    },
  );

  it('never leave the wallet directory', async () => {
    mkdirSync(join(root, 'beside'));
    writeFileSync(join(root, 'beside', 'x.keys'), 'not a wallet');
    const before = [readdirSync(root).sort(), readdirSync(join(root, 'beside'))];
    const inside = readdirSync(server.walletDir).sort();
    const parts = [
      '..',
      '%2e%2e',
      '.',
      '%2e',
      'x',
      '%00',
      '%5c',
      '%2F',
      '%5c..',
      'x%2Fy',
      '%C3%28',
      '%zz',
      '+',
    ];
    for (const first of parts)
      for (const second of parts)
        for (const name of [
          `${first}%2F${second}`,
          `${first}%2f%2f${second}`,
          `${first}%5C${second}`,
          `${first}/${second}`,
        ]) {
          const { status, text } = await raw(`/wallet/${name}/json_rpc`);
          const refused =
            status === 200 ? (JSON.parse(text) as Loose).error !== undefined : status >= 400 && status < 500;
          expect([name, refused]).toEqual([name, true]);
        }
    for (const name of ['..', '.', '%2e%2e', '', '/', 'y%00', 'x.keys', 'x.lock', 'n'.repeat(300)]) {
      const { status, text } = await raw(`/wallet/${name}/json_rpc`);
      expect([name, status, text.includes('"result"')]).toEqual([name, expect.anything(), false]);
    }
    expect([readdirSync(root).sort(), readdirSync(join(root, 'beside'))]).toEqual(before);
    expect(readdirSync(server.walletDir).sort()).toEqual(inside);
  });
});

describe('two processes with one wallet directory', () => {
  it('refuse each other the wallets that they have open, and serve the others', async () => {
    const second = await startWalletProcess({ walletDir: server.walletDir });
    expect((await at('a', second).call('open_wallet', { password: 'pa' })).error?.message).toBe(
      'Failed to open wallet',
    );
    await at('c', second).rpc('open_wallet', { password: '' });
    expect((await at('c').call('open_wallet', { password: '' })).error?.message).toBe(
      'Failed to open wallet',
    );
    expect(await addressOf(at('a'))).toMatch(/^4/);
    expect(await addressOf(at('c', second))).toMatch(/^4/);
    expect((await second.rpc('list_wallets')).wallets.filter(({ open }: Loose) => open)).toHaveLength(1);
    await second.stop({ keep: true });
    await at('c').rpc('open_wallet', { password: '' });
  });
});

describe('--open', () => {
  it('opens the wallets that it can, names the others in the log, and serves at once', async () => {
    const walletDir = join(root, 'opened');
    const passwordDir = join(root, 'passwords');
    mkdirSync(passwordDir);
    const maker = await startWalletRpc({ walletDir });
    for (const name of ['first shop', 'second', 'wrong', 'damaged'])
      await createWallet(maker, name, `of ${name}`);
    await createWallet(maker, 'plain');
    await maker.stop({ keep: true });
    for (const name of ['first shop', 'second', 'damaged'])
      writeFileSync(join(passwordDir, name), `of ${name}\n`);
    writeFileSync(join(passwordDir, 'wrong'), 'secret-guess');
    writeFileSync(join(walletDir, 'damaged'), Buffer.alloc(8192, 7));
    const names = ['first shop', 'wrong', 'damaged', 'missing', '../beside/x', 'plain', 'second'];
    const opened = await startWalletRpc({
      walletDir,
      args: [...names.map((name) => `--open=${name}`), `--password-dir=${passwordDir}`],
    });
    await until(
      'the wallets',
      () => opened.process.output().includes('wallets of --open were opened') || undefined,
    );
    const open = (await opened.rpc('list_wallets')).wallets.filter((wallet: Loose) => wallet.open);
    expect(open.map(({ name }: Loose) => name)).toEqual(['first shop', 'plain', 'second']);
    expect(await addressOf(at('first shop', opened))).toMatch(/^4/);
    const lines = opened.process
      .output()
      .split('\n')
      .filter((line) => line.includes('cannot be opened'));
    expect(lines.map((line) => /name=(?:"([^"]*)"|(\S+))/.exec(line)?.slice(1).find(Boolean)).sort()).toEqual(
      ['../beside/x', 'damaged', 'missing', 'wrong'],
    );
    expect(lines.find((line) => line.includes('wrong'))).toContain(join(passwordDir, 'wrong'));
    expect(opened.process.output()).not.toMatch(/secret-guess|of second/);
    await opened.stop({ keep: true });
  });
});

describe('payments between switches of the current wallet', () => {
  let daemon: Monerod;
  let rich: WalletRpc;
  const names = ['one', 'two'] as const;
  const images = new Map<string, Set<string>>();

  beforeAll(async () => {
    daemon = await startRegtestDaemon();
    rich = await startWalletRpc({ daemon: daemon.address, args: ['--trusted-daemon'] });
    for (const name of names) {
      await createWallet(at(name, rich));
      const wallet_address = await addressOf(at(name, rich));
      await daemon.rpc('generateblocks', { wallet_address, amount_of_blocks: 20 });
    }
    await daemon.rpc('generateblocks', {
      wallet_address: await addressOf(at('one', rich)),
      amount_of_blocks: 60,
    });
    for (const name of names) {
      await at(name, rich).rpc('refresh');
      const { transfers } = await at(name, rich).rpc('incoming_transfers', {
        transfer_type: 'all',
        verbose: true,
      });
      images.set(name, new Set(transfers.map(({ key_image }: Loose) => key_image as string)));
    }
  });

  afterAll(async () => {
    await rich?.stop();
    await daemon?.stop();
  });

  /** The wallet whose outputs a payment spends. */
  const payerOf = ({ spent_key_images }: Loose): string[] =>
    names.filter((name) =>
      spent_key_images.key_images.every((image: string) => images.get(name)?.has(image)),
    );

  itAtNight(
    `are made by the wallet that they were sent to, ${PAYMENTS} times`,
    async () => {
      const destination = await addressOf(at('two', rich));
      const order = {
        destinations: [{ amount: 1_000_000_000, address: destination }],
        do_not_relay: true,
      };
      let switching = true;
      const switches = (async () => {
        let count = 0;
        for (; switching; count++) {
          await rich.rpc('open_wallet', { filename: names[count % 2], password: '' });
          if (count % 7 === 3) await rich.rpc('close_wallet');
        }
        return count;
      })();
      const payers: string[][] = [];
      const current: string[] = [];
      for (let made = 0; made < PAYMENTS; made += 4) {
        const [own, other, now] = await Promise.all([
          at('one', rich).rpc('transfer', order),
          at('two', rich).rpc('transfer', order),
          rich.call('transfer', order),
          at('one', rich).rpc('get_balance'),
        ]);
        payers.push(payerOf(own), payerOf(other));
        current.push(now.error === undefined ? payerOf(now.result).join() : String(now.error.code));
      }
      switching = false;
      expect(await switches).toBeGreaterThan(3);
      expect(payers).toEqual(payers.map((_, i) => [names[i % 2]]));
      // The current wallet of the moment, or none.
      expect(current.filter((payer) => ![...names, String(NO_WALLET)].includes(payer))).toEqual([]);
    },
    600_000,
  );

  it('are recorded in the wallet that paid, and in no other', async () => {
    const destination = await addressOf(at('two', rich));
    await rich.rpc('open_wallet', { filename: 'two', password: '' });
    const sent = at('one', rich).rpc('transfer', { destinations: [{ amount: 1, address: destination }] });
    const switched = rich.rpc('open_wallet', { filename: 'one', password: '' });
    const { tx_hash } = await sent;
    await switched;
    const pending = async (name: string): Promise<string[]> =>
      ((await at(name, rich).rpc('get_transfers', { pending: true })).pending ?? []).map(
        ({ txid }: Loose) => txid,
      );
    expect([await pending('one'), await pending('two')]).toEqual([[tx_hash], []]);
  });

  it('reach each wallet by name in the log', async () => {
    await daemon.rpc('generateblocks', {
      wallet_address: await addressOf(at('one', rich)),
      amount_of_blocks: 1,
    });
    for (const name of names) await at(name, rich).rpc('refresh');
    for (const name of names) await logged(rich.process, new RegExp(`wallet refreshed.*name=${name}`));
    expect((await rich.rpc('list_wallets')).wallets).toEqual(
      names.map((name) => expect.objectContaining({ name, height: 102, daemon_height: 102, syncing: false })),
    );
  });

  it('uses the path of any wallet for settings of the server', async () => {
    expect(walletPath('one')).toBe('/wallet/one/json_rpc');
    await at('one', rich).rpc('set_daemon', { address: daemon.address, trusted: true });
    expect((await at('two', rich).rpc('refresh')).blocks_fetched).toBe(0);
  });
});
