import { describe, expect, it } from '@jest/globals';
import { WalletError, type Fault } from '../../../src/model/wallet-error.js';
import { RpcError } from '../../../src/http/calls/errors.js';
import { StreamedJson } from '../../../src/http/calls/json-rows.js';
import { checkedCall, faultProblem, resultProblem } from './result-check.js';

const problem = (json: string, method = 'get_height'): string | undefined =>
  resultProblem(method, '1.3', json);

async function* pagesOf(...texts: readonly string[]): AsyncGenerator<readonly Uint8Array[], void> {
  for (const text of texts) yield await Promise.resolve([Buffer.from(text)]);
}

const streamed = (...texts: readonly string[]): StreamedJson =>
  new StreamedJson([], pagesOf(...texts), (error) => error);

describe('the check of answers', () => {
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

  it('refuses a list that a method of ours leaves out, at any depth', () => {
    expect(problem('{"orders":[]}', 'list_orders')).toBeUndefined();
    expect(problem('{}', 'list_orders')).toContain('orders is missing');
    const order = '{"created":1,"idempotency_key":"k","method":"transfer","state":"mined"}';
    expect(problem(`{"orders":[${order}]}`, 'list_orders')).toContain('orders.0.transactions is missing');
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
      return Buffer.concat((await (result as StreamedJson).whole(Infinity))?.pieces ?? []).toString();
    };
    expect(await ask('{"height"', ':5}')).toBe('{"height":5}');
    expect(reports).toEqual([]);
    await expect(ask('{"height"', ':5,"more":1}')).rejects.toThrow('more');
    expect(reports).toHaveLength(1);
  });

  it.each([
    ['accepts a fault that the method lists', 'get_address', 'address_out_of_range', undefined],
    ['accepts a fault of a condition of the method', 'get_height', 'no_wallet', undefined],
    [
      'accepts the refusal of a credential, whatever the method is',
      'get_height',
      'credential_denied',
      undefined,
    ],
    ['refuses a fault that the method does not list', 'get_height', 'daemon_busy', 'get_height: daemon_busy'],
    ['names the method of an alias', 'getheight', 'daemon_busy', 'get_height: daemon_busy'],
  ] as const)('%s', (_, method, kind, problem) => {
    const fault = { kind, account: 0, index: 1, count: 1, reason: 'a rule' } as Fault;
    expect(faultProblem(method, new RpcError(-1, 'x', { cause: new WalletError(fault) }))).toBe(problem);
  });

  it('answers an unlisted fault with an error, and reports it', async () => {
    const reports: string[] = [];
    const cause = new WalletError({ kind: 'daemon_busy' });
    const call = checkedCall(
      () => Promise.reject(new RpcError(-3, 'daemon is busy', { cause })),
      '1.3',
      (message) => void reports.push(message),
    );
    await expect(call('get_height', undefined, {})).rejects.toThrow('get_height: daemon_busy');
    expect(reports).toEqual(['fault is not one of its method: get_height: daemon_busy']);
  });

  it('reports an unlisted fault that ends a streamed result', async () => {
    const reports: string[] = [];
    const cause = new WalletError({ kind: 'daemon_busy' });
    // eslint-disable-next-line require-yield
    async function* failing(): AsyncGenerator<readonly Uint8Array[], void> {
      await Promise.resolve();
      throw new RpcError(-3, 'daemon is busy', { cause });
    }
    const call = checkedCall(
      () => Promise.resolve(new StreamedJson([], failing(), (error) => error)),
      '1.3',
      (message) => void reports.push(message),
    );
    const result = (await call('get_height', undefined, {})) as StreamedJson;
    await expect(result.whole(Infinity)).rejects.toThrow('get_height: daemon_busy');
    expect(reports).toHaveLength(1);
  });
});
