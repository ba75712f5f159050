import { connect, type Socket } from 'node:net';
import { greeting, message } from '../../../src/net/zmq/zmtp.js';

const GREETING_LENGTH = 64;
const FLAG = { more: 1, long: 2, command: 4 } as const;

/** READY command, which ends our side of the handshake. */
export const ready = (type: 'SUB' | 'REQ'): Buffer =>
  Buffer.from(`\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03${type}`, 'latin1');

/**
 * ZMTP client that sends each step after the server's: the real daemon may disconnect a client that does not wait.
 * @param onReady called when the handshake has ended. @param onText called for every part of a message.
 */
function openPeer(
  port: number,
  type: 'SUB' | 'REQ',
  onReady: (socket: Socket) => void,
  onText: (text: string) => void,
): Socket {
  let pending = Buffer.alloc(0);
  let greeted = false;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    if (!greeted && pending.length >= GREETING_LENGTH) {
      greeted = true;
      pending = pending.subarray(GREETING_LENGTH);
      socket.write(ready(type));
    }
    while (greeted && pending.length >= 2) {
      const flags = pending.readUInt8(0);
      const long = (flags & FLAG.long) !== 0;
      if (long && pending.length < 9) return;
      const start = long ? 9 : 2;
      const end = start + (long ? Number(pending.readBigUInt64BE(1)) : pending.readUInt8(1));
      if (pending.length < end) return;
      if ((flags & FLAG.command) === 0) onText(pending.subarray(start, end).toString('utf8'));
      else onReady(socket);
      pending = pending.subarray(end);
    }
  });
  socket.write(greeting());
  return socket;
}

/** ZeroMQ SUB socket. */
export interface Subscriber {
  /** Received messages in order. */
  readonly messages: readonly string[];
  close(): void;
}

/** Subscribes to message prefixes; takes effect with a delay. */
export function subscribe(port: number, ...topics: readonly string[]): Subscriber {
  const messages: string[] = [];
  const socket = openPeer(
    port,
    'SUB',
    (peer) => {
      for (const topic of topics) peer.write(message(Buffer.from(`\x01${topic}`, 'latin1')));
    },
    (text) => void messages.push(text),
  );
  return { messages, close: () => socket.destroy() };
}

/** Sends a request to a ZeroMQ REP socket. @returns the text of its answer. */
export function ask(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = openPeer(
      port,
      'REQ',
      (peer) => {
        // An empty delimiter frame precedes the request and the answer.
        peer.write(Uint8Array.of(FLAG.more, 0));
        peer.write(message(Buffer.from(request, 'utf8')));
      },
      (text) => {
        if (text === '') return;
        resolve(text);
        socket.destroy();
      },
    );
    socket.once('close', () => reject(new Error('no answer')));
  });
}
