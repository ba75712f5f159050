import { formatAddress } from '../../cryptonote/address.js';
import { MAX_OUTPUTS } from '../../cryptonote/constants.js';
import { parseExtra, paymentIdOf } from '../../cryptonote/extra.js';
import type { Address, NetworkType, PaymentId } from '../../cryptonote/types.js';
import type { PublicKey } from '../../crypto/types.js';
import { amount, U64_MAX, type Amount } from '../../../util/amount.js';
import { CodecError } from '../../../util/codec.js';
import type { ConstructionData, DestinationEntry } from './construction-data.js';
import { sameAddress } from '../select/transfer-request.js';

/** Summary of a transaction that a signer reviews before signing. */
export interface TransferDescription {
  readonly amountIn: Amount;
  readonly amountOut: Amount;
  readonly fee: Amount;
  readonly sources: readonly DescribedSource[];
  /** Size of the smallest ring. */
  readonly ringSize: number;
  readonly unlockTime: bigint;
  /** Recipients, without change. */
  readonly recipients: readonly Recipient[];
  /** Payment id of 8 bytes (decrypted) or 32 bytes. */
  readonly paymentId?: Uint8Array;
  readonly changeAmount: Amount;
  readonly changeAddress?: string;
  /** Number of outputs whose amount is zero. */
  readonly dummyOutputs: number;
  readonly extra: Uint8Array;
}

export interface DescribedSource {
  readonly amount: Amount;
  readonly globalIndex: number;
  readonly rct: boolean;
  readonly publicKey: PublicKey;
}

export interface Recipient {
  readonly address: string;
  readonly amount: Amount;
}

/** Descriptions of all transactions in a set, with totals. */
export interface TransferDescriptions {
  readonly descriptions: readonly TransferDescription[];
  readonly summary: TransferSummary;
}

/** Totals of all transactions in a set. */
export interface TransferSummary {
  readonly amountIn: Amount;
  readonly amountOut: Amount;
  readonly fee: Amount;
  readonly recipients: readonly Recipient[];
  readonly changeAmount: Amount;
  readonly changeAddress?: string;
}

const NO_RING = 0xffff_ffff;

/** Returns the sum of amounts. @throws CodecError if it exceeds a u64. */
function total(values: readonly bigint[]): Amount {
  const exact = values.reduce((subtotal, value) => subtotal + value, 0n);
  if (exact < 0n || exact > U64_MAX) throw new CodecError('the amounts overflow');
  return amount(exact);
}

/** Returns the address of a destination, from its keys. */
export const addressOf = (
  { address, isSubaddress }: DestinationEntry,
  network: NetworkType,
  paymentId?: PaymentId,
): Address => {
  const keys = { network, spendPublicKey: address.spendPublicKey, viewPublicKey: address.viewPublicKey };
  if (isSubaddress) return { ...keys, kind: 'subaddress' };
  return paymentId === undefined ? { ...keys, kind: 'standard' } : { ...keys, kind: 'integrated', paymentId };
};

/** Returns the payment id that a transaction will contain; undefined for an id of zeros. */
export function plainPaymentId(extra: Uint8Array): ReturnType<typeof paymentIdOf> {
  const { fields, complete } = parseExtra(extra);
  const found = complete ? paymentIdOf(fields) : undefined;
  return found?.kind === 'short' && found.id.every((byte) => byte === 0) ? undefined : found;
}

/** Sum of the amounts of all destinations with the same address. */
interface Share {
  readonly entry: DestinationEntry;
  readonly values: bigint[];
}

function shares(entries: readonly DestinationEntry[]): Share[] {
  const found: Share[] = [];
  for (const entry of entries) {
    const known = found.find((share) => sameAddress(share.entry.address, entry.address));
    if (known === undefined) found.push({ entry, values: [entry.amount] });
    else known.values.push(entry.amount);
  }
  return found;
}

/**
 * Describes a transaction.
 * @throws CodecError for inconsistent data. Source: wallet_rpc_server.cpp `on_describe_transfer`.
 */
export function describeTransfer(data: ConstructionData, network: NetworkType): TransferDescription {
  const { change } = data;
  if (data.outputs.length > MAX_OUTPUTS) throw new CodecError('more outputs than a transaction can have');
  const id = plainPaymentId(data.extra);
  const shortId = id?.kind === 'short' ? id.id : undefined;
  const amountIn = total(data.sources.map((source) => source.amount));
  const amountOut = total(data.outputs.map((entry) => entry.amount));
  const paid = shares(data.outputs);
  if (change.amount > 0n) {
    const changeShare = paid.find(({ entry }) => sameAddress(entry.address, change.address));
    if (changeShare === undefined) throw new CodecError('the claimed change does not go to a paid address');
    if (total(changeShare.values) < change.amount)
      throw new CodecError('the claimed change is more than its address is paid');
    changeShare.values.push(-change.amount);
    if (total(changeShare.values) === 0n) paid.splice(paid.indexOf(changeShare), 1);
  }
  const recipients = paid.map(({ entry, values }) => ({
    address: formatAddress(addressOf(entry, network, shortId)),
    amount: total(values),
  }));
  return {
    amountIn,
    amountOut,
    fee: total([amountIn, -amountOut]),
    sources: data.sources.map(({ ring, realIndex, amount: value, rct }) => {
      const real = ring[realIndex];
      if (real === undefined) throw new CodecError('the real output is not in its ring');
      return { amount: amount(value), globalIndex: real.globalIndex, rct, publicKey: real.publicKey };
    }),
    ringSize: Math.min(NO_RING, ...data.sources.map(({ ring }) => ring.length)),
    unlockTime: data.unlockTime,
    recipients: recipients.filter(({ amount: value }) => value > 0n),
    ...(id === undefined ? {} : { paymentId: id.id }),
    changeAmount: amount(change.amount),
    ...(change.amount === 0n
      ? {}
      : {
          changeAddress: formatAddress(addressOf({ ...change, isSubaddress: data.account > 0 }, network)),
        }),
    dummyOutputs: recipients.filter(({ amount: value }) => value === 0n).length,
    extra: data.extra,
  };
}

/** Adds up descriptions. @throws CodecError if change goes to several addresses, or a sum exceeds a u64. */
export function summarize(descriptions: readonly TransferDescription[]): TransferSummary {
  const recipients = new Map<string, bigint>();
  for (const { recipients: paid } of descriptions)
    for (const { address, amount: value } of paid)
      recipients.set(address, (recipients.get(address) ?? 0n) + value);
  const changeAddresses = new Set(descriptions.flatMap(({ changeAddress }) => changeAddress ?? []));
  if (changeAddresses.size > 1) throw new CodecError('change goes to more than one address');
  const [changeAddress] = changeAddresses;
  return {
    amountIn: total(descriptions.map((description) => description.amountIn)),
    amountOut: total(descriptions.map((description) => description.amountOut)),
    fee: total(descriptions.map(({ fee }) => fee)),
    recipients: [...recipients].map(([address, value]) => ({ address, amount: total([value]) })),
    changeAmount: total(descriptions.map(({ changeAmount }) => changeAmount)),
    ...(changeAddress === undefined ? {} : { changeAddress }),
  };
}

/** Describes all transactions in a set. @throws CodecError for inconsistent data. */
export function describeTransfers(
  txs: readonly ConstructionData[],
  network: NetworkType,
): TransferDescriptions {
  const descriptions = txs.map((data) => describeTransfer(data, network));
  return { descriptions, summary: summarize(descriptions) };
}
