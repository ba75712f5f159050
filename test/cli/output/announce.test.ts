import { describe, expect, it, jest } from '@jest/globals';
import { announceArithmetic, announceEngine, announceFork } from '../../../src/cli/output/announce.js';

describe('the log of a start', () => {
  it.each([
    ['names a V8 that is newer than the checked versions, once at level debug', '14.7.1.1-node.1', 1],
    ['says nothing of a V8 that was checked', '14.6.202.34-node.34', 0],
  ])('%s', (_, version, lines) => {
    const debug = jest.fn();
    announceEngine({ debug }, version);
    expect(debug.mock.calls).toEqual(
      Array.from({ length: lines }, () => [expect.stringContaining(`V8 ${version} is newer`)]),
    );
  });
});

describe('the log of the curve arithmetic', () => {
  const failed = (['relaxed', 'simd'] as const).map((build) => ({ build, reason: 'no memory' }));

  it.each([
    ['info', 'the fastest build', { build: 'relaxed', passedOver: [] }, true, /fused multiply-add$/],
    [
      'warn',
      'a slower build',
      { build: 'simd', passedOver: failed.slice(0, 1) },
      true,
      /integer SIMD, which/,
    ],
    [
      'warn',
      'plain code without SIMD',
      { build: undefined, passedOver: failed },
      false,
      /plain JavaScript, which/,
    ],
    [
      'error',
      'no build that works despite SIMD',
      { build: undefined, passedOver: failed },
      true,
      /no build works/,
    ],
  ] as const)('is one line at level %s for %s', (level, _, choice, hasSimd, text) => {
    const log = { info: jest.fn(), warn: jest.fn(), error: jest.fn() };
    announceArithmetic(log, choice, hasSimd);
    expect(Object.values(log).flatMap(({ mock }) => mock.calls)).toHaveLength(1);
    expect(log[level].mock.calls[0]?.at(-1)).toMatch(text);
  });
});

describe('the log of the fork rules', () => {
  const fork = { rules: 'carrot-2026-07', newest: 18 } as const;

  it.each([
    [
      'info',
      'without rules',
      { fork: { newest: 16 }, network: 'mainnet' },
      /^Fork rules: none; .* version 16 /,
    ],
    [
      'info',
      'with rules on a test network',
      { fork, network: 'stagenet' },
      /^Fork rules: carrot-2026-07; .* version 18 /,
    ],
    [
      'info',
      'with rules on regtest',
      { fork, network: 'mainnet', regtest: { port: 0 } },
      /^Fork rules: carrot/,
    ],
    [
      'warn',
      'with rules on the main network',
      { fork, network: 'mainnet' },
      /carrot-2026-07; .* they are not final, and may change/i,
    ],
  ] as const)('is one line at level %s %s', (level, _, config, text) => {
    const log = { info: jest.fn(), warn: jest.fn() };
    announceFork(config, log);
    expect([...log.info.mock.calls, ...log.warn.mock.calls]).toHaveLength(1);
    expect(log[level].mock.calls[0]?.[0]).toMatch(text);
  });
});
