import { keccak } from '../../crypto/keccak.js';
import { hashToScalar, scalarBytes } from '../../crypto/scalar.js';
import type { KeyImage, SecretKey } from '../../crypto/types.js';
import { utf8 } from '../../../util/bytes.js';
import type { TxSecrets } from '../build/output-layout.js';

/**
 * Domain names in the hashes below. Source: cryptonote_config.h `HASH_KEY_MULTISIG_TX_PRIVKEYS_SEED`,
 * `HASH_KEY_MULTISIG_TX_PRIVKEYS`.
 */
const SEED_NAME = keccak(utf8('multisig_tx_privkeys_seed'));
const CHAIN_NAME = keccak(utf8('multisig_tx_privkeys'));

/**
 * Derives the tx secret keys of a multisig transaction from its inputs and from entropy. Because of the inputs no
 * proposer can make two transactions whose outputs have the same keys; because of the entropy the chain does not reveal
 * the keys.
 * @param entropy 32 bytes.
 * @param keyImages in the order of the inputs. Source: multisig_tx_builder_ringct.cpp `make_tx_secret_key_seed`,
 * `make_tx_secret_keys`.
 */
export const multisigTxSecrets =
  (entropy: Uint8Array, keyImages: readonly KeyImage[]) =>
  (additional: number): TxSecrets => {
    const seed = keccak(SEED_NAME, entropy, ...keyImages);
    const next = (last: Uint8Array): SecretKey => scalarBytes(hashToScalar(seed, last));
    const txSecretKey = next(CHAIN_NAME);
    const additionalSecretKeys: SecretKey[] = [];
    for (let i = 0; i < additional; i++)
      additionalSecretKeys.push(next(additionalSecretKeys.at(-1) ?? txSecretKey));
    return { txSecretKey, additionalSecretKeys };
  };
