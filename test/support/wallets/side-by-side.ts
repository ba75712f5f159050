import { expect, test } from '@jest/globals';
import type { Loose } from '../network/json-rpc.js';
import type { WalletRpc } from '../processes/wallet-rpc.js';

/** One step of an ordered list of calls to our server and to the reference. */
export interface Step {
  readonly method: string;
  readonly what: string;
  readonly params: unknown;
  /** Expected error code. Absent: both answer alike, except for ignored fields. */
  readonly code?: number;
  /** Reason why our answer is right although the reference differs; the reference is then not called. */
  readonly reference?: string;
}

export const step = (method: string, what: string, params: unknown = {}): Step => ({ method, what, params });

export const refusal = (
  method: string,
  what: string,
  params: unknown,
  code: number,
  reference?: string,
): Step => ({
  method,
  what,
  params,
  code,
  ...(reference === undefined ? {} : { reference }),
});

/** Removes fields from an answer at any depth. */
export const without = (value: Loose, fields: readonly string[]): Loose => {
  if (Array.isArray(value)) return value.map((item) => without(item, fields));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>)
      .filter(([name]) => !fields.includes(name))
      .map(([name, item]) => [name, without(item, fields)]),
  );
};

/**
 * Registers one test per step.
 * @param servers returns ours and the reference; called once the tests run.
 * @param ignoring fields that only one of them has, or that must differ.
 */
export function sideBySide(
  steps: readonly Step[],
  servers: () => readonly [WalletRpc, WalletRpc],
  ignoring: readonly string[] = [],
): void {
  test.each(steps)('$method: $what', async ({ method, params, code, reference }) => {
    const [ours, theirs] = servers();
    const mine = await ours.call(method, params);
    if (code === undefined) {
      const other = await theirs.call(method, params);
      expect(without(mine.result, ignoring)).toEqual(without(other.result, ignoring));
      expect(mine.result).toBeDefined();
      return;
    }
    expect(mine.error).toMatchObject({ code, message: expect.stringMatching(/./) });
    if (reference === undefined) expect((await theirs.call(method, params)).error?.code).toBe(code);
  });
}
