import { ByteQueue } from '../byte-queue.js';
import { CodecError, Reader } from '../../util/codec.js';
import type { Socket } from 'node:net';

/** Length of the greeting [bytes]. Source: ZMTP 3.0 (rfc.zeromq.org/spec/23), "Greeting". */
const GREETING_LENGTH = 64;
const SIGNATURE = { first: 0xff, last: 0x7f, length: 10 } as const;
const MAJOR_VERSION = 3;
const MECHANISM = { name: 'NULL', length: 20 } as const;

const FLAG = { more: 0x01, long: 0x02, command: 0x04 } as const;

/** Length of a frame's flags and length [bytes]. */
const SHORT_HEAD = 2;
const LONG_HEAD = 9;

/** Longest accepted message of a subscriber [bytes]: topics are short. */
const MAX_MESSAGE = 1024;

/** Largest number of frames in a message. Messages of a daemon, and requests of subscribers, have one frame. */
const MAX_FRAMES = 16;

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

/** Frame with its place in the received bytes. */
interface PlacedFrame {
  readonly flags: number;
  readonly body: Uint8Array;
  readonly end: number;
}

/** Parses the data of one peer incrementally, in a time that is linear in its length. */
export class FrameReader {
  readonly #pending = new ByteQueue();
  /** Number of pending bytes that were read. */
  #read = 0;
  /** Number of further bytes below which no frame is complete. */
  #needed = 1;
  #greeted = false;
  /** Number of frames of the current message before the next frame, and their bytes. */
  #frames = 0;
  #bytes = 0;
  readonly #maxMessage: number;

  /** @param maxMessage longest message and longest command [bytes]. */
  constructor(maxMessage: number) {
    this.#maxMessage = maxMessage;
  }

  append(chunk: Uint8Array): void {
    this.#pending.append(chunk);
  }

  /**
   * Returns the next frame; undefined if it is not complete.
   * @throws CodecError if the peer does not speak version 3, or for a message with too many frames or bytes.
   */
  next(): Frame | undefined {
    const next = this.#pending.length - this.#read < this.#needed ? undefined : this.#parse();
    if (next === undefined) {
      this.#pending.drop(this.#read);
      this.#read = 0;
    }
    return next;
  }

  #parse(): Frame | undefined {
    const bytes = this.#pending.view();
    if (!this.#greeted) {
      if (!isGreeting(bytes)) return undefined;
      this.#greeted = true;
      this.#read = GREETING_LENGTH;
      return { kind: 'greeting' };
    }
    const next = this.#frame(bytes, this.#read);
    if (next === undefined) return undefined;
    this.#needed = 1;
    this.#read = next.end;
    // The body is copied, since the queue uses its memory again.
    const body = Uint8Array.from(next.body);
    if ((next.flags & FLAG.command) !== 0) return { kind: 'command', body };
    const isLast = (next.flags & FLAG.more) === 0;
    this.#frames = isLast ? 0 : this.#frames + 1;
    this.#bytes = isLast ? 0 : this.#bytes + body.length;
    if (this.#frames >= MAX_FRAMES) throw new CodecError('zmq: a message has too many frames');
    return { kind: 'message', body };
  }

  /** Returns the frame at a place; undefined if it is not complete. @throws CodecError for a frame that is too long. */
  #frame(bytes: Buffer, at: number): PlacedFrame | undefined {
    const missing = (length: number): undefined => void (this.#needed = length);
    const flags = bytes[at];
    const short = bytes[at + 1];
    if (flags === undefined || short === undefined) return missing(SHORT_HEAD);
    const long = (flags & FLAG.long) !== 0;
    const head = long ? LONG_HEAD : SHORT_HEAD;
    if (bytes.length < at + head) return missing(head);
    const length = long ? Number(bytes.readBigUInt64BE(at + 1)) : short;
    if (this.#bytes + length > this.#maxMessage) throw new CodecError('zmq: a message is too long');
    const end = at + head + length;
    return bytes.length < end
      ? missing(head + length)
      : { flags, body: bytes.subarray(end - length, end), end };
  }
}

/** Returns true if the bytes begin with a complete greeting. @throws CodecError unless a peer of version 3 may send them. */
function isGreeting(bytes: Buffer): boolean {
  if ((bytes[0] ?? SIGNATURE.first) !== SIGNATURE.first || (bytes[SIGNATURE.length] ?? MAJOR_VERSION) < 3)
    throw new CodecError('zmq: not a peer of version 3');
  if (bytes.length < GREETING_LENGTH) return false;
  const start = SIGNATURE.length + 2;
  const mechanism = bytes.toString('latin1', start, start + MECHANISM.length);
  if (mechanism.replace(/\0+$/, '') !== MECHANISM.name) throw new CodecError('zmq: an unknown mechanism');
  return true;
}

/** Reads the frames of a subscriber. */
export class SubscriberReader {
  readonly frames = new FrameReader(MAX_MESSAGE);
  #isReady = false;

  /**
   * Returns the request in a frame; undefined if the frame has no request.
   * @throws CodecError if the peer is not a subscriber of version 3.
   */
  requestIn(frame: Frame): SubscriptionChange | undefined {
    if (frame.kind === 'greeting') return undefined;
    if (frame.kind === 'message') {
      if (!this.#isReady) throw new CodecError('zmq: a message before the handshake ended');
      return subscriptionChange(frame.body);
    }
    this.#isReady ||= isReady(frame.body);
    return undefined;
  }
}

/** True if a command ends the handshake. */
export function isReady(command: Uint8Array): boolean {
  const r = new Reader(command);
  return Buffer.from(r.take(r.byte())).toString('latin1') === 'READY';
}

function subscriptionChange(body: Uint8Array): SubscriptionChange | undefined {
  const kind = CHANGE_KINDS[body[0] ?? -1];
  return kind && { kind, topic: Buffer.from(body.subarray(1)).toString('utf8') };
}

/**
 * Largest number of frames that are handled in one turn of the event loop: a peer may send a million frames of two
 * bytes.
 */
export const FRAMES_PER_TURN = 256;

/**
 * Handles the frames that arrive over a connection, some in each turn of the event loop; meanwhile nothing more is read.
 * Ends the connection at an error of the protocol.
 * @param onFrame may throw CodecError.
 */
export function readFrames(
  socket: Pick<Socket, 'destroy' | 'destroyed' | 'on' | 'pause' | 'resume'>,
  reader: FrameReader,
  onFrame: (frame: Frame) => void,
): void {
  const handle = (): void => {
    for (let count = 0; count < FRAMES_PER_TURN; count++) {
      const frame = socket.destroyed ? undefined : reader.next();
      if (frame === undefined) return void socket.resume();
      onFrame(frame);
    }
    socket.pause();
    setImmediate(handleOrEnd);
  };
  const handleOrEnd = (): void => {
    try {
      handle();
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      socket.destroy();
    }
  };
  socket.on('data', (chunk: Buffer) => {
    reader.append(chunk);
    handleOrEnd();
  });
}
