import type { Rng } from '../../../src/util/random.js';
import { copyBlocks } from './chain-copy.js';
import { ChainWallet } from '../wallets/chain-wallet.js';
import { startMonerod, type Monerod, type MonerodOptions } from '../processes/monerod.js';
import { startRegtestDaemon } from '../processes/regtest-daemon.js';

/** Our daemon and the real one on the same chain, which our daemon mines. */
export interface TwinChain {
  readonly ours: Monerod;
  readonly theirs: Monerod;
  /** Mines on ours and submits the blocks and their transactions to the real one. @throws Error when it refuses. */
  mine(address: string, blocks: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts our daemon and the real one, which hold the same chain.
 * @param args flags of our daemon. @param options of the real daemon.
 */
export async function startTwins(
  args: readonly string[] = [],
  options: MonerodOptions = {},
): Promise<TwinChain> {
  const [ours, theirs] = await Promise.all([startRegtestDaemon(args), startMonerod(options)]);
  return {
    ours,
    theirs,
    async mine(address, blocks) {
      await ours.generate(address, blocks);
      await copyBlocks(ours, theirs);
    },
    async stop() {
      await Promise.all([ours.stop(), theirs.stop()]);
    },
  };
}

/** Blocks until the first rewards are unlocked and enough outputs exist for decoys. */
export const FIRST_BLOCKS = 76;

/** Mines the first blocks of both daemons. @returns the miner's wallet. */
export async function startMiner(twins: TwinChain, rng: Rng): Promise<ChainWallet> {
  const wallet = new ChainWallet(rng);
  await twins.mine(wallet.addressText(), FIRST_BLOCKS);
  await wallet.scan(twins.ours);
  return wallet;
}
