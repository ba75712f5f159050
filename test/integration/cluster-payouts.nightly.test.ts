import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { UNRELATED_ADDRESS } from '../support/differential/differential-calls.js';
import { until } from '../support/fakes/until.js';
import type { Loose } from '../support/network/json-rpc.js';
import { killMoment } from '../support/processes/kill-moment.js';
import { newDatabase, startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { PASSWORD, startWalletCluster, type WalletCluster } from '../support/processes/wallet-cluster.js';

/* The queue of payouts in a cluster, whose process is killed while it sends. */

const WALLET = 'shop';
const COIN = 1_000_000_000_000;
const LEASE_MS = 4000;
const COUNT = 60;

let postgres: PostgresCluster;
let cluster: WalletCluster;

beforeAll(async () => {
  postgres = await startPostgres({ standbys: 0 });
  cluster = await startWalletCluster({
    ...{ postgres, database: await newDatabase(postgres, 'payouts'), wallets: [WALLET], members: 2 },
    ...{ leaseMs: LEASE_MS, args: ['--cluster-single', '--payout-interval=0', '--payout-confirmations=2'] },
  });
});

afterAll(async () => {
  await cluster?.stop();
  await postgres?.stop();
});

test('payouts of a killed process are sent by the one that takes its wallet over, each once', async () => {
  const [first, second] = cluster.members;
  if (first === undefined || second === undefined) throw new Error('two processes');
  const { rpc } = first.wallet(WALLET);
  await rpc('create_wallet', { password: PASSWORD, language: 'English' });
  const { address: own } = await rpc('get_address');
  await cluster.daemon.generate(own as string, 30);
  await cluster.daemon.generate(UNRELATED_ADDRESS, 70);
  await rpc('refresh');
  const payouts = Array.from({ length: COUNT }, (_, i) => ({
    ...{ payout_id: `p${i}`, address: UNRELATED_ADDRESS, amount: COIN / 100 + i },
  }));
  await rpc('create_payouts', { payouts });
  await killMoment(400);
  await first.stop('SIGKILL');
  const after = second.wallet(WALLET);
  await until('an answer of the other process', async () => {
    const { error } = await after.call('get_address');
    return error === undefined || undefined;
  });
  const listed = async (): Promise<Loose[]> =>
    (await after.rpc('list_payouts', { limit: 1000 })).payouts as Loose[];
  expect(await listed()).toHaveLength(COUNT);
  await until('all payouts are confirmed', async () => {
    await cluster.daemon.generate(own as string, 1);
    await after.rpc('refresh');
    return (await listed()).every(({ state }) => state === 'confirmed') || undefined;
  });
  const paid = new Map<string, number>();
  for (const { tx_hash: hash, received } of await listed())
    paid.set(hash as string, (paid.get(hash as string) ?? 0) + Number(received));
  const { out } = await after.rpc('get_transfers', { out: true });
  // No other payment left the wallet, and each has just its payouts.
  expect(
    (out as Loose[]).map(({ txid, amount }): [string, number] => [txid as string, Number(amount)]).sort(),
  ).toEqual([...paid].sort());
  const { events } = await after.rpc('get_events', { types: ['payout.sending'], limit: 1000 });
  expect(new Set((events as Loose[]).map(({ data }) => data.payout_id)).size).toBe(COUNT);
});
