import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCampaign } from '../cluster/campaign.js';
import { newDatabase, startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';

/* A short run; `cluster-outages.nightly.test.ts` has the outages, `npm run test:cluster` long runs. */

/** Long enough for processes that wait some seconds for a processor. */
const LEASE_MS = 4000;
/** Time that a takeover may take beside the lease, where many processes share a processor [ms]. */
const MARGIN_MS = 30_000;
/** Pauses between the calls of the load, which otherwise takes all that two processors give. */
const PAUSES = { pauseMs: 300, recordPauseMs: 50 };

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

test('nothing acknowledged is lost, and nothing is paid twice, when holders are killed and paused', async () => {
  const report = await runCampaign({
    ...{ postgres, database: await newDatabase(postgres, 'kills'), kills: 1, stops: 1, wallets: 2 },
    ...{ seed: 'suite', leaseMs: LEASE_MS, pauses: PAUSES, log: () => undefined },
  });
  expect(report.faults).toEqual([]);
  expect(report).toMatchObject({ kills: 1, stops: 1 });
  expect(Math.max(...report.afterKill)).toBeLessThan(LEASE_MS + MARGIN_MS);
  expect(report.paid).toBeGreaterThan(0);
  expect(report.events).toBeGreaterThan(0);
  expect(report.facts).toBeGreaterThan(10);
});
