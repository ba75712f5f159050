import { publicKeyOf } from '../../monero/crypto/derivation.js';
import type { PublicKey } from '../../monero/crypto/types.js';
import { encode } from '../../util/codec.js';
import type { PendingTx } from '../../monero/wallet/exchange/pending-tx.js';
import { groupAccountOf } from '../../monero/wallet/keys.js';
import { sortedSources, multisigTxSet } from '../../monero/wallet/multisig/tx-set.js';
import type { WalletContext } from '../context/wallet-context.js';

/** Lists the public keys of the outputs that a transaction spends, in the order of its inputs. */
export const spentKeys = ({ construction }: PendingTx): PublicKey[] =>
  sortedSources(construction.sources).flatMap(({ ring, realIndex }) => ring[realIndex]?.publicKey ?? []);

/**
 * Encrypts proposed transactions for the other signers, and erases this signer's nonces of the spent outputs, so that
 * no other transaction is signed with them. To be called under the payment lock.
 */
export async function sealMultisig(
  { exports, keystore, store }: Pick<WalletContext, 'exports' | 'keystore' | 'store'>,
  txs: readonly PendingTx[],
): Promise<Uint8Array> {
  const signers = [publicKeyOf(groupAccountOf(keystore.keys).signerSecret)];
  const set = await exports.seal('multisigTxs', encode(multisigTxSet, { txs, signers }));
  store.write((w) => w.multisig.eraseNonces(txs.flatMap(spentKeys)));
  return set;
}
