import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { COVERED, type Situation } from './differential-coverage.js';
import type { Exception, RefusalException } from './differential.js';
import { differentViews, type Ask } from './differential-views.js';
import { startWorld, type World } from './differential-world.js';
import type { Loose } from '../network/json-rpc.js';

/** Shared state of the tests of one situation. Differences are collected, and fail the test at its end. */
export interface DifferentialSuite {
  /** Available once the tests run. */
  world(): World;
  /** Makes a call to both servers and compares the answers. */
  same(method: string, params?: object): Promise<{ mine: Loose; theirs: Loose }>;
  /** Compares all views of the wallet, except some methods. */
  sameViews(except?: readonly string[]): Promise<void>;
  /** Mines to an unrelated address, and refreshes both wallets. */
  confirm(blocks: number): Promise<void>;
  /** Registers one test per call, in order. */
  inStep(calls: readonly Ask[]): void;
  /** Called last: registers the tests that all exceptions were needed and all methods were answered. */
  conclude(): void;
}

/** Opens the same wallet on the same chain in the real monero-wallet-rpc and in ours, for the tests of one file. */
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
        test('every exception was needed', () => {
          const needed = [...exceptions, ...refusals].filter(({ seldom }) => seldom === undefined);
          expect(needed.filter((exception) => !world.pair.used.has(exception))).toEqual([]);
        });
        if (COVERED[situation].length > 0)
          test.each(COVERED[situation])('both answered %s', (method) => {
            expect(world.pair.answered).toContain(method);
          });
      });
    },
  };
}
