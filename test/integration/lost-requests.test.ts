import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { walletCalls, type Loose } from '../support/network/json-rpc.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import type { Monerod } from '../support/processes/monerod.js';
import { MAIN, startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { describeAtNight, isNight, itAtNight, someRows } from '../support/jest/lanes.js';

/* A wallet that comes back without its latest payment requests gives their addresses to no new one. */

const GAP = 100;
const run = promisify(execFile);

let daemon: Monerod;
let server: WalletRpc;
let root: string;
let walletDir: string;
let copies = 0;

const args = (): string[] => [`--backup-dir=${join(root, 'backups')}`];
const start = async (directory = walletDir): Promise<void> => {
  server = await startWalletRpc({
    ...{ daemon: daemon.address, walletDir: directory, args: args() },
    // Tests at night kill it.
    ownProcess: isNight,
  });
};
const restart = async (signal?: NodeJS.Signals, between: () => void = () => undefined): Promise<void> => {
  await server.stop({ keep: true, ...(signal === undefined ? {} : { signal }) });
  between();
  await start();
};

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'lost-'));
  walletDir = join(root, 'wallets');
  writeFileSync(join(root, 'password'), '\n');
  daemon = await startRegtestDaemon();
  await start();
});

afterAll(async () => {
  await server?.stop({ keep: true });
  await daemon?.stop();
  rmSync(root, { recursive: true, force: true });
});

const at = (name: string) => walletCalls(server.port, name);
const open = (name: string) => at(name).rpc('open_wallet', { password: '' });
const request = async (name: string, more: object = {}): Promise<Loose> =>
  at(name).rpc('create_payment_request', { amount: 5_000_000, ...more });
const indexOf = ({ subaddr_index: { minor } }: Loose): number => minor as number;
const linesOf = (text: string): string[] =>
  server.process
    .output()
    .split('\n')
    .filter((line) => line.includes(text));

/** Makes a wallet with requests. @returns addresses of them. */
async function shop(name: string, requests: number): Promise<string[]> {
  await createWallet(at(name));
  const made: string[] = [];
  for (let i = 0; i < requests; i++) made.push((await request(name)).address as string);
  return made;
}

describeAtNight('after a restore from the seed', () => {
  it('a new request gets the address of no lost one, and the answer and the log say so, once in each account', async () => {
    const lost = await shop('origin', 20);
    const account = (await at('origin').rpc('create_account')).account_index as number;
    lost.push((await request('origin', { account_index: account })).address as string);
    const { key: seed } = await at('origin').rpc('query_key', { key_type: 'mnemonic' });
    await at('again').rpc('restore_deterministic_wallet', { password: '', seed });
    const first = await request('again');
    expect([indexOf(first), first.skipped_addresses]).toEqual([1 + GAP, GAP]);
    const second = await request('again');
    expect([indexOf(second), 'skipped_addresses' in second]).toEqual([2 + GAP, false]);
    await at('again').rpc('create_account');
    const other = await request('again', { account_index: account });
    expect([indexOf(other), other.skipped_addresses]).toEqual([1 + GAP, GAP]);
    for (const { address } of [first, second, other]) expect(lost).not.toContain(address);
    expect(linesOf('addresses were left out before new ones')).toHaveLength(2);
  });

  itAtNight('addresses and accounts of the reference follow each other, as there', async () => {
    const { key: seed } = await at('origin').rpc('query_key', { key_type: 'mnemonic' });
    const reference = await startReference({ daemon: daemon.address });
    try {
      await reference.rpc('restore_deterministic_wallet', { filename: 't', password: '', seed });
      await at('twin').rpc('restore_deterministic_wallet', { password: '', seed });
      for (const [method, params] of [
        ['create_address', { account_index: 0 }],
        ['create_account', {}],
        ['create_address', { account_index: 1, count: 2 }],
      ] as const)
        expect(await at('twin').rpc(method, params)).toEqual(await reference.rpc(method, params));
    } finally {
      await reference.stop();
    }
    expect((await request('twin')).skipped_addresses).toBe(GAP);
  });

  it('the gap begins behind the last payment, which is found before', async () => {
    await createWallet(at('customer'));
    const { address: customer } = await at('customer').rpc('get_address');
    await daemon.generate(customer as string, 75);
    const requests = await shop('paid', 8);
    await at('customer').rpc('refresh');
    const destinations = [{ amount: 5_000_000, address: requests[6] }];
    await at('customer').rpc('transfer', { destinations });
    await daemon.generate(customer as string, 1);
    const { key: seed } = await at('paid').rpc('query_key', { key_type: 'mnemonic' });
    await at('paid again').rpc('restore_deterministic_wallet', { password: '', seed });
    expect(indexOf(await request('paid again'))).toBe(8 + GAP);
  });
});

