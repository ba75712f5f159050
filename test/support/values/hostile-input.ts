import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Loose } from '../network/json-rpc.js';
import type { WalletRpc } from '../processes/wallet-rpc.js';
import type { WalletState } from '../wallets/wallet-state.js';
import { isNight } from '../jest/lanes.js';

/** Method, and mutated parameters. */
export interface Attack {
  readonly method: string;
  readonly params: fc.Arbitrary<object>;
  /** Expected error codes. */
  readonly codes: readonly number[];
  /** Checks a result that is allowed in place of an error. Absent: none is allowed. */
  readonly harmless?: (result: Loose) => boolean;
  /** Number at night. */
  readonly runs?: number;
}

const LONGEST_MESSAGE = 500;

/** Checks that every input is refused with one of the codes and a message, or is harmless, and changes no state. */
export async function expectWithstands(
  server: WalletRpc,
  state: WalletState,
  { method, params, codes, harmless = () => false, runs = 20 }: Attack,
): Promise<void> {
  const shown = await state.shown();
  const stored = state.stored();
  await fc.assert(
    fc.asyncProperty(params, async (given) => {
      const { error, result } = await server.call(method, given);
      if (error === undefined)
        expect({ result, harmless: harmless(result) }).toMatchObject({ harmless: true });
      else {
        expect(codes).toContain(error.code);
        expect(error.message.length).toBeGreaterThan(0);
        expect(error.message.length).toBeLessThan(LONGEST_MESSAGE);
      }
      expect(state.stored()).toEqual(stored);
    }),
    // Many attacks follow one another: each has few inputs in the lane of each commit.
    { numRuns: isNight ? runs : Math.ceil(runs / 10) },
  );
  expect(await state.shown()).toEqual(shown);
}
