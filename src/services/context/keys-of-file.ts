import type { SecretKey } from '../../monero/crypto/types.js';
import { carrotWalletKeys, type WalletKeys } from '../../monero/wallet/keys.js';
import { wipeAccount } from '../../store/keys/keys-file-carrot.js';
import type { KeysFile } from '../../store/keys/keys-file.js';
import { Secret } from '../../util/secret.js';

/** Returns the keys of a wallet in memory, with copies of the secret keys of its keys file. */
export const keysOfFile = (file: KeysFile): WalletKeys =>
  file.carrot === undefined
    ? {
        network: file.network,
        spendPublicKey: file.spendPublicKey,
        viewPublicKey: file.viewPublicKey,
        viewSecret: secretCopy(file.viewSecret),
        ...(file.spendSecret === undefined ? {} : spendingKeys(file, file.spendSecret)),
        ...(file.polyseed === undefined ? {} : { polyseed: secretCopy(file.polyseed) }),
      }
    : carrotWalletKeys(file.carrot, file.network);

const secretCopy = <K extends Uint8Array>(key: K): Secret<K> => new Secret(Uint8Array.from(key) as K);

/** Spend key of a wallet, or the key shares of a multisig participant. */
const spendingKeys = (
  { multisig }: KeysFile,
  spendSecret: SecretKey,
): Pick<WalletKeys, 'spendSecret' | 'multisig'> => {
  if (multisig === undefined) return { spendSecret: secretCopy(spendSecret) };
  const { shares, roundKeys, threshold, signers, roundsPassed } = multisig;
  return {
    multisig: {
      signerSecret: secretCopy(spendSecret),
      shares: shares.map(secretCopy),
      roundKeys: roundKeys.map(secretCopy),
      group: { threshold, signers, roundsPassed },
    },
  };
};

/** Zeroes the secret keys of a keys file that was read. */
export function wipeKeysFile({ viewSecret, spendSecret, carrot }: KeysFile): void {
  for (const secret of [viewSecret, spendSecret]) secret?.fill(0);
  if (carrot !== undefined) wipeAccount(carrot);
}
