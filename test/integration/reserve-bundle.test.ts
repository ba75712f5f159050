import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bundleStatement, type ReserveBundle } from '../../src/monero/wallet/proofs/reserve-bundle.js';
import { formatReserveProof } from '../../src/monero/wallet/proofs/reserve-proof-text.js';
import { readReserveBundle } from '../../src/rpc/wire/reserve-bundle.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { RunningDaemon } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { MAIN, startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/*
 * Bundles of a wallet with rewards in account 0 and payments in account 1: the reference checks their proofs, and the command
 * verifies their files with and without a node. The tests run in their order, and change the chain.
 */

const XMR = 1_000_000_000_000;
const MESSAGE = 'audit, ünïcode';
const SETUP_MS = 300_000;

let daemon: RunningDaemon;
let ours: WalletRpc;
let theirs: WalletRpc;
let directory: string;
let primary: string;
/** Addresses 1/0 and 1/1. */
let received: readonly string[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reserve-'));
  daemon = await startRegtestDaemon();
  [ours, theirs] = await Promise.all([
    startWalletRpc({ daemon: daemon.address }),
    startReference({ daemon: daemon.address }),
  ]);
  await createWallet(ours, 'ours');
  await createWallet(theirs, 'theirs');
  ({ address: primary } = await ours.rpc('get_address'));
  const account = await ours.rpc('create_account');
  expect(account.account_index).toBe(1);
  const { address: second } = await ours.rpc('create_address', { account_index: 1 });
  received = [account.address, second];
  await daemon.generate(primary, 80);
  await ours.rpc('refresh');
  const destinations = received.map((address, i) => ({ address, amount: (i + 1) * XMR }));
  await ours.rpc('transfer', { destinations });
  await daemon.generate(primary, 1);
  await ours.rpc('refresh');
}, SETUP_MS);

afterAll(async () => {
  await Promise.all([ours?.stop(), theirs?.stop()]);
  await daemon?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Makes a bundle and writes it to a file. */
async function bundleOf(params: Loose): Promise<{ readonly bundle: Loose; readonly path: string }> {
  const { bundle } = await ours.rpc('get_reserve_bundle', { message: MESSAGE, ...params });
  const path = join(directory, `${JSON.stringify(params).replaceAll(/\W/g, '-')}.json`);
  writeFileSync(path, JSON.stringify(bundle));
  return { bundle, path };
}

const read = (bundle: Loose): ReserveBundle => readReserveBundle(JSON.stringify(bundle));

/** Runs the command in a process of its own. */
const verify = (...args: string[]): Promise<{ readonly code: number; readonly text: string }> =>
  new Promise((done) => {
    execFile(process.execPath, [MAIN, 'verify-reserve', ...args], (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), text: stdout + stderr });
    });
  });

const checkByReference = (message: string, signature: string): Promise<Loose> =>
  theirs.rpc('check_reserve_proof', { address: primary, message, signature });

const balanceOf = async (account: number): Promise<number> =>
  (await ours.rpc('get_balance', { account_index: account })).balance as number;

