import { expect, it } from '@jest/globals';
import { Listeners } from '../../src/util/listeners.js';

it('gives news to every listener in the order in which they were added', () => {
  const listeners = new Listeners<[name: string, height: number]>();
  const heard: unknown[] = [];
  listeners.notify('before', 0);
  listeners.add((...news) => heard.push(['first', ...news]));
  listeners.add((name) => heard.push(['second', name]));
  const { notify } = listeners;
  notify('shop', 7);
  expect(heard).toEqual([
    ['first', 'shop', 7],
    ['second', 'shop'],
  ]);
});
