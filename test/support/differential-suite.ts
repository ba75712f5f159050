import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { COVERED, type Situation } from './differential-coverage.js';
import type { Exception, RefusalException } from './differential.js';
import { differentViews, type Ask } from './differential-views.js';
import { startWorld, type World } from './differential-world.js';
import type { Loose } from './json-rpc.js';

/** What the tests of one situation share. A difference is taken down, and fails the test once it has ended. */
export interface DifferentialSuite {
  /** Once the tests run. */
  world(): World;
  /** Asks both. */
  same(method: string, params?: object): Promise<{ mine: Loose; theirs: Loose }>;
  /** Asks both for all that a wallet shows, some methods aside. */
  sameViews(except?: readonly string[]): Promise<void>;
  /** Mines to somebody else, and brings both up. */
  confirm(blocks: number): Promise<void>;
  /** One test a call, in order. */
  inStep(calls: readonly Ask[]): void;
  /** To be called last: registers that all that may differ did, and that all methods were answered. */
  conclude(): void;
}

/** The same wallet, on the same chain, in the real monero-wallet-rpc and in ours, for the tests of one file. */
export function differentialSuite(
  situation: Situation,
  exceptions: readonly Exception[],
  refusals: readonly RefusalException[] = [],
): DifferentialSuite {
  let world: World;
  const found: unknown[] = [];

  beforeAll(async () => {
    world = await startWorld(exceptions, refusals);
  }, 300_000);
  afterAll(async () => {
    await world?.stop();
  });
  beforeEach(() => {
    found.length = 0;
  });
  afterEach(() => {
    expect(found).toEqual([]);
  });

  const same: DifferentialSuite['same'] = async (method, params = {}) => {
    const { mine, theirs, differences } = await world.pair.ask(method, params);
    if (differences.length > 0) found.push({ method, params, differences });
    return { mine, theirs };
  };
  return {
    world: () => world,
    same,
    async sameViews(except) {
      found.push(...(await differentViews(world, except)));
    },
    async confirm(blocks) {
      await world.mine(blocks);
      await same('refresh');
    },
    inStep(calls) {
      const rows = calls.map(([method, params = {}]) => ({ method, params }));
      test.each(rows)('$method $params', async ({ method, params }) => {
        await same(method, params);
      });
    },
    conclude() {
      describe('at the end', () => {
        test('everything that may differ did', () => {
          const needed = [...exceptions, ...refusals].filter(({ seldom }) => seldom === undefined);
          expect(needed.filter((exception) => !world.pair.used.has(exception))).toEqual([]);
        });
        if (COVERED[situation].length > 0)
          test.each(COVERED[situation])('both had answered %s', (method) => {
            expect(world.pair.answered).toContain(method);
          });
      });
    },
  };
}
