import type { PublicKey } from '../../crypto/types.js';
import { NONCES } from '../../ringct/clsag-multisig.js';
import { equalBytes, toHex } from '../../../util/bytes.js';
import type { MultisigInfo } from '../exchange/transfer-details.js';
import type { GroupState } from './account.js';
import { combinations } from './combinations.js';
import { MultisigError } from './kex-round.js';

type Nonce = MultisigInfo['nonces'][number];

/** A signing attempt: one set of signers that may complete a transaction, with nonces of the other signers. */
export interface Attempt {
  /** Signers who have provided nonces and do not belong to this set. */
  readonly ignored: readonly PublicKey[];
  /** Public nonces: `[input][nonce][signer]` is one nonce of one other signer. */
  readonly nonces: readonly (readonly (readonly Nonce[])[])[];
}

const importNeeded = (): MultisigError => new MultisigError({ kind: 'multisig_import_needed' });

/** Returns the other signers who have provided nonces for every input. */
function signersWithNonces(
  { signers }: Pick<GroupState, 'signers'>,
  ownKey: PublicKey,
  inputs: readonly (readonly MultisigInfo[])[],
): PublicKey[] {
  return signers.filter(
    (signer) =>
      !equalBytes(signer, ownKey) &&
      inputs.every((infos) =>
        infos.some((info) => equalBytes(info.signer, signer) && info.nonces.length > 0),
      ),
  );
}

/**
 * Plans one attempt for every set of signers that can complete a transaction together with this signer. Which set will
 * sign is not known yet, and no nonce may be used twice, so each attempt has its own nonces.
 * @param inputs for each input, the imported info of the other signers.
 * @throws MultisigError `multisig_import_needed` if too few signers have provided nonces, or too few nonces. Source:
 * wallet2.cpp `multisig_attempt_ignore_sets`, `get_multisig_composite_kLRki`.
 */
export function planAttempts(
  group: Pick<GroupState, 'signers' | 'threshold'>,
  ownKey: PublicKey,
  inputs: readonly (readonly MultisigInfo[])[],
): Attempt[] {
  const others = signersWithNonces(group, ownKey, inputs);
  const needed = group.threshold - 1;
  if (others.length < needed) throw importNeeded();
  const used = new Set<string>();
  const take = (infos: readonly MultisigInfo[], signer: PublicKey): Nonce => {
    const nonce = infos
      .find((info) => equalBytes(info.signer, signer))
      ?.nonces.find(({ L }) => !used.has(toHex(L)));
    if (nonce === undefined) throw importNeeded();
    used.add(toHex(nonce.L));
    return nonce;
  };
  return combinations(others, others.length - needed).map((ignored) => {
    const participating = others.filter((signer) => !ignored.includes(signer));
    return {
      ignored,
      nonces: inputs.map((infos) =>
        Array.from({ length: NONCES }, () => participating.map((signer) => take(infos, signer))),
      ),
    };
  });
}
