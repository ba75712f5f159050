import { copyBlocks } from '../support/chain/chain-copy.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { KeyedMutex, Mutex } from '../../src/util/concurrency.js';
import type { SoakNode } from './soak-node.js';

const heightOf = async (daemon: Monerod): Promise<number> => Number((await daemon.rpc('get_info')).height);

const hashAt = async (daemon: Monerod, height: number): Promise<string> =>
  String((await daemon.rpc('get_block_header_by_height', { height })).block_header.hash);

const poolOf = async (daemon: Monerod): Promise<string[]> =>
  ((await daemon.plain('/get_transaction_pool_hashes')).tx_hashes ?? []) as string[];

/** Number of blocks that both chains have in common. */
async function commonHeight(a: Monerod, b: Monerod): Promise<number> {
  let height = Math.min(await heightOf(a), await heightOf(b));
  while (height > 1 && (await hashAt(a, height - 1)) !== (await hashAt(b, height - 1))) height--;
  return height;
}

/** Sends the pool transactions that one daemon has to another one, which may refuse them. */
async function copyPool(from: Monerod, to: Monerod): Promise<void> {
  const known = new Set(await poolOf(to));
  const txs_hashes = (await poolOf(from)).filter((hash) => !known.has(hash));
  if (txs_hashes.length === 0) return;
  const { txs = [] } = await from.plain('/get_transactions', { txs_hashes });
  for (const { as_hex: tx_as_hex } of txs as Loose[])
    await to.plain('/send_raw_transaction', { tx_as_hex, do_sanity_checks: false });
}

/** The nodes of the world as a network: they exchange blocks and transactions, mine, and reorganise. */
export class Network {
  readonly nodes: readonly SoakNode[];
  readonly #mutex = new Mutex();
  readonly #disturbances = new KeyedMutex();

  constructor(nodes: readonly SoakNode[]) {
    this.nodes = nodes;
  }

  /** Runs a task while no block is mined and no node is asked: the task may kill and pause nodes. */
  alone<T>(task: () => Promise<T>): Promise<T> {
    return this.#mutex.run(task);
  }

  /** Runs a task that takes a node out of the network, and brings it back. No other one concerns the node meanwhile. */
  disturb(node: SoakNode, task: () => Promise<void>): Promise<void> {
    return this.#disturbances.run(node.name, task);
  }

  /** Mines blocks on the first node that is up. */
  mine(address: string, blocks: number): Promise<void> {
    return this.alone(async () => {
      const miner = await this.#leader();
      await miner?.rpc('generateblocks', { amount_of_blocks: blocks, wallet_address: address });
      await this.#follow(miner);
    });
  }

  /** Replaces the latest blocks by a branch that is one block longer. @returns false while no node is up. */
  reorganise(address: string, depth: number): Promise<boolean> {
    return this.alone(async () => {
      const miner = await this.#leader();
      if (miner === undefined) return false;
      await miner.popBlocks(depth);
      await miner.rpc('generateblocks', { amount_of_blocks: depth + 1, wallet_address: address });
      await this.#follow(miner);
      return true;
    });
  }

  /** Lets all nodes that are up agree on the longest chain. */
  agree(): Promise<void> {
    return this.alone(async () => this.#follow(await this.#leader()));
  }

  /** Lists the transactions of the pools of nodes that are up. */
  pool(): Promise<string[]> {
    return this.alone(async () => {
      const pools = await Promise.all(this.#up().map((daemon) => poolOf(daemon)));
      return [...new Set(pools.flat())];
    });
  }

  /** Empties the pools: transactions that no block can contain would stay in them. */
  flush(): Promise<void> {
    return this.alone(async () => {
      for (const daemon of this.#up()) await daemon.rpc('flush_txpool');
    });
  }

  #up(): Monerod[] {
    return this.nodes.filter(({ isUp }) => isUp).map(({ daemon }) => daemon);
  }

  /** Finds the node with the longest chain, with the transactions of all pools. */
  async #leader(): Promise<Monerod | undefined> {
    let leader: Monerod | undefined;
    let most = 0;
    for (const daemon of this.#up()) {
      const height = await heightOf(daemon);
      if (height > most) [leader, most] = [daemon, height];
    }
    for (const daemon of this.#up())
      if (leader !== undefined && daemon !== leader) await copyPool(daemon, leader);
    return leader;
  }

  /** Brings the other nodes that are up to the chain and the pool of a node. */
  async #follow(leader: Monerod | undefined): Promise<void> {
    for (const daemon of this.#up()) {
      if (leader === undefined || daemon === leader) continue;
      const surplus = (await heightOf(daemon)) - (await commonHeight(leader, daemon));
      if (surplus > 0) await daemon.popBlocks(surplus);
      await copyBlocks(leader, daemon).catch(async () => {
        // A daemon gets the transactions of a block by way of its pool, which refuses one while it has another that
        // spends the same output. Nodes of a real network drop that other one when they get the block.
        await daemon.rpc('flush_txpool');
        await copyBlocks(leader, daemon);
      });
      await copyPool(leader, daemon);
    }
  }
}
