import { describe, expect, it, test } from '@jest/globals';
import { adaptFault, adaptReply } from '../../src/rpc/api-version.js';
import type { Fault } from '../../src/wallet/fault.js';

describe('a proof of holdings that fails', () => {
  const failed = { good: false, total: 0, spent: 0 };
  it('says only that under 1.3', () => {
    expect(adaptReply('1.3', 'check_reserve_proof', failed)).toEqual({ good: false });
    expect(adaptReply('1.32', 'check_reserve_proof', failed)).toEqual(failed);
  });
  it('is told apart from one that holds', () => {
    const good = { good: true, total: 5n, spent: 0n };
    expect(adaptReply('1.3', 'check_reserve_proof', good)).toEqual(good);
  });
});

describe('a proof that cannot be read', () => {
  const fault: Fault = { kind: 'bad_proof', reason: 'the proof is not base58' };
  test.each([
    ['check_tx_proof', { good: false, confirmations: 0, in_pool: false, received: 0 }],
    ['check_spend_proof', { good: false }],
    ['check_reserve_proof', { good: false }],
  ])('is a bad one under 1.3, and an error under 1.32: %s', (method, answer) => {
    expect(adaptFault('1.3', method, fault)).toEqual(answer);
    expect(adaptFault('1.32', method, fault)).toBeUndefined();
  });
  it('is the only fault that is an answer', () => {
    const unknown: Fault = { kind: 'invalid', reason: 'the daemon does not know the transaction' };
    expect(adaptFault('1.3', 'check_tx_proof', unknown)).toBeUndefined();
    expect(adaptFault('1.3', 'get_tx_proof', fault)).toBeUndefined();
  });
});
