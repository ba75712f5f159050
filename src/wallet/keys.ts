import type { PublicKey, SecretKey } from '../crypto/types.js';
import type { NetworkType } from '../cryptonote/types.js';
import type { Secret } from '../util/secret.js';
import type { GroupState, MultisigAccount } from './multisig/account.js';

/** The keys of one wallet, in memory. */
export interface WalletKeys {
  readonly network: NetworkType;
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  readonly viewSecret: Secret<SecretKey>;
  /** Absent in a view-only wallet, and in one whose spend key several share. */
  readonly spendSecret?: Secret<SecretKey>;
  /** Multisig wallets alone. */
  readonly multisig?: MultisigKeys;
}

/** One participant's part of a spend key. */
export interface MultisigKeys {
  readonly signerSecret: Secret<SecretKey>;
  readonly shares: readonly Secret<SecretKey>[];
  readonly roundKeys: readonly Secret<PublicKey>[];
  readonly group: Pick<GroupState, 'threshold' | 'signers' | 'roundsPassed'>;
}

/** @throws Error after the keys were wiped. */
export function accountOf({ spendPublicKey, viewSecret, multisig }: WalletKeys): MultisigAccount | undefined {
  if (multisig === undefined) return undefined;
  const { signerSecret, shares, roundKeys, group } = multisig;
  return {
    ...group,
    spendPublicKey,
    signerSecret: signerSecret.expose(),
    commonSecret: viewSecret.expose(),
    shares: shares.map((share) => share.expose()),
    roundKeys: roundKeys.map((key) => key.expose()),
  };
}

export function wipeKeys({ viewSecret, spendSecret, multisig }: WalletKeys): void {
  const { signerSecret, shares = [], roundKeys = [] } = multisig ?? {};
  for (const secret of [viewSecret, spendSecret, signerSecret, ...shares, ...roundKeys]) secret?.wipe();
}
