import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import { start, stop, type RunningProcess } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { startCrowd, type Crowd } from '../support/wallets/wallet-crowd.js';
import { describeAtNight, itAtNight, someRows } from '../support/jest/lanes.js';

/* The programs of docs/examples, run as their comments say. */

const EXAMPLES = fileURLToPath(new URL('../../../docs/examples/', import.meta.url));
const run = promisify(execFile);
const SHOP = 'shop';
const CUSTOMER = 'a customer';
const PRICE = 1_000_000_000;

let crowd: Crowd;
let directory: string;

/** Environment of an example that acts on a wallet. The server wants no login, and ignores one. */
const envOf = (name: string): NodeJS.ProcessEnv => ({
  ...process.env,
  WALLET_RPC_URL: `http://127.0.0.1:${crowd.server.port}/wallet/${encodeURIComponent(name)}/json_rpc`,
  WALLET_RPC_LOGIN: 'user:password',
});

const pay = (invoice: string, address: string, amount = PRICE) =>
  run('sh', [join(EXAMPLES, 'pay.sh'), invoice, address, String(amount)], { env: envOf(CUSTOMER) });

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'examples-'));
  crowd = await startCrowd([SHOP, CUSTOMER], { args: ['--payout-interval=0', '--confirmations=1,10'] });
});

afterAll(async () => {
  await crowd?.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('wait-for-payment.py and pay.sh', () => {
  it('offer an address, pay it once however often, and see the payment', async () => {
    const shop = start(
      'python3',
      [join(EXAMPLES, 'wait-for-payment.py'), 'order 1', String(PRICE)],
      envOf(SHOP),
    );
    const address = await until('an address', () => /^8\w+$/m.exec(shop.output())?.[0]);
    const [first, second] = [await pay('invoice 1', address), await pay('invoice 1', address)];
    expect(first.stdout).toMatch(/^[0-9a-f]{64}\n$/);
    expect(second.stdout).toBe(first.stdout);
    const { pending } = (await crowd.at(CUSTOMER).rpc('get_transfers', { pending: true })) as Loose;
    expect((pending as Loose[]).map(({ txid }) => `${txid}\n`)).toEqual([first.stdout]);
    expect(shop.output()).not.toContain('is paid');
    await crowd.mine(1);
    await Promise.all([SHOP, CUSTOMER].map((name) => crowd.at(name).rpc('refresh')));
    expect(await shop.exited).toBe(0);
    expect(shop.output()).toContain('order 1 is paid');
  });

  itAtNight('report a refused payment', async () => {
    await expect(pay('invoice 2', 'no address')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"error"'),
    });
  });
});

for (const kind of ['py', 'ts', 'sh'])
  describeAtNight(`payment-request.${kind}`, () => {
    it('requests a payment, once however often it is run, and sees it paid', async () => {
      const order = `order in ${kind}`;
      const file = join(EXAMPLES, `payment-request.${kind}`);
      const startShop = () =>
        kind === 'ts'
          ? start(
              process.execPath,
              ['--disable-warning=ExperimentalWarning', file, SHOP, order, String(PRICE)],
              {
                ...process.env,
                WALLET_RPC_URL: `http://127.0.0.1:${crowd.server.port}`,
              },
            )
          : start(kind === 'py' ? 'python3' : 'sh', [file, order, String(PRICE)], envOf(SHOP));
      const addressIn = ({ output }: RunningProcess): string | undefined => /^8\w+$/m.exec(output())?.[0];
      const first = startShop();
      const address = await until('an address', () => addressIn(first));
      await stop(first);
      const second = startShop();
      expect(await until('the address again', () => addressIn(second))).toBe(address);
      const uri = `monero:${address}?tx_amount=0.001000000000&`;
      await until('the URI', () => (second.output().includes(uri) ? uri : undefined));
      await pay(`payment of ${order}`, address);
      await crowd.at(SHOP).rpc('refresh');
      await until(
        'the payment in the pool',
        () => / is seen|request\.seen/.exec(second.output()) ?? undefined,
      );
      expect(second.output()).not.toContain('is paid');
      await crowd.mine(1);
      await Promise.all([SHOP, CUSTOMER].map((name) => crowd.at(name).rpc('refresh')));
      expect(await second.exited).toBe(0);
      expect(second.output()).toContain(`${order} is paid`);
      const { metadata } = await crowd.at(SHOP).rpc('get_payment_request', { reference: order });
      expect(metadata).toEqual({ basket: ['book', 'pen'] });
    });
  });

describe('scan-block.ts', () => {
  it('derives addresses, finds the payments of a block, and verifies a proof, without a server', async () => {
    const { stdout, stderr } = await run(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      join(EXAMPLES, 'scan-block.ts'),
    ]);
    const { primaryAddress, proof } = JSON.parse(readFileSync(join(EXAMPLES, 'paid-block.json'), 'utf8'));
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      `wallet ${primaryAddress}`,
      expect.stringMatching(
        new RegExp(
          `^received 1\\.500000000000 XMR at ${primaryAddress} in \\w{64}, payment id 1234567890abcdef$`,
        ),
      ),
      `received 0.250000000000 XMR at ${proof.address} in ${proof.transaction}, payment id ${'0'.repeat(16)}`,
      'proven: 0.250000000000 XMR for "order 17"',
      '',
    ]);
  });
});

