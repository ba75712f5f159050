import type { WalletRpc } from '../test/support/processes/wallet-rpc.js';

/** Addresses that one call creates at most. */
export const MAX_NEW_ADDRESSES = 65_536;

/** Creates addresses in the first account, with as few calls as possible. */
export async function createAddresses({ rpc }: Pick<WalletRpc, 'rpc'>, addresses: number): Promise<void> {
  for (let left = addresses; left > 0; left -= MAX_NEW_ADDRESSES)
    await rpc('create_address', { account_index: 0, count: Math.min(MAX_NEW_ADDRESSES, left) });
}
