import type { Hash } from '../crypto/types.js';
import { DaemonError, type DaemonErrorKind } from '../daemon/errors.js';
import { sum } from '../util/amount.js';
import { toHex } from '../util/bytes.js';
import { WalletError } from '../wallet/fault.js';
import type { OutgoingTx } from '../wallet/records.js';
import type { SignedPayment } from '../wallet/signed-payment.js';
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
  async commit(payments: readonly SignedPayment[]): Promise<void> {
    const records = payments.map((payment) => this.#record(payment));
    const { file, pending } = this.#session;
    pending.reserveLost();
    file.write((w) => {
      records.forEach((record, i) => {
        const { inputs = [], txSecretKeys = [] } = payments[i] ?? {};
        if (w.outgoing.byHash(record.txHash) !== undefined) w.discard(record.txHash);
        if (!w.outputs.areFree(inputs))
          throw new WalletError({
            kind: 'tx_rejected',
            reason: 'its inputs are frozen, or spent by another payment',
          });
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
  async relay(payment: SignedPayment): Promise<void> {
    const known = this.#session.file.read((r) => r.outgoing.byHash(payment.txHash));
    if (known === undefined || known.state === 'failed') await this.commit([payment]);
    else if (known.state !== 'confirmed') await this.#send(payment.txHash, payment.blob);
  }

  #record(payment: SignedPayment): OutgoingTx & { readonly blob: Uint8Array } {
    const { txHash, blob, account, inputs, fee, change, unlockTime, paymentId, destinations } = payment;
    return {
      txHash,
      state: 'prepared',
      account,
      fromIndices: [...new Set(inputs.map(({ subaddress }) => subaddress.minor))].sort((a, b) => a - b),
      amountIn: sum(inputs.map((output) => output.amount)),
      fee,
      change,
      unlockTime,
      ...(paymentId === undefined ? {} : { paymentId }),
      timestamp: this.#session.now(),
      blob,
      destinations,
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
