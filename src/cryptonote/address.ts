import { tryDecompress } from '../crypto/point.js';
import type { PublicKey } from '../crypto/types.js';
import { bytes32, concatBytes, fixedBytes } from '../util/bytes.js';
import { CodecError } from '../util/codec.js';
import { decodeBase58Check, encodeBase58Check } from './base58.js';
import type { Address, AddressKind, NetworkType, PaymentId } from './types.js';

/** Source: cryptonote_config.h `CRYPTONOTE_PUBLIC_…_BASE58_PREFIX`. Regtest uses mainnet's. */
const PREFIX: Readonly<Record<NetworkType, Readonly<Record<AddressKind, number>>>> = {
  mainnet: { standard: 18, integrated: 19, subaddress: 42 },
  testnet: { standard: 53, integrated: 54, subaddress: 63 },
  stagenet: { standard: 24, integrated: 25, subaddress: 36 },
};

const NETWORKS = Object.keys(PREFIX) as NetworkType[];
const KINDS: readonly AddressKind[] = ['standard', 'integrated', 'subaddress'];
const KEYS_BYTES = 64;
const PAYMENT_ID_BYTES = 8;

/** @throws RangeError for an integrated address without its payment id. */
export function formatAddress({ network, kind, spendPublicKey, viewPublicKey, paymentId }: Address): string {
  if ((kind === 'integrated') !== (paymentId !== undefined)) throw new RangeError('payment id and address kind disagree');
  return encodeBase58Check(PREFIX[network][kind], concatBytes(spendPublicKey, viewPublicKey, paymentId ?? new Uint8Array()));
}

/**
 * @param network the only one accepted; absent accepts all.
 * @throws CodecError saying why. Source: cryptonote_basic_impl.cpp `get_account_address_from_str`.
 */
export function parseAddress(text: string, network?: NetworkType): Address {
  const { tag, data } = decodeBase58Check(text);
  const found = NETWORKS.flatMap((of) => KINDS.map((kind) => ({ network: of, kind }))).find(
    (candidate) => PREFIX[candidate.network][candidate.kind] === tag,
  );
  if (found === undefined) throw new CodecError('address: unknown prefix');
  if (network !== undefined && found.network !== network) throw new CodecError(`address: of ${found.network}, not of ${network}`);
  const integrated = found.kind === 'integrated';
  if (data.length !== KEYS_BYTES + (integrated ? PAYMENT_ID_BYTES : 0)) throw new CodecError('address: wrong length');
  const spendPublicKey = bytes32<'PublicKey'>(data.subarray(0, 32), 'PublicKey');
  const viewPublicKey = bytes32<'PublicKey'>(data.subarray(32, 64), 'PublicKey');
  if (!isPoint(spendPublicKey) || !isPoint(viewPublicKey)) throw new CodecError('address: a key is not a point');
  const keys = { ...found, spendPublicKey, viewPublicKey };
  return integrated ? { ...keys, paymentId: fixedBytes<'PaymentId'>(data.subarray(KEYS_BYTES), PAYMENT_ID_BYTES, 'PaymentId') } : keys;
}

const isPoint = (key: PublicKey): boolean => tryDecompress(key) !== undefined;

/** @throws RangeError unless the address is a standard one. */
export function integrate(address: Address, paymentId: PaymentId): Address {
  if (address.kind !== 'standard') throw new RangeError(`cannot integrate a payment id into a ${address.kind} address`);
  return { ...address, kind: 'integrated', paymentId };
}

/** The address without its payment id. */
export function withoutPaymentId({ network, kind, spendPublicKey, viewPublicKey }: Address): Address {
  return { network, kind: kind === 'integrated' ? 'standard' : kind, spendPublicKey, viewPublicKey };
}
