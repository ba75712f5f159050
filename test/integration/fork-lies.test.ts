import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpDaemon } from '../../src/daemon/http-daemon.js';
import { parseBlock } from '../../src/monero/cryptonote/block.js';
import { workInput } from '../../src/monero/cryptonote/proof-of-work.js';
import { CARROT_ONLY_FORK, FORK_RULES } from '../../src/monero/fork-rules.js';
import { formatCheckpoint } from '../../src/services/work/checkpoint-file.js';
import { readCheckpoint } from '../../src/services/work/read-checkpoint.js';
import { toHex } from '../../src/util/bytes.js';
import { systemClock, unixSeconds } from '../../src/util/clock.js';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { booksOf, difference, poolOf, without, type Books } from '../support/wallets/wallet-books.js';

/*
 * A daemon that lies after the fork, about payments in the new form. A wallet that stands some blocks below the tip
 * refreshes while the daemon lies, and again when the lie has ended; lying-daemon.test.ts tells lies about the old form.
 */

const XMR = 1_000_000_000_000;
const DIFFICULTY = 8;
/** Heights of the first blocks of version 17 and of version 18: the wallet is paid after both. */
const FORK = '4,6';
const MINER =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';

const SSL = { mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: true } as const;
const ARGS = ['--refresh-period=0', '--trusted-daemon', `--fork-rules=${FORK_RULES}`];

let daemon: Monerod;
let server: WalletRpc;
let address: string;
/** Key image of an output of the wallet. */
let unspent: string;
/** Height of the block with a payment to the wallet. */
let paid: number;
/** Books that an honest daemon gives, by height; at the tip without and with the payment in the pool. */
const honest = new Map<number, Books[]>();
let honestPool: Loose[];

/** Sets the lies of the daemon. */
async function lie(what: string, about: object = {}): Promise<void> {
  expect(await daemon.plain('/misbehave', { what, ...about })).toMatchObject({ status: 'OK' });
  // The server keeps pages of blocks for seconds; those of a daemon that is set anew are dropped.
  await server.rpc('set_daemon', { address: daemon.address, trusted: true, ssl_support: 'disabled' });
}

/** Opens a copy of the wallet as it was below the newest blocks. */
async function copyBase(name: string, { walletDir, port } = server): Promise<WalletCalls> {
  for (const end of ['', '.keys'])
    copyFileSync(join(server.walletDir, `base${end}`), join(walletDir, `${name}${end}`));
  const wallet = walletCalls(port, name);
  await wallet.rpc('open_wallet', { password: '' });
  return wallet;
}

const pay = (amount: number): Promise<Loose> =>
  daemon.rpc('pay_carrot', { destinations: [{ address, amount }] });

beforeAll(async () => {
  daemon = await startRegtestDaemon([
    '--misbehave=none',
    `--fixed-difficulty=${DIFFICULTY}`,
    `--fork-height=${FORK}`,
  ]);
  server = await startWalletRpc({ daemon: daemon.address, args: ARGS });
  const base = walletCalls(server.port, 'base');
  await createWallet(base);
  address = (await base.rpc('get_address')).address as string;
  await daemon.generate(MINER, 10);
  await pay(3 * XMR);
  await daemon.generate(MINER, 11);
  await base.rpc('refresh');
  const { transfers } = await base.rpc('incoming_transfers', { transfer_type: 'all' });
  unspent = (transfers as Loose[])[0]?.key_image as string;
  await base.rpc('close_wallet');
  const see = async (): Promise<void> => {
    const twin = await copyBase(`twin ${[...honest.values()].flat().length}`);
    await twin.rpc('refresh');
    const books = await booksOf(twin);
    honest.set(books.height, [...(honest.get(books.height) ?? []), books]);
    honestPool = await poolOf(twin);
    await twin.rpc('close_wallet');
  };
  await see();
  await pay(1 * XMR);
  await pay(2 * XMR);
  for (const to of [MINER, address, MINER]) {
    await daemon.generate(to, 1);
    await see();
  }
  paid = Number(((await daemon.rpc('get_block_count')) as Loose).count) - 3;
  await pay(XMR / 2);
  await see();
  expect(honest.size).toBe(4);
  expect(honestPool).toHaveLength(1);
}, 60_000);

