import { describe, expect, it, test } from '@jest/globals';
import { Misbehaviour, parseWrongs } from '../../src/regtest/misbehaviour.js';

const times = <T>(count: number, run: () => T): T[] => Array.from({ length: count }, run);

describe('what a daemon is told to do wrong', () => {
  it('is read from a list', () => {
    expect([...parseWrongs('latency=200, drop=3')]).toEqual([
      ['latency', 200],
      ['drop', 3],
    ]);
    expect(parseWrongs('').size).toBe(0);
  });

  test.each([
    'latency',
    'latency=',
    'latency=0',
    'latency=-1',
    'latency=1000001',
    'lie=1',
    'toString=1',
    'drop=1.5',
  ])('is not %j', (text) => expect(() => parseWrongs(text)).toThrow(RangeError));
});

describe('misbehaviour', () => {
  const told = (text: string): Misbehaviour => new Misbehaviour(parseWrongs(text));

  it('is none unless asked for, and then cannot be told either', () => {
    const none = new Misbehaviour();
    expect(none.isAllowed).toBe(false);
    expect(told('').isAllowed).toBe(true);
    for (const good of [none, told('')]) {
      expect(good.latencyMs).toBe(0);
      expect(times(5, () => good.dropsRequest())).not.toContain(true);
      expect(good.binary(Uint8Array.of(1, 2))).toEqual(Uint8Array.of(1, 2));
      expect(good.height(7)).toBe(7);
      expect(good.fees([5n])).toEqual([5n]);
      expect(good.outputIndex(4n)).toBe(4n);
      expect(times(5, () => good.blocksToReplace())).not.toContain(1);
    }
  });

  it('cuts every third request off', () => {
    const daemon = told('drop=3');
    expect(times(6, () => daemon.dropsRequest())).toEqual([false, false, true, false, false, true]);
  });

  it('shortens and lengthens binary answers', () => {
    expect(told('truncate=1').binary(Uint8Array.of(1, 2, 3))).toEqual(Uint8Array.of(1));
    const long = told('oversize=1').binary(Uint8Array.of(1, 2, 3));
    expect(long.length).toBe(3 + 200 * 1024 * 1024);
    expect([...long.subarray(0, 4)]).toEqual([1, 2, 3, 0]);
  });

  it('lies about heights, fees and outputs', () => {
    const daemon = told('wrong-height=10,inflated-fee=3,wrong-ring-data=1');
    expect(daemon.height(7)).toBe(17);
    expect(daemon.fees([5n, 6n])).toEqual([15n, 18n]);
    expect([daemon.outputIndex(4n), daemon.outputIndex(5n)]).toEqual([5n, 4n]);
  });

  it('replaces blocks before every third page', () => {
    const daemon = told('reorganise=4');
    expect(times(6, () => daemon.blocksToReplace())).toEqual([0, 0, 4, 0, 0, 4]);
  });

  it('ends when it is told to', () => {
    const daemon = told('drop=1');
    daemon.set(parseWrongs(''));
    expect(daemon.dropsRequest()).toBe(false);
    expect(daemon.isAllowed).toBe(true);
  });
});
