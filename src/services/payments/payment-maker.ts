import type { Hash } from '../../monero/crypto/types.js';
import { sum, ZERO, type Amount } from '../../util/amount.js';
import type { ConstructionData } from '../../monero/wallet/exchange/construction-data.js';
import {
  ringsDigest,
  signedPayment,
  txSecretKeysOf,
  type SignedPayment,
} from '../../monero/wallet/build/signed-payment.js';
import type { MadePayment, MadePayments, MadeTx } from '../../model/made-payment.js';
import type { OutputDistribution } from '../../monero/wallet/select/decoys.js';
import type { Spender } from '../../model/spender.js';
import { faultOf, WalletError, type Fault } from '../../model/wallet-error.js';
import type { PendingTx } from '../../monero/wallet/exchange/pending-tx.js';
import type { SpendableOutput } from '../../monero/wallet/select/spendable-outputs.js';
import { txOfPayment, type Spending, type SpentTx } from '../../monero/wallet/build/spent-tx.js';
import type { SignedTx } from '../../monero/wallet/build/signing.js';
import type { PaymentPlan } from '../../monero/wallet/select/transfer-plan.js';
import type { Payee } from '../../monero/wallet/select/transfer-request.js';
import type { FeeEstimator } from './fee-estimator.js';
import type { Prices } from '../../monero/wallet/select/fees.js';
import { assertLegacy } from '../../monero/wallet/keys.js';
import { PaymentLedger, type OrderEntry } from './payment-ledger.js';
import { PaymentBuilder, type RingedPlan } from './payment-builder.js';
import { PaymentPlanner } from './payment-planner.js';
import { ForkGuard } from './fork-guard.js';
import { assertMaxFee, destinationsOf, inputKeysOf, madePayment, paidBy } from './payment-results.js';
import { SpendGuard } from './spend-guard.js';
import { TxFacts } from './tx-facts.js';
import {
  proposedTx,
  readMetadata,
  unsignedConstruction,
  writeMetadata,
  type PaymentSource,
} from './payment-metadata.js';
import type { Accounts } from '../accounts/accounts.js';
import type { MempoolTracker } from '../sync/mempool-tracker.js';
import type { PaymentRelay } from '../sync/payment-relay.js';
import { isMultisigImportNeeded } from '../context/keystore.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<
  WalletContext,
  | 'assertOpen'
  | 'clock'
  | 'daemon'
  | 'keystore'
  | 'locks'
  | 'log'
  | 'rng'
  | 'store'
  | 'timeBounds'
  | 'workers'
>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly feeEstimator: FeeEstimator;
  readonly mempool: MempoolTracker;
  readonly relay: PaymentRelay;
  /** Encrypts proposed transactions for the other signers. */
  readonly sealMultisig: (txs: readonly PendingTx[]) => Promise<Uint8Array>;
  /** Encrypts unsigned transactions for the wallet with the spend key. */
  readonly sealUnsigned: (txs: readonly ConstructionData[]) => Promise<Uint8Array>;
}

/** Options of a payment besides its destinations and inputs. */
export interface PaymentOptions {
  /** Account that pays. */
  readonly account: number;
  readonly unlockTime: bigint;
  /** Priority from 0 to 4; 0: the default priority. */
  readonly priority: number;
  /** Highest fee of all transactions of the payment [atomic units]; undefined: none. */
  readonly maxFee?: Amount;
  readonly doNotRelay: boolean;
  readonly withMetadata: boolean;
  /** Client that pays; undefined: a client with all rights. */
  readonly spender: Spender | undefined;
  /** Writes the order in the store transaction that records the payment. */
  readonly order?: OrderEntry;
  /** True: no other payment of the wallet is made meanwhile, for a payment of given inputs or of all outputs. */
  readonly isAlone?: boolean;
  /**
   * Called when the inputs of the payment are held, before it is signed, and the next payment may be planned. Not called
   * for a payment that is made alone, and for one that another wallet signs.
   */
  readonly onHeld?: () => void;
}

type Planned = readonly PaymentPlan<SpendableOutput>[];
type Plan = (prices: Prices) => Planned | Promise<Planned>;

interface Made {
  readonly payment: SignedPayment;
  readonly view: MadePayment;
}

