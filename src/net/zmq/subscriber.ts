import { connect, type Socket } from 'node:net';
import { backOff, type RetryTimes } from '../../util/clock.js';
import { readFrames, FrameReader, greeting, isReady, ready, subscription } from './zmtp.js';

export interface SubscriberOptions {
  readonly host: string;
  readonly port: number;
  /** Topics to subscribe to: texts with which the wanted messages begin. */
  readonly topics: readonly string[];
  /** Called with the topic of each message. Must not throw. */
  readonly onMessage: (topic: string) => void;
  /** Called when the subscription begins, and when it is lost. Must not throw. */
  readonly onState?: (state: 'subscribed' | 'lost') => void;
  /** Shortest and longest pause before a further attempt to connect [ms]. */
  readonly retryMs?: RetryTimes;
}

/** Longest accepted message [bytes]: the minimal messages of a daemon are far shorter. */
const MAX_MESSAGE = 4 << 20;
const RETRY_MS = { first: 1_000, last: 30_000 };
/** Longest time from connecting to the end of the handshake [ms]. */
const HANDSHAKE_MS = 10_000;
/** Idle time after which the operating system checks the connection [ms]. */
const KEEP_ALIVE_MS = 30_000;

/**
 * ZeroMQ SUB socket over TCP. Reconnects as long as it is open. Messages published while it is not connected are lost.
 */
export class Subscriber {
  readonly #options: SubscriberOptions;
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  open(): void {
    const { host, port, topics, onMessage, onState } = this.#options;
    const reader = new FrameReader(MAX_MESSAGE);
    const socket = connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    this.#socket = socket;
    let subscribed = false;
    socket.setTimeout(HANDSHAKE_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      if (subscribed) onState?.('lost');
      this.#retry();
    });
    // Only the greeting is sent now: monerod may disconnect a peer that does not wait for each step of the handshake.
    socket.write(greeting());
    readFrames(socket, reader, (frame) => {
      if (frame.kind === 'greeting') socket.write(ready('SUB'));
      else if (frame.kind === 'message') {
        const topic = topicOf(frame.body, topics);
        if (subscribed && topic !== undefined) onMessage(topic);
      } else if (!subscribed && isReady(frame.body)) {
        subscribed = true;
        this.#failures = 0;
        socket.setTimeout(0);
        for (const topic of topics) socket.write(subscription(topic));
        onState?.('subscribed');
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket?.destroy();
  }

  #retry(): void {
    if (this.#isClosed) return;
    this.#failures += 1;
    const pause = backOff(this.#failures, this.#options.retryMs ?? RETRY_MS);
    this.#timer = setTimeout(() => this.open(), pause).unref();
  }
}

const topicOf = (body: Uint8Array, topics: readonly string[]): string | undefined =>
  topics.find((topic) => Buffer.from(body.subarray(0, topic.length)).toString('latin1') === topic);
