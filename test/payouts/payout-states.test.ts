import { describe, expect, it } from '@jest/globals';
import { PAYOUT_STATES } from '../../src/model/payout.js';
import type { Loose } from '../support/network/json-rpc.js';
import { ENDS, NEXT, PayoutStates, type PayoutEvent } from './payout-states.js';
import { OF_READERS, SENDER_LIES } from './sender-lies.js';
import { KINDS, planRound, stepsOf } from './plan.js';

const CONFIRMATIONS = 3;
const HASH = 'a'.repeat(64);
const OTHER_HASH = 'b'.repeat(64);

/** A payout that is mined, reorganised, mined again and confirmed. */
const STORY: readonly Loose[] = [
  { type: 'queued' },
  { type: 'sending', tx_hash: HASH, fee: 7 },
  { type: 'sent', tx_hash: HASH, fee: 7 },
  { type: 'mined', tx_hash: HASH, fee: 7, height: 90 },
  { type: 'sent', tx_hash: HASH, fee: 7, reason: 'reorganised' },
  { type: 'queued', reason: 'overtaken' },
  { type: 'sending', tx_hash: OTHER_HASH, fee: 8 },
  { type: 'sent', tx_hash: OTHER_HASH, fee: 8 },
  { type: 'mined', tx_hash: OTHER_HASH, fee: 8, height: 95 },
  { type: 'confirmed', tx_hash: OTHER_HASH, fee: 8, height: 95 },
];
const LISTED = {
  ...{ payout_id: 'w', state: 'confirmed', amount: 100, fee: 'payee', received: 92, fee_share: 8 },
  ...{ tx_hash: OTHER_HASH, height: 95, confirmations: 3, max_fee: 8 },
};

const eventsOf = (story: readonly Loose[]): PayoutEvent[] =>
  story.map(({ type, was, ...data }, i) => {
    const before: unknown = was ?? story[i - 1]?.type;
    return {
      ...{ id: i + 1, type: `payout.${type}`, timestamp: '' },
      data: {
        ...{ payout_id: 'w', address: '4', amount: 100, account_index: 0 },
        ...(before === undefined ? {} : { was: before }),
        ...data,
      },
    };
  });

/** Checks events and a list. @returns the violations. */
function check(events: readonly PayoutEvent[], listed: Loose = LISTED, pausedAfter?: number): string[] {
  const found: string[] = [];
  const states = new PayoutStates(CONFIRMATIONS, (text) => found.push(text));
  for (const event of events) {
    if (event.id === pausedAfter) states.pause(-1);
    states.enter(event);
  }
  states.look();
  states.compare(listed);
  return found;
}

describe('the states of payouts', () => {
  it('are all in the table, and states that nothing follows are ends', () => {
    expect(Object.keys(NEXT).sort()).toEqual([...PAYOUT_STATES, 'none'].sort());
    for (const state of PAYOUT_STATES)
      if (NEXT[state].length === 0) expect([state, ENDS.has(state)]).toEqual([state, true]);
  });

  it('follow each other without a violation in a story of a reorganisation', () => {
    expect(check(eventsOf(STORY))).toEqual([]);
  });

  it.each<[what: string, at: number, change: object]>([
    ['a state that may not follow', 2, { type: 'cancelled', tx_hash: undefined, fee: undefined }],
    ['a wrong former state', 3, { was: 'queued' }],
    ['another amount', 3, { amount: 101 }],
    ['another address', 1, { address: '5' }],
    ['a missing transaction', 2, { tx_hash: undefined }],
    ['a transaction that was never about to be sent', 3, { tx_hash: OTHER_HASH }],
    ['the same transaction sent anew', 6, { tx_hash: HASH }],
    ['a missing share of the fee', 1, { fee: undefined }],
    ['a missing height', 8, { height: undefined }],
    ['a height without a block', 7, { height: 9 }],
    ['a return without a reason', 5, { reason: undefined }],
    ['a reorganisation without a reason', 4, { reason: undefined }],
  ])('are found to be wrong with %s', (_, at, change) => {
    const story = STORY.map((event, i) => (i === at ? { ...event, ...change } : event));
    expect(check(eventsOf(story))).not.toEqual([]);
  });

  it('are found to be wrong when an event has an earlier id, or is missing', () => {
    const events = eventsOf(STORY);
    expect(check(events.map((event, i) => (i === 3 ? { ...event, id: 2 } : event)))).not.toEqual([]);
    expect(check(events.filter((_, i) => i !== 2))).not.toEqual([]);
  });

  it('are found to be wrong when a payout is sent while it is paused', () => {
    expect(check(eventsOf(STORY), LISTED, 7)).toContainEqual(expect.stringContaining('paused'));
    expect(check(eventsOf(STORY), LISTED, 8)).toEqual([]);
  });

  it.each<[what: string, change: object]>([
    ['another state', { state: 'mined', confirmations: 1 }],
    ['a state without its confirmations', { state: 'mined' }],
    ['another transaction', { tx_hash: HASH }],
    ['another height', { height: 96 }],
    ['another share of the fee', { fee_share: 7, received: 93 }],
    ['a received amount that is no rest', { received: 93 }],
    ['a share above the limit', { max_fee: 7 }],
    ['an unknown id', { payout_id: 'x' }],
  ])('are found to be listed wrongly with %s', (_, change) => {
    expect(check(eventsOf(STORY), { ...LISTED, ...change })).not.toEqual([]);
  });

  it('are found to be read otherwise the second time', () => {
    const found: string[] = [];
    const states = new PayoutStates(CONFIRMATIONS, (text) => found.push(text));
    const events = eventsOf(STORY);
    for (const event of events) states.enter(event);
    states.again(4, [...events.slice(4), { ...(events[0] as PayoutEvent), id: 99 }]);
    expect(found).toEqual([]);
    states.again(4, events.slice(4, -1));
    expect(found).toHaveLength(1);
  });
});

