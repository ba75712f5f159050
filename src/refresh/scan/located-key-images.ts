import type { ScanKernel } from '../../monero/kernel/kernel.js';
import { concatBytes } from '../../util/bytes.js';
import {
  spendSecretsOf,
  type LocatedOutput,
  type SpendingKeys,
} from '../../monero/wallet/scan/key-images.js';

/** Number of outputs in a kernel call. */
const BATCH = 256;

/**
 * Computes the key images of outputs, 32 bytes each.
 * @throws RangeError for an output that does not belong to the wallet.
 */
export function locatedKeyImages(
  outputs: readonly LocatedOutput[],
  keys: SpendingKeys,
  kernel: Pick<ScanKernel, 'keyImages'>,
): Uint8Array {
  const images: Uint8Array[] = [];
  for (let start = 0; start < outputs.length; start += BATCH) {
    const batch = outputs.slice(start, start + BATCH);
    const secrets = spendSecretsOf(batch, keys);
    const flat = concatBytes(...secrets);
    images.push(kernel.keyImages(concatBytes(...batch.map(({ publicKey }) => publicKey)), flat));
    for (const secret of [...secrets, flat]) secret.fill(0);
  }
  return concatBytes(...images);
}
