import type { PublicKey, SecretKey } from '../../monero/crypto/types.js';
import {
  SUBADDRESS_MESSAGE_BYTES,
  subaddressMessagesOf,
  type AddressKeys,
} from '../../monero/cryptonote/subaddress-keys.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { sharedKernel } from '../../monero/kernel/load-kernel.js';
import { chunks } from '../../util/bytes.js';

/**
 * Computes spend key `D = B + m·G` and view key `C = a·D` of many subaddresses.
 * @param indices must not contain {0, 0}, whose keys are the wallet's own.
 * @throws RangeError when B is not a point. Source: device_default.cpp `get_subaddress`.
 */
export function addressKeysOf(
  spendPublicKey: PublicKey,
  viewSecret: SecretKey,
  indices: readonly SubaddressIndex[],
): AddressKeys[] {
  const kernel = sharedKernel();
  const messages = subaddressMessagesOf(viewSecret, indices);
  const spendKeys = kernel.addHashes(spendPublicKey, messages, SUBADDRESS_MESSAGE_BYTES);
  messages.fill(0);
  const viewKeys = chunks(kernel.multiply(spendKeys, viewSecret), 32);
  return chunks(spendKeys, 32).map((key, i) => ({
    spendPublicKey: key as PublicKey,
    viewPublicKey: viewKeys[i] as PublicKey,
  }));
}
