import { keyDerivation } from '../crypto/derivation.js';
import type { Hash, KeyImage } from '../crypto/types.js';
import { feePerByte, type FeeRates } from '../cryptonote/fees.js';
import { parseTransaction, transactionHash } from '../cryptonote/transaction.js';
import { DaemonError, type DaemonErrorKind } from '../daemon/errors.js';
import { amount, sum, type Amount } from '../util/amount.js';
import { fromHex, isHex, toHex } from '../util/bytes.js';
import { CodecError, decode, encode } from '../util/codec.js';
import { Mutex } from '../util/mutex.js';
import { WorkerPool } from '../util/worker-pool.js';
import type { SpendableInput } from '../wallet/construction.js';
import { chooseRings, GammaPicker, type Ring } from '../wallet/decoys.js';
import { WalletError } from '../wallet/fault.js';
import { outputSecretKey } from '../wallet/receive.js';
import type { OutgoingTx, OwnedOutput } from '../wallet/records.js';
import type { SignedTx } from '../wallet/signing.js';
import { planTransfers, type FundedTransfer } from '../wallet/transfer-plan.js';
import type { Payee, TransferRequest } from '../wallet/transfer-request.js';
import { txMetadata, type TxMetadata } from '../wallet/tx-metadata.js';
import { isUnlocked } from '../wallet/unlock.js';
import type { SigningAnswer, SigningTask } from './signing-thread.js';
import type { WalletSession } from './wallet-session.js';

/** A payment as a caller asks for it. */
export interface PaymentOrder {
  readonly destinations: readonly { readonly address: string; readonly amount: Amount }[];
  readonly account: number;
  /** Empty: every address of the account. */
  readonly minors: readonly number[];
  readonly priority: number;
  readonly unlockTime: bigint;
  readonly doNotRelay: boolean;
  /** More than one transaction may be made. */
  readonly split: boolean;
}

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

/** No transaction pays a fee above a tenth of a coin, whatever rates the daemon claims. */
const FEE_CEILING = amount(100_000_000_000n);

/** Failures before a daemon looks at what it is sent. */
const NOT_TAKEN: ReadonlySet<DaemonErrorKind> = new Set(['busy', 'unauthorized', 'tls']);

/** Threads that prove and sign, shared by all wallets. */
const signers = new WorkerPool<SigningTask, SigningAnswer>(
  new URL('./signing-thread.js', import.meta.url),
  2,
);

/** Makes payments: one at a time in a wallet, so that no output is picked twice. */
export class Transfers {
  readonly #session: WalletSession;
  readonly #making = new Mutex();

  constructor(session: WalletSession) {
    this.#session = session;
  }

  /** Waits for what is under way. */
  settle(): Promise<void> {
    return this.#making.run(() => Promise.resolve());
  }

  /** @throws WalletError, DaemonError */
  pay(order: PaymentOrder): Promise<MadePayment[]> {
    const payees = order.destinations.map((destination) => this.#payee(destination));
    if (payees.length === 0) throw new WalletError({ kind: 'no_destination' });
    if (payees.filter(({ address }) => address.paymentId !== undefined).length > 1)
      throw new WalletError({
        kind: 'wrong_payment_id',
        reason: 'one payment carries one payment id: give one integrated address',
      });
    if (this.#session.isViewOnly) throw new WalletError({ kind: 'view_only' });
    this.#session.accounts.assertAccount(order.account);
    return this.#making.run(async () => {
      const request: TransferRequest = {
        payees,
        account: order.account,
        priority: order.priority,
        unlockTime: order.unlockTime,
      };
      const rates = await this.#rates();
      const planned = this.#plan(request, order.minors, rates);
      const [first] = planned;
      if (!order.split && planned.length > 1 && first !== undefined)
        throw new WalletError({
          kind: 'transfer_failed',
          reason: 'the payment needs more than one transaction: use transfer_split',
        });
      const { link } = this.#session;
      const picker = new GammaPicker(await link.daemon().getOutputDistribution(), link.rng);
      const made: TxMetadata[] = [];
      const signed: SignedTx[] = [];
      for (const share of planned) {
        const tx = await this.#build(share, request, picker, rates);
        signed.push(tx);
        made.push(this.#metadata(share, request, tx));
      }
      if (!order.doNotRelay) await this.#commit(made);
      return made.map((metadata, i) => this.#view(metadata, signed[i]));
    });
  }

  /** Relays what {@link pay} made without relaying. @throws WalletError `bad_hex`, `bad_tx_metadata`, `tx_rejected` */
  relay(hex: string): Promise<Hash> {
    if (!isHex(hex) || hex === '') throw new WalletError({ kind: 'bad_hex', what: 'the tx metadata' });
    const { metadata, txHash } = readMetadata(fromHex(hex));
    return this.#making.run(async () => {
      const known = this.#session.file.read((r) => r.outgoing.byHash(txHash));
      if (known === undefined || known.state === 'failed') await this.#commit([metadata]);
      else if (known.state !== 'confirmed') await this.#send(txHash, metadata.blob);
      return txHash;
    });
  }

