import type { PublicKey } from '../../crypto/types.js';
import { NONCES } from '../../ringct/clsag-multisig.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { WalletError } from '../model/wallet-error.js';
import type { MultisigInfo } from '../exchange/transfer-details.js';
import type { GroupState } from './account.js';
import { combinations } from './combinations.js';

type Nonce = MultisigInfo['nonces'][number];

/** One set of signers that may complete a transaction, with the nonces that each of the others will use. */
export interface Attempt {
  /** Who has told nonces but is not of this set. */
  readonly ignored: readonly PublicKey[];
  /** `[input][nonce][signer]`: one nonce of each of the others. */
  readonly nonces: readonly (readonly (readonly Nonce[])[])[];
}

const importNeeded = (): WalletError => new WalletError({ kind: 'multisig_import_needed' });

/** Who has told nonces for every input. */
function available(
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
 * Every set of signers that can complete a transaction with this one, each with nonces of its own: which set
 * will sign is not known yet, and no nonce may serve two.
 * @param inputs what others told of each.
 * @throws WalletError `multisig_import_needed` when too few have told nonces, or too few nonces.
 * Source: wallet2.cpp `multisig_attempt_ignore_sets`, `get_multisig_composite_kLRki`.
 */
export function planAttempts(
  group: Pick<GroupState, 'signers' | 'threshold'>,
  ownKey: PublicKey,
  inputs: readonly (readonly MultisigInfo[])[],
): Attempt[] {
  const others = available(group, ownKey, inputs);
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
    const taking = others.filter((signer) => !ignored.includes(signer));
    return {
      ignored,
      nonces: inputs.map((infos) =>
        Array.from({ length: NONCES }, () => taking.map((signer) => take(infos, signer))),
      ),
    };
  });
}
