import type { Hash } from '../crypto/types.js';
import { parseTransaction } from '../cryptonote/transaction.js';
import { DaemonError } from '../daemon/errors.js';
import type { PoolFinding } from '../refresh/wallet-scanner.js';
import { toHex } from '../util/bytes.js';
import { keyImagesOf } from '../wallet/pending-tx.js';
import type { WalletSession } from './wallet-session.js';

/**
 * How long a payment of ours may be missing from the pool before it counts as failed: time for it to travel
 * through the network's privacy relay. Source: wallet2.cpp `update_pool_state`.
 */
const MISSING_SECONDS = 600;

/** Relaying one payment again, at most this often. */
const RELAY_AGAIN_SECONDS = 60;

/** Keeps what the wallet shows of unmined payments, ours and others', in step with the pool. */
export class PendingPayments {
  readonly #session: WalletSession;
  /** Hash in hex to the time it was last handed to a daemon. */
  readonly #relayed = new Map<string, number>();
  #present: ReadonlySet<string> = new Set();

  constructor(session: WalletSession) {
    this.#session = session;
  }

  /** @param present everything in the pool. @returns incoming transactions that were not known yet. */
  commitPool(present: readonly Hash[], findings: readonly PoolFinding[]): Hash[] {
    const names = new Set(present.map(toHex));
    this.#present = names;
    this.#session.file.write((w) => {
      for (const { txHash } of w.pool.list()) if (!names.has(toHex(txHash))) w.pool.remove(txHash);
    });
    return this.admit(findings);
  }

  /** Shows unmined transactions. @returns incoming ones that were not known yet. */
  admit(findings: readonly PoolFinding[]): Hash[] {
    const fresh: Hash[] = [];
    this.#session.file.write((w) => {
      for (const { incoming, outgoing } of findings) {
        // Mined between the scan of blocks and this look into the pool: the block tells all of it.
        if (incoming !== undefined && w.payments.byTx(incoming.txHash).length === 0) {
          if (!w.pool.has(incoming.txHash)) fresh.push(incoming.txHash);
          w.pool.add(incoming);
        }
        if (outgoing === undefined) continue;
        // It looked like income as long as what it spends was not known.
        if (incoming === undefined) w.pool.remove(outgoing.txHash);
        const known = w.outgoing.byHash(outgoing.txHash);
        if (known === undefined) {
          // Paid by another wallet with our keys.
          w.outgoing.insert({ ...outgoing, state: 'pending', destinations: [] });
          w.outputs.reserveByKeyImages(outgoing.keyImages, outgoing.txHash);
        } else if (known.state !== 'confirmed') {
          if (known.state !== 'pending') w.outgoing.setState(outgoing.txHash, 'pending');
          // Its inputs may have been found after it: it failed before, or the chain was read again.
          w.outputs.reserveByKeyImages(outgoing.keyImages, outgoing.txHash);
        }
      }
    });
    return fresh;
  }

  /** Payments undone while the spend key was put away take their inputs again, as far as those are free. */
  reserveLost(): void {
    const { file } = this.#session;
    const lost = file.read((r) =>
      r.outgoing
        .list({ states: ['prepared', 'pending'] })
        .flatMap(({ txHash, blob }) =>
          blob === undefined || r.outputs.spentBy(txHash).length > 0
            ? []
            : [{ txHash, keyImages: keyImagesOf(parseTransaction(blob)) }],
        ),
    );
    if (lost.length === 0) return;
    file.write((w) => {
      for (const { txHash, keyImages } of lost) w.outputs.reserveByKeyImages(keyImages, txHash);
    });
  }

  /**
   * Hands payments of ours that the pool lacks to the daemon again: its answer may have been lost, or it was
   * restarted. One that stays missing without being mined has failed, and its inputs are free.
   */
  async relayLost(): Promise<void> {
    this.reserveLost();
    const { file, log } = this.#session;
    const now = this.#session.now();
    const open = file.read((r) => r.outgoing.list({ states: ['prepared', 'pending'] }));
    for (const { txHash, blob, timestamp } of open) {
      const name = toHex(txHash);
      if (this.#present.has(name)) continue;
      const waited = now - timestamp;
      if (blob === undefined) {
        if (waited > MISSING_SECONDS) file.write((w) => w.fail(txHash));
        continue;
      }
      if (
        now - (this.#relayed.get(name) ?? timestamp) < RELAY_AGAIN_SECONDS &&
        waited >= 0 &&
        this.#relayed.has(name)
      )
        continue;
      this.#relayed.set(name, now);
      try {
        const { accepted, reason } = await this.#session.link.daemon().sendRawTransaction(blob);
        if (accepted) {
          file.write((w) => w.outgoing.setState(txHash, 'pending'));
          log.info({ txid: name }, 'a payment was relayed again');
        } else if (waited > MISSING_SECONDS) {
          file.write((w) => w.fail(txHash));
          log.warn({ txid: name, reason }, 'a payment failed: the network refuses it');
        }
      } catch (error) {
        if (!(error instanceof DaemonError)) throw error;
        return;
      }
    }
  }
}
