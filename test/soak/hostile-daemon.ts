import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../support/fakes/seeded-random.js';
import { tell } from '../support/processes/lying-node.js';
import type { Monerod } from '../support/processes/monerod.js';
import type { Asked, Behaviour } from './hostile-behaviours.js';

/** Misbehaviour of a proxy: a behaviour, and the share of the concerned answers that it applies to. */
export interface Misbehaviour {
  readonly behaviour: Behaviour;
  readonly share: number;
}

/** Node behind a proxy. */
export interface HostileTarget {
  /** Address of the node, `host:port`. */
  readonly target: string;
  /** Port of the node that lies; absent: the node cannot lie. */
  readonly liar?: Monerod;
}

/** Proxy between wallet servers and a node, which can take the place of a hostile node. */
export class HostileDaemon {
  readonly address: string;
  /** Port of the node that lies; undefined: the node cannot lie. */
  readonly liar: Monerod | undefined;
  /** Number of answers that were changed, by behaviour. */
  readonly changed = new Map<string, number>();
  /** Called with each request. */
  onRequest: (asked: Asked) => void = () => undefined;
  readonly #close: () => Promise<void>;
  readonly #random: Random;
  readonly #target: string;
  /** Latest honest answers by kind and question. */
  readonly #latest = new Map<string, Map<string, Buffer>>();
  #misbehaviour: (Misbehaviour & { readonly over: AbortController }) | undefined;

  private constructor(
    { target, liar }: HostileTarget,
    random: Random,
    server: ReturnType<typeof createServer>,
  ) {
    this.#target = target;
    this.liar = liar;
    this.#random = random;
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#close = () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
  }

  /** Starts a proxy. */
  static async start(node: HostileTarget, random: Random): Promise<HostileDaemon> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => response.destroy());
      response.on('error', () => response.destroy());
      request.on('end', () => {
        const asked = askedOf(request.url ?? '', Buffer.concat(chunks));
        proxy.onRequest(asked);
        proxy.answer(asked, response).catch(() => response.destroy());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new HostileDaemon(node, random, server);
    return proxy;
  }

  /** Begins to misbehave. @throws Error if the node does not run, or cannot lie. */
  async begin(misbehaviour: Misbehaviour): Promise<void> {
    this.end();
    const { faults } = misbehaviour.behaviour;
    if (faults !== undefined) {
      if (this.liar === undefined) throw new Error('this node cannot lie');
      await tell(this.liar, { what: faults });
    }
    this.#misbehaviour = { ...misbehaviour, over: new AbortController() };
  }

  /** Passes all answers on again. Requests that wait for an answer lose their connection. */
  end(): void {
    this.#misbehaviour?.over.abort();
    this.#misbehaviour = undefined;
  }

  async stop(): Promise<void> {
    this.end();
    await this.#close();
  }

  /** Answers a request, honestly or not. */
  async answer(asked: Asked, response: ServerResponse): Promise<void> {
    const misbehaviour = this.#misbehaviour;
    const isConcerned =
      misbehaviour !== undefined &&
      misbehaviour.behaviour.concerns(asked) &&
      this.#random.chance(misbehaviour.share);
    const lies = isConcerned && misbehaviour.behaviour.faults !== undefined;
    const { status, body } = await this.#forward(
      asked,
      (lies ? this.liar?.address : undefined) ?? this.#target,
    );
    if (!isConcerned) return void response.writeHead(status, { 'content-length': body.length }).end(body);
    const { behaviour, over } = misbehaviour;
    this.changed.set(behaviour.name, (this.changed.get(behaviour.name) ?? 0) + 1);
    const other = this.#other(asked);
    const answer = behaviour.lie?.(body, { asked, random: this.#random, other }) ?? body;
    if (behaviour.send === undefined)
      return void response.writeHead(status, { 'content-length': answer.length }).end(answer);
    if (over.signal.aborted) return void response.destroy();
    over.signal.addEventListener('abort', () => response.destroy(), { once: true });
    behaviour.send(response, answer, over.signal);
  }

  async #forward(asked: Asked, target: string): Promise<{ status: number; body: Buffer }> {
    const reply = await fetch(`http://${target}${asked.path}`, {
      method: 'POST',
      body: new Uint8Array(asked.body),
    });
    const body = Buffer.from(await reply.arrayBuffer());
    const answers = this.#latest.get(kindOf(asked)) ?? new Map<string, Buffer>();
    answers.set(questionOf(asked), body);
    this.#latest.set(kindOf(asked), answers);
    return { status: reply.status, body };
  }

  #other(asked: Asked): Buffer | undefined {
    const others = [...(this.#latest.get(kindOf(asked)) ?? [])].filter(([of]) => of !== questionOf(asked));
    return others[this.#random.below(Math.max(1, others.length))]?.[1];
  }
}

const kindOf = ({ path }: Asked): string => (path.endsWith('.bin') ? 'binary' : 'json');
const questionOf = ({ path, method }: Asked): string => `${path} ${method ?? ''}`;

function askedOf(path: string, body: Buffer): Asked {
  const [, method] = path === '/json_rpc' ? (/"method": ?"(\w+)"/.exec(body.toString('latin1')) ?? []) : [];
  return { path, body, ...(method === undefined ? {} : { method }) };
}
