import { describe, expect, it } from '@jest/globals';
import { Chances } from './chances.js';
import { dealTroubles, drawTroubles, SHARES } from './plan.js';
import { TROUBLES } from './troubles.js';

const planOf = (seed: string): string[] => {
  const random = new Chances(seed).of('plan');
  return Array.from({ length: 50 }, () =>
    drawTroubles(random, TROUBLES, SHARES)
      .map(({ name }) => name)
      .join(),
  );
};

describe('the troubles of a run', () => {
  it('are the same for the same seed, and others for another one', () => {
    expect(planOf('one')).toEqual(planOf('one'));
    expect(planOf('one')).not.toEqual(planOf('two'));
  });

  it('are all drawn, one to three at a time, none twice', () => {
    const rounds = planOf('one').map((round) => round.split(','));
    expect(new Set(rounds.flat())).toEqual(new Set(TROUBLES.map(({ name }) => name)));
    expect(new Set(rounds.map(({ length }) => length))).toEqual(new Set([1, 2, 3]));
    for (const round of rounds) expect(new Set(round).size).toBe(round.length);
  });

  it('are dealt out so that the first rounds have each of them once', () => {
    const rounds = dealTroubles(new Chances('one').of('plan'), TROUBLES, 2);
    expect(rounds.map(({ length }) => length)).toEqual(
      [Math.ceil, Math.floor].map((round) => round(TROUBLES.length / 2)),
    );
    expect(new Set(rounds.flat())).toEqual(new Set(TROUBLES));
  });

  it('do not depend on other draws', () => {
    const chances = new Chances('one');
    chances.of('miners').below(10);
    expect(
      drawTroubles(chances.of('plan'), TROUBLES, SHARES)
        .map(({ name }) => name)
        .join(),
    ).toBe(planOf('one')[0]);
  });
});
