import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startAlteringProxy, type AlteringProxy } from '../../support/network/altering-proxy.js';
import { startClusterProcess, type ClusterProcess } from '../../support/processes/cluster-process.js';
import { post, type Loose } from '../../support/network/json-rpc.js';
import { rawRequest } from '../../support/network/raw-http.js';

const PATH = '/wallet/w/json_rpc';
const PASSWORD = 'must-not-leak';
const open: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

type Options = Partial<Parameters<typeof startClusterProcess>[0]>;

async function start(options: Options = {}): Promise<ClusterProcess> {
  const started = await startClusterProcess({ name: 'holder', ...options });
  open.push(started);
  return started;
}

/** A process that passes requests on to a holder, with a proxy between the two that alters answers. */
async function betrayed(options: Options = {}) {
  let proxy: AlteringProxy | undefined;
  const holder = await start({
    ...options,
    seenAt: async (port) => {
      proxy = await startAlteringProxy(port);
      open.push(proxy);
      return proxy.url;
    },
  });
  const door = await start({ name: 'door', source: options.source, forward: { patienceMs: 500 } } as Options);
  door.places.set('w', { url: holder.url });
  return { door, holder, proxy: proxy as unknown as AlteringProxy };
}

/** A process that has not the secret, and answers the head of each request. @returns the process that trusts its address. */
async function stranger(answer: (head: string) => string) {
  let seen = '';
  const server = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .on('data', (bytes: Buffer) => {
        const text = bytes.toString('latin1');
        seen += text;
        if (text.includes('\r\n\r\n')) socket.write(answer(text), 'latin1');
      }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => void server.close() });
  const door = await start({
    name: 'door',
    source: () => ({ next: () => [], wait: () => Promise.resolve(), isClosed: true }),
    forward: { patienceMs: 300, acceptMs: 300 },
  });
  door.places.set('w', { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return { door, seen: () => seen };
}

const ask = (method: string, params: unknown = {}): string => JSON.stringify({ id: 1, method, params });
const callAt = async (port: number, method: string, params?: unknown): Promise<Loose> =>
  JSON.parse((await post(port, PATH, ask(method, params))).text);

const served = (body: string): string =>
  `HTTP/1.1 200 OK\r\nCluster-Answer: served\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const FALSE_ANSWER = served('{"id":1,"result":{"address":"4Attacker"}}');
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const proven = (proof: string): string =>
  `HTTP/1.1 103 Early Hints\r\nCluster-Proof: ${proof}\r\n\r\n${CONTINUE}`;

describe('a process without the secret at the address of a holder', () => {
  it.each([
    ['asks for the body', () => CONTINUE],
    ['asks for the body with a false proof', () => proven('ab'.repeat(32))],
    ['asks for the body with the signature as its proof', (head) => proven(head.split(' ').at(-1) ?? '')],
    ['answers at once', () => FALSE_ANSWER],
    ['asks for the body, and answers', () => CONTINUE + FALSE_ANSWER],
    ['answers with a record that is cut', () => served('{}').replace('served', 'sealed'), false],
    ['answers nothing', () => '', false],
  ] as [string, (head: string) => string, boolean?][])(
    'gets no body, and answers no client: it %s',
    async (_name, answer, isFalse = true) => {
      const { door, seen } = await stranger(answer);
      const { error } = await callAt(door.port, 'open_wallet', { password: PASSWORD });
      expect([error.code, error.message]).toEqual([-67, expect.stringMatching(/^w is not reached/)]);
      expect(seen()).toContain('cluster-request: 2 ');
      expect(seen()).not.toContain(PASSWORD);
      expect(door.falseAnswers.length > 0).toBe(isFalse);
    },
  );

  it('cannot use the proof of another request', async () => {
    const { door: other, proxy } = await betrayed();
    await callAt(other.port, 'get_balance');
    const proof = /Cluster-Proof: ([0-9a-f]{64})\r\n/.exec(proxy.answered())?.[1] ?? '';
    expect(proof).not.toBe('');
    const { door, seen } = await stranger(() => proven(proof));
    expect((await callAt(door.port, 'open_wallet', { password: PASSWORD })).error.code).toBe(-67);
    expect(seen()).not.toContain(PASSWORD);
  });

  it('sends no event to a client', async () => {
    const { door } = await stranger(() =>
      served('id: 1\nevent: payment.seen\ndata: {}\n\n').replace('200 OK', '200 OK\r\nSet-Cookie: a=b'),
    );
    const response = await fetch(`http://127.0.0.1:${door.port}/wallet/w/events`);
    expect([response.status, response.headers.get('set-cookie')]).toEqual([503, null]);
    expect(await response.text()).not.toContain('payment.seen');
  });
});

