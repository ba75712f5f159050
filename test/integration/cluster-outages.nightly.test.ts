import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { prepareLoad, type ClusterLoad } from '../cluster/cluster-load.js';
import { OUTAGES, runOutage } from '../cluster/outages.js';
import { seededRandom } from '../support/fakes/seeded-random.js';
import { newDatabase, startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { startWalletCluster, type WalletCluster } from '../support/processes/wallet-cluster.js';

/* The short outages of `npm run test:cluster`, once each. */

/** Long enough for processes that wait some seconds for a processor. */
const LEASE_MS = 4000;
const TIMEOUT_MS = 8000;
/** Time that a call may take beside its limit, where many processes share a processor [ms]. */
const MARGIN_MS = 30_000;
/**
 * Pauses between the calls of the load. Without them it takes all that two processors give until the last lease has
 * lapsed; `npm run test:cluster` has none.
 */
const PAUSES = { pauseMs: 300, recordPauseMs: 50 };

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

describe('under load', () => {
  let cluster: WalletCluster;
  let load: ClusterLoad;

  beforeAll(async () => {
    cluster = await startWalletCluster({
      ...{ postgres, database: await newDatabase(postgres, 'outages'), wallets: ['w1', 'w2'] },
      ...{ leaseMs: LEASE_MS, timeoutMs: TIMEOUT_MS, isProxied: true },
    });
    load = await prepareLoad(cluster, ['w1', 'w2'], seededRandom('outages'), PAUSES);
  });
  afterAll(async () => {
    await load?.stop();
    await cluster?.stop();
  });

  test.each(OUTAGES.filter(({ isShort }) => isShort).map((outage) => [outage.title, outage] as const))(
    '%s',
    async (_, outage) => {
      const report = await runOutage(outage, {
        ...{ postgres, cluster, load, timeoutMs: TIMEOUT_MS, marginMs: MARGIN_MS, calmMs: 300 },
      });
      expect(report.faults).toEqual([]);
      expect(report.answered).toBeGreaterThan(0);
    },
  );

  test('after which every order is in the chain once', async () => {
    await load.settle();
    await load.check(true);
    await load.compareWithTwins();
    expect(load.faults).toEqual([]);
  });
});
