import { describe, expect, it, test } from '@jest/globals';
import { Readable } from 'node:stream';
import {
  AnswerLost,
  Dispatcher,
  type CallOrigin,
  observed,
  type CallOutcome,
} from '../../../src/http/calls/dispatcher.js';
import { RpcError } from '../../../src/http/calls/errors.js';
import { JsonRows, writeRows } from '../../../src/http/calls/json-rows.js';
import type { Json } from '../../../src/util/json.js';
import { EncodedJson } from '../../../src/util/json-writer.js';

const bugs: unknown[] = [];

const LONG = 'x'.repeat(1 << 19);
const HUGE = 'x'.repeat(5 * 1024 * 1024);
const PAGES = 5;
/** Number of pages that make a result too long for a batch. */
const MANY_PAGES = 20;

/** Yields the pages of a long result. @param torn ends in an error that clients may see. */
async function* long(torn: boolean, pages = PAGES): AsyncGenerator<Json[]> {
  for (let page = 0; page < pages; page++) yield await Promise.resolve([LONG]);
  if (torn) throw new RpcError(-13, 'No wallet file');
}

let released = 0;
const release = (): void => void (released += 1);

/** Methods of the calls that ran. */
const ran: string[] = [];

const dispatcher = new Dispatcher({
  call: (method, params) => {
    ran.push(method);
    if (method === 'unwritable') return Promise.resolve({ amount: Number.NaN });
    if (method === 'huge') return Promise.resolve(new EncodedJson([Buffer.from(`"${HUGE}"`)]));
    if (method === 'echo') return Promise.resolve({ params: params ?? null });
    if (method === 'long')
      return writeRows({ list: JsonRows.of({ pages: long(params === 'torn'), release }) });
    if (method === 'endless')
      return writeRows({ list: JsonRows.of({ pages: long(true, MANY_PAGES), release }) });
    if (method === 'explained') return Promise.reject(new RpcError(-1, 'No', { explanation: 'why' }));
    if (method === 'bug') return Promise.reject(new Error('the password is hunter2'));
    return Promise.reject(new RpcError(-32601, 'Method not found'));
  },
  onBug: (_method, error) => bugs.push(error),
});

/** A body that arrives at once. */
const arriving = (body: string): AsyncIterable<Uint8Array> => Readable.from([Buffer.from(body)]);

const answer = async (body: string, origin: CallOrigin = {}): Promise<string> => {
  const answered = await dispatcher.answer(arriving(body), origin);
  if (answered === undefined) return 'nothing';
  const text = answered.body;
  const pieces: Uint8Array[] = [];
  if (Symbol.asyncIterator in text) for await (const page of text) pieces.push(...page);
  else pieces.push(...text);
  return Buffer.concat(pieces).toString();
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

  it('has code and message of a failure alone, and its explanation for a client that asks', async () => {
    const asked = '{"id":"0","method":"explained"}';
    const short = '{"error":{"code":-1,"message":"No"},"id":"0","jsonrpc":"2.0"}';
    const long = '{"error":{"code":-1,"data":{"explanation":"why"},"message":"No"},"id":"0","jsonrpc":"2.0"}';
    expect(await answer(asked)).toBe(short);
    expect(await answer(`[${asked}]`)).toBe(`[${short}]`);
    expect(await answer(asked, { errorDetails: true })).toBe(long);
    expect(await answer(`[${asked}]`, { errorDetails: true })).toBe(`[${long}]`);
  });

  it('has the explanation for every client of a server with that setting', async () => {
    const { body } =
      (await new Dispatcher({
        call: () => Promise.reject(new RpcError(-1, 'No', { explanation: 'why' })),
        onBug: () => undefined,
        errorDetails: true,
      }).answer(arriving('{"id":1,"method":"x"}'))) ?? {};
    expect(Buffer.concat(body as Uint8Array[]).toString()).toContain('"data":{"explanation":"why"}');
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
    ['an empty body', '', -32600],
    ['a body of spaces', ' \r\n\t ', -32600],
    ['the beginning of a text', '"', -32700],
    ['nesting without end', '['.repeat(100_000), -32700],
    ['a number', '5', -32700],
    ['null', 'null', -32700],
    ['a text', '"x"', -32700],
    ['a boolean', 'true', -32700],
    ['an empty object', '{}', -32600],
    ['no method', '{"id":1}', -32600],
    ['a method that is no text', '{"id":1,"method":5}', -32600],
    ['an unknown method', '{"id":1,"method":"nope"}', -32601],
    ['an empty list', ' [ ] ', -32700],
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

  it('answers a bug without any detail', async () => {
    const text = await answer('{"id":1,"method":"bug"}');
    expect(text).toContain('-32603');
    expect(text).not.toContain('hunter2');
    expect(bugs).toHaveLength(1);
  });
});

describe('a request whose answer cannot be written', () => {
  const UNANSWERABLE = [
    '1e400',
    '-1e400',
    '[1e400]',
    '{"a":1e400}',
    '"\\x"',
    '"\n"',
    'NaN',
    '01',
    '1.',
    '.5',
    '+1',
  ];

  it.each(UNANSWERABLE)('is refused before anything runs, in a batch too: id %s', async (id) => {
    ran.splice(0);
    const refusal = '{"error":{"code":-32700,"message":"Parse error"},"id":0,"jsonrpc":"2.0"}';
    expect(await answer(`{"id":${id},"method":"echo"}`)).toBe(refusal);
    expect(await answer(`[{"id":1,"method":"echo"},{"id":${id},"method":"echo"}]`)).toBe(refusal);
    expect(ran).toEqual([]);
  });

  it.each([
    ['nesting beyond the limit', `${'['.repeat(101)}${']'.repeat(101)}`],
    ['a number of 1001 digits', '9'.repeat(1001)],
  ])('is refused for an id of %s', async (_, id) => {
    ran.splice(0);
    expect(await answer(`{"id":${id},"method":"echo"}`)).toContain('-32700');
    expect(ran).toEqual([]);
  });

  it.each([
    ['-0', '0'],
    ['1e-400', '0'],
    ['1e5', '100000'],
    ['"\\ud800"', '"\\ud800"'],
    ['"\\u0000\\u2028"', '"\\u0000\u2028"'],
    [`${'['.repeat(90)}1${']'.repeat(90)}`, `${'['.repeat(90)}1${']'.repeat(90)}`],
    ['9'.repeat(1000), '9'.repeat(1000)],
    [`"${'i'.repeat(500_000)}"`, `"${'i'.repeat(500_000)}"`],
    ['1,"id":2', '2'],
    ['{"__proto__":1}', '{"__proto__":1}'],
  ])('does not include odd ids: %.40s', async (id, echoed) => {
    const expected = `{"id":${echoed},"jsonrpc":"2.0","result":{"params":null}}`;
    expect((await answer(`{"id":${id},"method":"echo"}`)) === expected).toBe(true);
    expect((await answer(`[{"id":${id},"method":"echo"}]`)) === `[${expected}]`).toBe(true);
  });

  it.each(['{"id":1,"method":"unwritable"}', '[{"id":1,"method":"echo"},{"id":2,"method":"unwritable"}]'])(
    'is reported as lost once its calls have run, never as refused: %s',
    async (body) => {
      await expect(answer(body)).rejects.toBeInstanceOf(AnswerLost);
    },
  );

  it('is refused in a batch whose answer is very long already, and does not run', async () => {
    ran.splice(0);
    const batch = ['huge', 'huge', 'echo', 'huge'].map((method, i) => ({ id: i, method }));
    const text = await answer(JSON.stringify(batch));
    expect(ran).toEqual(['huge', 'huge']);
    const answers = JSON.parse(text) as { id: number; error?: { code: number; message: string } }[];
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [0, undefined],
      [1, undefined],
      [2, -32600],
      [3, -32600],
    ]);
    expect(answers[2]?.error?.message).toMatch(/^this call did not run/);
  });
});

