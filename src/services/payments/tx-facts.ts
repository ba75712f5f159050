import type { PublicKey } from '../../monero/crypto/types.js';
import { parseAddress } from '../../monero/cryptonote/address.js';
import { parseTransaction } from '../../monero/cryptonote/transaction.js';
import type { Address, SubaddressIndex, Transaction } from '../../monero/cryptonote/types.js';
import { sum, type Amount } from '../../util/amount.js';
import { equalBytes } from '../../util/bytes.js';
import type { OwnOutput } from '../../monero/wallet/build/proven-destinations.js';
import { provenPayment, type SignedPayment } from '../../monero/wallet/build/signed-payment.js';
import {
  leastSpending,
  spentBy,
  type Spending,
  type SpendingTx,
  type SpentTx,
} from '../../monero/wallet/build/spent-tx.js';
import type { ConstructionData } from '../../monero/wallet/exchange/construction-data.js';
import { boundPaymentId, ownOutputsIn, paymentIdIn } from '../../monero/wallet/scan/block-scan.js';
import type { KnownAddresses } from '../../monero/wallet/scan/subaddress-table.js';
import { sameAddress, sameReceiver } from '../../monero/wallet/select/transfer-request.js';
import type { Accounts } from '../accounts/accounts.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'keystore' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Pick<Accounts, 'decoded'>;
}

/** Reads the payments in transactions with the view key of the wallet, independently of any claims of a client. */
export class TxFacts {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Removes from a payment all facts that its transaction does not prove.
   * @throws CodecError, RangeError for a malformed transaction.
   */
  proven(payment: SignedPayment): SignedPayment {
    const tx = parseTransaction(payment.blob);
    const claims = payment.destinations.map(({ address, amount }) => ({
      address: parseAddress(address),
      amount,
    }));
    return provenPayment(payment, tx, claims, this.#ownOutputs(tx));
  }

  /**
   * Checks a payment as {@link proven}, if the wallet with the spend key signed it and withheld its tx keys.
   * Destinations in other wallets cannot be proven without these keys: keeps the destinations that the signer names, if
   * their amounts add up to the money that leaves the wallet.
   */
  submitted(payment: SignedPayment): SignedPayment {
    const proven = this.proven(payment);
    const named = payment.destinations.filter(({ address }) => !this.#isOwn(parseAddress(address)));
    const own = sum(this.#ownOutputs(parseTransaction(payment.blob)).map((output) => output.amount));
    const amountIn = sum(payment.inputs.map((input) => input.amount));
    if (sum([own, payment.fee, ...named.map(({ amount }) => amount)]) !== amountIn) return proven;
    const { paymentId } = payment;
    const ids = named.flatMap(({ address }) => parseAddress(address).paymentId ?? []);
    return {
      ...proven,
      destinations: payment.destinations.filter(
        (destination) => named.includes(destination) || proven.destinations.includes(destination),
      ),
      ...(paymentId !== undefined && ids.some((id) => equalBytes(id, paymentId)) ? { paymentId } : {}),
    };
  }

  /**
   * Returns the money that a signed transaction takes from the wallet.
   * @throws CodecError, RangeError for a malformed transaction.
   */
  spentBy(spending: SpendingTx): SpentTx {
    return spentBy(spending, this.#ownOutputs(spending.tx));
  }

  /**
   * Returns construction data for a description: sets the change to zero if it goes to another wallet, since such
   * change is a payment.
   */
  withOwnChange(data: ConstructionData): ConstructionData {
    const { change } = data;
    const index = this.#indexOf(change.address);
    const isOwn = index !== undefined && sameAddress(this.#services.accounts.decoded(index), change.address);
    return isOwn ? data : { ...data, change: { ...change, amount: 0n } };
  }

  /**
   * Returns the smallest amount that a planned payment takes from the wallet, before it is signed.
   * @param fee fee that the wallet pays on top of the amounts of the payees [atomic units]; zero if it is not known.
   */
  leastSpending(plan: Parameters<typeof leastSpending>[0], fee: Amount): Spending {
    return leastSpending(plan, fee, (address) => this.#isOwn(address));
  }

  #ownOutputs(tx: Transaction): OwnOutput[] {
    const { store, keystore } = this.#context;
    const { spendPublicKey } = keystore.keys;
    const viewSecret = keystore.keys.viewSecret.expose();
    const find: KnownAddresses['find'] = (key) => store.read((r) => r.subaddresses.find(key as PublicKey));
    const own = ownOutputsIn(tx, { viewSecret }, { spendPublicKey, find });
    const paymentId = boundPaymentId(own) ?? paymentIdIn(tx, viewSecret);
    return own.map((output) => ({
      ...output,
      address: this.#services.accounts.decoded(output.subaddress),
      paymentId,
    }));
  }

  /**
   * True if the wallet finds payments to an address. It does not find payments to its own keys under another kind of
   * address.
   */
  #isOwn(address: Address): boolean {
    const index = this.#indexOf(address);
    return index !== undefined && sameReceiver(this.#services.accounts.decoded(index), address);
  }

  #indexOf({ spendPublicKey }: Pick<Address, 'spendPublicKey'>): SubaddressIndex | undefined {
    return this.#context.store.read((r) => r.subaddresses.find(spendPublicKey));
  }
}
