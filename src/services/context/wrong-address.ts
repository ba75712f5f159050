import { otherNetwork } from '../../monero/cryptonote/address.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import { WalletError } from '../../model/wallet-error.js';

/** Message of the reference for a text that is no address of the network. */
const INVALID = 'Invalid address';

/**
 * Creates the error of a text that is no address of the network, which names the network of an address of another one.
 * @param network undefined: any network. @param given the text, if messages repeat it.
 */
export function noAddress(text: string, network: NetworkType | undefined, given?: string): WalletError {
  const elsewhere = network === undefined ? undefined : otherNetwork(text, network);
  return new WalletError({
    kind: 'wrong_address',
    ...(elsewhere === undefined ? { reason: INVALID } : { reason: elsewhere, text: INVALID }),
    ...(given === undefined ? {} : { address: given }),
  });
}
