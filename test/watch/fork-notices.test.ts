import { describe, expect, it } from '@jest/globals';
import type { ComingFork } from '../../src/watch/coming-forks.js';
import { forkNotices, NOTICE_BLOCKS } from '../../src/watch/fork-notices.js';

/** 2026-08-01, 00:00 UTC. */
const NOW = 1_785_542_400;

/** Forks whose first blocks are so many blocks ahead. */
const forks = (...all: readonly (readonly [version: number, blocks: number])[]): ComingFork[] =>
  all.map(([version, blocks]) => ({ version, blocks, height: 3_000_000 + blocks }));

const texts = (of: readonly ComingFork[], newestFork: number): string[] =>
  forkNotices(of, { newestFork, now: NOW }).map(
    ({ text, isUrgent }) => `${isUrgent ? 'now' : 'soon'}: ${text}`,
  );

describe('the notices of forks', () => {
  it('are none for a fork that is more than 60 days ahead, however far a node names it', () => {
    expect(NOTICE_BLOCKS).toBe(43_200);
    expect(texts(forks([17, NOTICE_BLOCKS + 1], [18, Number.MAX_SAFE_INTEGER - 3_000_000]), 16)).toEqual([]);
    expect(texts([], 16)).toEqual([]);
  });

  it('say block, date, and that wallets stop there without the rules', () => {
    expect(texts(forks([17, NOTICE_BLOCKS]), 16)).toEqual([
      'now: hard fork to version 17 at block 3,043,200, in about 60 d, on 2026-09-30: wallets stop at that block unless --fork-rules carrot-2026-07 is set; payments are not made after it in either case (docs/fork.md)',
    ]);
  });

  it('say with the rules that money is received, and that no payments are made', () => {
    expect(texts(forks([17, 1], [18, 721]), 18)).toEqual([
      'soon: hard fork to version 17 at block 3,000,001, in about 2 min, on 2026-08-01: this server goes on to receive by --fork-rules carrot-2026-07, and makes no payments from that block on (docs/fork.md)',
      'soon: hard fork to version 18 at block 3,000,721, in about 1 d, on 2026-08-02: this server goes on to receive by --fork-rules carrot-2026-07, and makes no payments from version 17 on (docs/fork.md)',
    ]);
  });

  it('name an update for a version of which nothing is known', () => {
    for (const newestFork of [16, 18])
      expect(texts(forks([19, 720]), newestFork)).toEqual([
        expect.stringMatching(/^now: .* version 19 .*: wallets stop at that block: update this server /),
      ]);
  });

  it('have of past forks the one at which wallets stop, or else the one that ended payments', () => {
    const past = forks([17, -10], [18, 0], [19, 500]);
    expect(texts(past.slice(0, 2), 18)).toEqual([
      expect.stringMatching(
        /^soon: the network is past the hard fork to version 17, since block 2,999,990: this server goes on/,
      ),
    ]);
    expect(texts(past.slice(0, 2), 16)).toEqual([
      expect.stringMatching(
        /^now: the network is past the hard fork to version 17, since block 2,999,990: wallets stop/,
      ),
    ]);
    expect(texts(forks([17, -10], [19, -5]), 18)).toEqual([
      expect.stringMatching(/^now: the network is past the hard fork to version 19, .*: update this server/),
    ]);
    expect(texts(past, 18)).toHaveLength(2);
  });
});
