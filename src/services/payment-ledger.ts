import type { Hash } from '../crypto/types.js';
import { parseTransaction, transactionHash } from '../cryptonote/transaction.js';
import { DaemonError, type DaemonErrorKind } from '../daemon/errors.js';
import { amount } from '../util/amount.js';
import { fromHex, isHex, toHex } from '../util/bytes.js';
import { CodecError, decode } from '../util/codec.js';
import { WalletError } from '../wallet/fault.js';
import type { OutgoingTx } from '../wallet/records.js';
import { txMetadata, type TxMetadata } from '../wallet/tx-metadata.js';
import type { WalletSession } from './wallet-session.js';

/** Failures before a daemon looks at what it is sent. */
const NOT_TAKEN: ReadonlySet<DaemonErrorKind> = new Set(['busy', 'unauthorized', 'tls']);

/** Records signed payments and hands them to the network. Callers see to it that only one does so at a time. */
export class PaymentLedger {
  readonly #session: WalletSession;

  constructor(session: WalletSession) {
    this.#session = session;
  }

  /**
   * Records payments, all at once, then hands them to the daemon: a crash in between leaves payments that are
   * relayed later. Where one is refused, it and those after it leave nothing behind.
   * @throws WalletError `tx_rejected`, DaemonError when the daemon certainly did not take the first.
   */
  async commit(payments: readonly TxMetadata[]): Promise<void> {
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

  /** Relays what was made without relaying. @throws WalletError `tx_rejected`, DaemonError */
  async relay({ metadata, txHash }: ReadMetadata): Promise<void> {
    const known = this.#session.file.read((r) => r.outgoing.byHash(txHash));
    if (known === undefined || known.state === 'failed') await this.commit([metadata]);
    else if (known.state !== 'confirmed') await this.#send(txHash, metadata.blob);
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
}

export interface ReadMetadata {
  readonly metadata: TxMetadata;
  readonly txHash: Hash;
}

/** @throws WalletError `bad_hex`, `bad_tx_metadata` */
export function readMetadata(hex: string): ReadMetadata {
  if (!isHex(hex) || hex === '') throw new WalletError({ kind: 'bad_hex', what: 'the tx metadata' });
  try {
    const metadata = decode(txMetadata, fromHex(hex));
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
