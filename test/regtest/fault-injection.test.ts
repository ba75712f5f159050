import { describe, expect, it, test } from '@jest/globals';
import { FaultInjector, parseFaults } from '../../src/regtest/fault-injection.js';

const times = <T>(count: number, run: () => T): T[] => Array.from({ length: count }, run);

describe('the list of injected faults', () => {
  it('is parsed from name=number pairs', () => {
    expect([...parseFaults('latency=200, drop=3')]).toEqual([
      ['latency', 200],
      ['drop', 3],
    ]);
    expect(parseFaults('').size).toBe(0);
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
  ])('refuses %j', (text) => expect(() => parseFaults(text)).toThrow(RangeError));
});

describe('the fault injector', () => {
  const injector = (text: string): FaultInjector => new FaultInjector(parseFaults(text));

  it('injects nothing by default, and cannot be enabled at run time then', () => {
    const none = new FaultInjector();
    expect(none.isAllowed).toBe(false);
    expect(injector('').isAllowed).toBe(true);
    for (const good of [none, injector('')]) {
      expect(good.latencyMs).toBe(0);
      expect(times(5, () => good.dropsRequest())).not.toContain(true);
      expect(good.binary(Uint8Array.of(1, 2))).toEqual(Uint8Array.of(1, 2));
      expect(good.height(7)).toBe(7);
      expect(good.fees([5n])).toEqual([5n]);
      expect(good.outputIndex(4n)).toBe(4n);
      expect(times(5, () => good.blocksToReplace())).not.toContain(1);
    }
  });

  it('drops every third request', () => {
    const daemon = injector('drop=3');
    expect(times(6, () => daemon.dropsRequest())).toEqual([false, false, true, false, false, true]);
  });

  it('shortens and lengthens binary answers', () => {
    expect(injector('truncate=1').binary(Uint8Array.of(1, 2, 3))).toEqual(Uint8Array.of(1));
    const long = injector('oversize=1').binary(Uint8Array.of(1, 2, 3));
    expect(long.length).toBe(3 + 200 * 1024 * 1024);
    expect([...long.subarray(0, 4)]).toEqual([1, 2, 3, 0]);
  });

  it('falsifies heights, fees and outputs', () => {
    const daemon = injector('wrong-height=10,inflated-fee=3,wrong-ring-data=1');
    expect(daemon.height(7)).toBe(17);
    expect(daemon.fees([5n, 6n])).toEqual([15n, 18n]);
    expect([daemon.outputIndex(4n), daemon.outputIndex(5n)]).toEqual([5n, 4n]);
  });

  it('replaces blocks before every third page', () => {
    const daemon = injector('reorganise=4');
    expect(times(6, () => daemon.blocksToReplace())).toEqual([0, 0, 4, 0, 0, 4]);
  });

  it('stops when its faults are cleared', () => {
    const daemon = injector('drop=1');
    daemon.set(parseFaults(''));
    expect(daemon.dropsRequest()).toBe(false);
    expect(daemon.isAllowed).toBe(true);
  });
});
