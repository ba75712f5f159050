import { join } from 'node:path';
import { GENESIS_HASH } from '../../monero/cryptonote/constants.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import {
  CheckpointError,
  parseCheckpoint,
  type NetworkCheckpoint,
} from '../../services/work/checkpoint-file.js';
import {
  WorkVerification,
  type WorkParts,
  type WorkSettings,
} from '../../services/work/work-verification.js';
import { fileErrorCode, readOperatorFile } from '../../util/files.js';
import { homeOf } from './wallet-options.js';
import type { Config } from './config.js';
import { ConfigError } from './config-values.js';

/** Name of the file in the wallet directory that records the verified blocks. */
const WORK_FILE = 'work.wallet-rpc-verified';

/** Reads a checkpoint from a file. @throws ConfigError */
export function readCheckpointFile(path: string): NetworkCheckpoint {
  try {
    return parseCheckpoint(readOperatorFile(path).toString('utf8'));
  } catch (cause) {
    if (cause instanceof CheckpointError) throw new ConfigError(`${path}: ${cause.message}`, { cause });
    throw new ConfigError(`${path} cannot be read (${fileErrorCode(cause)})`, { cause });
  }
}

/** Returns the function that creates the checks of proof of work. @throws ConfigError without a checkpoint of the network. */
export function verificationOf(config: Config): (parts: WorkParts) => WorkVerification {
  const { network, regtest, wallet, daemon } = config;
  const { checkpoint, depth } = daemon.work ?? { depth: 0 };
  const settings: WorkSettings = {
    ...(checkpoint === undefined
      ? ownCheckpoint(network, regtest !== undefined)
      : checkpointOf(network, checkpoint)),
    // A payment counts as confirmed by blocks that were all checked.
    depth: Math.max(
      depth,
      ...wallet.confirmations,
      ...wallet.confirmationScale.map((step) => step.confirmations),
    ),
    record: join(homeOf(wallet), WORK_FILE),
  };
  return (parts) => new WorkVerification(settings, parts);
}

/** Reads the checkpoint of a network. @throws ConfigError */
function checkpointOf(network: NetworkType, path: string): NetworkCheckpoint {
  const read = readCheckpointFile(path);
  // A regtest network begins with the first block of the main network, and has no flag of its own.
  if (read.network !== network && !(read.network === 'regtest' && network === 'mainnet'))
    throw new ConfigError(`--checkpoint: ${path} is of ${read.network}, and this server of ${network}`);
  return read;
}

/** Returns the first block of the regtest node that this server starts. @throws ConfigError for any other node. */
function ownCheckpoint(network: NetworkType, isRegtest: boolean): NetworkCheckpoint {
  if (!isRegtest)
    throw new ConfigError(
      `--verify-work needs --checkpoint: this release has none of ${network}; make one with "wallet-rpc checkpoint make" and a node that you trust (docs/confirmations.md)`,
    );
  const hash = GENESIS_HASH.mainnet;
  return {
    network: 'regtest',
    checkpoint: {
      ...{ height: 0, hash, majorVersion: 1, seeds: [hash] },
      window: [{ timestamp: 0, cumulativeDifficulty: 1n }],
      fixedDifficulty: 1n,
    },
  };
}