/** A payout of a view-only wallet, whose first set was not signed in time. */
const COLD_STORY: readonly Loose[] = [
  { type: 'queued' },
  { type: 'awaiting_signature', fee: 7 },
  { type: 'queued', reason: 'unsigned' },
  { type: 'awaiting_signature', fee: 8 },
  { type: 'sending', tx_hash: OTHER_HASH, fee: 8 },
  { type: 'sent', tx_hash: OTHER_HASH, fee: 8 },
  { type: 'mined', tx_hash: OTHER_HASH, fee: 8, height: 95 },
];

/** Checks the story of a payout of a view-only wallet. @param signed hash that was signed for it. */
function checkCold(
  story: readonly Loose[],
  signed = OTHER_HASH,
  payout = 'w',
  pausedAfter?: number,
): string[] {
  const found: string[] = [];
  const states = new PayoutStates(CONFIRMATIONS, (text) => found.push(text), true);
  states.sign(signed, [payout]);
  for (const event of eventsOf(story)) {
    if (event.id === pausedAfter) states.pause(0);
    states.enter(event);
  }
  return found;
}

describe('the states of payouts of a view-only wallet', () => {
  it('follow each other without a violation if sets expire, are signed, or are relayed by others', () => {
    expect(checkCold(COLD_STORY)).toEqual([]);
    // Whoever has the signed set may relay it, also when it has expired.
    expect(checkCold([...COLD_STORY.slice(0, 3), ...COLD_STORY.slice(5)])).toEqual([]);
  });

  it('are found to be wrong with a transaction that nobody has signed for the payout', () => {
    expect(checkCold(COLD_STORY, HASH)).not.toEqual([]);
    expect(checkCold(COLD_STORY, OTHER_HASH, 'other')).not.toEqual([]);
  });

  it('are found to be wrong with a set of a wallet that signs itself, or without a share of the fee', () => {
    expect(check(eventsOf(COLD_STORY), undefined)).toContainEqual(expect.stringContaining('signs itself'));
    const story = COLD_STORY.map((event, i) => (i === 3 ? { type: event.type } : event));
    expect(checkCold(story)).not.toEqual([]);
  });

  it('are found to be wrong when a set is laid out while it is paused; a signed one may be submitted', () => {
    expect(checkCold(COLD_STORY, OTHER_HASH, 'w', 4)).toContainEqual(expect.stringContaining('paused'));
    expect(checkCold(COLD_STORY, OTHER_HASH, 'w', 5)).toEqual([]);
  });
});

describe('approvals, rejections and blocks', () => {
  it('end a payout for good when it is rejected', () => {
    const story = [{ type: 'awaiting_approval' }, { type: 'rejected' }, { type: 'queued' }];
    const found: string[] = [];
    const states = new PayoutStates(CONFIRMATIONS, (text) => found.push(text));
    for (const event of eventsOf(story.slice(0, 2))) states.enter(event);
    expect(found).toEqual([]);
    for (const event of eventsOf(story).slice(2)) states.enter(event);
    expect(found).toContainEqual(expect.stringContaining('queued follows rejected'));
  });

  it('may hold a queued payout back, and release it without a reason', () => {
    const story = [{ type: 'queued' }, { type: 'awaiting_approval' }, { type: 'queued' }, ...STORY.slice(1)];
    expect(check(eventsOf(story))).toEqual([]);
  });

  it('make a payout mined only if a block has had its transaction', () => {
    const found: string[] = [];
    const states = new PayoutStates(CONFIRMATIONS, (text) => found.push(text));
    for (const event of eventsOf(STORY)) states.enter(event);
    states.noteMined([OTHER_HASH]);
    states.compareMined();
    expect(found).toEqual([]);
    const lying = new PayoutStates(CONFIRMATIONS, (text) => found.push(text));
    for (const event of eventsOf(STORY)) lying.enter(event);
    lying.noteMined([HASH]);
    lying.compareMined();
    expect(found).toContainEqual(expect.stringContaining('no block has had'));
  });
});

describe('the lies to senders', () => {
  it('contain all that concern a wallet which waits for its payments', () => {
    const names = SENDER_LIES.map(({ what }) => what.split('=')[0] ?? '');
    expect(OF_READERS.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('the plan of a round', () => {
  it('depends on seed and number alone, and takes each step sooner or later', () => {
    expect(planRound('a', 7)).toEqual(planRound('a', 7));
    expect(planRound('a', 7)).not.toEqual(planRound('b', 7));
    for (const kind of KINDS) {
      const plans = Array.from({ length: 60 }, (_, i) => planRound('a', i + 1, undefined, kind));
      const taken = new Set(plans.flatMap(({ steps }) => steps));
      expect(stepsOf(kind).filter((step) => !taken.has(step))).toEqual([]);
    }
  });

  it('draws each kind sooner or later', () => {
    const drawn = Array.from({ length: 60 }, (_, i) => planRound('a', i + 1).kind);
    expect(KINDS.filter((kind) => !drawn.includes(kind))).toEqual([]);
  });
});
