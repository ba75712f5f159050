import { expect, it } from '@jest/globals';
import { reportPage } from './report-page.js';
import { KINDS } from './soak-node.js';
import { runSoak } from './soak.js';
import { TROUBLES } from './troubles.js';
import type { World } from './world.js';

/** Time for further rounds [s], after those that have all troubles, and number of wallets. */
const SECONDS = Number(process.env['SOAK_SECONDS'] ?? '0');
const WALLETS = Number(process.env['SOAK_WALLETS'] ?? '6');
/** Number of rounds over which all troubles are dealt. */
const DEALT = 2;
/** Time limit of the run: other programs may keep the processors busy [ms]. */
const LIMIT_MS = 1000 * (SECONDS + 555);

const options = {
  ...{ wallets: WALLETS, roundMs: 2500, pauseMs: 800, blockMs: 1500, kinds: KINDS },
  log: () => undefined,
};

/** `npm run soak -- --hours 8` runs the long one, with 20 wallets. */
it(
  'loses nothing acknowledged and pays no order twice under every trouble that the machine allows',
  async () => {
    const report = await runSoak({
      ...{ ...options, only: [], dealt: DEALT },
      ...{ seed: 'suite', ms: 1000 * SECONDS, rounds: 1000 },
    });
    expect(report.faults).toEqual([]);
    const missing = new Set(report.unavailable.map(({ trouble }) => trouble));
    expect(
      report.rounds
        .slice(0, DEALT)
        .flatMap(({ troubles }) => troubles)
        .sort(),
    ).toEqual(
      TROUBLES.map(({ name }) => name)
        .filter((name) => !missing.has(name))
        .sort(),
    );
    const last = report.rounds.at(-1);
    for (const number of [
      last?.facts,
      last?.paid,
      last?.requests,
      last?.events,
      last?.streamed,
      last?.delivered,
    ])
      expect(number).toBeGreaterThan(0);
    expect(reportPage(report)).toContain('Nothing acknowledged was lost');
  },
  LIMIT_MS,
);

/** Changes of the records of a run, each of which its last comparison must find. */
const MUTATIONS: readonly (readonly [string, (world: World) => void, RegExp])[] = [
  [
    'a label that the wallet does not have',
    ({ wallets }) => wallets[0]?.load.facts.acknowledge('label/100000', 'lost'),
    /label\/100000 is undefined/,
  ],
  [
    'an order that the wallet does not have',
    ({ wallets }) =>
      wallets[1]?.load.orders.set('lost', { params: {}, answer: '{}', txid: 'lost', failed: new Set() }),
    /lost was answered/,
  ],
  [
    'a payment request that the wallet does not have',
    ({ shops }) => shops[0]?.requests.set('lost', { id: 'lost', address: '', account: 0, minor: 1 }),
    /lost is lost/,
  ],
];

it(
  'finds acknowledged changes that are lost',
  async () => {
    const report = await runSoak({
      ...{ ...options, only: ['kill'], wallets: 2, roundMs: 1000 },
      ...{ seed: 'mutations', ms: 1000, rounds: 1 },
      beforeLast: (world) => MUTATIONS.forEach(([, mutate]) => mutate(world)),
    });
    for (const [, , fault] of MUTATIONS) expect(report.faults.join('\n')).toMatch(fault);
    expect(reportPage(report)).not.toContain('Nothing acknowledged was lost');
  },
  LIMIT_MS,
);
