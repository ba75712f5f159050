import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { CodecError } from '../../util/codec.js';
import { greeting, message, ready, SubscriberReader, type Wish } from './zmtp.js';

/** Bounds against who subscribes and never reads. */
const MAX_SUBSCRIBERS = 100;
const MAX_TOPICS = 100;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** A ZeroMQ PUB socket over TCP: who subscribes to the beginning of a message's text is sent it. */
export class Publisher {
  readonly #server: Server;
  readonly #topics = new Map<Socket, Map<string, number>>();

  constructor() {
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** @param port 0 takes a free one. @returns the port. @throws Error when it cannot be bound. */
  async listen(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => resolve());
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Would anybody be sent what begins with a name? */
  isWanted(name: string): boolean {
    return [...this.#topics.values()].some((topics) => wants(topics, name));
  }

  /** Messages that a subscriber has no room for are dropped. */
  publish(text: string): void {
    const bytes = message(Buffer.from(text, 'utf8'));
    for (const [socket, topics] of this.#topics)
      if (wants(topics, text) && socket.writableLength < MAX_WAITING_BYTES) socket.write(bytes);
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
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const wish of reader.take(chunk)) note(topics, wish);
      } catch (error) {
        if (!(error instanceof CodecError)) throw error;
        socket.destroy();
      }
    });
    socket.write(greeting());
    socket.write(ready());
  }
}

/** A topic is cancelled as often as it was subscribed to. */
function note(topics: Map<string, number>, { kind, topic }: Wish): void {
  const count = (topics.get(topic) ?? 0) + (kind === 'subscribe' ? 1 : -1);
  if (count <= 0) topics.delete(topic);
  else if (topics.has(topic) || topics.size < MAX_TOPICS) topics.set(topic, count);
}

const wants = (topics: ReadonlyMap<string, number>, text: string): boolean =>
  [...topics.keys()].some((topic) => text.startsWith(topic));
