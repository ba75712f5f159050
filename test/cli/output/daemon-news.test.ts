import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ReorganisationAlert } from '../../../src/cli/output/daemon-news.js';

function setUp(limit: number) {
  const lines: unknown[] = [];
  const deep: (readonly [number, boolean])[] = [];
  const write = (line: string): void => {
    const { level, name, from_height, depth } = JSON.parse(line) as Record<string, unknown>;
    lines.push([level, name, from_height, depth]);
  };
  const alert = new ReorganisationAlert(pino({}, { write }), {
    limit,
    onDeep: (depth, isNew) => void deep.push([depth, isNew]),
  });
  return { lines, deep, note: alert.note.bind(alert) };
}

const ERROR = 50;

describe('a reorganisation', () => {
  it('is logged as an error where it replaced more blocks than the limit', () => {
    const { lines, deep, note } = setUp(3);
    note('shop', { fromHeight: 100, depth: 1 });
    note('shop', { fromHeight: 100, depth: 3 });
    expect([lines, deep]).toEqual([[], []]);
    note('shop', { fromHeight: 100, depth: 4 });
    expect(lines).toEqual([[ERROR, 'shop', 100, 4]]);
    expect(deep).toEqual([[4, true]]);
  });

  it('that several wallets see is logged once, and again by a wallet that saw it deeper', () => {
    const { lines, deep, note } = setUp(3);
    for (const [name, depth] of [
      ['a', 17],
      ['b', 17],
      ['c', 18],
      ['d', 12],
    ] as const)
      note(name, { fromHeight: 100, depth });
    expect(lines).toEqual([
      [ERROR, 'a', 100, 17],
      [ERROR, 'c', 100, 18],
    ]);
    expect(deep).toEqual([
      [17, true],
      [18, false],
    ]);
  });

  it('from the same height is another one where a wallet sees it again', () => {
    const { lines, deep, note } = setUp(0);
    for (const name of ['a', 'b', 'a', 'b']) note(name, { fromHeight: 100, depth: 2 });
    note('a', { fromHeight: 90, depth: 1 });
    expect(lines).toEqual([
      [ERROR, 'a', 100, 2],
      [ERROR, 'a', 100, 2],
      [ERROR, 'a', 90, 1],
    ]);
    expect(deep).toEqual([
      [2, true],
      [2, true],
      [1, true],
    ]);
  });
});
