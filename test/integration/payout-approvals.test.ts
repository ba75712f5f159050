import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import type { Loose } from '../support/network/json-rpc.js';
import { CredentialServer, shopPath } from '../support/processes/credential-server.js';

/* Who may create, approve, send and cancel payouts, by rules that only files give. */

const COIN = 1_000_000_000_000;
const DENIED = -60;
const LIMIT = -61;
const BAD = -72;
const MISMATCH = -73;

const clients = new CredentialServer(['--payout-interval=0']);
const { add, ask, as, file, mine, reload, restart } = clients;

const item = (payout_id: string, coins: number, more: object = {}) => ({
  ...{ payout_id, address: clients.payee, amount: Math.round(coins * COIN) },
  ...more,
});

/** Returns the payout or the error of each result. */
const outcomes = ({ results }: Loose): Loose[] =>
  (results as Loose[]).map(({ payout, error }) => payout ?? { error });

/** Creates payouts under a credential. @returns the result of each. */
const create = async (name: string, payouts: readonly object[], account_index = 0): Promise<Loose[]> =>
  outcomes(await ask(name, 'create_payouts', { payouts, account_index }, shopPath));

const get = (payout_id: string): Promise<Loose> => ask('root', 'get_payout', { payout_id }, shopPath);

/** Approves a payout under a credential. @returns the result. */
const approve = async (name: string, payout_id: string, hash?: string): Promise<Loose> => {
  const { approval_hash } = await get(payout_id);
  const payouts = [{ payout_id, approval_hash: hash ?? approval_hash ?? '00'.repeat(32) }];
  return outcomes(await ask(name, 'approve_payouts', { payouts }, shopPath))[0];
};

const act = async (name: string, method: string, ...payout_ids: string[]): Promise<Loose> =>
  outcomes(await ask(name, method, { payout_ids }, shopPath))[0];

const untilSent = (payout_id: string): Promise<Loose> =>
  until(`the payout ${payout_id} is sent`, async () => {
    const payout = await get(payout_id);
    return payout.state === 'sent' ? payout : undefined;
  });

/** Sets the rules of the wallet for payouts in the file, and has the server read it. */
async function setRules(...payouts: object[]): Promise<void> {
  const before = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...before, payouts }));
  await reload();
}

beforeAll(() =>
  clients.start(async () => {
    const payouts = ['payout_create', 'payout_approve', 'payout_send', 'payout_cancel'];
    await add('clerk', { wallet: 'shop', method: ['view', 'payout_create', 'payout_cancel'] });
    await add('anna', { wallet: 'shop', method: ['view', 'payout_approve'] });
    await add('bert', { wallet: 'shop', method: ['view', ...payouts] });
    await add('young', {
      wallet: 'shop',
      method: ['view', ...payouts],
      ...{ 'approve-above': String(COIN), approvals: '1', 'spend-day': String(10 * COIN) },
      'payout-account': ['0'],
    });
  }),
);

afterAll(() => clients.stop());

describe('rights', () => {
  it('allow payouts and no transfer, each right on its own', async () => {
    const denied = async (name: string, method: string, params: object): Promise<unknown> =>
      (await as(name, method, params, shopPath)).reply.error?.code;
    expect(await denied('clerk', 'transfer', clients.pay(1))).toBe(DENIED);
    expect(await denied('clerk', 'approve_payouts', { payouts: [] })).toBe(DENIED);
    expect(await denied('clerk', 'send_payouts', {})).toBe(DENIED);
    expect(await denied('anna', 'create_payouts', { payouts: [item('x', 1)] })).toBe(DENIED);
    expect(await denied('anna', 'cancel_payouts', { payout_ids: ['x'] })).toBe(DENIED);
  });

  it('are limited to accounts', async () => {
    await ask('root', 'create_account', {}, shopPath);
    const on = (account_index: number) => ({ payouts: [item('acc', 1)], account_index });
    expect((await as('young', 'create_payouts', on(1), shopPath)).reply.error?.code).toBe(DENIED);
    await ask('root', 'pause_payouts', { reason: 'test' }, shopPath);
    await create('clerk', [item('other', 1)], 1);
    expect((await act('young', 'cancel_payouts', 'other')).error.code).toBe(DENIED);
    const pause = await as('young', 'pause_payouts', { reason: 'all' }, shopPath);
    expect(pause.reply.error?.code).toBe(DENIED);
    expect((await act('root', 'cancel_payouts', 'other')).state).toBe('cancelled');
    await ask('root', 'resume_payouts', {}, shopPath);
  });
});

