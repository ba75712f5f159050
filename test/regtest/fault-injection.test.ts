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
    'wrong-height=1000000001',
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
      expect(good.changesBlocks).toBe(false);
    }
  });

  it('refuses a lie without what it is about', () => {
    expect(() => injector('swapped-payment=1')).toThrow('swapped-payment: address is expected');
    expect(() => injector('forged-spend=1')).toThrow('forged-spend: key_images is expected');
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

  it('stops when its faults are cleared', () => {
    const daemon = injector('drop=1');
    daemon.set({ faults: parseFaults('') });
    expect(daemon.dropsRequest()).toBe(false);
    expect(daemon.isAllowed).toBe(true);
  });
});
