import type { PublicKey } from '../../crypto/types.js';
import { equalBytes, toHex } from '../../../util/bytes.js';
import type { MultisigInfo } from '../exchange/transfer-details.js';

/**
 * The format of multisig info has no field that names the output: the reference assigns info to outputs by their order
 * in the chain, which a reorganisation between export and import may change. Therefore our info ends the list of nonces
 * of each output with a pair in which the output key stands for both points. The reference accepts this as a further
 * nonce and never uses it, because each signing attempt takes the first unused nonces. A real nonce has two equal
 * points with negligible probability. Source: wallet2.cpp `import_multisig`, `get_multisig_composite_kLRki`.
 */

/** Returns info to which the key of its output is added. */
export const namedInfo = (info: MultisigInfo, outputKey: PublicKey): MultisigInfo => ({
  ...info,
  nonces: [...info.nonces, { L: outputKey, R: outputKey }],
});

/** Returns the output key that info contains; undefined for info of the reference. */
function outputNamedBy({ nonces }: MultisigInfo): PublicKey | undefined {
  const last = nonces.at(-1);
  return last !== undefined && equalBytes(last.L, last.R) ? (last.L as PublicKey) : undefined;
}

const withoutName = (info: MultisigInfo): MultisigInfo =>
  outputNamedBy(info) === undefined ? info : { ...info, nonces: info.nonces.slice(0, -1) };

/** An output of the importing wallet. */
export interface InfoOutput {
  readonly publicKey: PublicKey;
  /** Earlier imported info of the same signer about this output. */
  readonly earlier: MultisigInfo | undefined;
}

/**
 * Assigns the info of a signer to outputs: by the output key in the info or, for info of the reference, by position.
 * Info about outputs that the importing wallet does not know is left out.
 * @param outputs outputs of the importing wallet, in their order.
 * @returns info by output key in hex; undefined if the info has an output twice, or if it contradicts earlier info
 * about the output at the same position: the partial key images of an output never change.
 */
export function infoByOutput(
  infos: readonly MultisigInfo[],
  outputs: readonly InfoOutput[],
): Map<string, MultisigInfo> | undefined {
  const own = new Set(outputs.map(({ publicKey }) => toHex(publicKey)));
  const found = new Map<string, MultisigInfo>();
  for (const [place, info] of infos.entries()) {
    const named = outputNamedBy(info);
    const at = outputs[place];
    if (named === undefined && at?.earlier !== undefined && !hasSameParts(info, at.earlier)) return undefined;
    const key = named ?? at?.publicKey;
    if (key === undefined || !own.has(toHex(key))) continue;
    if (found.has(toHex(key))) return undefined;
    found.set(toHex(key), withoutName(info));
  }
  return found;
}

function hasSameParts(a: MultisigInfo, b: MultisigInfo): boolean {
  const parts = new Set(a.partialKeyImages.map(toHex));
  return (
    parts.size === b.partialKeyImages.length && b.partialKeyImages.every((part) => parts.has(toHex(part)))
  );
}
