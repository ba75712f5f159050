import { describe, expect, it } from '@jest/globals';
import { observed, type CallOutcome } from '../../../src/http/calls/dispatcher.js';

const failure = new Error('refused');
const call = (method: string) =>
  method === 'pay' ? Promise.resolve({ tx_hash: 'made' }) : Promise.reject(failure);

describe('an observer of calls', () => {
  it('notes the result and the error of each call', async () => {
    const noted: [string, CallOutcome][] = [];
    const watched = observed(call, (method) => (outcome) => void noted.push([method, outcome]), fail);
    expect(await watched('pay', undefined, {})).toEqual({ tx_hash: 'made' });
    await expect(watched('other', undefined, {})).rejects.toBe(failure);
    expect(noted).toEqual([
      ['pay', { result: { tx_hash: 'made' } }],
      ['other', { error: failure }],
    ]);
  });

  it('that fails changes no answer, and is reported once', async () => {
    const bugs: unknown[] = [];
    const broken = new Error('the disk is full');
    const watched = observed(
      call,
      () => () => {
        throw broken;
      },
      (error, method) => bugs.push([method, error]),
    );
    expect(await watched('pay', undefined, {})).toEqual({ tx_hash: 'made' });
    await expect(watched('other', undefined, {})).rejects.toBe(failure);
    expect(bugs).toEqual([
      ['pay', broken],
      ['other', broken],
    ]);
  });
});

function fail(error: unknown): never {
  throw error;
}
