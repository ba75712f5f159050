import type { Rng } from '../../src/util/random.js';
import { giveBlock, giveTransactions, readBlock } from './chain-copy.js';
import { ChainWallet } from './chain-wallet.js';
import { startMonerod, type Monerod, type MonerodOptions } from './monerod.js';
import { startRegtestDaemon } from './regtest-daemon.js';

/** Our daemon and the real one on the same chain, which ours makes. */
export interface TwinChain {
  readonly ours: Monerod;
  readonly theirs: Monerod;
  /** Mines on ours and hands the blocks, with their transactions, to the real one. @throws Error when it refuses. */
  mine(address: string, blocks: number): Promise<void>;
  stop(): Promise<void>;
}

/** @param args of ours. @param options of the real one. */
export async function startTwins(
  args: readonly string[] = [],
  options: MonerodOptions = {},
): Promise<TwinChain> {
  const [ours, theirs] = await Promise.all([startRegtestDaemon(args), startMonerod(options)]);
  let copied = 1;
  return {
    ours,
    theirs,
    async mine(address, blocks) {
      await ours.generate(address, blocks);
      const { height } = await ours.rpc('get_info');
      for (; copied < height; copied++) {
        const block = await readBlock(ours, copied);
        await giveTransactions(theirs, block.txs);
        await giveBlock(theirs, block);
      }
    },
    async stop() {
      await Promise.all([ours.stop(), theirs.stop()]);
    },
  };
}

/** Blocks until the first rewards can be spent, with enough others to hide them among. */
export const FIRST_BLOCKS = 76;

/** A wallet that has mined the first blocks of both. */
export async function startMiner(twins: TwinChain, rng: Rng): Promise<ChainWallet> {
  const wallet = new ChainWallet(rng);
  await twins.mine(wallet.addressText(), FIRST_BLOCKS);
  await wallet.scan(twins.ours);
  return wallet;
}
