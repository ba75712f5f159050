import type { Hash, KeyImage } from '../../crypto/types.js';
import { sum, type Amount } from '../../util/amount.js';
import type { ConstructionData } from '../../wallet/exchange/construction-data.js';
import { WalletError, type Fault } from '../../wallet/model/wallet-error.js';
import type { PendingTx } from '../../wallet/exchange/pending-tx.js';
import type { SpendableOutput } from '../../wallet/select/spendable-outputs.js';
import { signedPayment, type SignedPayment } from '../../wallet/build/signed-payment.js';
import type { SignedTx } from '../../wallet/build/signing.js';
import type { FundedTransfer } from '../../wallet/select/transfer-plan.js';
import type { Payee } from '../../wallet/select/transfer-request.js';
import type { Prices } from './fee-estimator.js';
import { PaymentBuilder, type PaymentDraft, type PaymentTerms } from './payment-builder.js';
import { PaymentLedger } from './payment-ledger.js';
import {
  proposedTx,
  readMetadata,
  unsignedConstruction,
  writeMetadata,
  type PaymentSource,
} from './payment-metadata.js';
import type { Accounts } from '../accounts/accounts.js';
import type { FeeEstimator } from './fee-estimator.js';
import type { MempoolTracker } from '../sync/mempool-tracker.js';
import type { PaymentRelay } from '../sync/payment-relay.js';
import { isMultisigImportNeeded } from '../context/multisig-import.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<
  WalletContext,
  'clock' | 'daemon' | 'keystore' | 'locks' | 'log' | 'rng' | 'store' | 'workers'
>;

/** Sibling services. */
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

/** One transaction that was made, and relayed unless that was not wanted. */
export interface MadePayment {
  /** Paid to the destinations. */
  readonly amount: Amount;
  readonly amounts: readonly Amount[];
  readonly fee: Amount;
  readonly weight: number;
  /** Of its inputs, those that are known. */
  readonly keyImages: readonly KeyImage[];
  /** None where the wallet cannot sign. */
  readonly txSecretKeys: readonly Uint8Array[];
  /** Absent where the wallet cannot sign, or not alone. */
  readonly signed?: {
    readonly txHash: Hash;
    readonly blob: Uint8Array;
    /** Absent unless asked for. */
    readonly metadata?: Uint8Array;
  };
}

/** All transactions of one order. */
export interface MadePayments {
  readonly payments: readonly MadePayment[];
  /** For the wallet with the spend key to sign, where this one has none. */
  readonly unsignedSet?: Uint8Array;
  /** For the other signers of a group to sign, or to submit where one is enough. */
  readonly multisigSet?: Uint8Array;
}

/** How a payment is to be made, apart from who is paid from what. */
export interface MakingOptions extends PaymentTerms {
  /** 0 to 4; 0 is the default. */
  readonly priority: number;
  readonly doNotRelay: boolean;
  readonly withMetadata: boolean;
}

interface Made {
  readonly payment: SignedPayment;
  readonly view: MadePayment;
}

/** What a payment fails with where outputs are missing. */
const SHORTAGES: ReadonlySet<Fault['kind']> = new Set([
  'not_enough_money',
  'not_enough_unlocked_money',
  'transfer_failed',
]);

/** Upstream finds no transaction to make then; what it refuses a sweep with stays. */
const asImportNeeded = (fault: Fault): Fault => {
  const reason = 'outputs wait for multisig info of other signers: import it first';
  return fault.kind === 'transfer_failed'
    ? { ...fault, reason }
    : { kind: 'tx_not_possible', reason, text: 'No transaction created' };
};

