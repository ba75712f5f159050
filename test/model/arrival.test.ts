import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arrivalInBlock, completeRead, sightAt, type CompleteRead } from '../../src/model/arrival.js';

const NOW = 1_700_000_000;
const HOUR = 3600;

/** A read whose newest block is as old as ever. */
const readAt = (time: number, more: Partial<CompleteRead> = {}): CompleteRead => ({
  ...{ time, leastLag: 30, isLagging: false },
  ...more,
});

/** Arrival of a payment whose first sight is in a block. */
const arrivalIn = (blockTime: number, witnesses: Partial<Parameters<typeof sightAt>[0]>): number =>
  arrivalInBlock(
    blockTime,
    sightAt({ now: NOW, read: readAt(NOW - 20), isOpenSince: true, newestBlock: NOW - 100, ...witnesses }),
  );

describe('a payment in a block', () => {
  it('arrives when a wallet that follows the chain reads it, whatever the block is dated', () => {
    for (const ahead of [-2 * HOUR, -60, 0, 90 * 60]) expect(arrivalIn(NOW + ahead, {})).toBe(NOW);
  });

  it('arrives at the date of the block if the wallet was not open, or lacked its daemon, for a while', () => {
    for (const some of [{ isOpenSince: false }, { read: readAt(NOW - 3 * HOUR) }]) {
      const read = readAt(NOW - 3 * HOUR);
      expect(arrivalIn(NOW - HOUR, { read, ...some })).toBe(NOW - HOUR);
      // Neither after the clock says that it is read, nor before the last complete read.
      expect(arrivalIn(NOW + 90 * 60, { read, ...some })).toBe(NOW);
      expect(arrivalIn(NOW - 5 * HOUR, { read, ...some })).toBe(NOW - 3 * HOUR);
    }
  });

  it('arrives at the date of the block in a wallet that was never read completely', () => {
    expect(arrivalIn(5, { read: undefined })).toBe(5);
    expect(arrivalIn(NOW + 9, { read: undefined })).toBe(NOW);
  });

  it('arrives at the date of the block while the clock is ahead of the chain', () => {
    const read = readAt(NOW - 20, { isLagging: true });
    const newestBlock = NOW - HOUR - 100;
    expect(arrivalIn(NOW - HOUR, { read, newestBlock })).toBe(NOW - HOUR);
    expect(arrivalIn(NOW - 9 * HOUR, { read, newestBlock })).toBe(newestBlock);
  });

  it('arrives at the date of the block when the clock was set back since the last complete read', () => {
    expect(arrivalIn(NOW - 50, { read: readAt(NOW + HOUR) })).toBe(NOW - 50);
    expect(arrivalIn(NOW - HOUR, { read: readAt(NOW + HOUR) })).toBe(NOW - 100);
    expect(arrivalIn(NOW - HOUR, { read: readAt(NOW + HOUR), newestBlock: undefined })).toBe(NOW - HOUR);
  });
});

describe('the first sight of a payment', () => {
  const sight = (seconds: number, isOpenSince = true): object =>
    sightAt({ now: NOW, read: readAt(NOW - seconds), isOpenSince, newestBlock: NOW - 9 });

  it('is certain up to two minutes after the last complete read, if the wallet was open since', () => {
    expect(sight(120)).toEqual({ time: NOW });
    expect(sight(121)).toEqual({ time: NOW, since: NOW - 121 });
    expect(sight(1, false)).toEqual({ time: NOW, since: NOW - 1 });
  });

  it('is not after the newest block that the wallet knew, if that is dated ahead', () => {
    const witnesses = { now: NOW, read: readAt(NOW + 1), isOpenSince: true, newestBlock: NOW + HOUR };
    expect(sightAt(witnesses)).toEqual({ time: NOW, since: NOW });
  });
});

describe('a complete read', () => {
  it('lags when its newest block is much older than ever before', () => {
    const first = completeRead(NOW, NOW - 40, undefined);
    expect(first).toEqual({ time: NOW, leastLag: 40, isLagging: false });
    expect(completeRead(NOW + 1200, NOW - 40, first)).toMatchObject({ leastLag: 40, isLagging: false });
    expect(completeRead(NOW + 1201, NOW - 40, first)).toMatchObject({ leastLag: 40, isLagging: true });
    // A clock that is put an hour ahead.
    expect(completeRead(NOW + HOUR + 20, NOW - 40, first)).toMatchObject({ isLagging: true });
  });

  it('does not lag on a chain whose blocks always were old', () => {
    const first = completeRead(NOW, 1000, undefined);
    expect(first.isLagging).toBe(false);
    expect(completeRead(NOW + 1100, 1000, first).isLagging).toBe(false);
  });

  it('takes no measure of a block that is dated ahead, or of an unknown one', () => {
    const ahead = completeRead(NOW, NOW + 90 * 60, undefined);
    expect(ahead).toEqual({ time: NOW, leastLag: 0, isLagging: false });
    expect(completeRead(NOW, undefined, undefined)).toEqual({ time: NOW, isLagging: false });
    expect(completeRead(NOW + 9, undefined, ahead)).toEqual({ time: NOW + 9, leastLag: 0, isLagging: false });
    const unmeasured = completeRead(NOW, undefined, undefined);
    expect(completeRead(NOW, NOW - 9000, unmeasured)).toEqual({
      time: NOW,
      leastLag: 9000,
      isLagging: false,
    });
  });
});

it('an arrival lies between the last time without the payment and its sight, and is the date of the block if that does', () => {
  const time = fc.integer({ min: 0, max: 1000 });
  fc.assert(
    fc.property(time, fc.option(time, { nil: undefined }), time, (now, since, blockTime) => {
      fc.pre(since === undefined || since <= now);
      const arrival = arrivalInBlock(blockTime, since === undefined ? { time: now } : { time: now, since });
      expect(arrival).toBeLessThanOrEqual(now);
      expect(arrival).toBeGreaterThanOrEqual(since ?? now);
      if (since !== undefined && blockTime >= since && blockTime <= now) expect(arrival).toBe(blockTime);
    }),
  );
});
