import { CodecError } from '../../../src/util/codec.js';
import { fromHex } from '../../../src/util/bytes.js';
import { withFcmpProofs } from '../../support/chain/carrot-txs.js';
import type { Target } from '../target.js';
import { readVectors } from '../vectors.js';
import { pagesOf, runBlock, runPage, runTx } from './chain.js';

/* Blocks and transactions in the form of the next fork, by the parsers of the old form. */

interface Formats {
  readonly transactions: readonly { readonly pruned: string; readonly prunable?: string }[];
  readonly blocks: readonly { readonly blob: string }[];
}
const { made, real } = readVectors<{ readonly made: Formats; readonly real: Formats }>(
  'cryptonote/carrot-formats.json',
);
const blocks = [...made.blocks, ...real.blocks].map(({ blob }) => fromHex(blob));
const pruned = [...made.transactions, ...real.transactions].map((tx) => fromHex(tx.pruned));
/** Each with the proofs of another number of layers. */
const whole = pruned.map((blob, i) => withFcmpProofs(blob, 1 + 2 * i));
const proven = real.transactions.flatMap((tx) =>
  tx.prunable === undefined ? [] : [fromHex(tx.pruned + tx.prunable)],
);

export const targets: readonly Target[] = [
  {
    name: 'carrot-page',
    errors: [CodecError],
    modules: [
      'monero/wallet/scan/block-page',
      'monero/epee/portable-storage',
      'monero/cryptonote/block',
      'monero/cryptonote/transaction',
    ],
    words: ['blocks', 'block', 'txs', 'blob', 'output_indices', 'indices', 'status', 'OK', 'start_height'],
    prepare: () => ({ seeds: pagesOf(blocks, whole, pruned), run: runPage }),
  },
  {
    name: 'carrot-transaction',
    errors: [CodecError],
    modules: [
      'monero/cryptonote/transaction',
      'monero/cryptonote/fcmp-weight',
      'monero/ringct/codec',
      'monero/ringct/fcmp-proof-size',
      'monero/wallet/scan/scanned-keys',
      'util/codec',
    ],
    prepare: () => ({ seeds: [...whole, ...proven, ...pruned], run: runTx }),
  },
  {
    name: 'carrot-block',
    errors: [CodecError],
    modules: ['monero/cryptonote/block', 'monero/cryptonote/transaction'],
    prepare: () => ({ seeds: blocks, run: runBlock }),
  },
];