describe('a reserve bundle of a regtest wallet', () => {
  it.each([0, 1])('of account %i has a reserve proof that the reference accepts', async (account) => {
    const { bundle } = await bundleOf({ accounts: [account] });
    const total = await balanceOf(account);
    expect(await checkByReference(MESSAGE, bundle.reserve_proof)).toEqual({ good: true, spent: 0, total });
    expect(await checkByReference('another text', bundle.reserve_proof)).toMatchObject({ good: false });
    expect(bundle.total).toBe(String(total));
  });

  it('of several accounts has a proof of each, which the reference accepts over its statement', async () => {
    const { bundle } = await bundleOf({});
    expect(bundle.accounts.map(({ account_index }: Loose) => account_index)).toEqual([0, 1]);
    expect(bundle).not.toHaveProperty('reserve_proof');
    const parsed = read(bundle);
    for (const { account, outputs, addresses } of parsed.accounts) {
      const spendKeys = addresses.map(
        ({ address: { spendPublicKey: publicKey }, spendSignature: signature }) => ({
          publicKey,
          signature,
        }),
      );
      const proof = formatReserveProof({ entries: outputs, spendKeys });
      expect(await checkByReference(bundleStatement(parsed), proof)).toEqual({
        ...{ good: true, spent: 0, total: await balanceOf(account) },
      });
    }
  });

  it('has the addresses that were paid', async () => {
    const { bundle } = await bundleOf({ accounts: [1] });
    const [account] = bundle.accounts as Loose[];
    expect(account?.addresses.map(({ address }: Loose) => address).sort()).toEqual(
      [primary, ...received].sort(),
    );
    expect(account).toMatchObject({ total: String(3 * XMR), unlocked: '0', locked: String(3 * XMR) });
  });

  it('is refused with the codes of get_reserve_proof', async () => {
    const errorOf = async (params: Loose) =>
      (await ours.call('get_reserve_bundle', { message: '', ...params })).error;
    expect(await errorOf({ accounts: [9] })).toMatchObject({
      ...{ code: -1, message: 'account index is out of bound' },
    });
    expect(await errorOf({ height: 1_000_000 })).toMatchObject({
      code: -1,
      message: expect.stringContaining('the newest block of the wallet is 81'),
    });
    expect(await errorOf({ height: 0 })).toMatchObject({ code: -1, message: 'Zero balance' });
  });
});

describe('wallet-rpc verify-reserve', () => {
  let path: string;
  let total: string;

  it('proves a file alone, and with a node that nothing is spent', async () => {
    const made = await bundleOf({});
    path = made.path;
    total = made.bundle.total as string;
    const offline = await verify(path);
    expect(offline).toMatchObject({ code: 0, text: expect.stringContaining('Not known without the chain') });
    const online = await verify(path, '--daemon-address', daemon.address);
    expect(online).toMatchObject({ code: 0, text: expect.stringContaining('none of the outputs is spent') });
    expect(online.text).not.toContain('Not known');
  });

  it('fails for a file in which an amount is changed', async () => {
    const { bundle } = await bundleOf({});
    const changed = join(directory, 'changed.json');
    writeFileSync(changed, JSON.stringify({ ...bundle, total: `1${total}` }));
    expect(await verify(changed)).toMatchObject({
      code: 1,
      text: expect.stringContaining('is not proven'),
    });
  });

  it('says what is spent by now, with exit code 2, in the mempool and in a block', async () => {
    await ours.rpc('sweep_all', { address: received[0], account_index: 0, priority: 1 });
    const pooled = await verify(path, '--daemon-address', daemon.address);
    expect(pooled).toMatchObject({ code: 2, text: expect.stringContaining('being spent in the mempool: ') });
    await daemon.generate(primary, 1);
    const mined = await verify(path, '--daemon-address', daemon.address);
    expect(mined).toMatchObject({ code: 2, text: expect.stringContaining('spent by now: ') });
  });

  it('proves at an earlier height what was spent since', async () => {
    await ours.rpc('refresh');
    const { bundle, path: earlier } = await bundleOf({ height: 81 });
    expect(bundle.total).toBe(total);
    expect((await verify(earlier, '--daemon-address', daemon.address)).code).toBe(2);
    const { path: now } = await bundleOf({ accounts: [0] });
    expect((await verify(now, '--daemon-address', daemon.address)).code).toBe(0);
  });

  it('fails with exit code 1 once a reorganisation has replaced its blocks', async () => {
    await daemon.popBlocks(3);
    const missing = await verify(path, '--daemon-address', daemon.address);
    expect(missing).toMatchObject({ code: 1, text: expect.stringContaining('lacks block 81') });
    await daemon.generate((await theirs.rpc('get_address')).address as string, 4);
    const replaced = await verify(path, '--daemon-address', daemon.address);
    expect(replaced).toMatchObject({ code: 1, text: expect.stringContaining('block 81 of the chain is') });
    expect(replaced.text).not.toContain('Proven');
  });
});
