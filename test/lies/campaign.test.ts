import { describe, expect, it } from '@jest/globals';
import { FAULTS } from '../../src/regtest/fault-injection.js';
import { LIES, NOT_YET, OF_CONNECTION, WORK } from '../support/values/lies.js';
import { deckOf, namesIn, planRound, withoutDelay } from './plan.js';

/* `campaign.nightly.test.ts` has the runs. */

describe('the lies of a campaign', () => {
  const deck = deckOf({ work: false, only: [] });

  it('are all that no wallet believes, each also in a slow variant', () => {
    const believed = Object.entries(NOT_YET).flatMap(([call, lies]) =>
      Object.keys(lies).map((what) => `${call} ${what}`),
    );
    for (const [call, lies] of Object.entries(LIES))
      for (const { what } of lies.filter((lie) => !lie.what.startsWith('latency'))) {
        const told = deck.filter((lie) => lie.call === call && withoutDelay(lie.what) === what);
        expect([call, what, told.length]).toEqual([call, what, believed.includes(`${call} ${what}`) ? 0 : 2]);
      }
  });

  it('are, with those that only work tells from the truth, lies of the regtest daemon', () => {
    const all = deckOf({ work: true, only: [] });
    expect(all.length - deck.length).toBe(
      2 * Object.values(NOT_YET.refresh ?? {}).filter((reason) => reason === WORK).length,
    );
    const names = all.flatMap(({ what }) => namesIn(what));
    expect(names.filter((name) => !Object.keys(FAULTS).includes(name))).toEqual([]);
    for (const name of OF_CONNECTION) expect(all.some(({ what }) => what.includes(`${name}=`))).toBe(true);
  });

  it('are told once each before one is told again, in an order that the seed fixes', () => {
    const told = (seed: string): string[] => deck.map((_, i) => planRound(seed, i + 1, deck).lie.what);
    expect([...told('a')].sort()).toEqual(deck.map(({ what }) => what).sort());
    expect(told('a')).not.toEqual(told('b'));
    expect(planRound('a', deck.length + 7, deck)).toEqual(planRound('a', deck.length + 7, deck));
  });
});
