import type { Hash } from '../../monero/crypto/types.js';
import { parseBlock } from '../../monero/cryptonote/block.js';
import { parseTransaction } from '../../monero/cryptonote/transaction.js';
import { toHex } from '../../util/bytes.js';
import type { Json } from '../../util/json.js';
import { writeWholeJson } from '../../util/json-writer.js';
import type { Node } from '../chain/node.js';
import type { StoredBlock } from '../store/blocks.js';
import type { PoolTx } from '../store/pool.js';
import type { Publisher } from '../../net/zmq/publisher.js';
import { fullBlock, fullTransaction } from './tx-json.js';
import { minerData } from './mining.js';

/** Topics to which clients subscribe. Source: zmq_pub.cpp `chain_contexts`, `miner_contexts`, `txpool_contexts`. */
const TOPIC = {
  fullChain: 'json-full-chain_main',
  minimalChain: 'json-minimal-chain_main',
  minerData: 'json-full-miner_data',
  fullPool: 'json-full-txpool_add',
  minimalPool: 'json-minimal-txpool_add',
} as const;

/** Number of latest blocks that are compared to detect a reorganisation. */
const RECENT_BLOCKS = 1000;

/** Publishes new blocks, new pool transactions and miner data. Source: zmq_pub.cpp. */
export class ChainEvents {
  readonly #node: Node;
  readonly #publisher: Pick<Publisher, 'publish' | 'hasSubscriber'>;
  readonly #onBug: (error: unknown) => void;
  #blocks: Hash[];
  #published: ReadonlySet<string>;

  /** @param onBug is called when a message cannot be built or published. */
  constructor(
    node: Node,
    publisher: Pick<Publisher, 'publish' | 'hasSubscriber'>,
    onBug: (error: unknown) => void,
  ) {
    this.#node = node;
    this.#publisher = publisher;
    this.#onBug = onBug;
    this.#blocks = this.#mainChain(Math.max(0, node.chain.height - RECENT_BLOCKS)).map(({ hash }) => hash);
    this.#published = new Set(this.#relayed().map(({ hash }) => toHex(hash)));
  }

  /** Publishes the changes since the last call: first new pool transactions, then new blocks. */
  publishChanges(): void {
    this.#publishPool();
    this.#publishBlocks();
  }

  #mainChain(from: number): StoredBlock[] {
    const { blocks } = this.#node.store;
    const found: StoredBlock[] = [];
    for (let block = blocks.at(from); block !== undefined; block = blocks.at(from + found.length))
      found.push(block);
    return found;
  }

  /** Publishes all blocks that one change has added in a single message. Removed blocks are not published. */
  #publishBlocks(): void {
    const { blocks } = this.#node.store;
    while (this.#blocks.length > 0 && !this.#holds(this.#blocks.at(-1))) this.#blocks.pop();
    const last = this.#blocks.at(-1);
    const from = ((last && blocks.get(last)?.height) ?? -1) + 1;
    const fresh = this.#mainChain(from);
    this.#blocks = [...this.#blocks, ...fresh.map(({ hash }) => hash)].slice(-RECENT_BLOCKS);
    const [first] = fresh;
    if (first === undefined) return;
    this.#publish(TOPIC.fullChain, () => fresh.map(({ blob }) => fullBlock(parseBlock(blob))));
    this.#publish(TOPIC.minimalChain, () => ({
      first_height: from,
      first_prev_id: toHex(parseBlock(first.blob).header.prevHash),
      ids: fresh.map(({ hash }) => toHex(hash)),
    }));
    if (this.#publisher.hasSubscriber(TOPIC.minerData)) void this.#publishMinerData();
  }

  /**
   * Publishes miner data when the payments of the next block are known, because their proofs may have to be verified
   * first.
   */
  async #publishMinerData(): Promise<void> {
    try {
      const data = await minerData(this.#node);
      this.#publish(TOPIC.minerData, () => data);
    } catch (error) {
      // After `close` there are no subscribers, and an error is expected.
      if (this.#publisher.hasSubscriber(TOPIC.minerData)) this.#onBug(error);
    }
  }

  #holds(hash: Hash | undefined): boolean {
    return hash !== undefined && this.#node.store.blocks.get(hash) !== undefined;
  }

  #publishPool(): void {
    const relayed = this.#relayed();
    const fresh = relayed.filter(({ hash }) => !this.#published.has(toHex(hash)));
    this.#published = new Set(relayed.map(({ hash }) => toHex(hash)));
    if (fresh.length === 0) return;
    this.#publish(TOPIC.fullPool, () => fresh.map(({ blob }) => fullTransaction(parseTransaction(blob))));
    this.#publish(TOPIC.minimalPool, () =>
      fresh.map(({ hash, blob, weight, fee }) => ({ id: toHex(hash), blob_size: blob.length, weight, fee })),
    );
  }

  #relayed(): PoolTx[] {
    return this.#node.store.pool.all().filter(({ relayed }) => relayed);
  }

  #publish(topic: string, value: () => Json): void {
    if (!this.#publisher.hasSubscriber(topic)) return;
    try {
      this.#publisher.publish(`${topic}:${writeWholeJson(value())}`);
    } catch (error) {
      // The change is committed already, and this error must not undo it.
      this.#onBug(error);
    }
  }
}
