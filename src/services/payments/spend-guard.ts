import type { Hash } from '../../crypto/types.js';
import { formatCoins } from '../../cryptonote/coins.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { amount, type Amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import type { Receiver, Spending, SpentTx } from '../../wallet/build/spent-tx.js';
import type { Spender } from '../../wallet/model/spender.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { sameAddress } from '../../wallet/select/transfer-request.js';
import type { Accounts } from '../accounts/accounts.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'clock' | 'store'>;

/** Sibling services. */
interface Services {
  readonly accounts: Pick<Accounts, 'decoded'>;
}

type Reader = Pick<WalletReader | WalletWriter, 'credentialSpends' | 'subaddresses'>;

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** Whether a rule of a credential refused a payment. */
export const isCredentialRefusal = (error: unknown): boolean =>
  error instanceof WalletError &&
  (error.fault.kind === 'spend_limit' || error.fault.kind === 'credential_denied');

/**
 * Holds the payments of a credential within its limits. They are counted in the store transaction that records the
 * payment, or that precedes the answer with a signature: what leaves this server with a signature counts. A transaction
 * counts once for a credential. Windows are measured with a clock that is never before the latest payment, so that a
 * clock that is set back frees nothing.
 */
export class SpendGuard {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Checks payments without counting them. @param spender undefined: a client with all rights.
   * @throws WalletError `spend_limit`, `credential_denied`
   */
  check(spender: Spender | undefined, payments: readonly Spending[]): void {
    if (spender === undefined) return;
    this.#context.store.read((r) => this.#assess(r, spender, payments));
  }

  /**
   * Counts payments. A refusal undoes the store transaction.
   * @returns signing hashes of the payments that did not count before, in hex.
   * @throws WalletError `spend_limit`, `credential_denied`
   */
  record(w: WalletWriter, spender: Spender | undefined, payments: readonly SpentTx[]): ReadonlySet<string> {
    if (spender === undefined) return new Set();
    const credential = spender.name;
    const fresh = payments.filter(({ signingHash }) => !w.credentialSpends.has(credential, signingHash));
    const amounts = this.#assess(w, spender, fresh);
    const time = this.#now(w, credential);
    fresh.forEach(({ signingHash, txHash }, i) =>
      w.credentialSpends.add({
        ...{ credential, signingHash, time, amount: amounts[i] ?? amount(0n) },
        ...(txHash === undefined ? {} : { txHash }),
      }),
    );
    return new Set(fresh.map(({ signingHash }) => toHex(signingHash)));
  }

  /** Gives back a payment that the daemon refused when it was first relayed: no client has its transaction. */
  withdraw(w: WalletWriter, spender: Spender, signingHash: Hash): void {
    w.credentialSpends.withdraw(spender.name, signingHash);
  }

  /** @returns the amount of each payment. */
  #assess(r: Reader, spender: Spender, payments: readonly Spending[]): Amount[] {
    const { name, limits } = spender;
    const amounts = payments.map(({ receivers, fee }) => {
      const others = receivers.filter(({ address, amount: value }) => value > 0n && !this.#isOwn(r, address));
      assertAddresses(spender, others);
      return amount(others.reduce((total, receiver) => total + receiver.amount, fee as bigint));
    });
    const largest = amounts.reduce((most, one) => (one > most ? one : most), 0n);
    if (limits.transaction !== undefined && largest > limits.transaction)
      throw exceeded(name, 'transaction', largest, limits.transaction, limits.transaction);
    const total = amounts.reduce((subtotal, one) => subtotal + one, 0n);
    const now = this.#now(r, name);
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
    return amounts;
  }

  /** Time that never decreases from one payment of a credential to the next [Unix s]. */
  #now(r: Pick<Reader, 'credentialSpends'>, credential: string): number {
    return Math.max(this.#context.clock.now(), r.credentialSpends.latest(credential) ?? 0);
  }

  #isOwn(r: Reader, address: Receiver['address']): boolean {
    const index = r.subaddresses.find(address.spendPublicKey);
    return index !== undefined && sameAddress(this.#services.accounts.decoded(index), address);
  }
}

function assertAddresses({ name, addresses }: Spender, others: readonly Receiver[]): void {
  const stranger = addresses && others.find(({ text }) => !addresses.has(text));
  if (stranger === undefined) return;
  throw new WalletError({
    kind: 'credential_denied',
    reason: `credential ${name}: addresses: payments to ${stranger.text} are not allowed`,
  });
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
