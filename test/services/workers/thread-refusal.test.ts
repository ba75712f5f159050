import { describe, expect, it } from '@jest/globals';
import { WalletError } from '../../../src/model/wallet-error.js';
import { faultRefusal, refusalError } from '../../../src/services/workers/thread-refusal.js';

class Problem extends Error {
  override readonly name = 'Problem';
}

const toError = refusalError((text) => new Problem(text));

describe('a refusal of a thread of the services', () => {
  it('is a WalletError again for a fault of the caller', () => {
    const refusal = faultRefusal(new WalletError({ kind: 'view_only' }));
    expect(refusal).toEqual({ fault: { kind: 'view_only' } });
    expect(toError({ fault: { kind: 'view_only' } })).toMatchObject({
      name: 'WalletError',
      fault: { kind: 'view_only' },
    });
  });

  it("is the pool's own error for input that cannot be used", () => {
    expect(toError({ problem: 'has no inputs' })).toEqual(new Problem('has no inputs'));
  });

  it('is none for a bug', () => {
    expect(faultRefusal(new TypeError('a bug'))).toBeUndefined();
  });
});
