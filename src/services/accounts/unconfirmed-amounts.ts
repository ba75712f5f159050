import type { Hash } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { creditedOf, type OutgoingTx } from '../../monero/wallet/model/records.js';
import type { LostInput } from '../../store/tables/lost-inputs.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { toHex } from '../../util/bytes.js';

/** Part of the balance of an address that comes from a transaction which is not mined. */
export interface UnconfirmedAmount {
  readonly subaddress: SubaddressIndex;
  /** Atomic units; negative for an output of such a transaction that another one spends. */
  readonly value: bigint;
}

const outputKey = (txHash: Hash, outputIndex: number): string => `${toHex(txHash)} ${outputIndex}`;

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
  const byHash = new Map(payments.map((payment) => [toHex(payment.txHash), payment]));
  const lost = Map.groupBy(r.lostInputs.list(), ({ payment }) => toHex(payment));
  const pool = r.pool.list(account);
  const pooled = new Set(
    pool.flatMap(({ txHash, outputs }) => outputs.map(({ outputIndex }) => outputKey(txHash, outputIndex))),
  );
  const counted = new Map<string, boolean>();
  const counts = ({ txHash, account: major }: OutgoingTx): boolean => {
    const key = toHex(txHash);
    const known = counted.get(key);
    if (known !== undefined) return known;
    const inputs = lost.get(key);
    const isHeld = (input: LostInput): boolean => {
      if (input.subaddress.major !== major) return false;
      if (pooled.has(outputKey(input.txHash, input.outputIndex))) return true;
      const parent = byHash.get(toHex(input.txHash));
      return parent !== undefined && parent.account === major && counts(parent);
    };
    const result = inputs === undefined ? r.outputs.spentBy(txHash).length > 0 : inputs.every(isHeld);
    counted.set(key, result);
    return result;
  };
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