afterEach(() => lie(''));
afterAll(async () => {
  await server?.stop();
  await daemon?.stop();
});

const tip = (): Books => [...honest.values()].at(-1)?.at(-1) as Books;

/** Returns how books differ from those of an honest daemon at their height. */
function dishonesty(books: Books): string | undefined {
  const differences = (honest.get(books.height) ?? []).map((one) => difference(books, one));
  if (differences.length === 0) return `no honest chain has ${books.height} blocks`;
  return differences.includes(undefined) ? undefined : differences.at(-1);
}

/** Returns what a lie is about: an output that is spent, or a payment to the wallet and its block. */
const subjectOf = (what: string): object => {
  if (/spend|added-key-image/.test(what)) return { key_images: [unspent] };
  return { address, amount: 9 * XMR, ...(what.startsWith('forged') ? {} : { at_height: paid }) };
};

let opened = 0;

/** Lets a wallet refresh while the daemon lies, and again. @returns what the wallet took from the lie; undefined: nothing. */
async function believed(what: string): Promise<string | undefined> {
  const wallet = await copyBase(`victim ${++opened}`);
  try {
    await lie(what, subjectOf(what));
    await wallet.call('refresh');
    const books = await booksOf(wallet);
    await lie('');
    await wallet.rpc('refresh');
    return (
      dishonesty(books) ??
      difference(await booksOf(wallet), tip()) ??
      difference(await poolOf(wallet), honestPool)
    );
  } finally {
    await wallet.rpc('close_wallet');
  }
}

describe('after the fork, nothing is credited, lost or freed by a refresh with', () => {
  it('no lie', async () => {
    expect(await believed('')).toBeUndefined();
  });

  it.each([
    'swapped-payment=1',
    'swapped-payment=1,no-prunable-hash=1',
    'swapped-listed-payment=1',
    'first-version-payment=1',
    'added-payment=1',
    'left-out-payment=1',
    'raised-amount=41',
    'raised-amount=41,no-prunable-hash=1',
    'changed-amount=41',
    'changed-amount=41,no-prunable-hash=1',
    'changed-commitment=1',
    'changed-commitment=1,no-prunable-hash=1',
    'changed-output-key=1',
    'changed-payment-id=1',
    'changed-payment-id=1,no-prunable-hash=1',
    'changed-key-image=1',
    'added-key-image=1',
    'added-key-image=1,no-prunable-hash=1',
    'removed-key-image=1',
    'raised-reward=10',
    'early-reward=1',
    'swapped-pool-payment=1',
    'swapped-transaction=1',
    'hidden-pool=1',
  ])('%s', async (what) => {
    expect(await believed(what)).toBeUndefined();
  });
});

describe('after the fork, a wallet believes', () => {
  it.each([...['forged-blocks=5', 'forged-fork=5', 'forged-reward=9', 'forged-spend=1']])(
    'a block that only its work tells from an honest one: %s',
    async (what) => {
      expect(await believed(what)).toBeDefined();
    },
  );

  it('a page without the hashes of removed parts that hides a payment, by another output key', async () => {
    expect(await believed('changed-output-key=1,no-prunable-hash=1')).toBeDefined();
  });
});