/** Kinds of faults of a payment that lacks spendable outputs. */
const SHORTAGES: ReadonlySet<Fault['kind']> = new Set([
  'not_enough_money',
  'not_enough_unlocked_money',
  'transfer_failed',
]);

/**
 * Returns the fault of a payment that lacks multisig info. The reference reports "No transaction created" for a
 * transfer; a sweep keeps its own fault.
 */
const asImportNeeded = (fault: Fault): Fault => {
  const reason = 'some outputs cannot be spent before multisig info of other signers is imported';
  return fault.kind === 'transfer_failed'
    ? { ...fault, reason }
    : { kind: 'tx_not_possible', reason, text: 'No transaction created' };
};

/** Error of a plan that lacked the inputs of running payments, of which some may fail. */
class InputsHeld extends Error {
  override readonly name = 'InputsHeld';
}

/**
 * Makes payments. They are planned one at a time per wallet, so that no output is selected twice, and signed at the same
 * time.
 */
export class PaymentMaker {
  readonly #context: Context;
  readonly #services: Services;
  readonly #ledger: PaymentLedger;
  readonly #source: PaymentSource;
  readonly builder: PaymentBuilder;
  readonly planner: PaymentPlanner;
  /** Refuses new payments after the next fork. */
  readonly fork: ForkGuard;
  /** Limits of the clients that make payments. */
  readonly spending: SpendGuard;
  /** Verifies facts of transactions that clients submit. */
  readonly txFacts: TxFacts;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    this.#source = { store: context.store, accounts: services.accounts };
    this.builder = new PaymentBuilder(context, services);
    this.planner = new PaymentPlanner(context);
    this.fork = new ForkGuard(context);
    this.spending = new SpendGuard(context);
    this.txFacts = new TxFacts(context, services);
    const { spending, txFacts } = this;
    this.#ledger = new PaymentLedger(context, { ...services, spending, txFacts });
  }

  /** Waits until the running payment is made. */
  waitForPayment(): Promise<void> {
    return this.#context.locks.payment.run(() => Promise.resolve());
  }

  /**
   * Makes and relays a payment, or creates the set for other wallets to sign.
   * @param plan selects inputs and payees; no other payment selects outputs until the inputs of this one are held or
   * spent. It is called again if it fails while other payments hold inputs: once these have ended.
   * @throws WalletError, DaemonError
   */
  async make(options: PaymentOptions, plan: Plan): Promise<MadePayments> {
    const { payment } = this.#context.locks;
    const { isAlone = false } = options;
    if (!isAlone && this.#signs)
      try {
        return await payment.runHandingOver((handOver) => this.#make(options, plan, handOver));
      } catch (error) {
        if (!(error instanceof InputsHeld)) throw error;
      }
    return payment.run(() => this.#make(options, plan));
  }

  /** True if this wallet signs its payments itself, so that they spend their inputs at once. */
  get #signs(): boolean {
    const { keys, isViewOnly } = this.#context.keystore;
    return keys.multisig === undefined && !isViewOnly;
  }

  /**
   * Makes a payment under the payment lock. @param handOver hands the lock over; absent: the payment is made alone.
   * @throws InputsHeld, WalletError, DaemonError
   */
  async #make(options: PaymentOptions, plan: Plan, handOver?: () => void): Promise<MadePayments> {
    assertLegacy(this.#context.keystore.keys);
    this.#services.mempool.reserveLost();
    const distribution = this.builder.outputDistribution();
    // The draft throws an error of the distribution, unless another step fails before.
    distribution.catch(() => undefined);
    const [prices] = await Promise.all([
      this.#services.feeEstimator.prices(options.priority),
      this.fork.assertPayable(),
    ]);
    const planned = await this.#planned(() => plan(prices), options.account);
    // The limits are enforced when the payment is recorded; this check refuses a payment beyond them before any work.
    this.#checkLeast(options.spender, () => planned.map((plan) => this.txFacts.leastSpending(plan, ZERO)));
    const build = (): Promise<MadePayments> => this.#build(planned, distribution, options);
    if (handOver === undefined || !this.#signs) return build();
    const begin = (): Promise<MadePayments> => {
      handOver();
      options.onHeld?.();
      return build();
    };
    // A payment that is not relayed spends nothing yet: other payments may select its inputs.
    return options.doNotRelay ? begin() : this.planner.holding(planned, begin);
  }

  /** Chooses the decoys of a planned payment, then signs, records and sends it, or creates the set to sign. */
  async #build(
    planned: Planned,
    distribution: Promise<OutputDistribution>,
    options: PaymentOptions,
  ): Promise<MadePayments> {
    const drafts = await this.builder.draft(planned, distribution);
    if (this.#context.keystore.keys.multisig !== undefined) {
      const { made, spent } = await this.#propose(drafts, options);
      return this.#keep(made, options, spent);
    }
    if (this.#context.keystore.isViewOnly) {
      // An unsigned payment does not count against the limits. It counts when it is signed and when it is submitted.
      const made = await this.#buildUnsigned(drafts, options);
      return this.#keep(made, options, []);
    }
    const signed: Made[] = [];
    for (const draft of drafts) signed.push(await this.#sign(draft, options.withMetadata));
    const made = { payments: signed.map(({ view }) => view) };
    const payments = signed.map(({ payment }) => payment);
    const { maxFee, spender, order } = options;
    assertMaxFee(payments, maxFee);
    // The client may relay the signed transaction elsewhere, so it counts now.
    if (options.doNotRelay)
      return this.#keep(
        made,
        options,
        spender === undefined ? [] : payments.map((payment) => this.txFacts.spentBy(txOfPayment(payment))),
      );
    await this.#ledger.commit(payments, { spender, order: order && { entry: order, made } });
    return made;
  }

  /**
   * Returns the result of a call that makes no payment, with an empty set for other wallets to sign.
   * @param order writes the order of the call, if the call has a key.
   */
  async makeNone(order?: OrderEntry): Promise<MadePayments> {
    const { keystore, store } = this.#context;
    const { sealMultisig, sealUnsigned } = this.#services;
    const made = {
      payments: [],
      ...(keystore.keys.multisig === undefined ? {} : { multisigSet: await sealMultisig([]) }),
      ...(keystore.isViewOnly ? { unsignedSet: await sealUnsigned([]) } : {}),
    };
    if (order !== undefined) store.write((w) => order.record(w, made, { sent: false }));
    return made;
  }

  /**
   * Records the order of payments that are not relayed. @param spent amounts that count against the limits of the
   * client.
   */
  #keep(made: MadePayments, { order, spender }: PaymentOptions, spent: readonly SpentTx[]): MadePayments {
    if (order !== undefined || (spender !== undefined && spent.length > 0))
      this.#context.store.write((w) => {
        this.spending.record(w, spender, spent);
        order?.record(w, made, { sent: false });
      });
    return made;
  }

  /**
   * Relays a payment that this wallet, or another wallet with the same keys, made with `doNotRelay`.
   * @throws WalletError `payments_ended`, `bad_hex`, `bad_tx_metadata`, `tx_rejected`, `spend_limit`, `credential_denied`
   */
  async relay(hex: string, spender: Spender | undefined): Promise<Hash> {
    await this.fork.assertPayable();
    return this.#context.locks.payment.run(async () => {
      const payment = readMetadata(this.#context, this.txFacts, hex);
      await this.#ledger.commit([payment], { spender });
      return payment.txHash;
    });
  }

  /**
   * Relays payments signed by another wallet with the same keys. The caller has asked {@link fork}.
   * @throws WalletError `tx_rejected`, DaemonError
   */
  async relaySigned(
    payments: readonly SignedPayment[],
    spender: Spender | undefined,
    order?: OrderEntry,
  ): Promise<MadePayments> {
    const made = { payments: payments.map(madePayment) };
    await this.#context.locks.payment.run(() =>
      this.#ledger.commit(payments, { spender, order: order && { entry: order, made } }),
    );
    return made;
  }

  /**
   * Plans a payment. If outputs lack their key images, reports a shortage as a missing import of multisig info.
   * @throws InputsHeld if running payments hold inputs; WalletError
   */
  async #planned(plan: () => Planned | Promise<Planned>, account: number): Promise<Planned> {
    const { isHolding } = this.planner;
    try {
      return await plan();
    } catch (cause) {
      if (isHolding) throw new InputsHeld('other payments hold inputs', { cause });
      const fault = faultOf(cause);
      const isShort = fault !== undefined && SHORTAGES.has(fault.kind);
      if (!isShort || !isMultisigImportNeeded(this.#context, account)) throw cause;
      throw new WalletError(asImportNeeded(fault), { cause });
    }
  }

  /**
   * Creates a multisig set with the signatures of this signer. Records no payment and reserves no output: the
   * submission of the signed set does so.
   */
  async #propose(
    drafts: readonly RingedPlan[],
    { maxFee, spender }: PaymentOptions,
  ): Promise<{ readonly made: MadePayments; readonly spent: readonly SpentTx[] }> {
    const payments: MadePayment[] = [];
    const spent: SpentTx[] = [];
    const proposed: PendingTx[] = [];
    for (const presumed of drafts) {
      const { draft, tx: proposal } = await this.builder.propose(presumed);
      const { signed } = proposal;
      const payees = paidBy(draft, signed);
      const pending = proposedTx(this.#source, draft, proposal, payees);
      proposed.push(pending);
      payments.push({
        destinations: destinationsOf(payees),
        fee: signed.fee,
        weight: signed.weight,
        ...{ keyImages: signed.keyImages, inputKeys: inputKeysOf(draft.inputs) },
        rings: ringsDigest(draft.rings, signed.fee),
        txSecretKeys: txSecretKeysOf(pending),
      });
      if (spender !== undefined)
        spent.push(
          this.txFacts.spentBy({
            tx: pending.tx,
            amountIn: sum(draft.inputs.map((input) => input.amount)),
            destinations: payees,
            txSecretKeys: txSecretKeysOf(pending),
          }),
        );
    }
    // Checked before sealing, which uses up nonces.
    assertMaxFee(payments, maxFee);
    this.spending.check(spender, spent);
    return { made: { payments, multisigSet: await this.#services.sealMultisig(proposed) }, spent };
  }

  /** Creates an unsigned set. Records no payment and reserves no output: the submission of the signed set does so. */
  async #buildUnsigned(
    drafts: readonly RingedPlan[],
    { maxFee, spender, withMetadata }: PaymentOptions,
  ): Promise<MadePayments> {
    const payments: MadePayment[] = [];
    const least: Spending[] = [];
    const unsigned: ConstructionData[] = [];
    for (const presumed of drafts) {
      const { draft, tx } = await this.builder.buildUnsigned(presumed);
      const payees = paidBy(draft, tx);
      if (spender !== undefined) least.push(this.txFacts.leastSpending({ ...draft, payees }, tx.fee));
      unsigned.push(unsignedConstruction(this.#source, draft, tx, payees));
      payments.push({
        destinations: destinationsOf(payees),
        fee: tx.fee,
        weight: tx.weight,
        keyImages: draft.inputs.flatMap(({ keyImage }) => keyImage ?? []),
        inputKeys: inputKeysOf(draft.inputs),
        rings: ringsDigest(draft.rings, tx.fee),
        txSecretKeys: txSecretKeysOf(tx),
        unsigned: this.#madeTx(draft, tx, payees, withMetadata),
      });
    }
    assertMaxFee(payments, maxFee);
    this.#checkLeast(spender, () => least);
    return { payments, unsignedSet: await this.#services.sealUnsigned(unsigned) };
  }

  /** Checks unsigned payments against the limits of a client. @throws WalletError `spend_limit`, `credential_denied` */
  #checkLeast(spender: Spender | undefined, least: () => readonly Spending[]): void {
    if (spender !== undefined) this.spending.check(spender, least());
  }

  async #sign(presumed: RingedPlan, withMetadata: boolean): Promise<Made> {
    const { draft, tx: signed } = await this.builder.sign(presumed);
    const { inputs } = draft;
    const payees = paidBy(draft, signed);
    const payment = signedPayment(signed, draft, inputs, payees);
    const view: MadePayment = {
      destinations: payment.destinations,
      fee: signed.fee,
      weight: signed.weight,
      keyImages: signed.keyImages,
      inputKeys: inputKeysOf(inputs),
      txSecretKeys: payment.txSecretKeys,
      signed: this.#madeTx(draft, signed, payees, withMetadata),
    };
    return { payment, view };
  }

  #madeTx(draft: RingedPlan, tx: SignedTx, payees: readonly Payee[], withMetadata: boolean): MadeTx {
    return {
      txHash: tx.hash,
      blob: tx.blob,
      ...(withMetadata ? { metadata: writeMetadata(this.#source, draft, tx, payees) } : {}),
    };
  }
}
