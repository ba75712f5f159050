import {
  NO_VIEW_TAG,
  type ScanBatch,
  type ScanHits,
  type ScanKeys,
} from '../../../src/monero/kernel/kernel.js';
import { concatBytes, toHex } from '../../../src/util/bytes.js';

export const hitTexts = ({ outputs, derivations, spendKeys, internal }: ScanHits): string[] =>
  [...outputs].map(
    (j, n) =>
      `${j} ${toHex(derivations.subarray(32 * n, 32 * n + 32))} ${toHex(spendKeys.subarray(32 * n, 32 * n + 32))} ${internal[n]}`,
  );

/** Keys of wallets of the old form, which have a view secret key alone. */
export const viewing = (secrets: readonly Uint8Array[]): ScanKeys[] =>
  secrets.map((viewSecret) => ({ viewSecret }));

/** One output a key, without tags, so that everything is looked at. */
export const untagged = (keys: readonly Uint8Array[], outputs: readonly Uint8Array[]): ScanBatch => ({
  keys: concatBytes(...keys),
  outputKey: Uint32Array.from(keys, (_, i) => i),
  outputIndex: Uint32Array.from(keys, (_, i) => (i * 37) % 300),
  viewTags: Uint32Array.from(keys, () => NO_VIEW_TAG),
  outputs: concatBytes(...outputs),
});
