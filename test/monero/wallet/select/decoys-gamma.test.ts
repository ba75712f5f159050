import { describe, expect, test } from '@jest/globals';
import { gammaDeviate } from '../../../../src/monero/wallet/select/decoys.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';

describe('gamma deviates', () => {
  test.each([
    [19.28, 1 / 1.61],
    [1, 2],
    [4.5, 1],
  ])('of shape %d and scale %d have its mean and variance', (shape, scale) => {
    const rng = seededRng(`gamma ${shape}`);
    const count = 50_000;
    const values = Array.from({ length: count }, () => gammaDeviate(shape, scale, rng));
    const mean = values.reduce((total, value) => total + value, 0) / count;
    const variance = values.reduce((total, value) => total + (value - mean) ** 2, 0) / count;
    expect(Math.abs(mean / (shape * scale) - 1)).toBeLessThan(0.02);
    expect(Math.abs(variance / (shape * scale * scale) - 1)).toBeLessThan(0.05);
    expect(Math.min(...values.slice(0, 10_000))).toBeGreaterThan(0);
  });
});