describe('an answer on its way', () => {
  it('arrives unchanged as long as nobody changes it', async () => {
    const { door, holder } = await betrayed();
    expect((await callAt(door.port, 'get_balance', { a: 1 })).result).toMatchObject({ here: 'holder' });
    expect([door.failed, holder.ran.length]).toEqual([[], 1]);
  });

  it('has no header that was added, and no other status', async () => {
    const { door, proxy } = await betrayed();
    proxy.alterations = {
      head: (head) =>
        head
          .replace('200 OK', '302 Found')
          .replace(
            '\r\nCluster-Answer',
            '\r\nSet-Cookie: a=b\r\nLocation: http://a.example/\r\nX-A: b\r\nRetry-After: 9\r\nCluster-Answer',
          ),
    };
    const body = ask('get_balance');
    const { statusLine, headers } = await rawRequest(
      door.port,
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    expect(statusLine).toBe('HTTP/1.1 200 Ok');
    expect(headers.map(([name]) => name.toLowerCase()).sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'date',
    ]);
  });

  it.each([
    ['a byte of its head is another one', (record, i) => [i === 0 ? flipped(record, 20) : record]],
    ['a byte of its body is another one', (record, i) => [i === 1 ? flipped(record, 20) : record]],
    ['a length is another one', (record, i) => [i === 0 ? flipped(record, 3) : record]],
    ['a length is too long', (record, i) => [i === 0 ? flipped(record, 0) : record]],
    ['a tag is another one', (record, i) => [i === 1 ? flipped(record, record.length - 1) : record]],
    ['its head is left out', (record, i) => (i === 0 ? [] : [record])],
    ['its body is left out', (record, i) => (i === 1 ? [] : [record])],
    ['a record is repeated', (record) => [record, record]],
    ['it is empty', () => []],
    ['bytes follow on its end', (record, i) => (i === 2 ? [record, Buffer.from('{"a":1}')] : [record])],
  ] as [string, (record: Buffer, i: number) => readonly Buffer[]][])(
    'that was changed reaches no client as a whole, and is no answer to a payment: %s',
    async (_name, record) => {
      const { door, holder, proxy } = await betrayed();
      proxy.alterations = { record };
      const result = await post(door.port, PATH, ask('pay')).then(
        ({ text }) => JSON.parse(text) as Loose,
        () => 'closed' as const,
      );
      // Nothing says that it did not run: it is not sent again.
      if (result !== 'closed') expect(result.error).toMatchObject({ code: -66 });
      expect(holder.ran.map(({ method }) => method)).toEqual(['pay']);
      expect(door.failed).toHaveLength(1);
    },
  );

  it('is no answer to another request', async () => {
    const { door, holder, proxy } = await betrayed();
    const former: Buffer[] = [];
    proxy.alterations = { record: (record) => (former.push(record), [record]) };
    await callAt(door.port, 'get_balance', { a: 1 });
    proxy.alterations = { record: (_chunk, i) => (i < former.length ? [former[i] as Buffer] : []) };
    expect((await callAt(door.port, 'pay', { a: 1 })).error.code).toBe(-66);
    expect(holder.ran.map(({ method }) => method)).toEqual(['get_balance', 'pay']);
    expect(door.falseAnswers).toEqual([expect.stringMatching(/not that of a process of the cluster/)]);
  });

  it.each(['not-holder', 'not-yet', 'seen', 'signature', 'version'])(
    'is no refusal of a payment whose body was sent: %s',
    async (refusal) => {
      const { door, holder, proxy } = await betrayed();
      proxy.alterations = {
        head: () =>
          `HTTP/1.1 421 Elsewhere\r\nCluster-Answer: ${refusal}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      };
      expect((await callAt(door.port, 'pay')).error.code).toBe(-66);
      expect(holder.ran.map(({ method }) => method)).toEqual(['pay']);
    },
  );

  it('that is long breaks off at the record that was changed', async () => {
    const { door, proxy } = await betrayed();
    const sizes = Array<number>(20).fill(100_000);
    expect((await callAt(door.port, 'pages', { sizes })).result.list).toHaveLength(20);
    proxy.alterations = { record: (record, i) => [i === 12 ? flipped(record, 99) : record] };
    await expect(post(door.port, PATH, ask('pages', { sizes }))).rejects.toThrow();
    expect(door.falseAnswers).toHaveLength(1);
    proxy.alterations = {
      record: (() => {
        let held: Buffer | undefined;
        return (record: Buffer, i: number) => {
          if (i === 7) return ((held = record), []);
          return i === 8 ? [record, held as Buffer] : [record];
        };
      })(),
    };
    await expect(post(door.port, PATH, ask('pages', { sizes }))).rejects.toThrow();
  });
});

describe('an event stream on its way', () => {
  /** Stream whose events a test pushes. */
  const streaming = () => {
    const events: { id: number; type: string; data: string }[] = [];
    let wake: () => void = () => undefined;
    return {
      push(id: number) {
        events.push({ id, type: 'payment.seen', data: '{"amount":1}' });
        wake();
      },
      source: () => ({
        next: () => events.splice(0),
        wait: (_ms: number, signal: AbortSignal) =>
          new Promise<void>((resolve) => {
            wake = resolve;
            signal.addEventListener('abort', () => resolve());
          }),
        isClosed: false,
      }),
    };
  };

  it.each([
    ['an event was changed', (record: Buffer) => [flipped(record, 20)]],
    ['an event is sent twice', (record: Buffer) => [record, record]],
    ['an event was added', (record: Buffer) => [record, Buffer.from('id: 9\ndata: {}\n\n')]],
  ])('ends where it was changed, and its client reads no false event: %s', async (_name, change) => {
    const stream = streaming();
    const { door, proxy } = await betrayed({ source: stream.source });
    const response = await fetch(`http://127.0.0.1:${door.port}/wallet/w/events`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const read = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString();
    expect(await read()).toBe('retry: 2000\n\n');
    stream.push(1);
    expect(await read()).toBe('id: 1\nevent: payment.seen\ndata: {"amount":1}\n\n');
    proxy.alterations = { record: change };
    stream.push(2);
    let text = '';
    await expect(
      (async () => {
        for (;;) {
          const part = await read();
          if (part === '') return;
          text += part;
        }
      })(),
    ).rejects.toThrow();
    expect(['', 'id: 2\nevent: payment.seen\ndata: {"amount":1}\n\n']).toContain(text);
  });

  it('has no records for HEAD, and its head all the same', async () => {
    const stream = streaming();
    const { door } = await betrayed({ source: stream.source });
    const response = await fetch(`http://127.0.0.1:${door.port}/wallet/w/events`, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });
});

describe('a request to a process', () => {
  it.each(['http://127.0.0.1.example.com:1', 'http://0.0.0.0:1', 'http://10.255.255.1:1', 'http://[::]:1'])(
    'is not sent without TLS to %s',
    async (url) => {
      const door = await start({ name: 'door', forward: { patienceMs: 50 } });
      door.places.set('w', { url });
      const { error } = await callAt(door.port, 'get_balance');
      expect(error.message).toMatch(/has no TLS, and is not on this machine/);
    },
  );

  it('is sent without TLS to other machines where that is allowed', async () => {
    const holder = await start();
    const url = `http://0.0.0.0:${holder.port}`;
    const door = await start({ name: 'door', memberTls: { allowsHttp: true }, forward: { patienceMs: 50 } });
    door.places.set('w', { url });
    expect((await callAt(door.port, 'get_balance')).error.message).toMatch(/refuses the request: signature/);
    expect(holder.refused).toMatchObject([{ refusal: 'signature' }]);
  });
});

/** Returns bytes of which one is another one. */
function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
