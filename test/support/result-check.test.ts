import { describe, expect, it } from '@jest/globals';
import { StreamedJson } from '../../src/http/json-rows.js';
import { checkedCall, resultProblem } from './result-check.js';

const problem = (json: string, method = 'get_height'): string | undefined =>
  resultProblem(method, '1.3', json);

async function* pagesOf(...texts: readonly string[]): AsyncGenerator<readonly Uint8Array[], void> {
  for (const text of texts) yield await Promise.resolve([Buffer.from(text)]);
}

const streamed = (...texts: readonly string[]): StreamedJson =>
  new StreamedJson([], pagesOf(...texts), (error) => error);

describe('the check of results', () => {
  it('accepts a result with all members, by name and by alias', () => {
    expect(problem('{"height":5}')).toBeUndefined();
    expect(problem('{"height":5}', 'getheight')).toBeUndefined();
  });

  it.each([
    ['a missing member', '{}'],
    ['an unlisted member', '{"height":5,"more":1}'],
    ['a member of another type', '{"height":"5"}'],
    ['a negative height', '{"height":-1}'],
    ['a height that is no integer', '{"height":5.5}'],
  ])('refuses %s', (_, json) => {
    expect(problem(json)).toContain('get_height (1.3): ');
  });

  it('accepts a list that is left out, and refuses a row with an unlisted member', () => {
    expect(problem('{}', 'get_account_tags')).toBeUndefined();
    const row = '{"tag":"a","label":"","accounts":[0],"colour":"red"}';
    expect(problem(`{"account_tags":[${row}]}`, 'get_account_tags')).toContain('account_tags.0');
  });

  it('accepts the results of the version in which they differ', () => {
    const failed = '{"good":false}';
    expect(resultProblem('check_reserve_proof', '1.3', failed)).toBeUndefined();
    expect(resultProblem('check_reserve_proof', '1.32', failed)).toContain('spent');
  });

  it('passes a streamed result on, and fails at its end if it differs', async () => {
    const reports: string[] = [];
    const ask = async (...texts: string[]): Promise<string> => {
      const call = checkedCall(
        () => Promise.resolve(streamed(...texts)),
        '1.3',
        (message) => void reports.push(message),
      );
      const result = await call('get_height', undefined, {});
      return Buffer.concat((await (result as StreamedJson).whole()).pieces).toString();
    };
    expect(await ask('{"height"', ':5}')).toBe('{"height":5}');
    expect(reports).toEqual([]);
    await expect(ask('{"height"', ':5,"more":1}')).rejects.toThrow('more');
    expect(reports).toHaveLength(1);
  });
});
