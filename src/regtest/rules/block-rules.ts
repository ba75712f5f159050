import { parseTransaction } from '../../monero/cryptonote/transaction.js';
import type { Block } from '../../monero/cryptonote/types.js';
import type { Hash } from '../../monero/crypto/types.js';
import { fromHex } from '../../util/bytes.js';
import { DIFFICULTY_TARGET_SECONDS } from '../../monero/cryptonote/constants.js';
import { TIMESTAMP_WINDOW } from '../../monero/cryptonote/difficulty.js';
import { median } from '../../util/median.js';

/**
 * Miner transaction of the genesis block of mainnet, which regtest shares. Source: cryptonote_config.h `GENESIS_TX`,
 * `GENESIS_NONCE`.
 */
const GENESIS_TX =
  '013c01ff0001ffffffffffff03029b2e4c0281c0b02e7c53291a94d1d0cbff8883f8024f5142ee494ffbbd08807121017767aafcde9be00dcfd098715ebcf7f410daebc582fda69d24a28e9d0bc890d1';
const GENESIS_NONCE = 10_000;

/** Genesis block. Source: cryptonote_tx_utils.cpp `generate_genesis_block`. */
export const GENESIS: Block = {
  header: {
    majorVersion: 1,
    minorVersion: 0,
    timestamp: 0,
    prevHash: new Uint8Array(32) as Hash,
    nonce: GENESIS_NONCE,
  },
  minerTx: parseTransaction(fromHex(GENESIS_TX)),
  txHashes: [],
};

/**
 * Returns the time with which unlock times are compared [Unix s]. It is derived from the chain, so that all nodes
 * agree.
 * @param latest timestamps of the latest 60 blocks, oldest first.
 * @param now clock [Unix s], used for a shorter chain. Source: blockchain.cpp `get_adjusted_time`.
 */
export function adjustedTime(latest: readonly number[], now: number): number {
  const last = latest.at(-1);
  if (latest.length < TIMESTAMP_WINDOW || last === undefined) return now;
  const projected = median(latest) + ((TIMESTAMP_WINDOW + 1) * DIFFICULTY_TARGET_SECONDS) / 2;
  return Math.min(last + DIFFICULTY_TARGET_SECONDS, projected);
}