describe('a streamed result', () => {
  const whole = (id: number): string =>
    JSON.stringify({ id, jsonrpc: '2.0', result: { list: Array<string>(PAGES).fill(LONG) } });

  it('has the same envelope as any other', async () => {
    const answered = await dispatcher.answer(arriving('{"id":7,"method":"long"}'));
    expect(Symbol.asyncIterator in (answered?.body ?? [])).toBe(true);
    expect((await answer('{"id":7,"method":"long"}')) === whole(7)).toBe(true);
  });

  it('is complete in a batch, and read to its end for a notification', async () => {
    released = 0;
    const batch = '[{"id":1,"method":"long"},{"method":"long"},{"id":2,"method":"long","params":"torn"}]';
    const text = await answer(batch);
    const torn = '{"error":{"code":-13,"message":"No wallet file"},"id":2,"jsonrpc":"2.0"}';
    expect(text === `[${whole(1)},${torn}]`).toBe(true);
    expect(released).toBe(3);
  });

  it('is refused in a batch when it is too long for one, and not read to its end', async () => {
    released = 0;
    const batch = '[{"id":1,"method":"long"},{"id":2,"method":"endless"},{"id":3,"method":"long"}]';
    const text = await answer(batch);
    const refused =
      '{"error":{"code":-32600,"message":"the result is too long for a batch: send this call by itself"},"id":2,"jsonrpc":"2.0"}';
    expect(text === `[${whole(1)},${refused},${whole(3)}]`).toBe(true);
    expect(released).toBe(3);
  });

  it('fails with the error of a later page', async () => {
    await expect(answer('{"id":7,"method":"long","params":"torn"}')).rejects.toThrow('No wallet file');
  });

  it('is encoded as one text', async () => {
    const encoding = new Dispatcher({
      call: () => writeRows({ list: JsonRows.of({ pages: long(false), release }) }),
      onBug: (_method, error) => bugs.push(error),
      encode: (text) => Buffer.from(text, 'latin1'),
    });
    const { body: text } = (await encoding.answer(arriving('{"id":7,"method":"long"}'))) ?? {};
    expect(Array.isArray(text) && Buffer.concat(text as Uint8Array[]).toString() === whole(7)).toBe(true);
  });
});

const failure = new Error('refused');
const call = (method: string) =>
  method === 'pay' ? Promise.resolve({ tx_hash: 'made' }) : Promise.reject(failure);

describe('an observer of calls', () => {
  it('notes the result and the error of each call', async () => {
    const noted: [string, CallOutcome][] = [];
    const watched = observed(call, (method) => (outcome) => void noted.push([method, outcome]), fail);
    expect(await watched('pay', undefined, {})).toEqual({ tx_hash: 'made' });
    await expect(watched('other', undefined, {})).rejects.toBe(failure);
    expect(noted).toEqual([
      ['pay', { result: { tx_hash: 'made' } }],
      ['other', { error: failure }],
    ]);
  });

  it('that fails changes no answer, and is reported once', async () => {
    const bugs: unknown[] = [];
    const broken = new Error('the disk is full');
    const watched = observed(
      call,
      () => () => {
        throw broken;
      },
      (error, method) => bugs.push([method, error]),
    );
    expect(await watched('pay', undefined, {})).toEqual({ tx_hash: 'made' });
    await expect(watched('other', undefined, {})).rejects.toBe(failure);
    expect(bugs).toEqual([
      ['pay', broken],
      ['other', broken],
    ]);
  });
});

function fail(error: unknown): never {
  throw error;
}
