import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { UNRELATED_ADDRESS } from '../support/differential/differential-calls.js';
import { newDatabase, startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { until } from '../support/fakes/until.js';
import { PASSWORD, startWalletCluster, type WalletCluster } from '../support/processes/wallet-cluster.js';

/* A process of a cluster that is killed; `cluster-campaign.nightly.test.ts` kills and pauses under load. */

const WALLET = 'shop';
const COIN = 1_000_000_000_000;
/** Long enough for processes that wait some seconds for a processor. */
const LEASE_MS = 4000;

let postgres: PostgresCluster;
let cluster: WalletCluster;

beforeAll(async () => {
  postgres = await startPostgres({ standbys: 0 });
  cluster = await startWalletCluster({
    ...{ postgres, database: await newDatabase(postgres, 'takeover'), wallets: [WALLET], members: 2 },
    ...{ leaseMs: LEASE_MS, args: ['--cluster-single'] },
  });
});

afterAll(async () => {
  await cluster?.stop();
  await postgres?.stop();
});

test('the other process serves a wallet of a killed one with all that this acknowledged, and pays no order again', async () => {
  const [first, second] = cluster.members;
  if (first === undefined || second === undefined) throw new Error('two processes');
  const { rpc } = first.wallet(WALLET);
  await rpc('create_wallet', { password: PASSWORD, language: 'English' });
  const { address: own } = await rpc('get_address');
  await cluster.daemon.generate(own as string, 3);
  await cluster.daemon.generate(UNRELATED_ADDRESS, 90);
  await rpc('refresh');
  const order = {
    destinations: [{ amount: COIN, address: UNRELATED_ADDRESS }],
    idempotency_key: 'order',
  };
  const { address } = await rpc('create_address', { label: 'before the kill' });
  const paid = await rpc('transfer', order);
  expect(await cluster.holderOf(WALLET)).toBe(first);
  await first.stop('SIGKILL');
  const after = second.wallet(WALLET);
  await until('an answer of the other process', async () => {
    const { error } = await after.call('get_address');
    return error === undefined || undefined;
  });
  expect(await cluster.holderOf(WALLET)).toBe(second);
  expect((await after.rpc('get_address')).addresses).toContainEqual(
    expect.objectContaining({ address, label: 'before the kill' }),
  );
  expect(await after.rpc('transfer', order)).toEqual(paid);
  expect((await cluster.daemon.plain('/get_transaction_pool')).transactions).toHaveLength(1);
});
