import { expect, it } from '@jest/globals';
import { EndedAtExit } from './ended-at-exit.js';

it('ends the members that are left when the process exits, and listens only while there are some', () => {
  const before = process.listenerCount('exit');
  const ended: string[] = [];
  const members = new EndedAtExit<string>((member) => ended.push(member));
  members.add('a');
  members.add('b');
  expect(process.listenerCount('exit')).toBe(before + 1);
  members.delete('a');
  process.listeners('exit').at(-1)?.(0);
  expect(ended).toEqual(['b']);
  members.delete('b');
  expect(process.listenerCount('exit')).toBe(before);
});
