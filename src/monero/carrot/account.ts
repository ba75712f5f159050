import type { Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { publicKeyOf } from '../crypto/derivation.js';
import { scalarBytes } from '../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import { sharedSecret } from '../crypto/tx-proof.js';
import { joinBytes } from '../../util/bytes.js';
import { encode, u32 } from '../../util/codec.js';
import { isPrimary, type AddressKeys } from '../cryptonote/subaddress-keys.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import {
  ADDRESS_PREIMAGE_1_SEPARATOR,
  ADDRESS_PREIMAGE_2_SEPARATOR,
  GENERATE_ADDRESS_SEPARATOR,
  GENERATE_IMAGE_SEPARATOR,
  IMAGE_PREIMAGE_SEPARATOR,
  INCOMING_VIEW_SEPARATOR,
  PROVE_SPEND_SEPARATOR,
  SUBADDRESS_SEPARATOR,
  VIEW_BALANCE_SEPARATOR,
} from '../fork-rules.js';
import { extensionKey } from './opening.js';
import { deriveBytes, deriveScalar } from './transcript.js';

/* Accounts with the keys of the fork. Source: carrot.md § 5.2, 5.3 and 6.1.3, account_secrets.cpp, address_utils.cpp. */

/** Keys that recognise payments and make addresses. */
export interface ReceivedTier {
  /** Spend public key of the main address. */
  readonly spendPublicKey: PublicKey;
  readonly viewSecret: SecretKey;
  /** Secret with which addresses are made, 32 bytes. */
  readonly addressSecret: Uint8Array;
}

/** Keys that see all outputs of the account and where they are spent. */
export interface BalanceTier extends ReceivedTier {
  /** View public key of the account `k_v·K_s`. */
  readonly accountViewKey: PublicKey;
  /** View-balance secret, 32 bytes. */
  readonly balanceSecret: Uint8Array;
  /** Key with which key images are computed. */
  readonly imageSecret: SecretKey;
}

/** All keys of an account. */
export interface MasterTier extends BalanceTier {
  /** Master secret, 32 bytes. */
  readonly masterSecret: Uint8Array;
  /** Key with which outputs are spent. */
  readonly proveSecret: SecretKey;
  /** Partial spend key `k_ps·T`. */
  readonly partialSpendKey: PublicKey;
}

/** Computes all keys of an account. @param masterSecret 32 bytes, any value. */
export function masterTier(masterSecret: Uint8Array, curve: Curve = loadCurve()): MasterTier {
  const prove = deriveScalar(masterSecret, PROVE_SPEND_SEPARATOR);
  const proveSecret = scalarBytes(prove);
  const partialSpendKey = extensionKey({ g: 0n, t: prove }, curve);
  const balanceSecret = deriveBytes(32, masterSecret, VIEW_BALANCE_SEPARATOR);
  const image = imageSecretOf(balanceSecret, partialSpendKey);
  const spendPublicKey = extensionKey({ g: image, t: prove }, curve);
  const keys = balanceTier(balanceSecret, spendPublicKey, scalarBytes(image));
  return { ...keys, masterSecret, proveSecret, partialSpendKey };
}

/** Computes the key of key images. @param partialSpendKey `k_ps·T`, which only the holder of the master secret computes. */
export const imageSecretOf = (balanceSecret: Uint8Array, partialSpendKey: PublicKey): bigint =>
  deriveScalar(
    deriveBytes(32, balanceSecret, IMAGE_PREIMAGE_SEPARATOR),
    GENERATE_IMAGE_SEPARATOR,
    partialSpendKey,
  );

/** Computes the keys that see all outputs. */
export function balanceTier(
  balanceSecret: Uint8Array,
  spendPublicKey: PublicKey,
  imageSecret: SecretKey,
): BalanceTier {
  const viewSecret = scalarBytes(deriveScalar(balanceSecret, INCOMING_VIEW_SEPARATOR));
  return {
    spendPublicKey,
    balanceSecret,
    imageSecret,
    viewSecret,
    accountViewKey: sharedSecret(spendPublicKey, viewSecret),
    addressSecret: deriveBytes(32, balanceSecret, GENERATE_ADDRESS_SEPARATOR),
  };
}

/** Keys with which addresses are made. */
export interface AddressTier {
  readonly spendPublicKey: PublicKey;
  /** View public key of the account `k_v·K_s`, which is not that of the main address. */
  readonly accountViewKey: PublicKey;
  /** View public key of the main address `k_v·G`. */
  readonly mainViewKey: PublicKey;
  readonly addressSecret: Uint8Array;
}

/** Computes the keys with which addresses are made. */
export const addressTier = ({ spendPublicKey, viewSecret, addressSecret }: ReceivedTier): AddressTier => ({
  spendPublicKey,
  addressSecret,
  accountViewKey: sharedSecret(spendPublicKey, viewSecret),
  mainViewKey: publicKeyOf(viewSecret),
});

/** Computes the factor by which a subaddress differs from the main address; 1 for the main address. */
export function subaddressScalar(
  { spendPublicKey, accountViewKey, addressSecret }: Omit<AddressTier, 'mainViewKey'>,
  index: SubaddressIndex,
): bigint {
  if (isPrimary(index)) return 1n;
  const place = [encode(u32, index.major), encode(u32, index.minor)];
  const first = deriveBytes(32, addressSecret, ADDRESS_PREIMAGE_1_SEPARATOR, ...place);
  const second = deriveBytes(
    32,
    first,
    ADDRESS_PREIMAGE_2_SEPARATOR,
    ...place,
    spendPublicKey,
    accountViewKey,
  );
  return deriveScalar(second, SUBADDRESS_SEPARATOR, spendPublicKey);
}

/** Computes the public keys of an address. @throws RangeError if an index is not a u32. */
export const addressKeysAt = (tier: AddressTier, index: SubaddressIndex, curve?: Curve): AddressKeys =>
  addressKeysOfEach(tier, [index], curve)[0] as AddressKeys;

/** Computes the public keys of addresses, as a batch. @throws RangeError if an index is not a u32. */
export function addressKeysOfEach(
  tier: AddressTier,
  indices: readonly SubaddressIndex[],
  curve: Curve = loadCurve(),
): AddressKeys[] {
  const factors = indices.map((index) => scalarBytes(subaddressScalar(tier, index)));
  const products = curve.multiplySecret(
    [...indices.map(() => tier.spendPublicKey), ...indices.map(() => tier.accountViewKey)],
    [...factors, ...factors],
  ) as PublicKey[];
  return indices.map((index, i) =>
    isPrimary(index)
      ? { spendPublicKey: tier.spendPublicKey, viewPublicKey: tier.mainViewKey }
      : {
          spendPublicKey: products[i] as PublicKey,
          viewPublicKey: products[indices.length + i] as PublicKey,
        },
  );
}

/**
 * Computes the spend public keys of the addresses `from` ≤ minor < `to` of one account of the wallet, 32 bytes each.
 * @throws RangeError if an index is not a u32.
 */
export function spendKeysBetween(
  tier: AddressTier,
  major: number,
  from: number,
  to: number,
  curve: Curve = loadCurve(),
): Uint8Array {
  const factors: Uint8Array[] = [];
  for (let minor = from; minor < to; minor++)
    factors.push(scalarBytes(subaddressScalar(tier, { major, minor })));
  return joinBytes(
    curve.multiplySecret(
      factors.map(() => tier.spendPublicKey),
      factors,
    ),
  );
}