describe('after the fork, the pool of a lying daemon', () => {
  /** Lets a wallet refresh while the daemon lies about its pool. @returns the books while it lies, and afterwards. */
  async function counted(
    what: string,
    remedy: (wallet: WalletCalls) => Promise<unknown> = async () => undefined,
  ): Promise<{ readonly lied: Books; readonly after: Books }> {
    const wallet = await copyBase(`victim ${++opened}`);
    try {
      await lie(what, subjectOf(what));
      await wallet.call('refresh');
      const lied = await booksOf(wallet);
      await lie('');
      await wallet.rpc('refresh');
      await remedy(wallet);
      return { lied, after: await booksOf(wallet) };
    } finally {
      await wallet.rpc('close_wallet');
    }
  }

  it('has a payment that counts as seen, unlocks nothing, and is gone with the lie', async () => {
    const { lied, after } = await counted('forged-pool-payment=1');
    expect(difference(lied.transfers, tip().transfers)).toBeUndefined();
    expect(lied.balance.balance).toBe(tip().balance.balance + 9 * XMR);
    expect(lied.balance.unlocked_balance).toBe(tip().balance.unlocked_balance);
    expect(difference(without(after, 'events'), without(tip(), 'events'))).toBeUndefined();
  });

  // Spends of the old form are proven by their ring signatures; a membership proof would have to be verified.
  it('has a spend of the new form that counts, and is undone by rescan_spent once the lie has ended', async () => {
    const { lied, after } = await counted('forged-pool-spend=1', (wallet) => wallet.rpc('rescan_spent'));
    expect(lied.balance.balance).toBe(tip().balance.balance - 3 * XMR);
    expect(difference(after.balance, tip().balance)).toBeUndefined();
    expect(difference(after.outputs, tip().outputs)).toBeUndefined();
  });
});

/** Starts a server with --verify-work, for which the honest blocks alone have work, as in verify-work.test.ts. */
async function startVerifying(walletDir: string): Promise<WalletRpc> {
  const client = new HttpDaemon({ address: daemon.address, ssl: SSL });
  const { network, checkpoint } = await readCheckpoint(client, {
    ...{ height: 0, fixedDifficulty: BigInt(DIFFICULTY), now: unixSeconds(systemClock) },
    rules: FORK_RULES,
  });
  const files = ['checkpoint.json', 'blocks-with-work'].map((name) => join(walletDir, name));
  const [checkpointFile = '', list = ''] = files;
  writeFileSync(checkpointFile, formatCheckpoint({ network, checkpoint }));
  const { height } = await client.getInfo();
  const inputs: string[] = [];
  for (let at = 1; at < height; at++)
    inputs.push(`${toHex(workInput(parseBlock((await client.getBlock(at)).blob), CARROT_ONLY_FORK))}\n`);
  writeFileSync(list, inputs.join(''));
  const preload = new URL('../support/processes/work-preload.js', import.meta.url);
  return startWalletRpc({
    ...{ daemon: daemon.address, walletDir },
    args: [...ARGS, '--verify-work', '--verify-depth=6', `--checkpoint=${checkpointFile}`],
    nodeFlags: [`--import=${preload.href}?list=${encodeURIComponent(list)}`],
  });
}

describe('after the fork, --verify-work', () => {
  let directory: string;
  let verifying: WalletRpc;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'fork-lies-'));
    verifying = await startVerifying(directory);
  }, 60_000);
  afterAll(async () => {
    await verifying?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each(['forged-blocks=5', 'forged-fork=5', 'forged-reward=9', 'forged-spend=1'])(
    'refuses blocks of version 18 without work: %s',
    async (what) => {
      const outputsOf = ({ outputs: { transfers } }: Books): unknown[] =>
        (transfers as Loose[]).map(({ tx_hash: hash, amount, spent }) => ({ hash, amount, spent }));
      const misbehave = async (lies: string): Promise<void> => {
        await daemon.plain('/misbehave', { what: lies, ...subjectOf(lies) });
        await verifying.rpc('set_daemon', { address: daemon.address, trusted: true });
      };
      const wallet = await copyBase(`victim ${++opened}`, verifying);
      await misbehave(what);
      const { error } = await wallet.call('refresh');
      const told = await booksOf(wallet);
      await misbehave('');
      expect(error?.message).toMatch(
        /has not the (?:proof of work of its difficulty 8|work of its difficulty)$/,
      );
      expect([...honest].map(([height, [books]]) => [height, outputsOf(books as Books)])).toContainEqual([
        told.height,
        outputsOf(told),
      ]);
      await wallet.rpc('refresh');
      expect(outputsOf(await booksOf(wallet))).toEqual(outputsOf(tip()));
    },
  );
});
