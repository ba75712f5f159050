import { CodecError, Reader } from '../../util/codec.js';

/** Length of the greeting [bytes]. Source: ZMTP 3.0 (rfc.zeromq.org/spec/23), "Greeting". */
const GREETING_LENGTH = 64;
const SIGNATURE = { first: 0xff, last: 0x7f, length: 10 } as const;
const MAJOR_VERSION = 3;
const MECHANISM = { name: 'NULL', length: 20 } as const;

const FLAG = { more: 0x01, long: 0x02, command: 0x04 } as const;

/** Longest accepted frame of a subscriber [bytes]: topics are short. */
const MAX_FRAME = 1024;

/** Returns the greeting of version 3.0 with the mechanism NULL. */
export function greeting(): Uint8Array {
  const bytes = new Uint8Array(GREETING_LENGTH);
  bytes[0] = SIGNATURE.first;
  bytes[SIGNATURE.length - 1] = SIGNATURE.last;
  bytes[SIGNATURE.length] = MAJOR_VERSION;
  bytes.set(Buffer.from(MECHANISM.name, 'latin1'), SIGNATURE.length + 2);
  return bytes;
}

function frameOf(flags: number, body: Uint8Array): Uint8Array {
  const long = body.length > 0xff;
  const head = Buffer.alloc(long ? 9 : 2);
  head[0] = flags | (long ? FLAG.long : 0);
  if (long) head.writeBigUInt64BE(BigInt(body.length), 1);
  else head[1] = body.length;
  return Buffer.concat([head, body]);
}

/** Encodes a message of a single frame. */
export const message = (body: Uint8Array): Uint8Array => frameOf(0, body);

const sized = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);

/** Encodes the command READY of a socket, which ends its side of the handshake. */
export function ready(type: 'PUB' | 'SUB' = 'PUB'): Uint8Array {
  const value = Buffer.from(type);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return frameOf(FLAG.command, Buffer.concat([sized('READY'), sized('Socket-Type'), length, value]));
}

/** Encodes the request of a SUB socket for messages that begin with a topic. */
export const subscription = (topic: string): Uint8Array =>
  message(Buffer.concat([Buffer.from([1]), Buffer.from(topic, 'utf8')]));

/** Request of a subscriber to add or cancel a subscription. */
export type SubscriptionChange = { readonly kind: 'subscribe' | 'cancel'; readonly topic: string };

const CHANGE_KINDS: Readonly<Record<number, SubscriptionChange['kind']>> = { 0: 'cancel', 1: 'subscribe' };

/** One part of the data that a peer sends: greeting, command or message. */
export type Frame =
  | { readonly kind: 'greeting' }
  | { readonly kind: 'command' | 'message'; readonly body: Uint8Array };

/** Parses the data of one peer incrementally. */
export class FrameReader {
  #pending: Uint8Array = new Uint8Array();
  #greeted = false;
  readonly #maxFrame: number;

  /** @param maxFrame longest frame [bytes]. */
  constructor(maxFrame: number) {
    this.#maxFrame = maxFrame;
  }

  /**
   * Parses received bytes. @returns the frames completed by them, in order.
   * @throws CodecError if the peer does not speak version 3.
   */
  read(chunk: Uint8Array): Frame[] {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    const frames: Frame[] = [];
    if (!this.#greeted) {
      if (!this.#greet()) return [];
      frames.push({ kind: 'greeting' });
    }
    for (let next = this.#frame(); next !== undefined; next = this.#frame())
      frames.push({ kind: (next.flags & FLAG.command) === 0 ? 'message' : 'command', body: next.body });
    return frames;
  }

  #greet(): boolean {
    const bytes = this.#pending;
    if ((bytes[0] ?? SIGNATURE.first) !== SIGNATURE.first || (bytes[SIGNATURE.length] ?? MAJOR_VERSION) < 3)
      throw new CodecError('zmq: not a peer of version 3');
    if (bytes.length < GREETING_LENGTH) return false;
    const start = SIGNATURE.length + 2;
    const mechanism = Buffer.from(bytes.subarray(start, start + MECHANISM.length)).toString('latin1');
    if (mechanism.replace(/\0+$/, '') !== MECHANISM.name) throw new CodecError('zmq: an unknown mechanism');
    this.#pending = bytes.subarray(GREETING_LENGTH);
    this.#greeted = true;
    return true;
  }

  #frame(): { readonly flags: number; readonly body: Uint8Array } | undefined {
    const bytes = Buffer.from(this.#pending);
    const [flags, short] = bytes;
    if (flags === undefined || short === undefined) return undefined;
    const long = (flags & FLAG.long) !== 0;
    if (long && bytes.length < 9) return undefined;
    const length = long ? Number(bytes.readBigUInt64BE(1)) : short;
    if (length > this.#maxFrame) throw new CodecError('zmq: a frame is too long');
    const end = (long ? 9 : 2) + length;
    if (bytes.length < end) return undefined;
    this.#pending = bytes.subarray(end);
    return { flags, body: bytes.subarray(end - length, end) };
  }
}

/** Parses the data of a subscriber incrementally. */
export class SubscriberReader {
  readonly #frames = new FrameReader(MAX_FRAME);
  #isReady = false;

  /**
   * Parses received bytes. @returns the requests completed by them, in order.
   * @throws CodecError if the peer is not a subscriber of version 3.
   */
  read(chunk: Uint8Array): SubscriptionChange[] {
    const changes: SubscriptionChange[] = [];
    for (const frame of this.#frames.read(chunk)) {
      if (frame.kind === 'greeting') continue;
      if (frame.kind === 'command') this.#isReady ||= isReady(frame.body);
      else if (!this.#isReady) throw new CodecError('zmq: a message before the handshake ended');
      else changes.push(...subscriptionChange(frame.body));
    }
    return changes;
  }
}

/** True if a command ends the handshake. */
export function isReady(command: Uint8Array): boolean {
  const r = new Reader(command);
  return Buffer.from(r.take(r.byte())).toString('latin1') === 'READY';
}

function subscriptionChange(body: Uint8Array): SubscriptionChange[] {
  const kind = CHANGE_KINDS[body[0] ?? -1];
  return kind === undefined ? [] : [{ kind, topic: Buffer.from(body.subarray(1)).toString('utf8') }];
}
