import type { Transaction } from '../../monero/cryptonote/types.js';
import { amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import type { Node } from '../chain/node.js';
import { drawRewardOf } from '../rules/miner-tx.js';
import type { Payment } from '../rules/tx-rules.js';
import type { PoolTx } from '../store/pool.js';
import type { Fault } from './fault.js';
import { poolEntryOf, type ForgedChain } from './forged-chain.js';
import { forgedPayment, forgePayment } from './forged-payment.js';
import type { LieContext } from './lie-context.js';
import { randomPoint } from './nobody.js';

/* Lies that give all answers about the chain, or about the pool, from a forged copy, so that they agree. */

/** Answers about the chain. */
const CHAIN = [
  ...['get_block_count', 'on_get_block_hash', 'get_last_block_header', 'get_block_header_by_hash'],
  ...['get_block_header_by_height', 'get_block_headers_range', 'get_block', 'get_coinbase_tx_sum'],
  ...['get_info', '/get_info', '/get_height', 'get_version', 'hard_fork_info', 'sync_info'],
  ...['get_output_histogram', 'get_output_distribution', '/get_output_distribution.bin'],
  ...['/get_outs', '/get_outs.bin', '/get_o_indexes.bin', '/get_transactions', '/is_key_image_spent'],
  ...['/get_blocks.bin', '/get_blocks_by_height.bin', '/get_hashes.bin'],
] as const;

/** Answers about the bodies of pool transactions. */
const POOL_BODIES = ['/get_transaction_pool', '/get_transactions', '/get_blocks.bin'] as const;

/** Answers about the pool. */
const POOL = [
  ...POOL_BODIES,
  ...['/get_transaction_pool_hashes', '/get_transaction_pool_hashes.bin', '/get_transaction_pool_stats'],
  ...['get_txpool_backlog', 'get_txids_loose', 'get_info', '/get_info', '/is_key_image_spent'],
] as const;

type Forge = NonNullable<Fault['chain']>['forge'];

/** Returns the part of a fault that forges the chain. */
const ofChain = (forge: Forge): Required<Pick<Fault, 'chain'>> => ({ chain: { answers: CHAIN, forge } });

/** Returns the part of a fault that forges the pool. */
const ofPool = (
  answers: readonly string[],
  change: (entries: readonly PoolTx[], lie: LieContext) => readonly PoolTx[],
): Required<Pick<Fault, 'chain'>> => ({
  chain: { answers, forge: (chain, lie) => chain.setPool(change(chain.node.store.pool.all(), lie)) },
});

/** Adds blocks to the tip. @param payments transactions of the first block. */
function addBlocks(chain: ForgedChain, count: number, payments: readonly Payment[] = []): void {
  for (let i = 0; i < count; i++) chain.add(i === 0 ? { payments } : {});
}

/** Replaces the newest blocks, as of the first use, by blocks that are more in number. */
function replaceBlocks(
  chain: ForgedChain,
  lie: LieContext,
  payments: readonly Payment[],
  difficulty?: bigint,
): void {
  const { height } = chain;
  chain.cutTo(lie.once('first replaced block', () => Math.max(1, height - lie.value)));
  let isFirst = true;
  while (
    chain.height <= height ||
    chain.node.chain.tip.cumulativeDifficulty <= lie.node.chain.tip.cumulativeDifficulty
  ) {
    chain.add({
      ...(isFirst ? { payments } : {}),
      ...(difficulty === undefined ? {} : { difficulty }),
    });
    isFirst = false;
  }
}

/** Makes the miner transaction of the next block pay an amount to the address of the target. */
function rewarding(
  { target: { address }, rng }: LieContext,
  { height, version }: Node['chain'],
  paid: bigint,
): (honest: Transaction) => Transaction {
  return (honest) => {
    if (address === undefined) return honest;
    const pay = drawRewardOf({ address, extraNonce: new Uint8Array() }, { height, version }, rng);
    const { output, extra } = pay(amount(paid));
    return { ...honest, prefix: { ...honest.prefix, outputs: [output], extra } };
  };
}

const XMR = 1_000_000_000_000n;
/** Distance of timestamps from the true time in a war of timestamps [s]. */
const WAR_SECONDS = 7000;

const paid = (lie: LieContext): readonly Payment[] =>
  lie.target.address === undefined ? [] : [forgedPayment(lie)];

/** Number of pages of blocks, before the last of which the chain is reorganised. */
const PAGES = 3;

/**
 * Replaces the latest blocks by a branch that is one block longer, mined to a random address. The payments of the
 * replaced blocks return to the pool and may be mined again.
 * @param depth number of blocks to replace; at most all except the genesis block.
 */
async function reorganise(node: Node, depth: number, rng: Rng): Promise<void> {
  const { tip } = node.chain;
  const share = {
    address: { spendPublicKey: randomPoint(rng), viewPublicKey: randomPoint(rng) },
    extraNonce: new Uint8Array(),
  };
  const replaced = Math.min(depth, tip.height);
  let parent = node.store.blocks.at(tip.height - replaced)?.hash;
  for (let mined = 0; mined <= replaced; mined++) {
    const { block } = await node.template(share, parent);
    parent = (await node.submitBlock(block)).hash;
  }
}

/** Lies about the chain as a whole. */
export const CHAIN_LIES = {
  reorganise: {
    help: 'the latest n blocks are replaced before every third page of blocks',
    sections: {
      '/get_blocks.bin': async (ask, request, { isDue, node, value, rng }) => {
        if (isDue(PAGES)) await reorganise(node, value, rng);
        return ask(request);
      },
    },
  },
  'forged-blocks': {
    help: 'n blocks without work stand upon the top block; the first has a payment to `address`, if that is given',
    ...ofChain((chain, lie) => addBlocks(chain, lie.value, paid(lie))),
  },
  'forged-fork': {
    help: 'n blocks are replaced by more blocks without work; the first has a payment to `address`, if that is given',
    ...ofChain((chain, lie) => replaceBlocks(chain, lie, paid(lie))),
  },
  'half-difficulty': {
    help: 'n blocks are replaced by more blocks of half the difficulty',
    ...ofChain((chain, lie) => {
      const { difficulty } = chain.node.chain;
      replaceBlocks(chain, lie, paid(lie), difficulty > 1n ? difficulty / 2n : 1n);
    }),
  },
  'forged-spend': {
    help: 'n blocks without work stand upon the top block; the first spends the key images `key_images`',
    needs: 'key_images',
    ...ofChain((chain, lie) => addBlocks(chain, lie.value, [forgedPayment(lie)])),
  },
  'forged-reward': {
    help: 'a block without work upon the top block rewards `address` with n XMR',
    needs: 'address',
    ...ofChain((chain, lie) =>
      chain.add({ minerTx: rewarding(lie, chain.node.chain, BigInt(lie.value) * XMR) }),
    ),
  },
  'future-time': {
    help: 'a block without work upon the top block has a timestamp n seconds ahead',
    most: 2_000_000_000,
    ...ofChain((chain, lie) => chain.add({ timestamp: chain.node.chain.now() + lie.value })),
  },
  'timestamp-war': {
    help: 'n blocks without work upon the top block have timestamps that go forth and back by hours',
    ...ofChain((chain, lie) => {
      const { timestamp } = chain.node.chain.tip;
      for (let i = 0; i < lie.value; i++)
        chain.add({ timestamp: Math.max(0, timestamp + (i % 2 === 0 ? WAR_SECONDS : -WAR_SECONDS)) });
    }),
  },
} satisfies Record<string, Fault>;

/** Replaces the bytes of a pool transaction by those of a payment to the target. */
const withOtherBytes = (entry: PoolTx, lie: LieContext): PoolTx => ({
  ...entry,
  blob: lie.once(`bytes of ${toHex(entry.hash)}`, () => forgePayment(lie, lie.target).blob),
});

/** Adds the fabricated payment of a lie to the pool. */
const withForged = (entries: readonly PoolTx[], lie: LieContext): readonly PoolTx[] => [
  ...entries,
  poolEntryOf(forgedPayment(lie), lie.node),
];

/** Lies about the pool. */
export const POOL_LIES = {
  'forged-pool-payment': {
    help: 'the pool has a payment to `address` whose inputs are none (1)',
    needs: 'address',
    ...ofPool(POOL, withForged),
  },
  'forged-pool-spend': {
    help: 'a transaction of the pool spends the key images `key_images` (1)',
    needs: 'key_images',
    ...ofPool(POOL, withForged),
  },
  'swapped-pool-payment': {
    help: 'the bytes of each transaction of the pool are those of a payment to `address` (1)',
    needs: 'address',
    ...ofPool([...POOL_BODIES, '/is_key_image_spent'], (entries, lie) =>
      entries.map((entry) => withOtherBytes(entry, lie)),
    ),
  },
  'hidden-pool': { help: 'the pool seems empty (1)', ...ofPool(POOL, () => []) },
  'double-spend-seen': {
    help: 'each transaction of the pool seems spent twice (1)',
    ...ofPool([...POOL_BODIES, '/get_transaction_pool_stats'], (entries) =>
      entries.map((entry) => ({ ...entry, doubleSpendSeen: true })),
    ),
  },
  'double-spend-hidden': {
    help: 'no transaction of the pool seems spent twice (1)',
    ...ofPool([...POOL_BODIES, '/get_transaction_pool_stats'], (entries) =>
      entries.map((entry) => ({ ...entry, doubleSpendSeen: false })),
    ),
  },
} satisfies Record<string, Fault>;
