import { describe, expect, it } from '@jest/globals';
import type { Reply } from '../support/network/json-rpc.js';
import { PayoutStates } from './payout-states.js';
import { Signer } from './signer.js';

const HASH = 'a'.repeat(64);

/** Answers of the payer, and facts of the chain, while a set is submitted. */
interface Submission {
  /** True once the payer has reported that the set was not signed in time. */
  readonly isExpired?: boolean;
  /** True if pool or chain have the transaction. */
  readonly isKnown?: boolean;
  readonly result?: object;
  readonly signed?: object;
  /** Time from which the payout is not sent any more [Unix s]. */
  readonly expiry?: number;
}

/** Signs a set and submits it. @returns the violations. */
async function submit({
  isExpired = false,
  isKnown = false,
  result,
  signed,
  expiry,
}: Submission): Promise<string[]> {
  const found: string[] = [];
  const violate = (text: string): void => void found.push(text);
  const states = new PayoutStates(1, violate, true);
  let id = 0;
  const event = (type: string, was: string | undefined, more: object): void =>
    states.enter({
      ...{ id: ++id, type: `payout.${type}`, timestamp: '' },
      data: { payout_id: 'w', account_index: 0, ...(was === undefined ? {} : { was }), ...more },
    });
  event('queued', undefined, {});
  event('awaiting_signature', 'queued', { fee: 1 });
  const reply: Reply = { result: { results: [result ?? { tx_hashes: [HASH] }] } };
  const signer = new Signer({
    ...{ states, violate },
    payer: { ask: () => Promise.resolve(reply) },
    cold: {
      rpc: () => Promise.reject(new Error('not called')),
      call: () =>
        Promise.resolve({
          result: { tx_hash_list: [HASH], tx_raw_list: ['00'], signed_txset: 'ab' },
          ...signed,
        }),
    },
    expiryOf: () => expiry,
    isKnown: () => Promise.resolve(isKnown),
  });
  await signer.sign({ batch_id: 'b', unsigned_txset: '', payouts: [{ payout_id: 'w' }], expires_at: 5 });
  const [set] = signer.kept;
  if (set === undefined) return found;
  signer.read = () => {
    if (isExpired) event('queued', 'awaiting_signature', { reason: 'unsigned' });
    return Promise.resolve(true);
  };
  await signer.submit(set);
  return found;
}

const REFUSED = { error: { code: -4, message: 'was not signed in time' } };

describe('a signed set', () => {
  it.each<[what: string, submission: Submission, violations: number]>([
    ['is accepted in time', {}, 0],
    ['is refused in time', { result: REFUSED }, 0],
    ['is refused once it has expired', { isExpired: true, result: REFUSED }, 0],
    ['is accepted late if others have relayed it', { isExpired: true, isKnown: true }, 0],
    ['is wrongly accepted once it has expired', { isExpired: true }, 1],
    ['is answered with another transaction', { result: { tx_hashes: ['b'.repeat(64)] } }, 1],
    ['is not signed by the cold wallet', { signed: { error: { code: -1, message: '' } } }, 1],
    ['ends with its payout', { expiry: 5 }, 0],
    ['outlives its payout', { expiry: 4 }, 1],
    ['has no transaction', { signed: { result: {} } }, 1],
  ])('%s', async (_, submission, violations) => {
    expect(await submit(submission)).toHaveLength(violations);
  });
});
