import { describe, expect, it } from '@jest/globals';
import { HttpDaemon } from '../../src/daemon/http-daemon.js';
import type { Hash } from '../../src/monero/crypto/types.js';
import { parseBlock } from '../../src/monero/cryptonote/block.js';
import { transaction } from '../../src/monero/cryptonote/transaction.js';
import { readFetchedTx } from '../../src/monero/wallet/scan/fetched-tx.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { encode } from '../../src/util/codec.js';
import { carrotFormats } from '../monero/cryptonote/carrot-vectors.js';
import { answerJson, startScriptedServer } from '../support/network/scripted-server.js';

/* Answers of a daemon of the next fork, which has numbered all outputs of the chain anew ("unified ids"). */

const { real } = carrotFormats;
const [payment] = real.transactions;
const minerTx = parseBlock(fromHex(real.blocks[1]?.blob ?? '')).minerTx;
if (payment === undefined) throw new Error('no transaction');

/** The transactions of the block as the daemon of the test network answered. */
const txs = [
  {
    ...{ tx_hash: payment.hash, as_hex: '', prunable_as_hex: '', pruned_as_hex: payment.pruned },
    prunable_hash: payment.prunableHash,
    output_indices: [121, 122],
    unified_ids: [122, 123],
  },
  {
    ...{ tx_hash: real.blocks[1]?.minerTxHash, as_hex: '', prunable_as_hex: '' },
    pruned_as_hex: toHex(encode(transaction, minerTx)),
    // The hash of no bytes; the transaction's hash has zeros in its place.
    prunable_hash: 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    output_indices: [120],
    unified_ids: [121],
  },
].map((tx) => ({
  ...tx,
  ...{ block_height: 121, block_timestamp: 1_790_215_745, confirmations: 1, in_pool: false },
  double_spend_seen: false,
}));

describe('a daemon of the next fork', () => {
  it('answers with transactions whose output indices are those by amount, beside others', async () => {
    const server = await startScriptedServer((_, res) =>
      answerJson(res, JSON.stringify({ status: 'OK', credits: 0, top_hash: '', txs })),
    );
    const daemon = new HttpDaemon({
      address: server.url,
      ssl: { mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: false },
    });
    try {
      const hashes = txs.map(({ tx_hash }) => fromHex(tx_hash ?? '') as Hash);
      const { transactions } = await daemon.getTransactions(hashes, { prune: true });
      expect(transactions.map(({ outputIndices }) => outputIndices)).toEqual([[121, 122], [120]]);
      const read = transactions.map((fetched) => readFetchedTx(fetched));
      expect(read.map(({ prefix }) => prefix.outputs.length)).toEqual([2, 1]);
      expect(read.map(({ rct }) => rct?.base.type)).toEqual([7, 0]);
    } finally {
      await Promise.all([daemon.close(), server.close()]);
    }
  });
});
