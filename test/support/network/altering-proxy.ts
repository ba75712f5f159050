import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** Changes that a proxy between two processes makes to the answers of one of them. */
export interface Alterations {
  /** Returns the head that arrives in place of the head of an answer. */
  readonly head?: (head: string) => string;
  /** Returns what arrives in place of a record of a sealed answer. @param index number of the record in its answer. */
  readonly record?: (record: Buffer, index: number) => readonly Buffer[];
}

/** Stands between two processes, sees everything, and changes sealed answers with chunked encoding. */
export interface AlteringProxy {
  readonly url: string;
  /** Changes that are made from now on. */
  alterations: Alterations;
  /** Everything that the process has sent, as Latin-1. */
  answered(): string;
  close(): Promise<void>;
}

const HEAD_END = '\r\n\r\n';

/** Starts a proxy before a port of this machine. */
export async function startAlteringProxy(port: number): Promise<AlteringProxy> {
  const sockets = new Set<Socket>();
  let answered = '';
  const proxy: { alterations: Alterations } = { alterations: {} };
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    const alter = alterer(near, () => proxy.alterations);
    far.on('data', (bytes: Buffer) => {
      answered += bytes.toString('latin1');
      alter(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: () => answered,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

/** Returns the reader of the bytes of a process, which passes them on as altered. */
function alterer(to: Socket, alterations: () => Alterations): (bytes: Buffer) => void {
  let read = Buffer.alloc(0);
  /** Bytes of the records of the present answer that were not passed on, and number of the next record. */
  let body: { rest: Buffer; index: number } | undefined;
  const sendChunk = (sent: Buffer): void =>
    void to.write(Buffer.concat([Buffer.from(`${sent.length.toString(16)}\r\n`), sent, Buffer.from('\r\n')]));
  const readHead = (): boolean => {
    const end = read.indexOf(HEAD_END);
    if (end < 0) return false;
    const head = read.toString('latin1', 0, end + HEAD_END.length);
    read = read.subarray(head.length);
    const isFinal = !/^HTTP\/1\.1 1/.test(head);
    to.write((isFinal ? alterations().head?.(head) : undefined) ?? head, 'latin1');
    if (isFinal && /\r\nTransfer-Encoding: chunked\r\n/.test(head))
      body = { rest: Buffer.alloc(0), index: 0 };
    return true;
  };
  const readChunk = (answer: NonNullable<typeof body>): boolean => {
    const end = read.indexOf('\r\n');
    if (end < 0) return false;
    const length = Number.parseInt(read.toString('latin1', 0, end), 16);
    if (read.length < end + 2 + length + 2) return false;
    answer.rest = Buffer.concat([answer.rest, read.subarray(end + 2, end + 2 + length)]);
    read = read.subarray(end + 2 + length + 2);
    for (;;) {
      const whole = answer.rest.length < 4 ? Infinity : 4 + answer.rest.readUInt32BE() + 32;
      if (answer.rest.length < whole) break;
      const record = answer.rest.subarray(0, whole);
      answer.rest = answer.rest.subarray(whole);
      for (const sent of alterations().record?.(record, answer.index) ?? [record])
        if (sent.length > 0) sendChunk(sent);
      answer.index += 1;
    }
    if (length > 0) return true;
    to.write('0\r\n\r\n');
    body = undefined;
    return true;
  };
  return (bytes) => {
    read = Buffer.concat([read, bytes]);
    while (body === undefined ? readHead() : readChunk(body));
  };
}
