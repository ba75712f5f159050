import { describe, expect, it, test } from '@jest/globals';
import { adaptFault, adaptReply } from '../../src/rpc/api-version.js';
import type { Fault } from '../../src/model/wallet-error.js';

describe('the result of check_reserve_proof', () => {
  const failed = { good: false, total: 0, spent: 0 };
  it('has no amounts under 1.3 for an invalid proof', () => {
    expect(adaptReply('1.3', 'check_reserve_proof', failed)).toEqual({ good: false });
    expect(adaptReply('1.32', 'check_reserve_proof', failed)).toEqual(failed);
  });
  it('has the amounts under 1.3 for a valid proof', () => {
    const good = { good: true, total: 5n, spent: 0n };
    expect(adaptReply('1.3', 'check_reserve_proof', good)).toEqual(good);
  });
});

describe('an unreadable proof', () => {
  const fault: Fault = { kind: 'bad_proof', reason: 'the proof is not base58' };
  test.each([
    ['check_tx_proof', { good: false, confirmations: 0, in_pool: false, received: 0 }],
    ['check_spend_proof', { good: false }],
    ['check_reserve_proof', { good: false }],
  ])('is an invalid proof under 1.3, and an error under 1.32: %s', (method, answer) => {
    expect(adaptFault('1.3', method, fault)).toEqual(answer);
    expect(adaptFault('1.32', method, fault)).toBeUndefined();
  });
  it('is the only fault that becomes a result', () => {
    const unknown: Fault = { kind: 'invalid', reason: 'the daemon does not know the transaction' };
    expect(adaptFault('1.3', 'check_tx_proof', unknown)).toBeUndefined();
    expect(adaptFault('1.3', 'get_tx_proof', fault)).toBeUndefined();
  });
});

describe('a transaction key stored only in the offline wallet', () => {
  const withSigner: Fault = { kind: 'no_tx_key', withSigner: true };
  it('is an error under 1.3, and the placeholder of the reference under 1.32', () => {
    expect(adaptFault('1.3', 'get_tx_key', withSigner)).toBeUndefined();
    expect(adaptFault('1.32', 'get_tx_key', withSigner)).toEqual({ tx_key: `01${'0'.repeat(62)}` });
  });
  it('stays an error if no key is known at all, and for a method that creates a proof with it', () => {
    expect(adaptFault('1.32', 'get_tx_key', { kind: 'no_tx_key' })).toBeUndefined();
    expect(adaptFault('1.32', 'get_tx_proof', withSigner)).toBeUndefined();
  });
});

describe('an entry of the address book', () => {
  const answer = { entries: [{ index: 0, address: 'a', description: 'd', payment_id: '0123456789abcdef' }] };
  it('has a field for the payment id under 1.3', () => {
    expect(adaptReply('1.3', 'get_address_book', answer)).toEqual(answer);
  });
  it('has the payment id only in its address under 1.32', () => {
    const { entries } = adaptReply('1.32', 'get_address_book', answer);
    expect(entries).toEqual([{ index: 0, address: 'a', description: 'd' }]);
  });
});