describe('a payout above the amount of a rule', () => {
  it('waits for two approvals of its terms, never by its creator, and survives a kill', async () => {
    await setRules({ wallets: ['shop'], approve_above: String(2 * COIN), approvals: 2 });
    const [small, large] = await create('bert', [item('small', 2), item('large', 2.000001)]);
    expect(small.state).toBe('queued');
    expect(large).toMatchObject({
      state: 'awaiting_approval',
      waiting_for: { approval: { needed: 2, given: 0 } },
    });
    await untilSent('small');
    expect((await approve('bert', 'large')).error).toMatchObject({ code: BAD });
    expect((await approve('anna', 'large', '11'.repeat(32))).error).toMatchObject({ code: MISMATCH });
    expect(await approve('anna', 'large')).toMatchObject({
      state: 'awaiting_approval',
      waiting_for: { approval: { needed: 2, given: 1 } },
    });
    // A second approval of one person counts once.
    expect((await approve('anna', 'large')).waiting_for).toEqual({ approval: { needed: 2, given: 1 } });
    await restart();
    expect((await get('large')).waiting_for).toEqual({ approval: { needed: 2, given: 1 } });
    expect((await approve('root', 'large')).error).toBeUndefined();
    const { history } = await untilSent('large');
    expect((history as Loose[]).map(({ action, by, from }) => [action, by, from])).toEqual([
      ['created', 'bert', '127.0.0.1'],
      ['approved', 'anna', '127.0.0.1'],
      ['approved', 'root', '127.0.0.1'],
    ]);
  });

  it('is rejected by one person, or cancelled', async () => {
    await create('clerk', [item('no', 3), item('never', 3)]);
    expect(await act('anna', 'reject_payouts', 'no')).toMatchObject({ state: 'rejected' });
    expect((await approve('anna', 'no')).error).toMatchObject({ code: BAD });
    expect(await act('clerk', 'cancel_payouts', 'never')).toMatchObject({ state: 'cancelled' });
  });

  it('waits for its delay after the last approval, and can be cancelled meanwhile', async () => {
    await setRules({ wallets: ['sh*'], accounts: [0], approve_above: '0', approvals: 1, delay: 3600 });
    await create('clerk', [item('slow', 1)]);
    const { state, waiting_for } = await approve('anna', 'slow');
    expect(state).toBe('queued');
    expect(waiting_for.delay).toBeGreaterThan(Date.now() / 1000 + 3500);
    await ask('bert', 'send_payouts', {}, shopPath);
    expect((await get('slow')).state).toBe('queued');
    expect((await act('clerk', 'cancel_payouts', 'slow')).state).toBe('cancelled');
  });

  it('is judged by the rules that hold when it is to be sent', async () => {
    await setRules();
    await ask('root', 'pause_payouts', { reason: 'test' }, shopPath);
    const [queued] = await create('clerk', [item('late', 1)]);
    expect(queued.state).toBe('queued');
    await setRules({ wallets: ['*'], approve_above: '0', approvals: 1 });
    await ask('root', 'resume_payouts', {}, shopPath);
    await until(
      'the payout waits',
      async () => (await get('late')).state === 'awaiting_approval' || undefined,
    );
    await setRules();
    await untilSent('late');
  });

  it('needs an approval once the credential that created it is removed', async () => {
    await ask('root', 'pause_payouts', { reason: 'test' }, shopPath);
    await add('gone', { wallet: 'shop', method: ['view', 'payout_create'] });
    await reload();
    await create('gone', [item('orphan', 1)]);
    await clients.credential('remove', 'gone');
    await reload();
    await ask('root', 'resume_payouts', {}, shopPath);
    await until(
      'the payout waits',
      async () => (await get('orphan')).state === 'awaiting_approval' || undefined,
    );
    await approve('anna', 'orphan');
    await untilSent('orphan');
  });
});

describe('the limits of a credential', () => {
  it('count a payout when it is created, and give it back when it is not paid', async () => {
    await mine(12);
    const [first, second, third] = await create('young', [
      item('y1', 6, { fee: 'payee' }),
      item('y2', 5, { fee: 'payee' }),
      item('y3', 4, { fee: 'payee' }),
    ]);
    expect(first.state).toBe('awaiting_approval');
    expect(second.error.code).toBe(LIMIT);
    expect(third.state).toBe('awaiting_approval');
    expect((await get('y1')).state).toBe('awaiting_approval');
    expect((await as('root', 'get_payout', { payout_id: 'y2' }, shopPath)).reply.error?.code).toBe(-71);
    await act('young', 'cancel_payouts', 'y1');
    const [again] = await create('young', [item('y4', 6, { fee: 'payee' })]);
    expect(again.state).toBe('awaiting_approval');
    // The sending does not count once more.
    await approve('anna', 'y4');
    await approve('anna', 'y3');
    await untilSent('y4');
    const [beyond] = await create('young', [item('y5', 0.01, { fee: 'payee' })]);
    expect(beyond.error.code).toBe(LIMIT);
  });
});
