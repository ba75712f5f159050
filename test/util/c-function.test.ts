import { expect, it } from '@jest/globals';
import { findCFunction } from '../../src/util/c-function.js';

const CAN_CALL = Number(process.versions.node.split('.')[0]) >= 26;

it('calls a function of the C library', () => {
  const abs = findCFunction('abs', ['int32']);
  expect(abs?.(-7)).toBe(CAN_CALL ? 7 : undefined);
});

it('finds no function that the C library does not have', () => {
  expect(findCFunction('no_such_function', [])).toBeUndefined();
});
