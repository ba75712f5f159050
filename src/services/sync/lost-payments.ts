import type { Hash } from '../../monero/crypto/types.js';
import { parseTransaction } from '../../monero/cryptonote/transaction.js';
import { DaemonError } from '../../daemon/errors.js';
import { CachedRead } from '../../store/cached-read.js';
import { toHex } from '../../util/bytes.js';
import { faultOf } from '../../model/wallet-error.js';
import { keyImagesOf } from '../../monero/wallet/exchange/pending-tx.js';
import type { OutgoingTx } from '../../monero/wallet/build/outgoing-tx.js';
import type { WalletContext } from '../context/wallet-context.js';
import { holdsNewestBlock, lacksNewestBlock } from './newest-block.js';
import type { PaymentRelay } from './payment-relay.js';
import { inputsOf, rivalSpends, type RivalSpend } from '../../store/tables/rival-spends.js';

type Context = Pick<WalletContext, 'store' | 'daemon' | 'timeBounds' | 'log' | 'assertOpen'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly relay: PaymentRelay;
}

/**
 * Shortest time between making a payment, or last seeing it, and failing it [s], because the privacy relay of the
 * network takes so long. Source: wallet2.cpp `process_unconfirmed_transfer`, which waits for 500 s.
 */
const PROPAGATION_SECONDS = 600;

/** Time since a payment was made or last seen, after which it fails even if no daemon refuses it [s]. */
const UNSEEN_SECONDS = 24 * 3600;

/** Shortest interval between two relays of one payment [s]. */
const RELAY_AGAIN_SECONDS = 60;

/** Shortest interval between two writes of the time at which a payment was last seen [s]. */
const SEEN_SECONDS = 3600;

const STATES = ['prepared', 'pending', 'failed'] as const;

/**
 * Handles own unmined payments that are missing in the pool. Relays a payment made here again, since the daemon's
 * answer may have been lost, or the daemon was restarted. Fails a payment, which frees its inputs, if it was missing in
 * two reads of the pool, with a block scanned between them, and
 * - it was made elsewhere, or the daemon refuses it: 600 seconds after it was made or last seen;
 * - in any other case: 24 hours after it was made or last seen, unless another listed daemon may hold it.
 *
 * A step of the clock fails no payment: these times are measured by {@link TimeBounds}.
 *
 * Fails a missing payment at once if a scanned block contains another transaction that spends one of its inputs, and
 * with each payment all payments that spend an output of it: a reorganisation may have returned both to the pool.
 *
 * One read of the pool is not enough: a block that is not scanned yet may contain the payment. A failed payment keeps
 * its blob and keys, and becomes pending or confirmed again if it is seen later. Source: wallet2.cpp
 * `update_pool_state`, `process_unconfirmed_transfer`.
 */
