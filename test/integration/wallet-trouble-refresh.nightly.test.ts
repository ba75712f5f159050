import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import { until } from '../support/fakes/until.js';
import { moneyOf, startCrowd, untilCaughtUp, type Crowd } from '../support/wallets/wallet-crowd.js';

/* Wallets that read a long chain at the same time, from a slow daemon; one is closed before it is done. */

const NO_WALLET = -13;

/** Names that a shell, a format or a regular expression could misread. */
const names = ['shop a', '%s', 'third'];

/** Blocks of a page; the chain has two pages. */
const PAGE_BLOCKS = 1000;

let crowd: Crowd;
let proxy: DaemonProxy;
let notified: string;

const restored = (name: string): string => `restored ${name}`;
const heightOf = async (name: string): Promise<number> =>
  (await crowd.at(name).rpc('get_height')).height as number;

/** Length of a request for blocks that names more than the genesis block [bytes]. */
const LATER_PAGE_BYTES = 250;

const isFirstPage = (path: string, request: Buffer): boolean =>
  path === '/getblocks.bin' && request.length <= LATER_PAGE_BYTES;

/** Holds back every page of blocks but the first of a wallet. @returns a function that ends that. */
function holdPages(): () => void {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  proxy.hold = async (path, request) => {
    if (path === '/getblocks.bin' && !isFirstPage(path, request)) await released;
  };
  return () => {
    proxy.hold = () => Promise.resolve();
    release();
  };
}

beforeAll(async () => {
  notified = mkdtempSync(join(tmpdir(), 'notified-'));
  crowd = await startCrowd(names, {
    via: async (address) => (proxy = await startDaemonProxy(address)).address,
    args: [`--tx-notify=touch ${notified}/%w:%s`],
  });
});

afterAll(async () => {
  await crowd?.stop();
  await proxy?.stop();
  rmSync(notified, { recursive: true, force: true });
});

describe('--tx-notify', () => {
  it('runs once for each wallet that a transaction pays, with the name of the wallet', async () => {
    const destinations = ['shop a', '%s'].map((name) => ({ amount: 1, address: crowd.address(name) }));
    const { tx_hash } = await crowd.at('third').rpc('transfer', { destinations });
    await crowd.mine(1);
    for (const name of names) await crowd.at(name).rpc('refresh');
    const ofTx = (): string[] => readdirSync(notified).filter((file) => file.includes(tx_hash as string));
    await until('two commands', () => ofTx().length > 1 || undefined);
    expect(ofTx().sort()).toEqual([`%s:${tx_hash}`, `shop a:${tx_hash}`]);
  });
});

describe('wallets that are restored at the same time', () => {
  let release: () => void;

  it('each have progress lines with their names before any of them is done', async () => {
    for (const name of names) await crowd.at(name).rpc('auto_refresh', { enable: false });
    await crowd.mine(PAGE_BLOCKS);
    release = holdPages();
    for (const name of names) {
      const { key: seed } = await crowd.at(name).rpc('query_key', { key_type: 'mnemonic' });
      await crowd.at(restored(name)).rpc('restore_deterministic_wallet', { password: '', seed });
    }
    for (const name of names) {
      await until('a page', async () => (await heightOf(restored(name))) === PAGE_BLOCKS || undefined);
      expect(crowd.linesOf(restored(name), 'wallet refreshed')).toHaveLength(1);
    }
  });

  it('are closed without waiting for the daemon, which ends their requests', async () => {
    const { call, rpc } = crowd.at(restored('shop a'));
    expect(await heightOf(restored('shop a'))).toBe(PAGE_BLOCKS);
    const waiting = [call('refresh'), call('refresh'), call('create_account')];
    await rpc('close_wallet');
    const codes = (await Promise.all(waiting)).map(({ error }) => error?.code);
    expect(codes).toEqual([NO_WALLET, NO_WALLET, undefined]);
    for (const method of ['get_height', 'get_balance', 'refresh', 'close_wallet'])
      expect([method, (await call(method)).error?.code]).toEqual([method, NO_WALLET]);
  });

  it('complete while another one is closed', async () => {
    release();
    for (const name of ['%s', 'third']) {
      await untilCaughtUp(crowd, restored(name));
      expect(await moneyOf(crowd.at(restored(name)))).toEqual(await moneyOf(crowd.at(name)));
    }
  });

  it('continue at the last committed page when they are opened again', async () => {
    let firstPages = 0;
    proxy.hold = (path, request) => {
      if (isFirstPage(path, request)) firstPages += 1;
      return Promise.resolve();
    };
    await crowd.at(restored('shop a')).rpc('open_wallet', { password: '' });
    // A refresh may have added blocks already.
    expect(await heightOf(restored('shop a'))).toBeGreaterThanOrEqual(PAGE_BLOCKS);
    expect(await moneyOf(crowd.at(restored('shop a')))).toEqual(await moneyOf(crowd.at('shop a')));
    expect(firstPages).toBe(0);
  });
});
