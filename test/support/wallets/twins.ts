import { createWallet } from './create-wallet.js';
import type { Monerod } from '../processes/monerod.js';
import { startRegtestDaemon } from '../processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../processes/wallet-rpc.js';

/** One chain, and the same seed in our server and in the reference. */
export interface Twins {
  readonly daemon: Monerod;
  readonly ours: WalletRpc;
  readonly theirs: WalletRpc;
  /** Primary address of both wallets. */
  readonly address: string;
  /** Mines blocks and refreshes both wallets. */
  mine(blocks: number, to?: string): Promise<void>;
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts our server and the reference beside one daemon, and opens the same wallet in both.
 * @param blocks mined to the wallet before it is opened.
 * @param via daemon address for the wallets.
 */
export async function startTwins(
  blocks: number,
  via: (address: string) => Promise<string> = (address) => Promise.resolve(address),
): Promise<Twins> {
  const daemon = await startRegtestDaemon();
  const at = await via(daemon.address);
  const [ours, theirs] = await Promise.all([
    startWalletRpc({ daemon: at, args: ['--trusted-daemon'] }),
    startReference({ daemon: at, args: ['--trusted-daemon'] }),
  ]);
  await createWallet(ours, 'twin');
  const { address } = await ours.rpc('get_address');
  const { key: seed } = await ours.rpc('query_key', { key_type: 'mnemonic' });
  await daemon.generate(address, blocks);
  await theirs.rpc('restore_deterministic_wallet', { filename: 'twin', password: '', seed });
  const refresh = async (): Promise<void> => {
    await Promise.all([ours.rpc('refresh'), theirs.rpc('refresh')]);
  };
  await refresh();
  return {
    daemon,
    ours,
    theirs,
    address,
    refresh,
    async mine(count, to = address) {
      await daemon.generate(to, count);
      await refresh();
    },
    async stop() {
      await Promise.all([ours.stop(), theirs.stop()]);
      await daemon.stop();
    },
  };
}