describe('a wallet whose process ended in any way', () => {
  itAtNight('leaves no gap', async () => {
    await shop('steady', 1);
    await restart();
    await open('steady');
    expect(indexOf(await request('steady'))).toBe(2);
    await restart('SIGKILL');
    await open('steady');
    const next = await request('steady');
    expect([indexOf(next), 'skipped_addresses' in next]).toEqual([3, false]);
    expect((await at('steady').rpc('create_address')).address_index).toBe(4);
  });
});

describe('an older copy of a wallet', () => {
  const lose: (readonly [how: string, lose: (name: string) => Promise<string>])[] = [
    [
      'restored from a backup',
      async (name) => {
        const { directory } = await at(name).rpc('backup_wallet');
        await request(name);
        const copy = `${name} restored`;
        const command = ['restore', directory as string, `--wallet-dir=${walletDir}`, `--name=${copy}`];
        await run(process.execPath, [MAIN, ...command, `--password-file=${join(root, 'password')}`]);
        return copy;
      },
    ],
    [
      'of a backup that was copied over it',
      async (name) => {
        const { directory } = await at(name).rpc('backup_wallet');
        await request(name);
        await restart(undefined, () => cpSync(directory as string, walletDir, { recursive: true }));
        return name;
      },
    ],
    [
      'of its files that were copied over it',
      async (name) => {
        copies += 1;
        const kept = join(root, `kept ${copies}`);
        await restart(undefined, () => {
          for (const file of [name, `${name}.keys`]) cpSync(join(walletDir, file), join(kept, file));
        });
        await open(name);
        await request(name);
        await restart('SIGKILL', () => {
          for (const end of ['-wal', '-shm']) rmSync(join(walletDir, name + end), { force: true });
          cpSync(kept, walletDir, { recursive: true });
        });
        return name;
      },
    ],
    [
      'in a copy of the whole directory',
      async (name) => {
        copies += 1;
        const kept = join(root, `kept ${copies}`);
        await restart(undefined, () =>
          cpSync(walletDir, kept, { recursive: true, preserveTimestamps: true }),
        );
        await open(name);
        await request(name);
        await restart(undefined, () => {
          rmSync(walletDir, { recursive: true });
          cpSync(kept, walletDir, { recursive: true, preserveTimestamps: true });
        });
        return name;
      },
    ],
  ];

  it.each(someRows(lose))(
    '%s leaves a gap before new requests, addresses and accounts',
    async (how, losing) => {
      const name = `shop ${lose.findIndex(([other]) => other === how)}`;
      await shop(name, 2);
      const copy = await losing(name);
      await open(copy);
      const next = await request(copy);
      expect([indexOf(next), next.skipped_addresses]).toEqual([3 + GAP, GAP]);
      const account = await at(copy).rpc('create_account');
      expect([account.account_index, account.skipped_accounts]).toEqual([11, 10]);
      const address = await at(copy).rpc('create_address', { account_index: 4 });
      expect([address.address_index, address.skipped_addresses]).toEqual([1 + GAP, GAP]);
      expect(linesOf('the store was not written last at its place').length).toBeGreaterThan(0);
      await restart();
      await open(copy);
      expect(indexOf(await request(copy))).toBe(4 + GAP);
    },
  );
});
