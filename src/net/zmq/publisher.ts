import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { readFrames, greeting, message, ready, SubscriberReader, type SubscriptionChange } from './zmtp.js';

/**
 * Limits of a publisher: number of subscribers, and for each subscriber number of topics and length of the queue
 * [bytes].
 */
const MAX_SUBSCRIBERS = 100;
const MAX_TOPICS = 100;
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;

/** ZeroMQ PUB socket over TCP: sends each message to the subscribers of a topic with which it begins. */
export class Publisher {
  readonly #server: Server;
  readonly #topics = new Map<Socket, Map<string, number>>();

  constructor() {
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Binds a port. @param port 0: a free port. @returns the bound port. @throws Error if it cannot be bound. */
  async listen(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => resolve());
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** True if a message that begins with a topic has a subscriber. */
  hasSubscriber(topic: string): boolean {
    return [...this.#topics.values()].some((topics) => matches(topics, topic));
  }

  /** Sends a message; drops it for each subscriber whose queue is full. */
  publish(text: string): void {
    const bytes = message(Buffer.from(text, 'utf8'));
    for (const [socket, topics] of this.#topics)
      if (matches(topics, text) && socket.writableLength < MAX_QUEUED_BYTES) socket.write(bytes);
  }

  async close(): Promise<void> {
    for (const socket of this.#topics.keys()) socket.destroy();
    if (this.#server.listening) await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    if (this.#topics.size >= MAX_SUBSCRIBERS) return void socket.destroy();
    const topics = new Map<string, number>();
    const reader = new SubscriberReader();
    this.#topics.set(socket, topics);
    socket.once('close', () => this.#topics.delete(socket));
    readFrames(socket, reader.frames, (frame) => {
      const change = reader.requestIn(frame);
      if (change !== undefined) apply(topics, change);
    });
    socket.write(greeting());
    socket.write(ready());
  }
}

/** Counts the subscriptions of one subscriber, because a topic must be cancelled as often as it was subscribed to. */
function apply(topics: Map<string, number>, { kind, topic }: SubscriptionChange): void {
  const count = (topics.get(topic) ?? 0) + (kind === 'subscribe' ? 1 : -1);
  if (count <= 0) topics.delete(topic);
  else if (topics.has(topic) || topics.size < MAX_TOPICS) topics.set(topic, count);
}

const matches = (topics: ReadonlyMap<string, number>, text: string): boolean =>
  [...topics.keys()].some((topic) => text.startsWith(topic));
