import type { Hash } from '../crypto/types.js';
import { bytes32, fromHex } from '../../util/bytes.js';
import type { NetworkType } from './types.js';

/* `Source:` comments refer to commit 0aa9c51bd8eb53abb0a7023b5c768d9b46ee18a0 of the reference. */

/** Default RPC port of a daemon. */
export const DAEMON_RPC_PORT: Readonly<Record<NetworkType, number>> = {
  mainnet: 18081,
  testnet: 28081,
  stagenet: 38081,
};

/**
 * Unlock times below this number are heights; all other unlock times are Unix seconds. Source: cryptonote_config.h, as
 * for all constants below.
 */
export const MAX_BLOCK_NUMBER = 500_000_000;
export const DIFFICULTY_TARGET_SECONDS = 120;
/** Number of blocks after which the output of a miner transaction may be spent. */
export const COINBASE_UNLOCK_BLOCKS = 60;
/** Number of blocks after which any output may be spent. */
export const SPENDABLE_AGE_BLOCKS = 10;
/**
 * Number of blocks by which an unlock height is reached early; an unlock time is reached early by the seconds below.
 */
export const UNLOCK_LEEWAY_BLOCKS = 1;
export const UNLOCK_LEEWAY_SECONDS = DIFFICULTY_TARGET_SECONDS * UNLOCK_LEEWAY_BLOCKS;
/** Number of members of a ring since hard fork 15. */
export const RING_SIZE = 16;
/** Largest number of outputs of one transaction, which the range proof limits. */
export const MAX_OUTPUTS = 16;
export const MAX_TX_EXTRA_SIZE = 1060;
export const FULL_REWARD_ZONE = 300_000;
export const COINBASE_RESERVED_SIZE = 600;
/**
 * Largest weight of a transaction that a wallet makes: half of the full reward zone less the size reserved for the
 * miner transaction.
 */
export const MAX_TX_WEIGHT = FULL_REWARD_ZONE / 2 - COINBASE_RESERVED_SIZE;
/** Number of decimal places of a coin amount: 1 XMR = 10^12 atomic units. */
export const DECIMAL_PLACES = 12;

const hash = (hex: string): Hash => bytes32<'Hash'>(fromHex(hex), 'Hash');

/** Hash of the genesis block; regtest has the genesis block of mainnet. */
export const GENESIS_HASH: Readonly<Record<NetworkType, Hash>> = {
  mainnet: hash('418015bb9ae982a1975da7d79277c2705727a56894ba0fb246adaabb1f4632e3'),
  testnet: hash('48ca7cd3c8de5b6a4d53d2861fbdaedca141553559f9be9520068053cda8430b'),
  stagenet: hash('76ee3cc98646292206cd3e86f74d88b4dcc1d937088645e9b0cbca84b7ce74eb'),
};

/**
 * Number of the last hard fork whose rules are final. Source: hardforks.cpp `mainnet_hard_forks`. The rules of later ones that
 * may still move are in fork-rules.ts; `newestFork` of a server says whether it reads their blocks.
 */
export const NEWEST_FORK = 16;