describe('follow.ts', () => {
  itAtNight('prints each payment once, also after a restart of itself', async () => {
    const cursor = join(directory, 'cursor.txt');
    const follow = () =>
      start(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', join(EXAMPLES, 'follow.ts'), SHOP, cursor],
        {
          ...process.env,
          WALLET_RPC_URL: `http://127.0.0.1:${crowd.server.port}`,
        },
      );
    const payShop = async (invoice: string): Promise<string> => {
      const { stdout } = await pay(invoice, crowd.address(SHOP));
      await crowd.mine(1);
      await Promise.all([SHOP, CUSTOMER].map((name) => crowd.at(name).rpc('refresh')));
      return stdout.trim();
    };
    const first = follow();
    const one = await payShop('invoice 3');
    await until(
      'the first payment',
      () =>
        first.output().includes(`payment.mined ${PRICE} to ${crowd.address(SHOP)} in ${one}`) || undefined,
    );
    await until('the cursor', () => Number(readFileSync(cursor, 'utf8')) > 0 || undefined);
    await stop(first);
    const two = await payShop('invoice 4');
    const second = follow();
    await until(
      'the second payment',
      () =>
        second.output().includes(`payment.mined ${PRICE} to ${crowd.address(SHOP)} in ${two}`) || undefined,
    );
    await stop(second);
    expect(second.output()).not.toContain(`payment.mined ${PRICE} to ${crowd.address(SHOP)} in ${one}`);
  });
});

/** Books that the programs exchange.ts and exchange.py keep. */
interface Books {
  readonly deposits: Readonly<Record<string, string | number>>;
  readonly withdrawals: Readonly<Record<string, string>>;
}

for (const kind of someRows(['py', 'ts']))
  describe(`exchange.${kind}`, () => {
    it('credits a deposit and pays a withdrawal once, also after kills of itself', async () => {
      const books = join(directory, `books-${kind}.json`);
      const orders = join(directory, `withdrawals-${kind}.jsonl`);
      const file = join(EXAMPLES, `exchange.${kind}`);
      const startExchange = () =>
        kind === 'py'
          ? start('python3', [file, books, orders], envOf(SHOP))
          : start(process.execPath, ['--disable-warning=ExperimentalWarning', file, SHOP, books, orders], {
              ...process.env,
              WALLET_RPC_URL: `http://127.0.0.1:${crowd.server.port}`,
            });
      const read = (): Books =>
        existsSync(books)
          ? (JSON.parse(readFileSync(books, 'utf8')) as Books)
          : { deposits: {}, withdrawals: {} };
      const ask = (payout_id: string, address: string): void =>
        appendFileSync(
          orders,
          `${JSON.stringify({ payout_id, address, amount: kind === 'py' ? PRICE : String(PRICE) })}\n`,
        );
      const untilState = (id: string, state: string) =>
        until(`${id} ${state}`, () => (read().withdrawals[id] === state ? true : undefined));
      const refresh = () => Promise.all([SHOP, CUSTOMER].map((name) => crowd.at(name).rpc('refresh')));
      const [first, second, wrong] = ['first', 'second', 'wrong'].map((name) => `${name} in ${kind}`) as [
        string,
        string,
        string,
      ];
      const deposit = (await crowd.at(SHOP).rpc('create_address')).address as string;
      const payee = (await crowd.at(CUSTOMER).rpc('create_address')) as Loose;

      await crowd.at(SHOP).rpc('pause_payouts', { reason: 'test' });
      ask(first, payee.address);
      ask(wrong, 'no address');
      const running = startExchange();
      await untilState(first, 'queued');
      expect(read().withdrawals[wrong]).toBe('refused: Invalid address');
      await pay(`deposit in ${kind}`, deposit);
      await crowd.mine(10);
      await refresh();
      const credited = () => Object.entries(read().deposits).filter(([key]) => key.endsWith(deposit));
      await until('the deposit', () => (credited().length > 0 ? true : undefined));
      running.child.kill('SIGKILL');
      await running.exited;

      // The books are lost, too: everything follows from the wallet again.
      rmSync(books);
      ask(second, payee.address);
      await crowd.at(SHOP).rpc('resume_payouts');
      const again = startExchange();
      await untilState(second, 'sent');
      await untilState(first, 'sent');
      await crowd.mine(10);
      await refresh();
      await untilState(first, 'confirmed');
      await untilState(second, 'confirmed');
      await until('the deposit', () => (credited().length > 0 ? true : undefined));
      await stop(again);
      expect(credited().map(([, amount]) => Number(amount))).toEqual([PRICE]);
      const { in: received } = await crowd.at(CUSTOMER).rpc('get_transfers', {
        in: true,
        subaddr_indices: [payee.address_index],
      });
      expect((received as Loose[]).map(({ amount }) => amount)).toEqual([PRICE, PRICE]);
    });
  });
