import type { FeeRates } from '../cryptonote/fees.js';
import type { Hash, KeyImage } from '../crypto/types.js';
import { parseTransaction, transactionHash } from '../cryptonote/transaction.js';
import { amount, sum, type Amount } from '../util/amount.js';
import { encode } from '../util/codec.js';
import { Mutex } from '../util/mutex.js';
import { WalletError } from '../wallet/fault.js';
import type { SignedTx } from '../wallet/signing.js';
import type { FundedTransfer } from '../wallet/transfer-plan.js';
import { txMetadata, type TxMetadata } from '../wallet/tx-metadata.js';
import { PaymentBuilder, type PaymentDraft, type PaymentTerms } from './payment-builder.js';
import { PaymentLedger, readMetadata } from './payment-ledger.js';
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
  readonly metadata: Uint8Array;
}

/** How a payment is to be made, apart from who is paid from what. */
export interface MakingOptions extends PaymentTerms {
  readonly doNotRelay: boolean;
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
  make(options: MakingOptions, plan: (rates: FeeRates) => readonly FundedTransfer[]): Promise<MadePayment[]> {
    return this.#making.run(async () => {
      const rates = await this.builder.rates();
      const drafts = await this.builder.draft(plan(rates), options, rates);
      if (this.#session.isViewOnly) throw new WalletError({ kind: 'view_only' });
      const made: { readonly metadata: TxMetadata; readonly signed: SignedTx }[] = [];
      for (const draft of drafts) {
        const signed = await this.builder.sign(draft);
        made.push({ metadata: metadataOf(draft, signed), signed });
      }
      if (!options.doNotRelay) await this.#ledger.commit(made.map(({ metadata }) => metadata));
      return made.map(({ metadata, signed }) => viewOf(metadata, signed));
    });
  }

  /** Relays what {@link make} made without relaying. @throws WalletError `bad_hex`, `bad_tx_metadata`, `tx_rejected` */
  async relay(hex: string): Promise<Hash> {
    const read = readMetadata(hex);
    await this.#making.run(() => this.#ledger.relay(read));
    return read.txHash;
  }
}

function metadataOf({ share, terms }: PaymentDraft, signed: SignedTx): TxMetadata {
  return {
    blob: signed.blob,
    account: terms.account,
    fromIndices: [...new Set(share.inputs.map(({ subaddress }) => subaddress.minor))].sort((a, b) => a - b),
    inputs: share.inputs.map(({ txHash, outputIndex }) => ({ txHash, outputIndex })),
    amountIn: sum(share.inputs.map((output) => output.amount)),
    fee: signed.fee,
    change: signed.change,
    unlockTime: terms.unlockTime,
    paymentId:
      share.payees.find(({ address }) => address.paymentId !== undefined)?.address.paymentId ??
      new Uint8Array(),
    destinations: share.payees.map(({ text, amount: value }) => ({ address: text, amount: value })),
    txSecretKeys: [signed.txSecretKey, ...signed.additionalSecretKeys],
  };
}

function viewOf(metadata: TxMetadata, signed: SignedTx): MadePayment {
  const amounts = metadata.destinations.map((destination) => destination.amount);
  return {
    txHash: transactionHash(parseTransaction(metadata.blob)),
    amount: sum(amounts),
    amounts,
    fee: amount(metadata.fee),
    weight: signed.weight,
    keyImages: signed.keyImages,
    txSecretKeys: metadata.txSecretKeys,
    blob: metadata.blob,
    metadata: encode(txMetadata, metadata),
  };
}
