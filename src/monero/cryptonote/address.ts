import { areEncodedPoints } from '../crypto/curve/encoded-points.js';
import { bytes32, concatBytes, fixedBytes } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';
import { decodeBase58Check, encodeBase58Check } from './base58.js';
import type { Address, AddressKind, NetworkType, PaymentId } from './types.js';

/**
 * Address prefixes by network and kind of address; regtest has the prefixes of mainnet. Source: cryptonote_config.h
 * `CRYPTONOTE_PUBLIC_…ADDRESS_BASE58_PREFIX`.
 */
const PREFIX: Readonly<Record<NetworkType, Readonly<Record<AddressKind, bigint>>>> = {
  mainnet: { standard: 18n, integrated: 19n, subaddress: 42n },
  testnet: { standard: 53n, integrated: 54n, subaddress: 63n },
  stagenet: { standard: 24n, integrated: 25n, subaddress: 36n },
};

const NETWORKS: readonly NetworkType[] = ['mainnet', 'testnet', 'stagenet'];
const KINDS: readonly AddressKind[] = ['standard', 'integrated', 'subaddress'];

const KIND_OF_PREFIX = new Map(
  NETWORKS.flatMap((network) => KINDS.map((kind) => [PREFIX[network][kind], { network, kind }] as const)),
);

const KEYS_BYTES = 64;
const PAYMENT_ID_BYTES = 8;
/** Number of characters of an integrated address, the longest kind of address. */
export const INTEGRATED_CHARS = 106;

/**
 * Formats an address.
 * @throws RangeError for an integrated address without a payment id, or another address with a payment id. Source:
 * `get_account_address_as_str`.
 * @example
 * formatAddress(parseAddress(primary)) === primary; // => true
 */
export function formatAddress({ network, kind, spendPublicKey, viewPublicKey, paymentId }: Address): string {
  if ((kind === 'integrated') !== (paymentId !== undefined))
    throw new RangeError('address: payment id and kind disagree');
  const data = concatBytes(spendPublicKey, viewPublicKey, paymentId ?? new Uint8Array());
  return encodeBase58Check(PREFIX[network][kind], data);
}

/**
 * Parses an address. Both keys must be points; torsion is allowed.
 * @param network network of the address; absent: any network is accepted.
 * @throws CodecError that names the cause. Source: cryptonote_basic_impl.cpp `get_account_address_from_str`.
 * @example
 * const { network, kind } = parseAddress(address);
 * network; // => 'mainnet'
 * kind; // => 'subaddress'
 */
export function parseAddress(text: string, network?: NetworkType): Address {
  if (text.length > INTEGRATED_CHARS) throw new CodecError('address: too long');
  const { tag, data } = decodeBase58Check(text);
  const found = KIND_OF_PREFIX.get(tag);
  if (found === undefined) throw new CodecError('address: unknown prefix');
  if (network !== undefined && found.network !== network)
    throw new CodecError(`address: belongs to ${found.network}, not to ${network}`);

  const integrated = found.kind === 'integrated';
  if (data.length !== KEYS_BYTES + (integrated ? PAYMENT_ID_BYTES : 0))
    throw new CodecError('address: wrong length');
  const spendPublicKey = bytes32(data.subarray(0, 32), 'PublicKey');
  const viewPublicKey = bytes32(data.subarray(32, KEYS_BYTES), 'PublicKey');
  // Testing two keys at once takes as long as testing one.
  if (!areEncodedPoints([spendPublicKey, viewPublicKey]))
    throw new CodecError(
      `address: ${areEncodedPoints([spendPublicKey]) ? 'view' : 'spend'} key is not a point`,
    );

  const keys = { ...found, spendPublicKey, viewPublicKey };
  if (!integrated) return keys;
  return { ...keys, paymentId: fixedBytes(data.subarray(KEYS_BYTES), PAYMENT_ID_BYTES, 'PaymentId') };
}

/**
 * Parses an address as {@link parseAddress}. @returns undefined for an invalid address.
 * @example
 * tryParseAddress('4abc'); // => undefined
 */
export function tryParseAddress(text: string, network?: NetworkType): Address | undefined {
  try {
    return parseAddress(text, network);
  } catch (error) {
    if (error instanceof CodecError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Says that a text is an address of another network; undefined for any other text.
 * @example
 * otherNetwork(address, 'stagenet'); // => 'the address belongs to mainnet, not to stagenet'
 */
export function otherNetwork(text: string, network: NetworkType): string | undefined {
  const found = tryParseAddress(text)?.network;
  return found === undefined || found === network
    ? undefined
    : `the address belongs to ${found}, not to ${network}`;
}

/**
 * Makes an integrated address.
 * @throws RangeError unless the address is a standard address. Source: `get_account_integrated_address_as_str`.
 * @example
 * const id = fixedBytes(fromHex('1234567890abcdef'), 8, 'PaymentId');
 * formatAddress(integrate(parseAddress(primary), id)).length; // => 106
 */
export function integrate(address: Address, paymentId: PaymentId): Address {
  if (address.kind !== 'standard') throw new RangeError(`address: a ${address.kind} one takes no payment id`);
  return { ...address, kind: 'integrated', paymentId: fixedBytes(paymentId, PAYMENT_ID_BYTES, 'PaymentId') };
}

/**
 * Returns the standard address of an integrated address; any other address unchanged.
 * @example
 * const id = fixedBytes(fromHex('1234567890abcdef'), 8, 'PaymentId');
 * formatAddress(standardOf(integrate(parseAddress(primary), id))) === primary; // => true
 */
export function standardOf(address: Address): Address {
  if (address.kind !== 'integrated') return address;
  const { network, spendPublicKey, viewPublicKey } = address;
  return { network, kind: 'standard', spendPublicKey, viewPublicKey };
}
