import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import { until } from '../support/fakes/until.js';
import { moneyOf, startCrowd, type Crowd } from '../support/wallets/wallet-crowd.js';
import { MAIN, startWalletRpc } from '../support/processes/wallet-rpc.js';
import { isNight, itAtNight, someRows } from '../support/jest/lanes.js';

/* backup_wallet of a wallet that pays, and the commands backup, verify and restore. */

const NAME = 'shop';
const PASSWORD = 'secret of the shop';
const run = promisify(execFile);

let backupDir: string;
let passwordFile: string;
let crowd: Crowd;

/** Runs a command of our program. @throws Error with its exit code and output. */
const command = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, [MAIN, ...args, `--password-file=${passwordFile}`])).stdout;

beforeAll(async () => {
  backupDir = mkdtempSync(join(tmpdir(), 'backups-'));
  passwordFile = join(backupDir, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  crowd = await startCrowd([NAME, 'customer'], {
    passwordOf: () => PASSWORD,
    args: [`--backup-dir=${join(backupDir, 'all')}`],
  });
  // Outputs left over for rings.
  await crowd.mine(20);
  await crowd.at(NAME).rpc('refresh');
});

afterAll(async () => {
  await crowd?.stop();
  rmSync(backupDir, { recursive: true, force: true });
});

/** Backups that are made while payments are made. */
const BACKUPS = isNight ? 3 : 1;

describe('a backup', () => {
  itAtNight(
    'made while payments are made is intact each time, and knows each payment made before',
    async () => {
      const { rpc } = crowd.at(NAME);
      const made: string[] = [];
      let paying = true;
      const payments = (async () => {
        while (paying && made.length < 6) {
          const destinations = [{ amount: 1_000_000, address: crowd.address('customer') }];
          made.push(((await rpc('transfer', { destinations })) as Loose).tx_hash as string);
        }
      })();
      const backups: { directory: string; known: number }[] = [];
      try {
        while (backups.length < BACKUPS) {
          const known = made.length;
          const { directory } = (await rpc('backup_wallet')) as Loose;
          backups.push({ directory: directory as string, known });
          await until('another payment', () => made.length > known || made.length >= 6);
        }
      } finally {
        paying = false;
        await payments;
      }
      expect(made.length).toBeGreaterThan(0);
      for (const [i, { directory, known }] of backups.entries()) {
        expect(await command('verify', directory)).toMatch(
          /^shop: intact wallet of mainnet, height \d+, \d+ bytes\n$/,
        );
        const name = `copy ${i}`;
        const said = await command(
          'restore',
          directory,
          `--wallet-dir=${crowd.server.walletDir}`,
          `--name=${name}`,
        );
        expect(said).toContain('a repeated idempotency key would pay again');
        await crowd.at(name).rpc('open_wallet', { password: PASSWORD });
        const { pending = [] } = (await crowd.at(name).rpc('get_transfers', { pending: true })) as Loose;
        const txids = (pending as Loose[]).map(({ txid }) => txid);
        expect(txids).toEqual(expect.arrayContaining(made.slice(0, known)));
        // The copy signs with the same keys.
        const { signature } = (await crowd.at(name).rpc('sign', { data: 'copy' })) as Loose;
        const verified = await rpc('verify', { data: 'copy', address: crowd.address(NAME), signature });
        expect((verified as Loose).good).toBe(true);
      }
      await crowd.mine(1);
      const money = await moneyOf(crowd.at(NAME));
      for (const i of backups.keys()) {
        expect(await moneyOf(crowd.at(`copy ${i}`))).toEqual(money);
        await crowd.at(`copy ${i}`).rpc('close_wallet');
      }
    },
  );

  it('of a wallet that a server has open is also made by the command', async () => {
    const directory = (
      await command(
        'backup',
        NAME,
        `--wallet-dir=${crowd.server.walletDir}`,
        `--backup-dir=${join(backupDir, 'other')}`,
      )
    ).trim();
    expect(readdirSync(directory).sort()).toEqual([NAME, `${NAME}.keys`]);
    expect(await command('verify', directory)).toContain('intact');
  });

  it('is no wallet of the directory, and is never written over one', async () => {
    const { directory } = (await crowd.at(NAME).rpc('backup_wallet')) as Loose;
    const restored = command('restore', directory as string, `--wallet-dir=${crowd.server.walletDir}`);
    await expect(restored).rejects.toMatchObject({ code: 1 });
    const { wallets } = await crowd.at(NAME).rpc('list_wallets');
    expect((wallets as Loose[]).filter(({ name }) => name === NAME)).toHaveLength(1);
  });

  it('is refused with a reason without --backup-dir', async () => {
    const server = await startWalletRpc({ daemon: crowd.daemon.address });
    try {
      await server.rpc('create_wallet', { filename: 'other', password: '', language: 'English' });
      const { error } = await server.call('backup_wallet');
      expect(error).toMatchObject({ code: -1 });
      expect(JSON.stringify(error)).toContain('--backup-dir');
    } finally {
      await server.stop();
    }
  });
});

describe('a command', () => {
  it.each(
    someRows([
      ['backup', (dir: string) => [`--wallet-dir=${dir}`, `--backup-dir=${backupDir}`]],
      ['export', (dir: string) => [`--wallet-dir=${dir}`, '--from=2020-01-01', '--to=2030-01-01']],
    ]),
  )('%s refuses the copy of a wallet in a cluster, which may be an old one', async (name, args) => {
    const walletDir = mkdtempSync(join(tmpdir(), 'copies-'));
    for (const file of [NAME, `${NAME}.keys`])
      copyFileSync(join(crowd.server.walletDir, file), join(walletDir, file));
    writeFileSync(join(walletDir, `${NAME}.cluster`), '{"epoch":"3"}');
    const ended = command(name, NAME, ...args(walletDir));
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        `the files of '${NAME}' are a copy, perhaps an old one, of a wallet in a cluster`,
      ),
    });
    rmSync(walletDir, { recursive: true });
  });

  itAtNight('migrate refuses the copy of a wallet in a cluster, beside others', async () => {
    const walletDir = mkdtempSync(join(tmpdir(), 'copies-'));
    for (const wallet of ['own', 'copy'])
      copyFileSync(join(crowd.server.walletDir, `${NAME}.keys`), join(walletDir, `${wallet}.keys`));
    writeFileSync(join(walletDir, 'copy.cluster'), '{"epoch":"3"}');
    await expect(command('migrate', `--check=${walletDir}`)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^copy: the files of 'copy' are a copy, perhaps an old one.*\nown: it has no cache of monero-wallet-rpc\n$/,
      ),
    });
    rmSync(walletDir, { recursive: true });
  });

  itAtNight(
    'restore refuses the name of a wallet in a cluster, and takes the mark of one that left',
    async () => {
      const { directory } = (await crowd.at(NAME).rpc('backup_wallet')) as Loose;
      const walletDir = mkdtempSync(join(tmpdir(), 'copies-'));
      const mark = join(walletDir, `${NAME}.cluster`);
      const restored = () => command('restore', directory as string, `--wallet-dir=${walletDir}`);
      writeFileSync(mark, '{"epoch":"3"}');
      await expect(restored()).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('of a wallet in a cluster'),
      });
      expect(readdirSync(walletDir).filter((name) => !name.endsWith('.lock'))).toEqual([`${NAME}.cluster`]);
      // The files of a wallet that left come back by their mark: an older state must not.
      writeFileSync(mark, '{"epoch":"","departure":"token"}');
      await restored();
      expect(existsSync(mark)).toBe(false);
      rmSync(walletDir, { recursive: true });
    },
  );

  itAtNight(
    'prints its help, and a reason with exit code 1 for a backup that is damaged or of another password',
    async () => {
      expect(await command('verify', '--help')).toContain('<directory>');
      const { directory } = (await crowd.at(NAME).rpc('backup_wallet')) as Loose;
      const wrong = join(backupDir, 'wrong');
      writeFileSync(wrong, 'other');
      const failed = run(process.execPath, [MAIN, 'verify', directory as string, `--password-file=${wrong}`]);
      await expect(failed).rejects.toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('password'),
      });
      writeFileSync(join(directory as string, NAME), 'damaged');
      await expect(command('verify', directory as string)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('damaged'),
      });
    },
  );
});
