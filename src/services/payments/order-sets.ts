import { decode, encode, type Codec } from '../../util/codec.js';
import { unsignedTxSet } from '../../monero/wallet/exchange/cold-tx-sets.js';
import type { MadePayments } from '../../model/made-payment.js';
import { multisigTxSet } from '../../monero/wallet/multisig/tx-set.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { TrackedOrder } from './order-tracker.js';

type Context = Pick<WalletContext, 'exports' | 'exportFormat'>;

/** A transaction set of an order for another wallet to sign, with one transaction in it. */
interface Part {
  readonly set: Uint8Array;
  /** Index of the transaction in the set. */
  readonly index: number;
  /** True if the set has no other transaction. */
  readonly isAlone: boolean;
}

interface Kind<T> {
  readonly name: 'unsignedTxs' | 'multisigTxs';
  readonly codec: Codec<T>;
}

/**
 * Returns the set for other wallets to sign: the set that the call made, or, if a transaction failed and was made
 * again, a set with the latest attempts.
 */
export async function setToSign(
  { exports, exportFormat }: Context,
  { order, positions }: TrackedOrder,
): Promise<Pick<MadePayments, 'unsignedSet' | 'multisigSet'>> {
  const { unsignedSet, multisigSet } = order;
  if (positions.every(({ current }) => current.signingSet === undefined))
    return { ...(unsignedSet && { unsignedSet }), ...(multisigSet && { multisigSet }) };
  const first = unsignedSet ?? multisigSet ?? new Uint8Array();
  const unsigned = positions.filter(({ current }) => current.state === 'prepared');
  const parts = (unsigned.length === 0 ? positions : unsigned).map(({ current }): Part => {
    const { signingSet: own, position } = current;
    return own === undefined
      ? { set: first, index: position, isAlone: positions.length === 1 }
      : { set: own, index: 0, isAlone: true };
  });
  if (multisigSet !== undefined)
    return { multisigSet: await joined(exports, { name: 'multisigTxs', codec: multisigTxSet }, parts) };
  const codec = unsignedTxSet(exportFormat);
  return { unsignedSet: await joined(exports, { name: 'unsignedTxs', codec }, parts) };
}

/**
 * Joins transactions of several sets. Takes all other fields from the last set: its exported outputs include those of
 * the earlier sets.
 */
async function joined<T extends { readonly txs: readonly unknown[] }>(
  exports: Context['exports'],
  { name, codec }: Kind<T>,
  parts: readonly Part[],
): Promise<Uint8Array> {
  const [only] = parts;
  if (only?.isAlone === true && parts.length === 1) return only.set;
  const sets: T[] = [];
  for (const { set } of parts) sets.push(decode(codec, await exports.open(name, set)));
  const txs = sets.flatMap((set, i) => set.txs.slice(parts[i]?.index ?? 0).slice(0, 1));
  const last = sets.at(-1);
  if (last === undefined) throw new Error('an order without transactions has no set');
  return exports.seal(name, encode(codec, { ...last, txs }));
}
