import { describe, expect, it } from '@jest/globals';
import { DaemonError, type DaemonErrorKind } from '../../../src/daemon/errors.js';
import { describeDaemonError, isUnreachable, reasonOf } from '../../../src/services/context/fault-reason.js';
import { amount } from '../../../src/util/amount.js';
import { WalletError, type Fault } from '../../../src/model/wallet-error.js';

describe('a failure of the daemon', () => {
  it.each<[DaemonErrorKind, boolean, string | undefined]>([
    ['unreachable', true, 'no connection to daemon'],
    ['timeout', true, 'no connection to daemon'],
    ['unauthorized', true, 'no connection to daemon'],
    ['tls', true, 'no connection to daemon'],
    ['busy', false, 'daemon is busy'],
    ['malformed', false, undefined],
    ['rejected', false, undefined],
    ['too_large', false, undefined],
  ])('of kind %s leaves no way to it: %j', (kind, unreachable, text) => {
    const error = new DaemonError(kind, 'it failed');
    expect(isUnreachable(error)).toBe(unreachable);
    expect(reasonOf(error)).toEqual({ reason: 'it failed', ...(text === undefined ? {} : { text }) });
  });

  it('with an answer of another program leaves no way to it, whatever its kind', () => {
    for (const error of [
      new DaemonError('rejected', 'it failed', { status: 502 }),
      new DaemonError('malformed', 'it failed', { isForeign: true }),
    ]) {
      expect(isUnreachable(error)).toBe(true);
      expect(reasonOf(error)).toEqual({ reason: 'it failed', text: 'no connection to daemon' });
    }
  });

  it('names the code of the operating system once', () => {
    const failed = (message: string): string =>
      describeDaemonError(new DaemonError('unreachable', message, { code: 'ECONNREFUSED' }));
    expect(failed('no connection')).toBe('no connection (ECONNREFUSED)');
    expect(failed('connect ECONNREFUSED 127.0.0.1')).toBe('connect ECONNREFUSED 127.0.0.1');
  });
});

describe('a fault', () => {
  it.each<[string, Fault, object]>([
    ['with a reason gives it', { kind: 'invalid', reason: 'because' }, { reason: 'because' }],
    [
      "with upstream's text gives both",
      { kind: 'invalid', reason: 'because', text: 'Upstream' },
      { reason: 'because', text: 'Upstream' },
    ],
    [
      'of a refused transaction has one text, whatever the reason',
      { kind: 'tx_rejected', reason: 'double spend' },
      { reason: 'double spend', text: 'transaction was rejected by daemon' },
    ],
    [
      'without a reason is named by its kind',
      { kind: 'not_enough_money', available: amount(1n), needed: amount(2n) },
      { reason: 'not enough money' },
    ],
  ])('%s', (_, fault, reason) => {
    expect(reasonOf(new WalletError(fault))).toEqual(reason);
  });
});

describe('any other error', () => {
  it('is a bug, and is thrown', () => {
    const bug = new TypeError('undefined');
    expect(() => reasonOf(bug)).toThrow(bug);
  });
});
