import type { Hash } from '../../monero/crypto/types.js';
import { DaemonError, unreadError } from '../../daemon/errors.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { WalletContext } from './wallet-context.js';

/** A block whose identity was computed from its bytes. */
interface MinedBlock {
  readonly hash: Hash;
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
}

/**
 * Proves that a block contains transactions which the daemon places in it: reads the block, computes its identity, and
 * compares it with the block that the wallet holds at this height. With --verify-work and --daemon-quorum, the block must pass these checks. A block that the wallet does not hold proves only that
 * its transactions belong to it.
 * @param height at least 1.
 * @throws DaemonError `malformed` if the block lacks a transaction, or is not a block of the wallet's chain: after a
 * reorganisation both happen with an honest daemon too.
 */
export async function minedBlock(
  { daemon, store }: Pick<WalletContext, 'daemon' | 'store'>,
  height: number,
  txHashes: readonly Hash[],
): Promise<MinedBlock> {
  const page = await daemon.client().getBlocks({ startHeight: height, maxBlocks: 1 });
  const [block] = page.blocks;
  if (block === undefined && page.unread !== undefined) throw unreadError(height, page.unread);
  if (page.startHeight !== height || block === undefined)
    throw new DaemonError('malformed', `the daemon did not send block ${height}`);
  const held = store.blockAt(height);
  if (held !== undefined && !equalBytes(held.hash, block.hash))
    throw new DaemonError('malformed', `block ${height} of the daemon is not that of the wallet: refresh it`);
  await daemon.admit({ height, hash: block.hash });
  const missing = txHashes.find((hash) => page.txs.find(hash, block.firstTx, block.endTx) === undefined);
  if (missing !== undefined)
    throw new DaemonError('malformed', `block ${height} of the daemon lacks transaction ${toHex(missing)}`);
  return block;
}
