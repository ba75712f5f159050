import { INPUT_CONTEXT_BYTES } from '../../monero/fork-rules.js';
import type { SecretKey } from '../../monero/crypto/types.js';
import type { KeptExtensions } from '../../monero/wallet/scan/found-output.js';
import { concatBytes } from '../../util/bytes.js';

/** Length of a scalar [bytes]. */
const SCALAR_BYTES = 32;

/** Length of the column with the secret facts of an output in the form of the fork [bytes]. */
export const CARROT_BYTES = 2 * SCALAR_BYTES + INPUT_CONTEXT_BYTES;

/** Joins the secret facts of an output in the form of the fork: both extensions, then the input context. */
export const toCarrotColumn = ({ extensionG, extensionT, context }: KeptExtensions): Uint8Array =>
  concatBytes(extensionG, extensionT, context);

/** Copies the secret facts of an output in the form of the fork out of a column. */
export function fromCarrotColumn(column: Uint8Array): KeptExtensions {
  // `slice` of a Buffer would share its memory instead of copying.
  const bytes = new Uint8Array(column);
  return {
    extensionG: bytes.slice(0, SCALAR_BYTES) as SecretKey,
    extensionT: bytes.slice(SCALAR_BYTES, 2 * SCALAR_BYTES) as SecretKey,
    context: bytes.slice(2 * SCALAR_BYTES),
  };
}
