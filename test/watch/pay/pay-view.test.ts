import { describe, expect, it } from '@jest/globals';
import { COIN, NOW, STATES, TIP, viewOf, type RequestFixture } from './fixtures.js';

describe('the state of a pay page', () => {
  it.each(Object.entries(STATES))('is %s', (state, fixture) => {
    expect(viewOf(fixture).state).toBe(state);
  });

  it('is expired as soon as a payment would be late, before the expiry is recorded', () => {
    expect(viewOf({ expires: NOW }).state).toBe('waiting');
    expect(viewOf({ expires: NOW - 1 }).state).toBe('expired');
    expect(viewOf({ expires: NOW - 1, paid: [[2n * COIN]], now: NOW }).state).toBe('seen');
  });

  it('is overpaid only beyond the tolerance', () => {
    const fixture = (value: bigint): RequestFixture => ({ tolerance: 5n, paid: [[value, TIP - 9]] });
    expect(viewOf(fixture(2n * COIN + 5n)).state).toBe('paid');
    expect(viewOf(fixture(2n * COIN + 6n))).toMatchObject({ state: 'overpaid', excess: 1n });
    expect(viewOf(fixture(2n * COIN - 5n)).state).toBe('paid');
  });
});

describe('the confirmations of a pay page', () => {
  it('are those of the payment that completes the amount', () => {
    const paid = [[COIN, TIP - 9], [COIN, TIP - 4], [COIN]] as const;
    expect(viewOf({ paid })).toMatchObject({ state: 'confirming', confirmations: 5, needed: 10 });
    expect(viewOf({ paid: [[COIN, TIP - 9], [COIN]] })).toMatchObject({ state: 'seen', confirmations: 0 });
  });

  it('are at most the needed ones, and none without payments', () => {
    expect(viewOf({ paid: [[2n * COIN, 1]] })).toMatchObject({ confirmations: 10 });
    expect(viewOf({ asked: null })).toMatchObject({ confirmations: 0 });
  });

  it('count neither late nor locked payments', () => {
    expect(
      viewOf({ expires: NOW - 60, paid: [[2n * COIN, 1, { arrival: NOW - 10 }]], ended: true }),
    ).toMatchObject({ state: 'expired', confirmations: 0, late: 2n * COIN, received: 0n });
    expect(viewOf({ paid: [[2n * COIN, 1, { unlockTime: 1000n }]] })).toMatchObject({
      ...{ state: 'waiting', confirmations: 0, locked: 2n * COIN },
    });
  });

  it('make the page wait for blocks until they suffice', () => {
    expect(viewOf(STATES.confirming).awaitsBlock).toBe(true);
    for (const state of ['waiting', 'seen', 'paid'] as const)
      expect(viewOf(STATES[state]).awaitsBlock).toBe(false);
  });
});

describe('the payment that a page asks for', () => {
  it('is the missing amount, in address, link and code', () => {
    const { demand } = viewOf({ paid: [[COIN / 2n]], label: 'order 1' });
    expect(demand?.amount).toBe((3n * COIN) / 2n);
    expect(demand?.uri).toMatch(/^monero:888tNk\w+\?tx_amount=1\.500000000000&tx_description=order%201$/);
    expect(demand?.codeUri).toBe(demand?.uri.replace(/&.*/, ''));
  });

  it('has no amount in an open request', () => {
    const { demand } = viewOf({ asked: null, paid: [[COIN]] });
    expect(demand).not.toHaveProperty('amount');
    expect(demand?.codeUri).not.toContain('?');
  });

  it('is absent once nothing is to be paid', () => {
    const states = Object.entries(STATES).filter(([, fixture]) => viewOf(fixture).demand !== undefined);
    expect(states.map(([state]) => state)).toEqual(['waiting', 'partial', 'received']);
  });
});

describe('a long label', () => {
  it('is shortened between characters', () => {
    expect(viewOf({ label: '🙂'.repeat(200) }).label).toBe('🙂'.repeat(200));
    expect(viewOf({ label: '🙂'.repeat(201) }).label).toBe(`${'🙂'.repeat(199)}…`);
  });
});
