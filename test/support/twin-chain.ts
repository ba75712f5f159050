import { parseBlock } from '../../src/cryptonote/block.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import type { Rng } from '../../src/util/random.js';
import { ChainWallet } from './chain-wallet.js';
import type { Loose } from './json-rpc.js';
import { startMonerod, type Monerod } from './monerod.js';
import { startRegtestDaemon } from './regtest-daemon.js';

/** Our daemon and the real one on the same chain, which ours makes. */
export interface TwinChain {
  readonly ours: Monerod;
  readonly theirs: Monerod;
  /** Mines on ours and hands the blocks, with their transactions, to the real one. @throws Error when it refuses. */
  mine(address: string, blocks: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startTwins(args: readonly string[] = []): Promise<TwinChain> {
  const [ours, theirs] = await Promise.all([startRegtestDaemon(args), startMonerod()]);
  let copied = 1;
  return {
    ours,
    theirs,
    async mine(address, blocks) {
      await ours.generate(address, blocks);
      const { height } = await ours.rpc('get_info');
      for (; copied < height; copied++) {
        const { blob } = await ours.rpc('get_block', { height: copied });
        const txs_hashes = parseBlock(fromHex(blob)).txHashes.map(toHex);
        const { txs = [] } = await ours.plain('/get_transactions', { txs_hashes });
        for (const { as_hex } of txs as Loose[])
          await theirs.plain('/send_raw_transaction', { tx_as_hex: as_hex });
        await theirs.rpc('submit_block', [blob]);
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
