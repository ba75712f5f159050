import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { creditedOf, type PoolTx } from '../../monero/wallet/scan/findings.js';
import type { OutgoingTx } from '../../monero/wallet/build/outgoing-tx.js';
import type { LostInput } from '../../store/tables/lost-inputs.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { equalBytes, toHex } from '../../util/bytes.js';

/** Part of the balance of an address that comes from a transaction which is not mined. */
export interface UnconfirmedAmount {
  readonly subaddress: SubaddressIndex;
  /** Atomic units; negative for an output of such a transaction that another one spends. */
  readonly value: bigint;
}

/** Finds out whether a payment counts; see {@link unconfirmedAmounts}. */
type Counts = (payment: OutgoingTx) => boolean;

/**
 * Returns the function that decides for some payments; a wallet without lost inputs pays nothing for it.
 * @param lost inputs that reorganisations took from payments, by the hash of the payment in hex.
 */
function countsBy(
  r: WalletReader,
  payments: readonly OutgoingTx[],
  pool: readonly PoolTx[],
  lost: ReadonlyMap<string, readonly LostInput[]>,
): Counts {
  const counted = new Map<string, boolean>();
  const isHeld =
    (major: number) =>
    ({ txHash, outputIndex, subaddress }: LostInput): boolean => {
      if (subaddress.major !== major) return false;
      const pooled = pool.find((tx) => equalBytes(tx.txHash, txHash));
      if (pooled?.outputs.some((output) => output.outputIndex === outputIndex) === true) return true;
      const parent = payments.find((payment) => equalBytes(payment.txHash, txHash));
      return parent?.account === major && counts(parent);
    };
  const counts: Counts = ({ txHash, account: major }) => {
    const key = toHex(txHash);
    const inputs = lost.get(key);
    if (inputs === undefined) return r.outputs.spentBy(txHash).length > 0;
    const result = counted.get(key) ?? inputs.every(isHeld(major));
    counted.set(key, result);
    return result;
  };
  return counts;
}

/**
 * Lists change, payments to own addresses and payments from the mempool. A payment counts while its inputs are the
 * wallet's: outputs that it reserves, or outputs that a reorganisation took out of a block and that come from other
 * transactions which count; the latter are subtracted. The inputs of a payment that does not count are ours still.
 * @param account undefined: every account.
 * @param ownIndex finds the subaddress of an address of this wallet.
 */
export function unconfirmedAmounts(
  r: WalletReader,
  account: number | undefined,
  ownIndex: (address: string) => SubaddressIndex | undefined,
): UnconfirmedAmount[] {
  const payments = r.outgoing.list({ states: ['prepared', 'pending'] });
  const lost = Map.groupBy(r.lostInputs.list(), ({ payment }) => toHex(payment));
  const pool = r.pool.list(account);
  const counts = countsBy(r, payments, pool, lost);
  const amounts: UnconfirmedAmount[] = [];
  for (const payment of payments) {
    const { txHash, account: major, change, destinations } = payment;
    if (account !== undefined && major !== account) continue;
    if (!counts(payment)) {
      for (const { subaddress, amount } of r.outputs.spentBy(txHash))
        amounts.push({ subaddress, value: amount });
      continue;
    }
    // Change is paid to address 0, which gets a row even if the change is zero.
    amounts.push({ subaddress: { major, minor: 0 }, value: change });
    for (const { address, amount } of destinations) {
      const own = ownIndex(address);
      if (own?.major === major) amounts.push({ subaddress: own, value: amount });
    }
    for (const { subaddress, amount } of lost.get(toHex(txHash)) ?? [])
      amounts.push({ subaddress, value: -amount });
  }
  for (const { outputs } of pool)
    for (const output of outputs)
      if (account === undefined || output.subaddress.major === account)
        amounts.push({ subaddress: output.subaddress, value: creditedOf(output) });
  // Amounts that are subtracted come last: no sum is negative meanwhile.
  return amounts.sort((a, b) => Number(a.value < 0n) - Number(b.value < 0n));
}
