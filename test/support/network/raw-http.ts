import { connect } from 'node:net';

/** Answer as its bytes say. */
export interface RawAnswer {
  readonly statusLine: string;
  /** Names with their case, and values, in the order of the answer. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Sends the bytes of one request and reads the answer to the end of the connection: the request must ask for that. */
export function rawRequest(port: number, request: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(request, 'latin1'));
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.on('error', reject);
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(parts).toString('latin1'))));
  });
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n');
  return {
    statusLine,
    headers: lines.map((line) => {
      const [, name = '', value = ''] = /^([^:]*): (.*)$/s.exec(line) ?? [];
      return [name, value] as const;
    }),
    body: text.slice(end + 4),
  };
}
