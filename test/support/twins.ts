import { startMonerod, type Monerod } from './monerod.js';
import { startReference, startWalletRpc, type WalletRpc } from './wallet-rpc.js';

/** One chain, and one seed opened in our server and in the reference's. */
export interface Twins {
  readonly daemon: Monerod;
  readonly ours: WalletRpc;
  readonly theirs: WalletRpc;
  /** The primary address of both. */
  readonly address: string;
  /** Mines and brings both up. */
  mine(blocks: number, to?: string): Promise<void>;
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

/** @param blocks mined to the wallet before it is opened. */
export async function startTwins(blocks: number, args: readonly string[] = []): Promise<Twins> {
  const daemon = await startMonerod();
  const [ours, theirs] = await Promise.all([
    startWalletRpc({ daemon: daemon.address, args: ['--trusted-daemon', ...args] }),
    startReference({ daemon: daemon.address, args: ['--trusted-daemon'] }),
  ]);
  await ours.rpc('create_wallet', { filename: 'twin', password: '', language: 'English' });
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
