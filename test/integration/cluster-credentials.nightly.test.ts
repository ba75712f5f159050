import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CredentialFile } from '../support/processes/credential-file.js';
import { ALL, bodyOf } from '../support/processes/credential-server.js';
import { bearer, walletPath, type Loose, type Reply } from '../support/network/json-rpc.js';
import { newDatabase, startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import {
  PASSWORD,
  startWalletCluster,
  type ClusterMember,
  type WalletCluster,
} from '../support/processes/wallet-cluster.js';

/* Credentials with limits, in the process that holds the wallet and in another one that passes calls on. */

const COIN = 1_000_000_000_000;
const DENIED = -60;
const LIMIT = -61;
const LEASE_MS = 5000;
/** Addresses of no wallet of the cluster. */
const PAYEE =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const STRANGER =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';

let postgres: PostgresCluster;
let folder: string;
let credentials: CredentialFile;
let auditFile: string;
let cluster: WalletCluster;
let holder: ClusterMember;
let other: ClusterMember;

/** Everything of an answer but its time. */
interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** Makes a call under a credential, through one process. */
async function as(
  name: string,
  { port }: ClusterMember,
  method: string,
  params: object = {},
  path = walletPath('shop'),
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(credentials.tokens[name]) },
    body: JSON.stringify(bodyOf(method, params)),
  });
  return {
    status: response.status,
    headers: [...response.headers].filter(([header]) => header !== 'date'),
    text: await response.text(),
  };
}

const replyOf = ({ text }: Answer): Reply => JSON.parse(text) as Reply;

/** Makes a call through each process. @returns the answer, which must be the same, but for fees, which are random. */
async function fromEither(name: string, method: string, params: object = {}, path?: string): Promise<Answer> {
  const withoutFee = (answer: Answer): Answer => ({
    ...answer,
    text: answer.text.replace(/(\d\.\d)\d{11} needed/, '$1 needed'),
  });
  const direct = withoutFee(await as(name, holder, method, params, path));
  expect(withoutFee(await as(name, other, method, params, path))).toEqual(direct);
  return direct;
}

const pay = (coins: number, more: object = {}) => ({
  destinations: [{ amount: Math.round(coins * COIN), address: PAYEE }],
  ...more,
});

/** Makes a call that must succeed. */
async function ask(name: string, member: ClusterMember, method: string, params: object = {}): Promise<Loose> {
  const answer = await as(name, member, method, params);
  const { result } = replyOf(answer);
  if (result === undefined) throw new Error(`${method}: ${answer.text}`);
  return result;
}

beforeAll(async () => {
  postgres = await startPostgres();
  folder = mkdtempSync(join(tmpdir(), 'cluster-credentials-'));
  credentials = new CredentialFile(join(folder, 'credentials.json'));
  auditFile = join(folder, 'audit.log');
  const { add } = credentials;
  await add('root', { wallet: '*', method: ALL });
  await add('payer', { wallet: 'shop', method: ['view', 'spend'], 'spend-day': String(2.5 * COIN) });
  await add('small', { wallet: 'shop', method: ['view', 'spend'], 'spend-transaction': String(COIN) });
  await add('narrow', { wallet: 'shop', method: 'spend', address: PAYEE });
  await add('clerk', { wallet: 'shop', method: 'view' });
  await add('hasty', { wallet: 'shop', method: 'view', rate: '3/3600' });
  await add('stranger', { wallet: 'mine*', method: ALL });
  cluster = await startWalletCluster({
    ...{ postgres, database: await newDatabase(postgres, 'credentials'), wallets: ['shop'], members: 2 },
    ...{ leaseMs: LEASE_MS, token: credentials.tokens['root'] ?? '' },
    // Both processes append to one file.
    args: [`--credentials=${credentials.path}`, `--audit-log=${auditFile}`],
  });
  [holder, other] = cluster.members as [ClusterMember, ClusterMember];
  const { rpc } = holder.wallet('shop');
  await rpc('create_wallet', { password: PASSWORD, language: 'English' });
  await cluster.daemon.generate(String((await rpc('get_address')).address), 90);
  await rpc('refresh');
  expect((await cluster.held('shop')).name).toBe(holder.name);
});

