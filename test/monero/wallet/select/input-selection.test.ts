import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  InputPool,
  preferredInputs,
  Selection,
} from '../../../../src/monero/wallet/select/input-selection.js';
import type { OwnedOutput } from '../../../../src/monero/wallet/scan/findings.js';
import { SpendableOutputs, relatedness } from '../../../../src/monero/wallet/select/spendable-outputs.js';
import { cpuMs } from '../../../support/fakes/cpu-time.js';
import { ANY_TIME, listCoins, purseOf } from '../../../support/wallets/list-coins.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { ownedOutput } from '../fixtures.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';

const at = (height: number, facts: Partial<OwnedOutput> = {}): OwnedOutput =>
  ownedOutput(1n, { height, ...facts });
const minor = (index: number) => ({ major: 0, minor: index });

// The first two: the reference's tests/unit_tests/output_selection.cpp `one_out_of_N`, `order`.
describe('a pool', () => {
  it('gives the one output of another height first', () => {
    const outputs = Array.from({ length: 10 }, (_, i) => at(i === 6 ? 700 : 1000));
    const [selected] = outputs.splice(2, 1);
    const pool = new InputPool(outputs, seededRng('one'));
    expect(pool.takeLeastRelated(new Selection(selected === undefined ? [] : [selected]))?.height).toBe(700);
  });

  it('gives distant outputs first, then near ones, adjacent ones, and last those of the same height', () => {
    const selected = [at(700)];
    const pool = new InputPool([at(700), at(704), at(716), at(701)], seededRng('order'));
    while (pool.size > 0)
      selected.push(...[pool.takeLeastRelated(new Selection(selected))].filter((one) => one !== undefined));
    expect(selected.map(({ height }) => height)).toEqual([700, 716, 704, 701, 700]);
  });

  it('gives outputs of the same transaction last of all', () => {
    const [a, b, c] = [at(700), at(700), at(700)];
    const sibling = { ...a, outputIndex: 1 };
    for (let seed = 0; seed < 20; seed++) {
      const pool = new InputPool([sibling, b, c], seededRng(seed));
      expect(pool.takeLeastRelated(new Selection([a]))).not.toBe(sibling);
    }
    expect(new InputPool([sibling], seededRng(0)).takeLeastRelated(new Selection([a]))).toBe(sibling);
  });

  it('is empty after all outputs are taken', () => {
    const pool = new InputPool([], seededRng(0));
    expect(pool.takeLeastRelated(new Selection())).toBeUndefined();
  });

  it('always gives one of the least related outputs, and every output once', () => {
    // All outputs of a transaction have the same height.
    const place = fc.tuple(fc.nat(40), fc.nat(2));
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 30 }), fc.nat(), (places, seed) => {
        const hashes = new Map(places.map(([height, tx]) => [`${height}/${tx}`, at(0).txHash]));
        const outputs = places.map(([height, tx]) => {
          const txHash = hashes.get(`${height}/${tx}`);
          return at(height, txHash === undefined ? {} : { txHash });
        });
        const pool = new InputPool(outputs, seededRng(seed));
        const selection = new Selection<OwnedOutput>();
        const score = (output: OwnedOutput): number =>
          Math.max(0, ...selection.outputs.map((other) => relatedness(output, other)));
        for (
          let left = outputs;
          left.length > 0;
          left = left.filter((one) => !selection.outputs.includes(one))
        ) {
          const scores = left.map(score);
          expect(left.map((output) => selection.relatednessOf(output))).toEqual(scores);
          const taken = pool.takeLeastRelated(selection);
          if (taken === undefined) throw new Error('the pool ran dry');
          expect(left).toContain(taken);
          expect(score(taken)).toBe(Math.min(...scores));
          selection.add(taken);
        }
        expect(pool.size).toBe(0);
      }),
      { numRuns: randomRuns(60) },
    );
  });

  test.each([
    ['a thousand blocks', 1000],
    ['ten blocks', 10],
    ['as many blocks', 10_000],
  ])('of ten thousand outputs in %s is emptied in seconds', (_, blocks) => {
    const outputs = Array.from({ length: 10_000 }, (_ignored, i) => at(i % blocks));
    const pool = new InputPool(outputs, seededRng('many'));
    const started = cpuMs();
    while (pool.size > 0) {
      const selection = new Selection<OwnedOutput>();
      while (pool.size > 0 && selection.outputs.length < 130) {
        const taken = pool.takeLeastRelated(selection);
        if (taken !== undefined) selection.add(taken);
      }
    }
    expect(cpuMs() - started).toBeLessThan(5_000);
  });
});

const preferred = (outputs: readonly OwnedOutput[], needed: bigint): OwnedOutput[] =>
  preferredInputs(purseOf(outputs), needed, 0n);

describe('preferred inputs', () => {
  it('are the oldest output that pays alone', () => {
    const [small, old, recent] = [
      ownedOutput(5n, { height: 1 }),
      ownedOutput(50n, { height: 2 }),
      ownedOutput(11n, { height: 3 }),
    ];
    expect(preferred([recent, old, small], 10n)).toEqual([old]);
  });

  it('are two unrelated outputs of one address, the oldest pair', () => {
    const [a, b, c] = [1, 100, 200].map((height) => ownedOutput(6n, { height }));
    expect(
      preferred(
        [c, b, a].filter((one) => one !== undefined),
        10n,
      ),
    ).toEqual([a, b]);
  });

  it('are the least related pair when all are related', () => {
    const [a, b, c] = [
      ownedOutput(6n, { height: 100 }),
      ownedOutput(6n, { height: 100 }),
      ownedOutput(6n, { height: 105 }),
    ];
    expect(preferred([a, b, c], 10n)).toEqual([a, c]);
  });

  it('are not two outputs of one transaction', () => {
    const a = ownedOutput(6n);
    expect(preferred([a, { ...a, outputIndex: 1, globalIndex: a.globalIndex + 1 }], 10n)).toEqual([]);
  });

  it('are not outputs of two addresses', () => {
    expect(preferred([ownedOutput(6n), ownedOutput(6n, { subaddress: minor(1) })], 10n)).toEqual([]);
  });

  it('are none when no two outputs are enough', () => {
    expect(
      preferred(
        [6n, 6n, 6n].map((value) => ownedOutput(value)),
        13n,
      ),
    ).toEqual([]);
  });

  it('are sought among addresses only that have two outputs and the sum', () => {
    const outputs = [
      ...[6n, 5n].map((value) => ownedOutput(value, { subaddress: minor(1) })),
      ownedOutput(9n, { subaddress: minor(2) }),
      ...Array.from({ length: 20 }, (_, i) => ownedOutput(3n, { subaddress: minor(3 + (i >> 1)) })),
    ];
    const source = listCoins(outputs);
    const asked: number[] = [];
    const purse = new SpendableOutputs(
      { ...source, largest: (index) => (asked.push(index), source.largest(index)) },
      ANY_TIME,
    );
    expect(preferredInputs(purse, 11n, 0n).map(({ amount }) => amount)).toEqual([6n, 5n]);
    expect(asked).toEqual([1]);
    expect(preferredInputs(purse, 12n, 0n)).toEqual([]);
    expect(asked).toEqual([1]);
  });
});
