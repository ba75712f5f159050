import type { Hash } from '../../monero/crypto/types.js';
import { block as blockCodec, parseBlock } from '../../monero/cryptonote/block.js';
import { NEWEST_FORK } from '../../monero/cryptonote/constants.js';
import { prunableHash, prunedTransaction, transaction } from '../../monero/cryptonote/transaction.js';
import type { Block, TxPrefix } from '../../monero/cryptonote/types.js';
import type { Typed } from '../../monero/epee/storage-writer.js';
import { amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { encode } from '../../util/codec.js';
import type { Node } from '../chain/node.js';
import type { Payment } from '../rules/tx-rules.js';
import type { ServedBlock, ServedPayment } from '../store/served-blocks.js';
import { eachTransaction, storageReplies, type BlockPlace, type Fault } from './fault.js';
import { siblingOf } from './forged-chain.js';
import { forgedPayment, forgeFirstVersion } from './forged-payment.js';
import type { LieContext } from './lie-context.js';

/* Lies about one block in a page of blocks. */

type BlockChange = NonNullable<Fault['block']>;

/** Returns the height of the newest block with payments up to a height; 0 without one. */
function newestWithPayments({ store }: Node, height: number): number {
  for (let at = height; at > 0; at--)
    if ((store.blocks.at(at)?.payments ?? 0) > (store.blocks.at(at - 1)?.payments ?? 0)) return at;
  return 0;
}

/** Changes the block at the height of the target, or the newest block that has payments, at least some blocks below the top. */
const inPayingBlockBelow =
  (depth: number) =>
  (change: BlockChange): BlockChange =>
  (served, place, lie) => {
    const { tip } = lie.node.chain;
    const height =
      lie.target.height ??
      lie.once(`payments ${depth} below ${toHex(tip.hash)}`, () =>
        newestWithPayments(lie.node, tip.height - depth),
      );
    return place.height === height && served.payments.length > 0 ? change(served, place, lie) : served;
  };

/** Changes the block at the height of the target, or the newest block that has payments. */
export const inPayingBlock = inPayingBlockBelow(0);

/**
 * Changes the identity of the block at the height of the target, or of the newest block below the top block that has payments.
 * No block names the top block, so that only its work tells it from a block with another identity.
 */
const inNamedBlock = inPayingBlockBelow(1);

/** Changes the block at the height of the target, or the block before the top block. */
const inBlockBelowTop =
  (change: BlockChange): BlockChange =>
  (served, place, lie) =>
    place.height === (lie.target.height ?? lie.node.chain.tip.height - 1)
      ? change(served, place, lie)
      : served;

/** Changes the bytes of a block. */
const withBlock = (served: ServedBlock, change: (block: Block) => Block): ServedBlock => ({
  ...served,
  blob: encode(blockCodec, change(parseBlock(served.blob))),
});

/** Changes the miner transaction of a block. */
const withReward = (served: ServedBlock, change: (prefix: TxPrefix) => TxPrefix): ServedBlock =>
  withBlock(served, (block) => ({
    ...block,
    minerTx: { ...block.minerTx, prefix: change(block.minerTx.prefix) },
  }));

const servedOf = ({ tx, blob }: Payment, { prune }: BlockPlace): ServedPayment =>
  prune ? { blob: encode(prunedTransaction, tx), prunableHash: prunableHash(tx) } : { blob };

/** Returns global indices for the outputs of a payment, which follow those of the chain. */
const indicesOf = ({ tx }: Payment, { store }: Node): number[] =>
  tx.prefix.outputs.map((_, i) => store.outputs.count(0n) + i);

/** Replaces the first payment of a block by the fabricated one. @param listed true: its identity in the block, too. */
const swapped =
  (listed: boolean): BlockChange =>
  (served, place, lie) => {
    const forged = forgedPayment(lie, place.height);
    const [minerIndices = [], , ...indices] = served.outputIndices;
    const swap: ServedBlock = {
      ...served,
      payments: [servedOf(forged, place), ...served.payments.slice(1)],
      outputIndices: [minerIndices, indicesOf(forged, lie.node), ...indices],
    };
    return listed
      ? withBlock(swap, (block) => ({ ...block, txHashes: [forged.hash, ...block.txHashes.slice(1)] }))
      : swap;
  };

/** Stands for the hash of a removed part that is not given. */
const NO_HASH = new Uint8Array(32);

const fakeHash = (lie: LieContext): Hash => lie.once('hash of nothing', () => lie.rng(32) as Hash);

/** Adds a number to each integer of a list. */
const shiftedList = (list: Typed | undefined, by: bigint): Typed | undefined =>
  list?.type !== 'list'
    ? list
    : {
        ...list,
        items: list.items.map((item) => (item.type === 'u64' ? { ...item, value: item.value + by } : item)),
      };

/** Version of blocks that no present program knows. */
const LATER_VERSION = NEWEST_FORK + 1;

/** Lies about one block. Those about payments concern the block at `at_height`, or the newest one that has payments. */
export const BLOCK_LIES = {
  'swapped-payment': {
    help: 'the first payment of a block is one to `address`; the block lists the true identity (1)',
    needs: 'address',
    block: inPayingBlock(swapped(false)),
  },
  'swapped-listed-payment': {
    help: 'the first payment of a block below the top is one to `address`, and the block lists its identity (1)',
    needs: 'address',
    block: inNamedBlock(swapped(true)),
  },
  'first-version-payment': {
    help: 'the first payment of a block is one of version 1 to `address`; the block lists the true identity (1)',
    needs: 'address',
    block: inPayingBlock((served, { prune }, lie) => {
      const tx = lie.once('payment of version 1', () => forgeFirstVersion(lie));
      const payment = prune
        ? { blob: encode(prunedTransaction, tx), prunableHash: NO_HASH }
        : { blob: encode(transaction, tx) };
      const [minerIndices = [], , ...indices] = served.outputIndices;
      return {
        ...served,
        payments: [payment, ...served.payments.slice(1)],
        outputIndices: [minerIndices, [0], ...indices],
      };
    }),
  },
  'no-prunable-hash': {
    help: 'pages of blocks lack the hashes of the removed parts of payments, as those of version 0.18 do (1)',
    pages: ['/get_blocks.bin'],
    block: (served) => ({
      ...served,
      payments: served.payments.map((payment) =>
        payment.prunableHash === undefined ? payment : { ...payment, prunableHash: NO_HASH },
      ),
    }),
  },
  'added-payment': {
    help: 'a block of payments below the top has and lists one more, to `address` (1)',
    needs: 'address',
    block: inNamedBlock((served, place, lie) => {
      const forged = forgedPayment(lie, place.height);
      return withBlock(
        {
          ...served,
          payments: [...served.payments, servedOf(forged, place)],
          outputIndices: [...served.outputIndices, indicesOf(forged, lie.node)],
        },
        (block) => ({ ...block, txHashes: [...block.txHashes, forged.hash] }),
      );
    }),
  },
  'left-out-payment': {
    help: 'the last payment of a block is left out, and the block lists it (1)',
    block: inPayingBlock((served) => ({ ...served, payments: served.payments.slice(0, -1) })),
  },
  'unlisted-payment': {
    help: 'the last payment of a block below the top is left out, and the block does not list it (1)',
    block: inNamedBlock((served) =>
      withBlock(
        {
          ...served,
          payments: served.payments.slice(0, -1),
          outputIndices: served.outputIndices.slice(0, -1),
        },
        (block) => ({ ...block, txHashes: block.txHashes.slice(0, -1) }),
      ),
    ),
  },
  'reordered-payments': {
    help: 'the payments of a block are sent in another order than listed (1)',
    block: inPayingBlock((served) => ({
      ...served,
      payments: served.payments.toReversed(),
      outputIndices: [...served.outputIndices.slice(0, 1), ...served.outputIndices.slice(1).toReversed()],
    })),
  },
  'wrong-merkle-root': {
    help: 'a block below the top lists another identity of its first payment, which the root of its tree covers (1)',
    block: inNamedBlock((served, _, lie) =>
      withBlock(served, (block) => ({ ...block, txHashes: [fakeHash(lie), ...block.txHashes.slice(1)] })),
    ),
  },
  'fewer-output-indices': {
    help: 'the global index of the last output of a block of payments is missing (1)',
    pages: ['/get_blocks.bin'],
    block: inPayingBlock((served) => ({
      ...served,
      outputIndices: served.outputIndices.map((indices, i, all) =>
        i === all.length - 1 ? indices.slice(0, -1) : indices,
      ),
    })),
  },
  'shifted-output-indices': {
    help: 'the global indices of outputs are n too high',
    pages: ['/get_blocks.bin'],
    block: (served, _, { value }) => ({
      ...served,
      outputIndices: served.outputIndices.map((indices) => indices.map((index) => index + value)),
    }),
    ...eachTransaction((entry, { value }) =>
      entry['output_indices'] === undefined
        ? entry
        : { ...entry, output_indices: (entry['output_indices'] as readonly number[]).map((i) => i + value) },
    ),
    ...storageReplies(['/get_o_indexes.bin'], (reply, { value }) => ({
      ...reply,
      o_indexes: shiftedList(reply['o_indexes'], BigInt(value)),
    })),
  },
  'foreign-block': {
    help: 'the block at `at_height`, or below the top block, is one of another chain (1)',
    block: inBlockBelowTop((served, { height }, lie) => ({
      blob: lie.once(`sibling of ${toHex(served.blob)}`, () =>
        encode(blockCodec, siblingOf(lie.node, height, lie)),
      ),
      payments: [],
      outputIndices: served.outputIndices.slice(0, 1),
    })),
  },
  'unknown-parent': {
    help: 'the block at `at_height`, or below the top block, names a parent that does not exist (1)',
    block: inBlockBelowTop((served, _, lie) =>
      withBlock(served, (block) => ({ ...block, header: { ...block.header, prevHash: fakeHash(lie) } })),
    ),
  },
  'other-block-time': {
    help: 'the timestamp of the block at `at_height`, or below the top block, is n seconds later',
    block: inBlockBelowTop((served, _, { value }) =>
      withBlock(served, (block) => ({
        ...block,
        header: { ...block.header, timestamp: block.header.timestamp + value },
      })),
    ),
  },
  'early-reward': {
    help: 'the reward of the block at `at_height`, or below the top block, has the unlock time n',
    block: inBlockBelowTop((served, _, { value }) =>
      withReward(served, (prefix) => ({ ...prefix, unlockTime: BigInt(value) })),
    ),
  },
  'raised-reward': {
    help: 'the reward of the block at `at_height`, or below the top block, is n times as high',
    block: inBlockBelowTop((served, _, { value }) =>
      withReward(served, (prefix) => ({
        ...prefix,
        outputs: prefix.outputs.map((output) => ({
          ...output,
          amount: amount(output.amount * BigInt(value)),
        })),
      })),
    ),
  },
  'newer-fork': {
    help: 'blocks from height n on have a later version and format, whose fork is active from there on',
    block: (served, { height }, { value }) =>
      height < value
        ? served
        : { ...served, blob: Uint8Array.of(LATER_VERSION, LATER_VERSION, ...served.blob.subarray(2), 0) },
    answers: {
      hard_fork_info: async (ask, request, { value, node }) => {
        const answer = await ask(request);
        return request['version'] === LATER_VERSION
          ? { ...answer, enabled: node.chain.height >= value, earliest_height: value }
          : answer;
      },
    },
  },
} satisfies Record<string, Fault>;
