import type { Hash } from '../../crypto/types.js';
import { plainCurve } from '../../crypto/plain-curve.js';
import { parseBlock } from '../../cryptonote/block.js';
import { parseTransaction } from '../../cryptonote/transaction.js';
import { toHex } from '../../util/bytes.js';
import type { Json } from '../../util/json.js';
import { writeWholeJson } from '../../util/json-writer.js';
import type { Node } from '../chain/node.js';
import type { StoredBlock } from '../store/blocks.js';
import type { PoolTx } from '../store/pool.js';
import type { Publisher } from '../zmq/publisher.js';
import { fullBlock, fullTransaction } from './full-json.js';
import { minerData } from './miner-data.js';

/** What can be subscribed to. Source: zmq_pub.cpp `chain_contexts`, `miner_contexts`, `txpool_contexts`. */
const TOPIC = {
  fullChain: 'json-full-chain_main',
  minimalChain: 'json-minimal-chain_main',
  minerData: 'json-full-miner_data',
  fullPool: 'json-full-txpool_add',
  minimalPool: 'json-minimal-txpool_add',
} as const;

/** Latest blocks that a reorganisation is looked for in. */
const KEPT = 1000;

/** Publishes blocks, transactions and what miners must know as they come. Source: zmq_pub.cpp. */
export class News {
  readonly #node: Node;
  readonly #publisher: Pick<Publisher, 'publish' | 'isWanted'>;
  readonly #onBug: (error: unknown) => void;
  #blocks: Hash[];
  #shown: ReadonlySet<string>;

  /** @param onBug told when what was to be published could not be found out. */
  constructor(
    node: Node,
    publisher: Pick<Publisher, 'publish' | 'isWanted'>,
    onBug: (error: unknown) => void,
  ) {
    this.#node = node;
    this.#publisher = publisher;
    this.#onBug = onBug;
    this.#blocks = this.#mainChain(Math.max(0, node.chain.height - KEPT)).map(({ hash }) => hash);
    this.#shown = new Set(this.#waiting().map(({ hash }) => toHex(hash)));
  }

  /** To be told after every change of the node. Transactions come before the blocks that take them. */
  note(): void {
    this.#notePool();
    this.#noteBlocks();
  }

  #mainChain(from: number): StoredBlock[] {
    const { blocks } = this.#node.store;
    const found: StoredBlock[] = [];
    for (let block = blocks.at(from); block !== undefined; block = blocks.at(from + found.length))
      found.push(block);
    return found;
  }

  /** Blocks that one change brought are told of together; blocks that left are not. */
  #noteBlocks(): void {
    const { blocks } = this.#node.store;
    while (this.#blocks.length > 0 && !this.#holds(this.#blocks.at(-1))) this.#blocks.pop();
    const last = this.#blocks.at(-1);
    const from = ((last && blocks.named(last)?.height) ?? -1) + 1;
    const fresh = this.#mainChain(from);
    this.#blocks = [...this.#blocks, ...fresh.map(({ hash }) => hash)].slice(-KEPT);
    const [first] = fresh;
    if (first === undefined) return;
    this.#publish(TOPIC.fullChain, () => fresh.map(({ blob }) => fullBlock(parseBlock(blob), plainCurve)));
    this.#publish(TOPIC.minimalChain, () => ({
      first_height: from,
      first_prev_id: toHex(parseBlock(first.blob).header.prevHash),
      ids: fresh.map(({ hash }) => toHex(hash)),
    }));
    if (this.#publisher.isWanted(TOPIC.minerData)) void this.#tellMiners();
  }

  /** As soon as what the next block may hold is known: proofs may have to be verified first. */
  async #tellMiners(): Promise<void> {
    try {
      const data = await minerData(this.#node);
      this.#publish(TOPIC.minerData, () => data);
    } catch (error) {
      // Who stops does not wait for this.
      if (this.#publisher.isWanted(TOPIC.minerData)) this.#onBug(error);
    }
  }

  #holds(hash: Hash | undefined): boolean {
    return hash !== undefined && this.#node.store.blocks.named(hash) !== undefined;
  }

  #notePool(): void {
    const waiting = this.#waiting();
    const fresh = waiting.filter(({ hash }) => !this.#shown.has(toHex(hash)));
    this.#shown = new Set(waiting.map(({ hash }) => toHex(hash)));
    if (fresh.length === 0) return;
    this.#publish(TOPIC.fullPool, () =>
      fresh.map(({ blob }) => fullTransaction(parseTransaction(blob), plainCurve)),
    );
    this.#publish(TOPIC.minimalPool, () =>
      fresh.map(({ hash, blob, weight, fee }) => ({ id: toHex(hash), blob_size: blob.length, weight, fee })),
    );
  }

  #waiting(): PoolTx[] {
    return this.#node.store.pool.all().filter(({ relayed }) => relayed);
  }

  #publish(topic: string, value: () => Json): void {
    if (!this.#publisher.isWanted(topic)) return;
    try {
      this.#publisher.publish(`${topic}:${writeWholeJson(value())}`);
    } catch (error) {
      // What is told of has happened already.
      this.#onBug(error);
    }
  }
}
