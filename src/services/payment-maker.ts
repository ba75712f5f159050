import type { Hash, KeyImage } from '../crypto/types.js';
import { sum, type Amount } from '../util/amount.js';
import { Mutex } from '../util/mutex.js';
import { WalletError } from '../wallet/fault.js';
import { signedPayment, type SignedPayment } from '../wallet/signed-payment.js';
import type { FundedTransfer } from '../wallet/transfer-plan.js';
import type { Payee } from '../wallet/transfer-request.js';
import type { Prices } from './fee-market.js';
import { PaymentBuilder, type PaymentDraft, type PaymentTerms } from './payment-builder.js';
import { PaymentLedger } from './payment-ledger.js';
import { readMetadata, writeMetadata } from './payment-metadata.js';
import type { WalletSession } from './wallet-session.js';

/** One transaction that was made, and relayed unless that was not wanted. */
export interface MadePayment {
  readonly txHash: Hash;
  /** Paid to the destinations. */
  readonly amount: Amount;
  readonly amounts: readonly Amount[];
  readonly fee: Amount;
  readonly weight: number;
  readonly keyImages: readonly KeyImage[];
  readonly txSecretKeys: readonly Uint8Array[];
  readonly blob: Uint8Array;
  /** Absent unless asked for. */
  readonly metadata?: Uint8Array;
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

/** Makes payments: one at a time in a wallet, so that no output is picked twice. */
export class PaymentMaker {
  readonly #session: WalletSession;
  readonly #making = new Mutex();
  readonly #ledger: PaymentLedger;
  readonly builder: PaymentBuilder;

  constructor(session: WalletSession) {
    this.#session = session;
    this.builder = new PaymentBuilder(session);
    this.#ledger = new PaymentLedger(session);
  }

  /** Waits for what is under way. */
  settle(): Promise<void> {
    return this.#making.run(() => Promise.resolve());
  }

  /**
   * @param plan says who is paid from what; nothing else picks outputs before the payment is recorded.
   * @throws WalletError, DaemonError
   */
  make(options: MakingOptions, plan: (prices: Prices) => readonly FundedTransfer[]): Promise<MadePayment[]> {
    return this.#making.run(async () => {
      const prices = await this.#session.feeMarket.prices(options.priority);
      const drafts = await this.builder.draft(plan(prices), options, prices);
      if (this.#session.isViewOnly) throw new WalletError({ kind: 'view_only' });
      const made: Made[] = [];
      for (const draft of drafts) made.push(await this.#sign(draft, options.withMetadata));
      if (!options.doNotRelay) await this.#ledger.commit(made.map(({ payment }) => payment));
      return made.map(({ view }) => view);
    });
  }

  /**
   * Relays what {@link make}, here or in another wallet with the same keys, made without relaying.
   * @throws WalletError `bad_hex`, `bad_tx_metadata`, `tx_rejected`
   */
  relay(hex: string): Promise<Hash> {
    return this.#making.run(async () => {
      const payment = readMetadata(this.#session, hex);
      await this.#ledger.relay(payment);
      return payment.txHash;
    });
  }

  async #sign(draft: PaymentDraft, withMetadata: boolean): Promise<Made> {
    const { share, terms } = draft;
    const signed = await this.builder.sign(draft);
    const payees = share.payees.map((payee, i): Payee => ({
      ...payee,
      amount: signed.payees[i]?.amount ?? payee.amount,
    }));
    const payment = signedPayment(signed, terms, share.inputs, payees);
    const amounts = payees.map((payee) => payee.amount);
    const view: MadePayment = {
      txHash: signed.hash,
      amount: sum(amounts),
      amounts,
      fee: signed.fee,
      weight: signed.weight,
      keyImages: signed.keyImages,
      txSecretKeys: payment.txSecretKeys,
      blob: signed.blob,
      ...(withMetadata ? { metadata: writeMetadata(this.#session, draft, signed, payees) } : {}),
    };
    return { payment, view };
  }
}
