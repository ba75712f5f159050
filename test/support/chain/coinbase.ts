import { derivePublicKey, keyDerivation, viewTag } from '../../../src/monero/crypto/derivation.js';
import { G, Point } from '../../../src/monero/crypto/curve/point.js';
import { scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { KeyDerivation, PublicKey } from '../../../src/monero/crypto/types.js';
import { block as blockCodec } from '../../../src/monero/cryptonote/block.js';
import { parseAddress } from '../../../src/monero/cryptonote/address.js';
import type { Block, TxOutput } from '../../../src/monero/cryptonote/types.js';
import { amount } from '../../../src/util/amount.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { normalizeZ } from '@noble/curves/abstract/curve.js';
import type { Loose } from '../network/json-rpc.js';
import type { Monerod } from '../processes/monerod.js';
import { toPublicKey } from '../values/plain-points.js';

/** Consecutive multiples of G, which are cheap to compute. */
export function pointsFrom(first: bigint, count: number): PublicKey[] {
  const points: Point[] = [];
  for (let point = G.multiply(first); points.length < count; point = point.add(G)) points.push(point);
  return normalizeZ(Point, points).map(toPublicKey);
}

export type RewardOutput = Omit<TxOutput, 'amount'>;

/** Outputs that no wallet owns. */
export const strayOutputs = (first: bigint, count: number): RewardOutput[] =>
  pointsFrom(first, count).map((publicKey, i) => ({ publicKey, viewTag: i % 256 }));

/** Output to a primary address. @param derivation absent: derived from the transaction secret key `secret`. */
export function outputTo(
  address: string,
  outputIndex: number,
  secret: bigint,
  derivation?: KeyDerivation,
): RewardOutput {
  const { viewPublicKey, spendPublicKey } = parseAddress(address);
  const shared = derivation ?? keyDerivation(viewPublicKey, scalarBytes(secret));
  return {
    publicKey: derivePublicKey(shared, outputIndex, spendPublicKey),
    viewTag: viewTag(shared, outputIndex),
  };
}

/**
 * Mines a block whose reward goes to outputs and has an extra of the caller's choice: one atomic unit to each
 * output but the last, which takes the rest.
 * @returns the reply to `submit_block`, and the amount of the last output.
 */
export async function mineWith(
  daemon: Omit<Monerod, 'stop'>,
  address: string,
  outputs: readonly RewardOutput[],
  extra: Uint8Array,
): Promise<{ readonly reply: Loose; readonly rest: bigint; readonly bytes: number }> {
  const { blocktemplate_blob: template } = await daemon.rpc('get_block_template', {
    wallet_address: address,
    reserve_size: 0,
  });
  const block: Block = decode(blockCodec, fromHex(template as string));
  const { prefix } = block.minerTx;
  const reward = prefix.outputs.reduce((sum, output) => sum + output.amount, 0n);
  const rest = reward - BigInt(outputs.length - 1);
  const mined = encode(blockCodec, {
    ...block,
    minerTx: {
      ...block.minerTx,
      prefix: {
        ...prefix,
        outputs: outputs.map((output, i) => ({
          ...output,
          amount: amount(i === outputs.length - 1 ? rest : 1n),
        })),
        extra,
      },
    },
  });
  return { reply: await daemon.call('submit_block', [toHex(mined)]), rest, bytes: mined.length };
}
