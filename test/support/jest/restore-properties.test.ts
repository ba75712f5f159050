import { describe, expect, it } from '@jest/globals';
import { propertiesRestorer } from './restore-properties.js';

describe('the restorer of properties', () => {
  it('deletes added properties, and restores changed and deleted ones', () => {
    const symbol = Symbol('symbol');
    const target: Record<PropertyKey, unknown> = { kept: 1, changed: 2, deleted: 3, [symbol]: 4 };
    const restore = propertiesRestorer(target);
    delete target.deleted;
    Object.assign(target, { changed: 5, [symbol]: 6, added: 7, [Symbol('added')]: 8 });
    restore();
    expect(target).toStrictEqual({ kept: 1, changed: 2, deleted: 3, [symbol]: 4 });
  });

  it('restores a getter that has become a value', () => {
    const target = {
      get late(): number {
        Object.defineProperty(target, 'late', { value: 1, configurable: true });
        return 0;
      },
    };
    const restore = propertiesRestorer(target);
    expect([target.late, target.late]).toEqual([0, 1]);
    restore();
    expect(target.late).toBe(0);
  });

  it('leaves properties that cannot be changed', () => {
    const target: Record<string, unknown> = {};
    const restore = propertiesRestorer(target);
    Object.defineProperty(target, 'fixed', { value: 1, enumerable: true });
    restore();
    expect(target).toEqual({ fixed: 1 });
  });

  it('restores the variables of a process', () => {
    process.env.RESTORED = 'before';
    const restore = propertiesRestorer(process.env);
    process.env.RESTORED = 'after';
    process.env.RESTORED_LATER = 'added';
    restore();
    expect([process.env.RESTORED, process.env.RESTORED_LATER]).toEqual(['before', undefined]);
  });
});
