import { describe, expect, it, test } from '@jest/globals';
import type { Daemon } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { ChainTip } from '../../../src/services/context/chain-tip.js';
import { NewHeights } from '../../../src/services/manager/new-heights.js';

const NOW = Math.floor(Date.now() / 1000);

interface Claims {
  readonly height: number;
  readonly newest?: number;
  readonly synchronized?: boolean;
  readonly targetHeight?: number;
  /** Refuses all headers. */
  readonly headerless?: boolean;
}

/** Heights of new wallets beside a daemon, and the lines of the log. */
function heightsOf(claims: Claims | undefined, others: readonly ChainTip[] = []) {
  const lines: unknown[] = [];
  const client = (): Daemon => {
    if (claims === undefined) throw new DaemonError('unreachable', 'offline');
    const { height, newest = height - 1, synchronized = true, targetHeight = 0, headerless } = claims;
    return {
      getInfo: () => Promise.resolve({ height, synchronized, targetHeight }),
      getLastBlockHeader: () => Promise.resolve({ height: newest, timestamp: NOW }),
      // A block every two minutes.
      getBlockHeader: (at: number) =>
        headerless === true
          ? Promise.reject(new DaemonError('timeout', 'no answer'))
          : Promise.resolve({ height: at, timestamp: NOW - 120 * (newest - at) }),
    } as unknown as Daemon;
  };
  const heights = new NewHeights({ client }, () => others, {
    warn: (facts: unknown) => void lines.push(facts),
  });
  return { heights, lines };
}

describe('a wallet of random keys', () => {
  test.each<[string, Claims, readonly ChainTip[], number]>([
    ['60 blocks below the tip', { height: 3000 }, [], 2940],
    ['the first block of a short chain', { height: 59 }, [], 0],
    [
      'below the newest header where the height is overstated by 40',
      { height: 3040, newest: 2999 },
      [],
      2940,
    ],
    ['below it where it is overstated by a million', { height: 1_003_000, newest: 2999 }, [], 2940],
    ['below the other daemons', { height: 1_003_000 }, [{ blocks: 3000, timestamp: NOW }], 2940],
  ])('is scanned from %s', async (_, claims, others, expected) => {
    expect(await heightsOf(claims, others).heights.ofNewKeys()).toBe(expected);
  });

  it('has no height where no daemon answers', async () => {
    expect(await heightsOf(undefined).heights.ofNewKeys()).toBeUndefined();
  });
});

describe('a wallet of given keys', () => {
  test.each<[string, number, Claims | undefined]>([
    ['a height below the tip', 2999, { height: 3000 }],
    ['the height of the next block', 3000, { height: 3000 }],
    ['no height', 0, { height: 3000 }],
    [
      'a height that a syncing daemon will reach',
      9000,
      { height: 30, synchronized: false, targetHeight: 9100 },
    ],
    ['any height while no daemon answers', 9000, undefined],
  ])('is scanned from %s', async (_, asked, claims) => {
    const { heights, lines } = heightsOf(claims);
    expect(await heights.ofGivenKeys(asked)).toEqual({ restoreHeight: asked });
    expect(lines).toEqual([]);
  });

  test.each([3001, 1_003_000])(
    'is scanned from 60 blocks below the tip for %i, which lies above it',
    async (asked) => {
      const { heights, lines } = heightsOf({ height: 3000 });
      expect(await heights.ofGivenKeys(asked)).toEqual({
        restoreHeight: 2940,
        lowered: { asked, blocks: 3000, from: 2940 },
      });
      expect(lines).toEqual([{ restoreHeight: asked, blocks: 3000, scannedFrom: 2940 }]);
    },
  );
});

describe('a wallet of a known age', () => {
  const day = 86_400;

  test.each<[string, number, number]>([
    ['a day before it', NOW - 2 * day, 3000 - 1 - (3 * day) / 120],
    ['the first block where it is older than the chain', NOW - 30 * day, 0],
    ['a day below the tip where it is new', NOW, 3000 - 1 - day / 120],
    ['60 blocks below the tip where its age lies in the future', NOW + 5 * day, 2940],
  ])('is scanned from %s', async (_, time, expected) => {
    expect(await heightsOf({ height: 3000 }).heights.ofDatedKeys(time)).toEqual({ restoreHeight: expected });
  });

  test.each<[string, Claims | undefined]>([
    ['there is no daemon', undefined],
    ['the daemon stops answering', { height: 3000, headerless: true }],
  ])('has no height yet where %s', async (_, claims) => {
    expect(await heightsOf(claims).heights.ofDatedKeys(NOW)).toEqual({ restoreHeight: undefined });
  });
});
