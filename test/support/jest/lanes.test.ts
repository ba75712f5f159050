import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { RANDOM_RUNS } from '../fakes/random-runs.js';
import { isNight, itAtNight, someRows } from './lanes.js';

describe('the tests at night', () => {
  it('run where bin/test is called with --all', () => {
    const script = readFileSync(new URL('../../../../bin/test', import.meta.url), 'utf8');
    expect(script).toContain(`--all) shift && export ${RANDOM_RUNS}=all ;;`);
    expect(isNight).toBe(process.env[RANDOM_RUNS] === 'all');
  });

  it('have all rows of a table, and the first ones alone run for each commit', () => {
    expect(someRows([1, 2, 3])).toEqual(isNight ? [1, 2, 3] : [1]);
    expect(someRows([1, 2, 3], 2)).toEqual(isNight ? [1, 2, 3] : [1, 2]);
    expect(someRows([1], 2)).toEqual([1]);
  });

  let ran = false;
  itAtNight('run themselves', () => {
    ran = true;
  });
  it('run at night alone', () => expect(ran).toBe(isNight));
});
