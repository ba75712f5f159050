import { parseBlock } from '../../cryptonote/block.js';
import type { Hash } from '../../crypto/types.js';
import { toHex } from '../../util/bytes.js';
import type { Json } from '../../util/json.js';
import { writeJson } from '../../util/json-writer.js';
import type { Node } from '../chain/node.js';
import type { Publisher } from '../zmq/publisher.js';

const CHAIN = 'json-minimal-chain_main';
const POOL = 'json-minimal-txpool_add';

/** Latest blocks that a reorganisation is looked for in. */
const KEPT = 1000;

/** Publishes blocks and transactions as they come. Source: zmq_pub.cpp, the minimal formats. */
export class News {
  readonly #node: Node;
  readonly #publisher: Pick<Publisher, 'publish'>;
  #blocks: Hash[];
  #shown: ReadonlySet<string>;

  constructor(node: Node, publisher: Pick<Publisher, 'publish'>) {
    this.#node = node;
    this.#publisher = publisher;
    this.#blocks = this.#mainChain(Math.max(0, node.chain.height - KEPT));
    this.#shown = new Set(this.#waiting().map(({ hash }) => toHex(hash)));
  }

  /** To be told after every change of the node. */
  note(): void {
    this.#noteBlocks();
    this.#notePool();
  }

  #mainChain(from: number): Hash[] {
    const { blocks } = this.#node.store;
    const hashes: Hash[] = [];
    for (let block = blocks.at(from); block !== undefined; block = blocks.at(from + hashes.length))
      hashes.push(block.hash);
    return hashes;
  }

  /** Blocks that one change brought are told of together; blocks that left are not. */
  #noteBlocks(): void {
    const { blocks } = this.#node.store;
    while (this.#blocks.length > 0 && !this.#holds(this.#blocks.at(-1))) this.#blocks.pop();
    const last = this.#blocks.at(-1);
    const from = ((last && blocks.named(last)?.height) ?? -1) + 1;
    const ids = this.#mainChain(from);
    const first = blocks.at(from);
    this.#blocks = [...this.#blocks, ...ids].slice(-KEPT);
    if (first === undefined) return;
    this.#publish(CHAIN, {
      first_height: from,
      first_prev_id: toHex(parseBlock(first.blob).header.prevHash),
      ids: ids.map(toHex),
    });
  }

  #holds(hash: Hash | undefined): boolean {
    return hash !== undefined && this.#node.store.blocks.named(hash) !== undefined;
  }

  #notePool(): void {
    const waiting = this.#waiting();
    const fresh = waiting.filter(({ hash }) => !this.#shown.has(toHex(hash)));
    this.#shown = new Set(waiting.map(({ hash }) => toHex(hash)));
    if (fresh.length === 0) return;
    this.#publish(
      POOL,
      fresh.map(({ hash, blob, weight, fee }) => ({ id: toHex(hash), blob_size: blob.length, weight, fee })),
    );
  }

  #waiting() {
    return this.#node.store.pool.all().filter(({ relayed }) => relayed);
  }

  #publish(topic: string, value: Json): void {
    this.#publisher.publish(`${topic}:${writeJson(value)}`);
  }
}
