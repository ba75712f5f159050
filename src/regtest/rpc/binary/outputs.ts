import type { Hash } from '../../../monero/crypto/types.js';
import { isLockOpen } from '../../../monero/cryptonote/unlock-time.js';
import { U64_MAX } from '../../../util/amount.js';
import { CodecError } from '../../../util/codec.js';
import { accessedSection, bool, bytes, list, object, u64, type BinaryEndpoint } from '../method.js';
import { distributionFor, distributionSection } from '../distribution.js';

const MAX_OUTS = 5000;
const NO_HASH = new Uint8Array(32);

export const outputEndpoints: readonly BinaryEndpoint[] = [
  {
    paths: ['/get_o_indexes.bin'],
    source: 'COMMAND_RPC_GET_TX_GLOBAL_OUTPUTS_INDEXES, on_get_indexes',
    handle({ daemon: { node } }, request) {
      const hash = request.bytes('txid', NO_HASH);
      if (hash.length !== 32) throw new CodecError('txid: expected 32 bytes');
      const tx = node.store.transactions.get(hash as Hash);
      if (tx === undefined) return accessedSection({}, 'Failed');
      return accessedSection({ o_indexes: list(node.store.outputs.indicesOf(tx.id).map(u64)) });
    },
  },
  {
    paths: ['/get_outs.bin'],
    source: 'COMMAND_RPC_GET_OUTPUTS_BIN, on_get_outs_bin',
    handle({ daemon: { node }, restricted }, request) {
      const requested = request.sections('outputs');
      if (restricted && requested.length > MAX_OUTS) return accessedSection({}, 'Too many outs requested');
      const withTx = request.has('get_txid') ? request.bool('get_txid') : true;
      const { view } = node.chain;
      const outs = requested.flatMap((output) => {
        const amount = output.uint('amount', 0n);
        const index = output.uint('index', 0n);
        const found = view.output(amount, index);
        if (found === undefined) return [];
        const txHash = withTx ? node.store.outputs.txHashAt(amount, index) : undefined;
        return [
          object({
            key: bytes(found.publicKey),
            mask: bytes(found.commitment),
            unlocked: bool(isLockOpen(found.unlockTime, view.height, view.time)),
            height: u64(found.height),
            txid: bytes(txHash ?? NO_HASH),
          }),
        ];
      });
      return outs.length < requested.length
        ? accessedSection({}, 'Failed')
        : accessedSection({ outs: list(outs) });
    },
  },
  {
    paths: ['/get_output_distribution.bin'],
    source: 'COMMAND_RPC_GET_OUTPUT_DISTRIBUTION, on_get_output_distribution_bin',
    handle({ daemon: { node }, restricted }, request) {
      const amounts = request.list('amounts').map((amount) => {
        if (typeof amount !== 'bigint' || amount < 0n || amount > U64_MAX)
          throw new CodecError('amounts: expected unsigned integers');
        return amount;
      });
      if (restricted && (amounts.length !== 1 || amounts[0] !== 0n))
        return accessedSection({}, 'a restricted server gives the distribution of RingCT outputs only');
      if (request.has('binary') && !request.bool('binary')) return accessedSection({}, 'Binary only call');
      const compress = request.bool('compress');
      const range = {
        from_height: request.number('from_height', 0),
        to_height: request.number('to_height', 0),
        cumulative: request.bool('cumulative'),
        binary: true,
        compress,
      };
      const distributions = amounts.flatMap((amount) => {
        const found = distributionFor(node, amount, range);
        return found === undefined ? [] : [object(distributionSection(amount, found, compress))];
      });
      return distributions.length < amounts.length
        ? accessedSection({}, 'Failed to get output distribution')
        : accessedSection({ distributions: list(distributions) });
    },
  },
];
