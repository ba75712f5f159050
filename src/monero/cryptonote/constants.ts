import type { Hash } from '../crypto/types.js';
import { bytes32, fromHex } from '../../util/bytes.js';
import type { NetworkType } from './types.js';

/** Commit of the reference that `Source:` comments refer to. */
export const UPSTREAM_COMMIT = '0aa9c51bd8eb53abb0a7023b5c768d9b46ee18a0';

/** Default RPC port of a daemon. */
export const DAEMON_RPC_PORT: Readonly<Record<NetworkType, number>> = {
  mainnet: 18081,
  testnet: 28081,
  stagenet: 38081,
};

/** Unlock times below this are heights, others Unix seconds. Source: cryptonote_config.h, as all below. */
export const MAX_BLOCK_NUMBER = 500_000_000;
export const DIFFICULTY_TARGET_SECONDS = 120;
/** Blocks before a mined reward may be spent. */
export const COINBASE_UNLOCK_BLOCKS = 60;
/** Blocks before any output may be spent. */
export const SPENDABLE_AGE_BLOCKS = 10;
/** A height lock opens this many blocks early, a time lock this many seconds. */
export const UNLOCK_LEEWAY_BLOCKS = 1;
export const UNLOCK_LEEWAY_SECONDS = DIFFICULTY_TARGET_SECONDS * UNLOCK_LEEWAY_BLOCKS;
/** Members of a ring since hard fork 15. */
export const RING_SIZE = 16;
/** Maximum outputs of one transaction, limited by the range proof. */
export const MAX_OUTPUTS = 16;
export const MAX_TX_EXTRA_SIZE = 1060;
export const FULL_REWARD_ZONE = 300_000;
export const COINBASE_RESERVED_SIZE = 600;
/**
 * Maximum weight of a transaction made by a wallet: half a full reward zone less the size reserved for the coinbase.
 */
export const MAX_TX_WEIGHT = FULL_REWARD_ZONE / 2 - COINBASE_RESERVED_SIZE;
/** Decimal places of a coin amount: 1 XMR = 10^12 atomic units. */
export const DECIMAL_PLACES = 12;

const hash = (hex: string): Hash => bytes32<'Hash'>(fromHex(hex), 'Hash');

/** Hash of the first block; regtest shares mainnet's. */
export const GENESIS_HASH: Readonly<Record<NetworkType, Hash>> = {
  mainnet: hash('418015bb9ae982a1975da7d79277c2705727a56894ba0fb246adaabb1f4632e3'),
  testnet: hash('48ca7cd3c8de5b6a4d53d2861fbdaedca141553559f9be9520068053cda8430b'),
  stagenet: hash('76ee3cc98646292206cd3e86f74d88b4dcc1d937088645e9b0cbca84b7ce74eb'),
};

/** The last hard fork whose rules are known. Source: hardforks.cpp `mainnet_hard_forks`. */
export const NEWEST_FORK = 16;