export class LostPayments {
  readonly #context: Context;
  readonly #services: Services;
  /** Time of the last relay of each payment [ms of `monotonic`], by transaction hash [hex]. */
  readonly #relayed = new Map<string, number>();
  /** Number of blocks that the wallet knew when a payment was first missing, by transaction hash [hex]. */
  readonly #missedAt = new Map<string, number>();
  readonly #hasOpen: CachedRead<boolean>;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    this.#hasOpen = new CachedRead(context.store, (r) => r.outgoing.hasUnmined());
  }

  /**
   * Marks payments that were recorded before the wallet was opened as pending, if their sending has no recorded end: a
   * daemon may have taken them, and their inputs are reserved. To be called once, before payments can be made.
   */
  adoptPrepared(): void {
    if (!this.#hasOpen.value) return;
    const prepared = this.#context.store.read((r) => r.outgoing.list({ states: ['prepared'] }));
    for (const { txHash } of prepared) this.#services.relay.markPending(txHash);
  }

  /**
   * Handles the payments that a read of the pool lacks. To be called after blocks and then the pool were read.
   * @param present hashes of all transactions in the pool [hex].
   */
  async follow(present: ReadonlySet<string>): Promise<void> {
    const { store } = this.#context;
    const { relay } = this.#services;
    const payments = this.#hasOpen.value ? store.read((r) => r.outgoing.list({ states: STATES })) : [];
    const open = new Set(payments.map(({ txHash }) => toHex(txHash)));
    for (const known of [this.#missedAt, this.#relayed])
      for (const name of known.keys()) if (!open.has(name)) known.delete(name);
    relay.routes.retain(open);
    let relays = true;
    for (const payment of payments) {
      if (present.has(toHex(payment.txHash))) this.#found(payment);
      // Once the daemon has not answered for one payment, the later payments are not sent.
      else if (payment.state !== 'failed')
        relays = await relay.exclusive(() => this.#missed(payment.txHash, relays));
    }
  }

  #found({ txHash, state, blob, seen = 0 }: OutgoingTx): void {
    this.#services.relay.routes.settle(toHex(txHash));
    this.#missedAt.delete(toHex(txHash));
    const now = this.#context.timeBounds.latest();
    if (state === 'pending' && Math.abs(now - seen) < SEEN_SECONDS) return;
    // The inputs of a failed payment without a blob become known only when it is scanned.
    if (state === 'failed' && blob === undefined) return;
    this.#context.store.write((w) => {
      w.outgoing.setSeen(txHash, now);
      w.markPending(txHash);
      if (state === 'failed' && blob !== undefined)
        w.outputs.reserveByKeyImages(keyImagesOf(parseTransaction(blob)), txHash, { seen: true });
    });
  }

  /**
   * Handles one missing payment. @param relays true if the payment may be sent. @returns true if later payments may be
   * sent.
   */
  async #missed(txHash: Hash, relays: boolean): Promise<boolean> {
    const { store } = this.#context;
    const { relay } = this.#services;
    this.#context.assertOpen();
    // The payment is read again, because it may have changed while other payments were sent.
    const payment = store.read((r) => r.outgoing.byHash(txHash));
    if (payment === undefined || (payment.state !== 'prepared' && payment.state !== 'pending')) return relays;
    const { blob } = payment;
    const name = toHex(txHash);
    const height = this.#context.store.height();
    const missedAt = this.#missedAt.get(name) ?? height;
    this.#missedAt.set(name, missedAt);
    const rival = this.#minedRival(payment);
    if (rival !== undefined) {
      this.#fail(txHash, `a block contains ${toHex(rival.txHash)}, which spends an input of it`);
      return relays;
    }
    // No call is sending the payment now: either its process has ended since, or the store has failed.
    if (payment.state === 'prepared') relay.markPending(txHash);
    const isGone = height > missedAt;
    const age = this.#ageOf(payment);
    const mayFail = isGone && age > PROPAGATION_SECONDS;
    if (blob === undefined && mayFail) this.#fail(txHash, 'the pool does not hold it');
    else if (isGone && age > UNSEEN_SECONDS && !relay.routes.isElsewhere(payment))
      this.#fail(txHash, 'neither pool nor chain held it for 24 hours');
    else if (blob !== undefined && relays) return this.#relayAgain(txHash, blob, mayFail);
    return relays;
  }

  /**
   * Returns the least time that has passed since a payment was made or last seen [s]; 0, and counting from now on, if a
   * wrong clock has dated the payment ahead.
   */
  #ageOf({ txHash, timestamp, seen }: OutgoingTx): number {
    const { store, timeBounds } = this.#context;
    const dates = [timestamp, seen ?? timestamp].filter((date) => !timeBounds.isAhead(date));
    if (dates.length > 0) return timeBounds.earliest() - Math.max(...dates);
    store.write((w) => w.outgoing.setSeen(txHash, timeBounds.latest()));
    return 0;
  }

  /** Finds a mined transaction that spends an input of a payment, other than the payment itself. */
  #minedRival({ txHash, amountIn, blob }: OutgoingTx): RivalSpend | undefined {
    if (blob === undefined) return undefined;
    return this.#context.store.read((r) => {
      const reserved = r.outputs.spentBy(txHash).reduce((total, output) => total + output.amount, 0n);
      if (reserved === amountIn) return undefined;
      const inputs = inputsOf(r, { inputKeys: [], keyImages: keyImagesOf(parseTransaction(blob)) });
      return rivalSpends(inputs, txHash).find(({ height }) => height !== undefined);
    });
  }

  /**
   * Relays a payment again. @param mayFail true: the payment fails if the daemon refuses it.
   * @returns true if later payments may be sent.
   */
  async #relayAgain(txHash: Hash, blob: Uint8Array, mayFail: boolean): Promise<boolean> {
    const { log } = this.#context;
    const { relay } = this.#services;
    const txid = toHex(txHash);
    const now = this.#context.timeBounds.monotonic();
    const last = this.#relayed.get(txid);
    if (last !== undefined && now - last < RELAY_AGAIN_SECONDS * 1000) return true;
    this.#relayed.set(txid, now);
    try {
      const outcome = await relay.send(txHash, blob);
      if (outcome === 'unanswered') return false;
      if (outcome === 'accepted') log.info({ txid }, 'a payment was relayed again');
    } catch (error) {
      if (error instanceof DaemonError) {
        log.warn({ txid, kind: error.kind, code: error.code }, 'a payment could not be relayed again');
        return false;
      }
      const fault = faultOf(error);
      if (fault?.kind !== 'tx_rejected') throw error;
      this.#context.assertOpen();
      if (mayFail) this.#fail(txHash, `the daemon refuses it: ${fault.reason}`);
    }
    return true;
  }

  /**
   * Fails at once all payments that the daemon has in neither pool nor chain, except payments that another listed
   * daemon may hold.
   * @throws DaemonError; WalletError `daemon_misbehaves` if the daemon lacks such payments and also the newest scanned
   * block. Source: wallet2.cpp `rescan_spent`, which frees outputs that the daemon reports as unspent.
   */
  async failUnheld(): Promise<void> {
    const { store, daemon } = this.#context;
    const { relay } = this.#services;
    await relay.exclusive(async () => {
      const open = store.read((r) => r.outgoing.list({ states: ['prepared', 'pending'] }));
      if (open.length === 0) return;
      const hashes = open.map(({ txHash }) => txHash);
      const client = daemon.client();
      // The newest block is checked before the daemon is asked for payments: a daemon that is catching up may have
      // lacked the payments of its newest blocks.
      const isCurrent = await holdsNewestBlock(this.#context, client);
      const { transactions } = await client.getTransactions(hashes, { prune: true });
      this.#context.assertOpen();
      const present = new Set(transactions.map(({ hash }) => toHex(hash)));
      if (!isCurrent && hashes.some((hash) => !present.has(toHex(hash))))
        throw lacksNewestBlock('lacks own payments');
      for (const payment of open) {
        if (present.has(toHex(payment.txHash)) || !(await relay.routes.mayLeave(payment))) continue;
        this.#context.assertOpen();
        this.#fail(payment.txHash, 'the daemon holds it in neither pool nor chain');
      }
    });
  }

  #fail(txHash: Hash, reason: string): void {
    const { store, log } = this.#context;
    const [failed, ...spenders] = store.write((w) => w.fail(txHash));
    this.#missedAt.delete(toHex(txHash));
    const report = (hash: Hash, why: string): void =>
      log.warn({ txid: toHex(hash), reason: why }, 'a payment failed; its inputs can be spent again');
    if (failed !== undefined) report(failed, reason);
    for (const spender of spenders) report(spender, `it spends an output of ${toHex(txHash)}, which failed`);
  }
}
