import type { Hash } from '../../monero/crypto/types.js';
import { transactionHash } from '../../monero/cryptonote/transaction.js';
import { DaemonError } from '../../daemon/errors.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { fetchBlock } from '../work/fetched-blocks.js';
import type { WalletContext } from './wallet-context.js';

/** A block whose identity was computed from its bytes. */
interface MinedBlock {
  readonly hash: Hash;
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
}

/**
 * Proves that a block contains transactions which the daemon places in it: reads the block without its transactions, computes
 * its identity, and compares it with the block that the wallet holds at this height. With --verify-work and --daemon-quorum, the
 * block must pass these checks. A block that the wallet does not hold proves only that its transactions belong to it.
 *
 * Not with `/getblocks.bin`: `monerod` 0.18.0 answers it with up to 1,000 blocks, although one is requested.
 * @param height at least 1.
 * @throws DaemonError as {@link fetchBlock}; `malformed` if the block lacks a transaction, or is not a block of the wallet's
 * chain: after a reorganisation both happen with an honest daemon too.
 */
export async function minedBlock(
  { daemon, store }: Pick<WalletContext, 'daemon' | 'store'>,
  height: number,
  txHashes: readonly Hash[],
): Promise<MinedBlock> {
  const { hash, timestamp, block } = await fetchBlock(daemon.client(), height);
  const held = store.blockAt(height);
  if (held !== undefined && !equalBytes(held.hash, hash))
    throw new DaemonError('malformed', `block ${height} of the daemon is not that of the wallet: refresh it`);
  await daemon.admit({ height, hash });
  const contained = new Set([transactionHash(block.minerTx), ...block.txHashes].map(toHex));
  const missing = txHashes.find((txHash) => !contained.has(toHex(txHash)));
  if (missing !== undefined)
    throw new DaemonError('malformed', `block ${height} of the daemon lacks transaction ${toHex(missing)}`);
  return { hash, timestamp };
}