  #payee({ address: text, amount: value }: { readonly address: string; readonly amount: Amount }): Payee {
    return { address: this.#session.accounts.parse(text), text, amount: value };
  }

  async #rates(): Promise<FeeRates> {
    const estimate = await this.#session.link.daemon().getFeeEstimate();
    return { perByte: estimate.perByte, quantizationMask: estimate.quantizationMask };
  }

  #plan(request: TransferRequest, minors: readonly number[], rates: FeeRates): FundedTransfer[] {
    const { file, link } = this.#session;
    const height = this.#session.height();
    const now = this.#session.now();
    const held = file
      .read((r) => r.outputs.unspent(request.account, minors.length === 0 ? undefined : minors))
      .filter(({ frozen, keyImage }) => !frozen && keyImage !== undefined);
    const free = held.filter((output) => isUnlocked(output, height, now));
    const locked = amount(
      sum(held.map((output) => output.amount)) - sum(free.map((output) => output.amount)),
    );
    const planned = planTransfers(request, free, locked, rates, link.rng);
    for (const { fee } of planned) assertFee(fee);
    return planned;
  }

  async #build(
    share: FundedTransfer,
    request: TransferRequest,
    picker: GammaPicker,
    rates: FeeRates,
  ): Promise<SignedTx> {
    const { viewSecret } = this.#session.keys;
    const rings = await chooseRings(share.inputs, picker, (indices) =>
      this.#session.link.daemon().getOutputs(indices),
    );
    const task: SigningTask = {
      plan: {
        inputs: share.inputs.map((output, i) => this.#spendable(output, rings[i])),
        payees: share.payees.map(({ address, amount: value }) => ({ address, amount: value })),
        feeFrom: share.feeFrom,
        changeAddress: this.#session.accounts.decoded({ major: request.account, minor: 0 }),
        fee: share.fee,
        unlockTime: request.unlockTime,
        viewSecret: Uint8Array.from(viewSecret.expose()) as ReturnType<typeof viewSecret.expose>,
      },
      rate: feePerByte(rates, request.priority),
      rates,
    };
    const answer = await signers.run(task);
    for (const { secretKey } of task.plan.inputs) secretKey.fill(0);
    task.plan.viewSecret.fill(0);
    if ('problem' in answer) throw new WalletError({ kind: 'transfer_failed', reason: answer.problem });
    assertFee(answer.signed.fee);
    return answer.signed;
  }

  #spendable(output: OwnedOutput, ring: Ring | undefined): SpendableInput {
    const { viewSecret, spendSecret } = this.#session.keys;
    if (spendSecret === undefined || output.keyImage === undefined || ring === undefined)
      throw new WalletError({ kind: 'view_only' });
    const keys = { viewSecret: viewSecret.expose(), spendSecret: spendSecret.expose() };
    const derivation = keyDerivation(output.derivationKey, keys.viewSecret);
    return {
      ring,
      secretKey: outputSecretKey(keys, derivation, output.outputIndex, output.subaddress),
      keyImage: output.keyImage,
      amount: output.amount,
      mask: output.mask,
    };
  }

  #metadata(share: FundedTransfer, request: TransferRequest, signed: SignedTx): TxMetadata {
    return {
      blob: signed.blob,
      account: request.account,
      fromIndices: [...new Set(share.inputs.map(({ subaddress }) => subaddress.minor))].sort((a, b) => a - b),
      inputs: share.inputs.map(({ txHash, outputIndex }) => ({ txHash, outputIndex })),
      amountIn: sum(share.inputs.map((output) => output.amount)),
      fee: signed.fee,
      change: signed.change,
      unlockTime: request.unlockTime,
      paymentId:
        share.payees.find(({ address }) => address.paymentId !== undefined)?.address.paymentId ??
        new Uint8Array(),
      destinations: share.payees.map(({ text, amount: value }) => ({ address: text, amount: value })),
      txSecretKeys: [signed.txSecretKey, ...signed.additionalSecretKeys],
    };
  }

  /**
   * Records payments, all at once, then hands them to the daemon: a crash in between leaves payments that are
   * relayed later. Where one is refused, it and those after it leave nothing behind.
   */
  async #commit(payments: readonly TxMetadata[]): Promise<void> {
    const records = payments.map((metadata) => this.#record(metadata));
    const { file } = this.#session;
    file.write((w) => {
      records.forEach((record, i) => {
        const { inputs = [], txSecretKeys = [] } = payments[i] ?? {};
        if (w.outgoing.byHash(record.txHash) !== undefined) w.discard(record.txHash);
        if (!w.outputs.areFree(inputs))
          throw new WalletError({ kind: 'tx_rejected', reason: 'its inputs are spent by another payment' });
        w.prepare(record, inputs, txSecretKeys);
      });
    });
    for (const [i, { txHash, blob }] of records.entries()) {
      try {
        await this.#send(txHash, blob);
      } catch (error) {
        file.write((w) => records.slice(i).forEach((unsent) => w.discard(unsent.txHash)));
        const sent = records.slice(0, i).map((record) => toHex(record.txHash));
        if (sent.length === 0 || !(error instanceof WalletError)) throw error;
        const reason = `${error.fault.kind === 'tx_rejected' ? error.fault.reason : error.message}; relayed before it: ${sent.join(', ')}`;
        throw new WalletError({ kind: 'tx_rejected', reason }, { cause: error });
      }
    }
  }

  #record(metadata: TxMetadata): OutgoingTx & { readonly blob: Uint8Array } {
    return {
      txHash: transactionHash(parseTransaction(metadata.blob)),
      state: 'prepared',
      account: metadata.account,
      fromIndices: metadata.fromIndices,
      amountIn: amount(metadata.amountIn),
      fee: amount(metadata.fee),
      change: amount(metadata.change),
      unlockTime: metadata.unlockTime,
      ...(metadata.paymentId.length === 0 ? {} : { paymentId: metadata.paymentId }),
      timestamp: this.#session.now(),
      blob: metadata.blob,
      destinations: metadata.destinations,
    };
  }

  /**
   * Hands one over. A payment whose answer is lost counts as made: it is recorded, shown as pending and relayed
   * again until the network has it or refuses it.
   * @throws WalletError `tx_rejected`, DaemonError when the daemon certainly did not take it.
   */
  async #send(txHash: Hash, blob: Uint8Array): Promise<void> {
    const { file, link, log } = this.#session;
    try {
      const { accepted, reason } = await link.daemon().sendRawTransaction(blob);
      if (!accepted) throw new WalletError({ kind: 'tx_rejected', reason });
      file.write((w) => w.outgoing.setState(txHash, 'pending'));
    } catch (error) {
      if (!(error instanceof DaemonError) || NOT_TAKEN.has(error.kind)) throw error;
      log.warn(
        { txid: toHex(txHash), kind: error.kind },
        "the daemon's answer to a payment is lost; it will be relayed again",
      );
    }
  }

  #view(metadata: TxMetadata, signed: SignedTx | undefined): MadePayment {
    const amounts = metadata.destinations.map((destination) => destination.amount);
    return {
      txHash: signed?.hash ?? transactionHash(parseTransaction(metadata.blob)),
      amount: sum(amounts),
      amounts,
      fee: amount(metadata.fee),
      weight: signed?.weight ?? 0,
      keyImages: signed?.keyImages ?? [],
      txSecretKeys: metadata.txSecretKeys,
      blob: metadata.blob,
      metadata: encode(txMetadata, metadata),
    };
  }
}

function assertFee(fee: Amount): void {
  if (fee > FEE_CEILING) throw new WalletError({ kind: 'fee_too_high', fee, ceiling: FEE_CEILING });
}

function readMetadata(bytes: Uint8Array): { metadata: TxMetadata; txHash: Hash } {
  try {
    const metadata = decode(txMetadata, bytes);
    return { metadata, txHash: transactionHash(parseTransaction(metadata.blob)) };
  } catch (cause) {
    if (cause instanceof CodecError || cause instanceof RangeError)
      throw new WalletError(
        { kind: 'bad_tx_metadata', reason: 'this is not the metadata of a transaction' },
        { cause },
      );
    throw cause;
  }
}
