import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { kindsOf } from '../../src/rpc/discovery/method-errors.js';
import type { defineMethod } from '../../src/rpc/method.js';
import { registry } from '../../src/rpc/registry.js';

/** Codes that a method may have which needs an open wallet with a spend key and raises `invalid`. */
type Codes = NonNullable<
  Parameters<
    typeof defineMethod<
      z.ZodObject,
      z.ZodObject,
      readonly ['invalid'],
      {
        readonly family: 'view';
        readonly needs: 'wallet';
        readonly restricted: true;
        readonly spendKey: true;
      }
    >
  >[0]['codes']
>;

/** Whether a code for a kind compiles. */
type Takes<K extends keyof Codes> = number extends Codes[K] ? true : false;

describe('a method', () => {
  it('has codes of its own only for faults that it lists, and for those of its conditions', () => {
    const taken: readonly [Takes<'invalid'>, Takes<'no_wallet'>, Takes<'view_only'>] = [true, true, true];
    const refused: readonly [Takes<'daemon_busy'>, Takes<'no_wallet_dir'>] = [false, false];
    expect([...taken, ...refused]).toEqual([true, true, true, false, false]);
  });

  it('has codes and messages of its own only for faults that can end a call of it', () => {
    const others = registry.methods.flatMap((method) =>
      [...Object.keys(method.codes ?? {}), ...Object.keys(method.texts ?? {})]
        .filter((kind) => !(kindsOf(method) as readonly string[]).includes(kind))
        .map((kind) => `${method.name}: ${kind}`),
    );
    expect(others).toEqual([]);
  });

  it('makes the schema of its parameters once', () => {
    for (const method of registry.methods) expect(method.params).toBe(method.params);
  });

  it('may fail by a damaged or full disk if it uses wallet files, and by a credential always', () => {
    const conditions = { family: 'view', needs: 'nothing', restricted: false } as const;
    expect(kindsOf({ meta: conditions, faults: [] })).toEqual(['credential_denied', 'wallet_opening']);
    expect(kindsOf({ meta: { ...conditions, needs: 'wallet' }, faults: ['invalid'] })).toEqual([
      ...[
        'no_wallet',
        'wallet_not_open',
        'sees_no_payments',
        'invalid',
        'credential_denied',
        'wallet_opening',
      ],
      ...['wallet_io', 'wallet_corrupt', 'not_replicated', 'wallet_elsewhere'],
    ]);
    expect(kindsOf({ meta: conditions, faults: [], actsOn: 'directory' })).toContain('not_replicated');
    expect(kindsOf({ meta: conditions, faults: [], actsOn: 'server' })).toEqual([
      ...['credential_denied', 'wallet_opening'],
    ]);
    expect(kindsOf({ meta: { ...conditions, multisig: 'ready', foreground: true }, faults: [] })).toEqual([
      ...['not_multisig', 'multisig_not_ready', 'background_wallet', 'background_syncing'],
      ...['credential_denied', 'wallet_opening'],
    ]);
  });
});
