import { describe, expect, it, test } from '@jest/globals';
import { Dispatcher } from '../../src/jsonrpc/dispatcher.js';
import { RpcError } from '../../src/jsonrpc/errors.js';
import type { Json } from '../../src/util/json.js';

const bugs: unknown[] = [];
const dispatcher = new Dispatcher({
  call: (method, params) => {
    if (method === 'echo') return Promise.resolve({ params: params ?? null });
    if (method === 'bug') return Promise.reject(new Error('the password is hunter2'));
    return Promise.reject(new RpcError(-32601, 'Method not found'));
  },
  onBug: (_method, error) => bugs.push(error),
});

const answer = async (body: string): Promise<string> => {
  const pieces = await dispatcher.answer(body);
  return pieces === undefined ? 'nothing' : Buffer.concat(pieces).toString();
};

describe('the envelope', () => {
  test.each([
    ['a string', '"abc"'],
    ['a number', '7'],
    ['a number beyond 2^53', '18446744073709551615'],
    ['a fraction', '1.5'],
    ['a list', '[1,[]]'],
    ['an empty list', '[]'],
    ['an object', '{"a":"b"}'],
    ['a boolean', 'false'],
  ])('echoes an id that is %s', async (_, id) => {
    expect(await answer(`{"id":${id},"method":"echo"}`)).toBe(
      `{"id":${id},"jsonrpc":"2.0","result":{"params":null}}`,
    );
  });

  it('answers a lone request without id with id 0', async () => {
    expect(await answer('{"method":"echo"}')).toBe('{"id":0,"jsonrpc":"2.0","result":{"params":null}}');
  });

  it('orders the members of a failure as upstream does', async () => {
    expect(await answer('{"id":"0","method":"nope"}')).toBe(
      '{"error":{"code":-32601,"message":"Method not found"},"id":"0","jsonrpc":"2.0"}',
    );
  });

  it('keeps every 64-bit integer exact in both directions', async () => {
    expect(
      await answer(
        '{"id":1,"method":"echo","params":{"amount":18446744073709551615,"other":9007199254740993}}',
      ),
    ).toBe(
      '{"id":1,"jsonrpc":"2.0","result":{"params":{"amount":18446744073709551615,"other":9007199254740993}}}',
    );
  });

  test.each([
    ['no JSON', '{"id":1,', -32700],
    ['an empty body', '', -32700],
    ['nesting without end', '['.repeat(100_000), -32700],
    ['a number', '5', -32600],
    ['no method', '{"id":1}', -32600],
    ['a method that is no text', '{"id":1,"method":5}', -32600],
    ['an unknown method', '{"id":1,"method":"nope"}', -32601],
    ['an empty batch', '[]', -32600],
    ['a batch without bounds', `[${Array(101).fill('{"id":1,"method":"echo"}').join(',')}]`, -32600],
  ])('refuses %s', async (_, body, code) => {
    expect((JSON.parse(await answer(body)) as { error: { code: number } }).error.code).toBe(code);
  });

  it('answers a batch in order, its notifications not at all', async () => {
    const batch = '[{"id":1,"method":"echo","params":[1]},{"method":"echo"},{"id":2,"method":"nope"},5]';
    const answers = JSON.parse(await answer(batch)) as { id: Json; error?: { code: number } }[];
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, undefined],
      [2, -32601],
      [0, -32600],
    ]);
    expect(await answer('[{"method":"echo"}]')).toBe('nothing');
  });

  it('tells of a bug nothing but that there was one', async () => {
    const text = await answer('{"id":1,"method":"bug"}');
    expect(text).toContain('-32603');
    expect(text).not.toContain('hunter2');
    expect(bugs).toHaveLength(1);
  });
});
