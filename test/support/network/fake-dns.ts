import { turns } from '../fakes/event-loop-turns.js';
import { createSocket } from 'node:dgram';
import { createServer, type AddressInfo } from 'node:net';

/** Answers of the fake resolver for one name. */
export interface Zone {
  readonly texts?: readonly string[];
  /** CNAME target, which owns the texts. */
  readonly alias?: string;
  readonly authenticated?: boolean;
  readonly rcode?: number;
  /** The answer is truncated over UDP. */
  readonly truncated?: boolean;
  /** Datagrams sent in place of the answer, or before it. */
  readonly noise?: (query: Buffer, answer: Buffer) => readonly Buffer[];
  readonly silent?: boolean;
}

export interface FakeDns {
  readonly port: number;
  /** Queried names, with the transport. */
  readonly asked: string[];
  readonly zones: Map<string, Zone>;
  stop(): Promise<void>;
}

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);

export const wireName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);

/** TXT data: strings of at most 255 bytes. */
const wireText = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'latin1');
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat(parts);
};

export const record = (owner: Buffer, type: number, data: Buffer): Buffer =>
  Buffer.concat([owner, u16(type), u16(1), Buffer.alloc(4), u16(data.length), data]);

/** Header and question of an answer to a query. */
export function answerHead(query: Buffer, flags: number, answers: number): Buffer {
  const questionEnd = query.indexOf(0, 12) + 5;
  return Buffer.concat([
    query.subarray(0, 2),
    u16(0x8180 | flags),
    u16(1),
    u16(answers),
    u16(0),
    u16(0),
    query.subarray(12, questionEnd),
  ]);
}

/** Compression pointer to the name of the question. */
const POINTER = Buffer.from([0xc0, 12]);

function answerOf(query: Buffer, zone: Zone, overTcp: boolean): Buffer {
  const { texts = [], alias, authenticated = true, rcode = 0, truncated = false } = zone;
  const flags = (authenticated ? 0x20 : 0) | rcode | (truncated && !overTcp ? 0x200 : 0);
  if (truncated && !overTcp) return answerHead(query, flags, 0);
  const owner = alias === undefined ? POINTER : wireName(alias);
  const records = [
    ...(alias === undefined ? [] : [record(POINTER, 5, wireName(alias))]),
    // An RRSIG record, as a verifying resolver sends.
    record(owner, 46, Buffer.alloc(40)),
    ...texts.map((text) => record(owner, 16, wireText(text))),
  ];
  return Buffer.concat([answerHead(query, flags, records.length), ...records]);
}

function nameOf(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; (query[at] ?? 0) !== 0; at += (query[at] ?? 0) + 1)
    labels.push(query.subarray(at + 1, at + 1 + (query[at] ?? 0)).toString('latin1'));
  return labels.join('.');
}

/** Resolver on loopback, over UDP and TCP on one port. */
export async function startFakeDns(zones: Readonly<Record<string, Zone>>): Promise<FakeDns> {
  const known = new Map(Object.entries(zones));
  const asked: string[] = [];
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const query = received.subarray(2);
      asked.push(`tcp ${nameOf(query)}`);
      const zone = known.get(nameOf(query)) ?? { rcode: 3 };
      if (zone.silent) return void socket.end();
      const answer = answerOf(query, zone, true);
      // In two segments, as a network may deliver it: the client, in the same process, reads the first one meanwhile.
      socket.write(Buffer.concat([u16(answer.length), answer.subarray(0, 5)]), () => {
        void turns(5).then(() => socket.end(answer.subarray(5)));
      });
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', () => resolve()));
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', (query, from) => {
    asked.push(`udp ${nameOf(query)}`);
    const zone = known.get(nameOf(query)) ?? { rcode: 3 };
    const answer = answerOf(query, zone, false);
    for (const datagram of [...(zone.noise?.(query, answer) ?? []), ...(zone.silent ? [] : [answer])])
      udp.send(datagram, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', () => resolve()));
  return {
    port,
    asked,
    zones: known,
    async stop() {
      await new Promise<void>((resolve) => udp.close(() => resolve()));
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
    },
  };
}
