import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { ALLOCATOR, NODE_FLAGS, SCRIPT } from './wallet-rpc.js';

const script = readFileSync(SCRIPT, 'utf8');

test('the server under test has the flags of Node that bin/wallet-rpc sets', () => {
  expect(script).toContain(` node ${NODE_FLAGS.join(' ')} "$root/build/server/main.js"`);
});

test.each(Object.entries(ALLOCATOR))('it has the setting of the allocator, too: %s', (name, value) => {
  expect(script).toContain(`export ${name}="\${${name}:-${value}}"`);
});