/** Makes payments: one at a time in a wallet, so that no output is picked twice. */
export class PaymentMaker {
  readonly #context: Context;
  readonly #services: Services;
  readonly #ledger: PaymentLedger;
  readonly #source: PaymentSource;
  readonly builder: PaymentBuilder;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    this.#source = { store: context.store, accounts: services.accounts };
    this.builder = new PaymentBuilder(context, services);
    this.#ledger = new PaymentLedger(context, services);
  }

  /** Waits for what is under way. */
  settle(): Promise<void> {
    return this.#context.locks.payment.run(() => Promise.resolve());
  }

  /**
   * @param plan says who is paid from what; nothing else picks outputs before the payment is recorded.
   * @throws WalletError, DaemonError
   */
  make(
    options: MakingOptions,
    plan: (prices: Prices) => readonly FundedTransfer<SpendableOutput>[],
  ): Promise<MadePayments> {
    return this.#context.locks.payment.run(async () => {
      this.#services.mempool.reserveLost();
      const prices = await this.#services.feeEstimator.prices(options.priority);
      // Purses read on while the plan is made.
      const planned = this.#planned(() => this.#context.store.read(() => plan(prices)), options.account);
      const drafts = await this.builder.draft(planned, options, prices);
      if (this.#context.keystore.keys.multisig !== undefined) return this.#propose(drafts);
      if (this.#context.keystore.isViewOnly) return this.#layOut(drafts);
      const made: Made[] = [];
      for (const draft of drafts) made.push(await this.#sign(draft, options.withMetadata));
      if (!options.doNotRelay) await this.#ledger.commit(made.map(({ payment }) => payment));
      return { payments: made.map(({ view }) => view) };
    });
  }

  /**
   * Relays what {@link make}, here or in another wallet with the same keys, made without relaying.
   * @throws WalletError `bad_hex`, `bad_tx_metadata`, `tx_rejected`
   */
  relay(hex: string): Promise<Hash> {
    return this.#context.locks.payment.run(async () => {
      const payment = readMetadata(this.#context, hex);
      await this.#ledger.commit([payment]);
      return payment.txHash;
    });
  }

  /** Relays what another wallet with these keys signed. @throws WalletError `tx_rejected`, DaemonError */
  relaySigned(payments: readonly SignedPayment[]): Promise<void> {
    return this.#context.locks.payment.run(() => this.#ledger.commit(payments));
  }

  /** Where outputs wait for the word of other signers, it is that what is missing. */
  #planned(
    plan: () => readonly FundedTransfer<SpendableOutput>[],
    account: number,
  ): readonly FundedTransfer<SpendableOutput>[] {
    try {
      return plan();
    } catch (cause) {
      const short = cause instanceof WalletError && SHORTAGES.has(cause.fault.kind);
      if (!short || !isMultisigImportNeeded(this.#context, account)) throw cause;
      throw new WalletError(asImportNeeded(cause.fault), { cause });
    }
  }

  /** Nothing is recorded, and no output reserved, until a set that enough have signed is submitted. */
  async #propose(drafts: readonly PaymentDraft[]): Promise<MadePayments> {
    const payments: MadePayment[] = [];
    const proposed: PendingTx[] = [];
    for (const draft of drafts) {
      const proposal = await this.builder.propose(draft);
      const { signed } = proposal;
      const payees = paidBy(draft, signed);
      const pending = proposedTx(this.#source, draft, proposal, payees);
      const amounts = payees.map((payee) => payee.amount);
      proposed.push(pending);
      payments.push({
        amount: sum(amounts),
        amounts,
        fee: signed.fee,
        weight: signed.weight,
        keyImages: signed.keyImages,
        txSecretKeys: [pending.txSecretKey, ...pending.additionalSecretKeys],
      });
    }
    return { payments, multisigSet: await this.#services.sealMultisig(proposed) };
  }

  /** Nothing is recorded, and no output reserved, until the signed transactions are submitted. */
  async #layOut(drafts: readonly PaymentDraft[]): Promise<MadePayments> {
    const payments: MadePayment[] = [];
    const laidOut: ConstructionData[] = [];
    for (const draft of drafts) {
      const layout = await this.builder.layOut(draft);
      const payees = paidBy(draft, layout);
      const amounts = payees.map((payee) => payee.amount);
      laidOut.push(unsignedConstruction(this.#source, draft, layout, payees));
      payments.push({
        amount: sum(amounts),
        amounts,
        fee: layout.fee,
        weight: layout.weight,
        keyImages: draft.share.inputs.flatMap(({ keyImage }) => keyImage ?? []),
        txSecretKeys: [],
      });
    }
    return { payments, unsignedSet: await this.#services.sealUnsigned(laidOut) };
  }

  async #sign(draft: PaymentDraft, withMetadata: boolean): Promise<Made> {
    const { share, terms } = draft;
    const signed = await this.builder.sign(draft);
    const payees = paidBy(draft, signed);
    const payment = signedPayment(signed, terms, share.inputs, payees);
    const amounts = payees.map((payee) => payee.amount);
    const view: MadePayment = {
      amount: sum(amounts),
      amounts,
      fee: signed.fee,
      weight: signed.weight,
      keyImages: signed.keyImages,
      txSecretKeys: payment.txSecretKeys,
      signed: {
        txHash: signed.hash,
        blob: signed.blob,
        ...(withMetadata ? { metadata: writeMetadata(this.#source, draft, signed, payees) } : {}),
      },
    };
    return { payment, view };
  }
}

/** The payees of a share with what each receives: less than asked where it pays the fee. */
const paidBy = ({ share }: PaymentDraft, { payees }: Pick<SignedTx, 'payees'>): Payee[] =>
  share.payees.map((payee, i) => ({ ...payee, amount: payees[i]?.amount ?? payee.amount }));