afterAll(async () => {
  await cluster?.stop();
  await postgres?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

describe('the answer to a credential with limits', () => {
  it.each([
    ['a method that it may not call', 'clerk', 'transfer', {}, DENIED],
    ['a method that nobody knows', 'clerk', 'no_such_method', {}, -32601],
    ['a payment without destinations', 'payer', 'transfer', {}, -20],
    ['a wallet that it may see', 'clerk', 'get_balance', {}, undefined],
  ])('is that of the holder, whichever process is called: %s', async (_, name, method, params, code) => {
    expect(replyOf(await fromEither(name, method, params)).error?.code).toBe(code);
  });

  it('is that of the holder, whichever process is called: a payment beyond a limit of one transaction', async () => {
    expect(replyOf(await fromEither('small', 'transfer', pay(1.5))).error).toEqual({
      code: LIMIT,
      message: expect.stringMatching(/^credential small: spend\.transaction: 1\.5 needed/),
    });
  });

  it('is that of the holder, whichever process is called: a payment to an address that is not listed', async () => {
    const { address } = await ask('root', holder, 'create_address', { account_index: 0 });
    const { error } = replyOf(await fromEither('narrow', 'sweep_all', { address: STRANGER }));
    expect(error).toEqual({
      code: DENIED,
      message: `credential narrow: addresses: payments to ${STRANGER} are not allowed`,
    });
    // An address of the wallet itself is allowed.
    const own = { destinations: [{ amount: COIN, address }], do_not_relay: true };
    expect(replyOf(await as('narrow', other, 'transfer', own)).error).toBeUndefined();
  });

  it('counts against its rate once, whichever process is called', async () => {
    for (const member of [holder, other, other])
      expect((await as('hasty', member, 'get_height')).status).toBe(200);
    for (const member of [holder, other, other, holder]) {
      const { status, headers } = await as('hasty', member, 'get_height');
      expect([status, new Map(headers).get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    }
  });
});

describe('a wallet of which a credential may not know', () => {
  it.each(['get_balance', 'close_wallet', 'move_wallet', 'transfer', 'open_wallet'])(
    'is answered by either process as one that does not exist: %s',
    async (method) => {
      const params = method === 'open_wallet' ? { password: PASSWORD } : {};
      const known = await fromEither('stranger', method, params);
      const unknown = await fromEither('stranger', method, params, walletPath('mine-1'));
      const withoutName = ({ text }: Answer): string => text.replaceAll(/mine-1|shop/g, 'NAME');
      expect(replyOf(known).error).toBeDefined();
      expect([known.status, withoutName(known)]).toEqual([unknown.status, withoutName(unknown)]);
    },
  );

  it('is in no list of either process', async () => {
    expect(replyOf(await fromEither('stranger', 'list_wallets', {}, '/json_rpc')).result).toEqual({
      wallets: [],
    });
    for (const member of [holder, other])
      expect(replyOf(await as('clerk', member, 'list_wallets', {}, '/json_rpc')).result).toEqual({
        wallets: [expect.objectContaining({ name: 'shop', open: true, holder: holder.url })],
      });
  });

  it('has no event stream for it, at either process', async () => {
    const texts = await Promise.all(
      [holder, other].flatMap(({ port }) =>
        ['shop', 'mine-1'].map(async (name) => {
          const headers = bearer(credentials.tokens['stranger']);
          const response = await fetch(`http://127.0.0.1:${port}/wallet/${name}/events`, { headers });
          return `${response.status} ${(await response.text()).replaceAll(name, 'NAME')}`;
        }),
      ),
    );
    expect(texts[0]).toMatch(/^404 /);
    expect(new Set(texts).size).toBe(1);
  });
});

describe('the audit log', () => {
  const lines = (): Loose[] =>
    readFileSync(auditFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Loose);

  it('has one line for a call that is passed on, with its credential and client', async () => {
    const before = lines().length;
    await as('clerk', other, 'get_balance');
    await as('small', other, 'query_key', { key_type: 'mnemonic' });
    const facts = { time: expect.any(String), client: '127.0.0.1', wallet: 'shop' };
    expect(lines().slice(before)).toEqual([
      { ...facts, credential: 'clerk', method: 'get_balance', outcome: 'ok' },
      { ...facts, credential: 'small', method: 'query_key', outcome: DENIED },
    ]);
  });
});

describe('a spend limit', () => {
  /** Reads what remains of the limit from a refusal, which each process that runs gives. */
  const remainder = async (): Promise<string> => {
    const read = await Promise.all(
      cluster.live().map(async (member) => {
        const { text } = await as('payer', member, 'transfer', pay(2));
        return (
          /"code":-61.*spend\.day: 2\.0\d+ needed, ([\d.]+) of 2\.500000000000 remains"/.exec(text)?.[1] ??
          text
        );
      }),
    );
    expect(new Set(read).size).toBe(1);
    return read[0] ?? '';
  };

  it('counts each payment once, whichever process is called, and goes on after a takeover', async () => {
    const order = pay(1, { idempotency_key: 'order' });
    const first = await ask('payer', other, 'transfer', order);
    const left = 2.5 * COIN - COIN - Number(first.fee);
    expect(await remainder()).toBe((left / COIN).toFixed(12));
    // The same order adds nothing.
    for (const member of [holder, other])
      expect(await ask('payer', member, 'transfer', order)).toEqual(first);
    expect(await remainder()).toBe((left / COIN).toFixed(12));
    const second = await ask('payer', holder, 'transfer', pay(0.25));
    const rest = await remainder();
    expect(rest).toBe(((left - COIN / 4 - Number(second.fee)) / COIN).toFixed(12));

    await holder.stop('SIGKILL');
    await cluster.held('shop', holder);
    expect(await remainder()).toBe(rest);
    expect(await ask('payer', other, 'transfer', order)).toEqual(first);
    expect(await remainder()).toBe(rest);
    await holder.start();
    expect(await remainder()).toBe(rest);
    // Through the process that does not hold it any more.
    const third = await ask('payer', holder, 'transfer', pay(0.25));
    expect(await remainder()).toBe(((Number(rest) * COIN - COIN / 4 - Number(third.fee)) / COIN).toFixed(12));
  });
});
