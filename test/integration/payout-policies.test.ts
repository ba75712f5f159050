import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import type { Loose } from '../support/network/json-rpc.js';
import { CredentialServer, shopPath } from '../support/processes/credential-server.js';

/* Policies of accounts, which only the file gives: sweeps to the cold store, joined outputs, low balances. */

const COIN = 1_000_000_000_000;

const clients = new CredentialServer(['--payout-interval=0']);
const { add, ask, file, mine, reload } = clients;

const shop = (method: string, params: object = {}): Promise<Loose> => ask('root', method, params, shopPath);

/** Sets the policies of the wallet in the file, and has the server read it. */
async function setPolicies(...payouts: object[]): Promise<void> {
  const before = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...before, payouts }));
  await reload();
}

const policy = { wallets: ['shop'], accounts: [0] };

const sweeps = async (...states: string[]): Promise<Loose[]> =>
  (await shop('list_payouts', { reference: 'sweep', states })).payouts as Loose[];

/** Returns a payout to be sent in an hour. */
const later = (payout_id: string) => ({
  ...{ payout_id, address: clients.payee },
  not_before: Math.floor(Date.now() / 1000) + 3600,
});

beforeAll(() =>
  clients.start(async () => {
    await add('anna', { wallet: 'shop', method: ['view', 'payout_approve', 'payout_create'] });
  }),
);

afterAll(() => clients.stop());

describe('a sweep', () => {
  it('sends what is above the balance that stays, without the money that payouts need, once approved', async () => {
    await mine(12);
    await shop('pause_payouts', { reason: 'test' });
    const owed = 7 * COIN;
    await shop('create_payouts', { payouts: [{ ...later('owed'), amount: owed }] });
    const { unlocked_balance } = await shop('get_balance');
    const keep = 20 * COIN;
    await setPolicies({
      ...{ ...policy, approve_above: String(COIN), approvals: 1 },
      sweep: { keep: String(keep), above: String(30 * COIN), to: clients.payee, interval: 1 },
    });
    expect(await sweeps()).toEqual([]);
    await shop('resume_payouts');
    const [waiting] = await until('the sweep', async () => {
      const found = await sweeps('awaiting_approval');
      return found.length > 0 ? found : undefined;
    });
    expect(waiting).toMatchObject({
      address: clients.payee,
      amount: unlocked_balance - keep - owed,
      fee: 'payee',
      created_by: '(policy)',
    });
    // A further payout needs a part of the money: another sweep takes the place of this one.
    await shop('create_payouts', { payouts: [{ ...later('more'), amount: COIN }] });
    const [next] = await until('another sweep', async () => {
      const found = await sweeps('awaiting_approval');
      return [undefined, (waiting as Loose).payout_id].includes(found[0]?.payout_id) ? undefined : found;
    });
    expect(await sweeps('cancelled')).toMatchObject([{ payout_id: (waiting as Loose).payout_id }]);
    expect((next as Loose).amount).toBe(Number((waiting as Loose).amount) - COIN);
    const { payout_id, approval_hash } = next as Loose;
    await ask('anna', 'approve_payouts', { payouts: [{ payout_id, approval_hash }] }, shopPath);
    const [sent] = await until('the sweep is sent', async () => {
      const found = await sweeps('sent');
      return found.length > 0 ? found : undefined;
    });
    expect((sent as Loose).received).toBe((sent as Loose).amount - (sent as Loose).fee_share);
    await setPolicies();
  });

  it('is cancelled when its rule is gone', async () => {
    await mine(61);
    const approval = { approve_above: '0', approvals: 1 };
    const sweep = { keep: '0', above: '0', to: clients.payee, interval: 1 };
    await setPolicies({ ...policy, ...approval, sweep });
    const [waiting] = await until('the sweep', async () => {
      const found = await sweeps('awaiting_approval');
      return found.length > 0 ? found : undefined;
    });
    await setPolicies({ ...policy, ...approval });
    await until('no sweep waits', async () => (await sweeps('awaiting_approval')).length === 0 || undefined);
    const { payout_id } = waiting as Loose;
    expect(await shop('get_payout', { payout_id })).toMatchObject({ state: 'cancelled' });
    await setPolicies();
  });
});

describe('a low balance', () => {
  it('is reported once below its limit, and again after it was reached', async () => {
    const low = async (): Promise<Loose[]> =>
      ((await shop('get_events', { types: ['balance.low'], limit: 100 })).events as Loose[]).map(
        ({ data }) => data as Loose,
      );
    const { balance } = await shop('get_balance');
    await setPolicies({ ...policy, low_water: String(balance + COIN) });
    const [first] = await until('the event', async () => ((await low()).length > 0 ? low() : undefined));
    expect(first).toMatchObject({ account_index: 0, balance, low_water: balance + COIN });
    // The event of another account shows that the policies were applied anew.
    await shop('create_account');
    await setPolicies({ ...policy, low_water: '1' }, { ...policy, accounts: [1], low_water: '5' });
    await until('the event of another account', async () => ((await low()).length === 2 ? true : undefined));
    expect((await low())[1]).toMatchObject({ account_index: 1, balance: 0 });
    await setPolicies({ ...policy, low_water: String(2 * balance) });
    await until('a further event', async () => ((await low()).length === 3 ? true : undefined));
    const count = async (): Promise<string | undefined> =>
      /^wallet_rpc_wallet_low_accounts\{wallet="shop"\} (\d+)$/m.exec(
        (await clients.send(clients.tokens.root, '/metrics')).text,
      )?.[1];
    expect(await count()).toBe('1');
    await setPolicies();
    await until('no account without a limit is counted', async () => (await count()) === '0' || undefined);
  });
});

describe('many outputs', () => {
  it('are joined by an order', async () => {
    await mine(61);
    await setPolicies({ ...policy, consolidate: { above: 16, max_fee_rate: 1_000_000_000 } });
    const order = await until('the order', async () => {
      const { orders } = await shop('list_orders');
      return (orders as Loose[]).find(({ method }) => method === 'consolidate');
    });
    const { transfer } = await shop('get_transfer_by_txid', { txid: order.transactions[0].tx_hash });
    expect(transfer.destinations ?? []).toHaveLength(1);
    await setPolicies();
  });
});

describe('few outputs', () => {
  it('are divided before the first payout', async () => {
    const { account_index, address } = await shop('create_account');
    await shop('create_payouts', {
      payouts: [{ payout_id: 'fund', address, amount: 9 * COIN, allow_own: true }],
    });
    await until('the account is funded', async () => {
      await mine(1);
      const { unlocked_balance } = await shop('get_balance', { account_index });
      return unlocked_balance > 0 ? true : undefined;
    });
    await setPolicies({ wallets: ['shop'], accounts: [account_index], outputs: 6 });
    await until('the order', async () => {
      const { orders } = await shop('list_orders');
      return (orders as Loose[]).find(({ method }) => method === 'divide');
    });
    await until('its outputs are mined', async () => {
      await mine(1);
      const { transfers = [] } = await shop('incoming_transfers', {
        transfer_type: 'available',
        account_index,
      });
      return (transfers as Loose[]).length === 6 ? true : undefined;
    });
    await setPolicies();
  });
});
