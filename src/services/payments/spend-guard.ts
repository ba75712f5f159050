import type { Hash } from '../../monero/crypto/types.js';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import type { Spending, SpentTx } from '../../monero/wallet/build/spent-tx.js';
import type { Spender } from '../../model/spender.js';
import { faultOf, WalletError } from '../../model/wallet-error.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store' | 'timeBounds'>;

type Reader = Pick<WalletReader | WalletWriter, 'credentialSpends'>;

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** True if a rule of a credential refused a payment. */
export function isCredentialRefusal(error: unknown): boolean {
  const kind = faultOf(error)?.kind;
  return kind === 'spend_limit' || kind === 'credential_denied';
}

/**
 * Keeps the payments of a credential within its limits. Counts a payment in the store transaction that records it, or
 * in a store transaction before an answer with a signature, since a client can relay any signed transaction that it
 * has. Counts a transaction only once for a credential. Measures time windows by {@link TimeBounds}, so that no step of
 * the clock widens the limits. A payment that a wrong clock has dated ahead counts for a whole window once the clock is
 * right.
 */
export class SpendGuard {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Checks payments without counting them. @param spender client; undefined: a client with all rights.
   * @throws WalletError `spend_limit`, `credential_denied`
   */
  check(spender: Spender | undefined, payments: readonly Spending[]): void {
    if (spender === undefined) return;
    const { store } = this.#context;
    // Outside of the transaction of a payment, which may be refused.
    if (store.read((r) => this.#isAhead(r, spender.name))) store.write((w) => this.#redate(w, spender.name));
    store.read((r) => this.#assess(r, spender, payments));
  }

  /**
   * Checks and counts payments; an error undoes the store transaction.
   * @returns signing hashes of the payments that were not counted before [hex].
   * @throws WalletError `spend_limit`, `credential_denied`
   */
  record(w: WalletWriter, spender: Spender | undefined, payments: readonly SpentTx[]): ReadonlySet<string> {
    if (spender === undefined) return new Set();
    const credential = spender.name;
    if (this.#isAhead(w, credential)) this.#redate(w, credential);
    const fresh = payments.filter(({ signingHash }) => !w.credentialSpends.has(credential, signingHash));
    this.#assess(w, spender, fresh);
    const time = Math.max(this.#context.timeBounds.latest(), w.credentialSpends.latest(credential) ?? 0);
    for (const { signingHash, txHash, amount: spent } of fresh)
      w.credentialSpends.add({
        ...{ credential, signingHash, time, amount: spent },
        ...(txHash === undefined ? {} : { txHash }),
      });
    return new Set(fresh.map(({ signingHash }) => toHex(signingHash)));
  }

  /** Removes a counted payment that the daemon refused when it was first relayed: no client has its transaction. */
  withdraw(w: WalletWriter, spender: Spender, signingHash: Hash): void {
    w.credentialSpends.withdraw(spender.name, signingHash);
  }

  /**
   * Checks payments against the rights and limits of a client. @throws WalletError `spend_limit`, `credential_denied`
   */
  #assess(r: Reader, spender: Spender, payments: readonly Spending[]): void {
    const { name, limits } = spender;
    for (const payment of payments) assertRights(spender, payment);
    const amounts = payments.map((payment): bigint => payment.amount);
    const largest = amounts.reduce((most, one) => (one > most ? one : most), 0n);
    if (limits.transaction !== undefined && largest > limits.transaction)
      throw exceeded(name, 'transaction', largest, limits.transaction, limits.transaction);
    const total = amounts.reduce((subtotal, one) => subtotal + one, 0n);
    const now = this.#context.timeBounds.earliest();
    const windows = [
      ['hour', limits.hour, HOUR_SECONDS],
      ['day', limits.day, DAY_SECONDS],
    ] as const;
    for (const [rule, limit, seconds] of windows) {
      if (limit === undefined) continue;
      const spent = r.credentialSpends.sumAfter(name, now - seconds);
      if (total > 0n && spent + total > limit)
        throw exceeded(name, rule, total, limit, spent > limit ? 0n : limit - spent);
    }
  }

  /** Returns true if a wrong clock has dated a payment of a credential ahead. */
  #isAhead(r: Reader, credential: string): boolean {
    return this.#context.timeBounds.isAhead(r.credentialSpends.latest(credential) ?? 0);
  }

  #redate(w: WalletWriter, credential: string): void {
    w.credentialSpends.redate(credential, this.#context.timeBounds.latest());
  }
}

/** Checks that a client may pay the payees, and lock the money. @throws WalletError `credential_denied` */
function assertRights(
  { name, addresses, mayLock }: Spender,
  { payees, hasUnknownPayee, isLocked }: Spending,
): void {
  const denied = (rule: string): WalletError =>
    new WalletError({ kind: 'credential_denied', reason: `credential ${name}: ${rule}` });
  if (isLocked && mayLock !== true)
    throw denied('lock: it may not lock money, by an unlock_time or by freezing outputs');
  if (addresses === undefined) return;
  const stranger = payees.find((address) => !addresses.has(address));
  if (stranger !== undefined) throw denied(`addresses: payments to ${stranger} are not allowed`);
  if (hasUnknownPayee) throw denied('addresses: payments to addresses that are not proven are not allowed');
}

const exceeded = (
  name: string,
  rule: 'transaction' | 'hour' | 'day',
  needed: bigint,
  limit: bigint,
  left: bigint,
): WalletError =>
  new WalletError({
    kind: 'spend_limit',
    reason: `credential ${name}: spend.${rule}: ${formatCoins(amount(needed))} needed, ${formatCoins(amount(left))} of ${formatCoins(amount(limit))} remains`,
  });
