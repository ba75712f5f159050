import { AccountTagWriter } from './tables/account-tags.js';
import { AccountWriter, SubaddressWriter } from './tables/accounts.js';
import { AddressBookWriter } from './tables/address-book.js';
import { ArrivalWriter } from './tables/arrivals.js';
import { AttributeWriter, MetaWriter } from './tables/meta.js';
import { ChainWriter } from './tables/chain.js';
import { CredentialSpendWriter } from './tables/credential-spends.js';
import type { SqlDatabase } from '../util/sql-database.js';
import { EventIds } from './file/event-ids.js';
import { DEFAULT_CONFIRMATIONS, EventLog, type EventSettings } from './events/event-log.js';
import { ImportedOutputWriter } from './tables/imported-outputs.js';
import { recogniseSpends } from './resolve-key-images.js';
import { EventMarkWriter } from './tables/events.js';
import { MultisigWriter } from './tables/multisig.js';
import { NotifiedTxWriter, NoteWriter, TxKeyWriter } from './tables/tx-notes.js';
import { OrderWriter } from './tables/orders.js';
import { OutgoingWriter } from './tables/outgoing.js';
import { OutputWriter } from './tables/output-writer.js';
import type { OutputRef } from '../monero/wallet/select/spendable-outputs.js';
import { PaymentRequestWriter } from './tables/payment-requests.js';
import { PaymentWriter } from './tables/payments.js';
import { PayoutWriter } from './tables/payouts.js';
import { RefundReader } from './tables/refunds.js';
import { AmbiguousSpendWriter } from './tables/ambiguous-spends.js';
import { LostAddressWriter } from './tables/lost-addresses.js';
import { LostInputWriter } from './tables/lost-inputs.js';
import { PoolWriter } from './tables/pool.js';
import { SearchedAddressWriter } from './tables/searched-addresses.js';
import { ImportedKeyImageWriter } from './tables/imported-key-images.js';
import { FOUND_IN_BLOCKS, UnprovenBlockWriter } from './tables/unproven-blocks.js';
import { WebhookDeliveryWriter } from './tables/webhook-deliveries.js';
import { WebhookWriter } from './tables/webhooks.js';
import type { Hash, SecretKey } from '../monero/crypto/types.js';
import { amount } from '../util/amount.js';
import type {
  FoundOutgoing,
  OwnedOutput,
  PageFindings,
  ReplacedBlocks,
  TxFindings,
} from '../monero/wallet/scan/findings.js';
import type { OutgoingTx } from '../monero/wallet/build/outgoing-tx.js';

/** Returns event settings for a store whose event ids need not be unique across stores. */
export const ownEvents = (): EventSettings => ({ ids: new EventIds(), confirmations: DEFAULT_CONFIRMATIONS });

/** A value above all heights. */
const MAX_HEIGHT = Number.MAX_SAFE_INTEGER;

/** SQL that returns 1 if any row except blocks comes from the blocks in a range of heights, else 0. */
const HAS_FOUND = `SELECT ${FOUND_IN_BLOCKS.map(
  ([table, height]) => `EXISTS (SELECT 1 FROM ${table} WHERE ${height} BETWEEN :from AND :to)`,
).join(' OR ')}`;

/** Number of blocks that are deleted for every row of another table. */
const BLOCKS_A_ROW = 10;

/**
 * SQL that returns the greatest height at or above which some table has more than a given number of rows from blocks;
 * NULL if no table has so many rows.
 */
const NTH_FROM_TOP = `SELECT max(height) FROM (${[
  ...FOUND_IN_BLOCKS.map(
    ([table, height]) =>
      `SELECT * FROM (SELECT ${height} AS height FROM ${table} WHERE ${height} IS NOT NULL
         ORDER BY ${height} DESC LIMIT 1 OFFSET :rows)`,
  ),
  `SELECT * FROM (SELECT height FROM chain_block ORDER BY height DESC LIMIT 1 OFFSET ${BLOCKS_A_ROW} * :rows)`,
].join(' UNION ALL ')})`;

/** Options of {@link WalletWriter.applyPage}. */
export interface PageOptions {
  /** True: the inputs of undone payments are freed, even if the payments can be relayed again. */
  readonly freeInputs?: boolean;
  /**
   * Is called before the commit if the page replaces blocks, or transactions at its heights that were scanned out of
   * order. The replaced transactions may be in the mempool now.
   * @param blocks replaced blocks; undefined if only transactions that were scanned out of order were replaced.
   */
  readonly onReplaced?: (blocks: ReplacedBlocks | undefined) => void;
}

/** Writes a wallet's store. Exists only for the tasks of `WalletStore.write` and `writeRecoverable`. */
export class WalletWriter {
  readonly meta: MetaWriter;
  readonly chain: ChainWriter;
  readonly outputs: OutputWriter;
  readonly payments: PaymentWriter;
  readonly outgoing: OutgoingWriter;
  readonly txKeys: TxKeyWriter;
  readonly notes: NoteWriter;
  readonly pool: PoolWriter;
  readonly accounts: AccountWriter;
  readonly subaddresses: SubaddressWriter;
  readonly searched: SearchedAddressWriter;
  readonly lostAddresses: LostAddressWriter;
  readonly accountTags: AccountTagWriter;
  readonly ambiguousSpends: AmbiguousSpendWriter;
  readonly lostInputs: LostInputWriter;
  readonly addressBook: AddressBookWriter;
  readonly attributes: AttributeWriter;
  readonly unproven: UnprovenBlockWriter;
  readonly imported: ImportedOutputWriter;
  readonly importedKeyImages: ImportedKeyImageWriter;
  readonly multisig: MultisigWriter;
  readonly orders: OrderWriter;
  readonly requests: PaymentRequestWriter;
  readonly payouts: PayoutWriter;
  readonly refunds: RefundReader;
  readonly arrivals: ArrivalWriter;
  readonly credentialSpends: CredentialSpendWriter;
  readonly events: EventLog;
  readonly eventMarks: EventMarkWriter;
  readonly notifiedTxs: NotifiedTxWriter;
  readonly webhooks: WebhookWriter;
  readonly webhookDeliveries: WebhookDeliveryWriter;
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase, events: EventSettings = ownEvents()) {
    this.#db = db;
    this.meta = new MetaWriter(db);
    this.chain = new ChainWriter(db);
    this.outputs = new OutputWriter(db, (txHash) => this.events.touch(txHash));
    this.payments = new PaymentWriter(db);
    this.outgoing = new OutgoingWriter(db);
    this.txKeys = new TxKeyWriter(db);
    this.notes = new NoteWriter(db);
    this.pool = new PoolWriter(db);
    this.accounts = new AccountWriter(db);
    this.subaddresses = new SubaddressWriter(db);
    this.searched = new SearchedAddressWriter(db);
    this.lostAddresses = new LostAddressWriter(db);
    this.accountTags = new AccountTagWriter(db);
    this.ambiguousSpends = new AmbiguousSpendWriter(db);
    this.lostInputs = new LostInputWriter(db);
    this.addressBook = new AddressBookWriter(db);
    this.attributes = new AttributeWriter(db);
    this.unproven = new UnprovenBlockWriter(db);
    this.imported = new ImportedOutputWriter(db);
    this.importedKeyImages = new ImportedKeyImageWriter(db);
    this.multisig = new MultisigWriter(db);
    this.orders = new OrderWriter(db);
    this.requests = new PaymentRequestWriter(db);
    this.payouts = new PayoutWriter(db);
    this.refunds = new RefundReader(db);
    this.arrivals = new ArrivalWriter(db);
    this.credentialSpends = new CredentialSpendWriter(db);
    this.events = new EventLog(db, this, events);
    this.eventMarks = new EventMarkWriter(db);
    this.notifiedTxs = new NotifiedTxWriter(db);
    this.webhooks = new WebhookWriter(db);
    this.webhookDeliveries = new WebhookDeliveryWriter(db);
  }

  /** Stores a page of blocks, after undoing the blocks that it replaces. */
  applyPage(
    page: PageFindings,
    { freeInputs = false, onReplaced = () => undefined }: PageOptions = {},
  ): void {
    const last = page.startHeight + page.hashes.length - 1;
    const tip = this.chain.tip()?.height ?? -1;
    const replaced = page.startHeight > tip ? undefined : this.chain.replacedFrom(page.startHeight);
    this.events.startPage(page, replaced);
    if (page.startHeight <= tip || tip < 0) this.#reachDownTo(page.startHeight);
    // If the page extends the chain, rows above it come from `addFound`; they are kept until the chain reaches them.
    const extendsChain = page.startHeight > tip;
    if (!extendsChain) this.#dropBlocks(page.startHeight);
    else if (tip >= 0 && page.startHeight > tip + 1 && this.meta.get('skipped_from') === undefined)
      this.meta.set('skipped_from', String(tip + 1));
    const hasUndone = this.#detachFound(page.startHeight, extendsChain ? last : MAX_HEIGHT, freeInputs);
    this.chain.attach(page.startHeight, page.hashes);
    this.subaddresses.add(page.subaddresses);
    for (const tx of page.received) {
      if (this.payments.add(tx)) continue;
      // `addFound` stored the transaction at another height, which it has lost in a reorganisation.
      this.events.touch(tx.txHash);
      this.outputs.removeTx(tx.txHash);
      this.payments.remove(tx.txHash);
      this.payments.add(tx);
    }
    if (this.pool.hashes().length > 0) for (const { txHash } of page.received) this.pool.remove(txHash);
    this.#addOutputs(page.outputs, freeInputs);
    this.accounts.reachAll(page.outputs.map(({ subaddress }) => subaddress));
    for (const spend of page.spends) this.outputs.markSpent(spend);
    for (const tx of page.outgoing) this.outgoing.confirm(this.#credited(tx));
    for (const spend of page.ambiguousSpends ?? []) this.ambiguousSpends.add(spend);
    // Key images may have been imported while the page was scanned.
    for (const { spentKeyImages = [] } of page.received) recogniseSpends(this, spentKeyImages);
    if (page.hashes.length > 0) this.imported.clear();
    this.events.endPage(page);
    this.outgoing.dropSettledBlobs(last);
    if (hasUndone || !extendsChain) onReplaced(replaced);
  }

  /**
   * Lowers the restore height to the height of a scanned block, so that a rescan finds the transactions in that block
   * again.
   */
  #reachDownTo(height: number): void {
    const restore = this.meta.get('restore_height');
    if (restore !== undefined && height < Number(restore)) this.meta.set('restore_height', String(height));
  }

  /** True if storing a page without findings above the stored blocks changes nothing but the blocks. */
  get isAtRest(): boolean {
    const tip = this.chain.tip()?.height;
    return (
      tip !== undefined &&
      this.imported.isEmpty() &&
      this.events.isAtRest &&
      // Deeper payments have reached every stage; rows above the tip come from `addFound`.
      !this.#hasFound(tip - this.events.deepestStage + 2, MAX_HEIGHT)
    );
  }

  /** Returns true if any row except blocks comes from the blocks at the heights from `from` to `to`, both inclusive. */
  #hasFound(from: number, to: number): boolean {
    return this.#db.value<number>(HAS_FOUND, { from, to }) !== 0;
  }

  /** Stores mined transactions that were scanned outside of chain order; adds missing data to known transactions. */
  addFound(found: TxFindings): void {
    for (const { txHash } of [...found.received, ...found.outgoing]) this.events.touch(txHash);
    this.subaddresses.add(found.subaddresses);
    for (const tx of found.received) {
      this.payments.add(tx);
      this.pool.remove(tx.txHash);
    }
    const fresh = found.outputs.filter((output) => !this.outputs.has(output));
    for (const output of found.outputs) this.outputs.setChange(output);
    this.#addOutputs(fresh, false);
    this.accounts.reachAll(found.outputs.map(({ subaddress }) => subaddress));
    for (const spend of found.spends) this.outputs.markSpent(spend);
    for (const tx of found.outgoing) this.outgoing.confirmAgain(this.#credited(tx));
    for (const spend of found.ambiguousSpends ?? []) this.ambiguousSpends.add(spend);
    // Key images may have been imported while these transactions were scanned.
    for (const { spentKeyImages = [] } of found.received) recogniseSpends(this, spentKeyImages);
    this.events.settle();
  }

  /**
   * Stores the findings of blocks that were read again for addresses that were not watched before, and records that
   * these blocks were read again.
   */
  addMissed(page: PageFindings): void {
    this.addFound(page);
    this.searched.advance(page.startHeight, page.startHeight + page.hashes.length);
  }

  /**
   * Adds outputs. An output that is spent by a payment which a reorganisation has left unmined is reserved for this
   * payment again.
   * @param freeInputs true: such outputs are not reserved.
   */
  #addOutputs(outputs: readonly OwnedOutput[], freeInputs: boolean): void {
    this.outputs.addAll(outputs);
    if (freeInputs) return;
    for (const { output, payment } of this.lostInputs.takeFound(outputs)) {
      const state = this.outgoing.byHash(payment)?.state;
      const found = this.outputs.byRef(output);
      if (found !== undefined && (state === 'prepared' || state === 'pending'))
        this.outputs.reserveAgain(found, payment);
    }
  }

  /** Deletes what a transaction pays the wallet, and reports it as reversed. */
  #takeBack(txHash: Hash): void {
    this.events.touch(txHash);
    this.outputs.removeTx(txHash);
    this.payments.remove(txHash);
    this.events.settle();
  }

  /** Returns a payment whose change is reduced by amounts on reused keys, which the wallet cannot spend. */
  #credited<T extends FoundOutgoing>(tx: T): T {
    const uncredited = this.outputs.uncredited(tx.txHash, tx.account);
    return uncredited === 0n ? tx : { ...tx, change: amount(tx.change - uncredited) };
  }

  /** Deletes all rows from blocks at the heights from `from` to `to`, both inclusive. */
  detach(from: number, to: number = MAX_HEIGHT): void {
    this.#dropBlocks(from);
    this.#detachFound(from, to, false);
  }

  /** Deletes blocks from a height on. A refresh reads all blocks again from there, and proves them. */
  #dropBlocks(from: number): void {
    this.chain.drop(from);
    this.unproven.lower(from);
    if (from <= Number(this.meta.get('skipped_from') ?? -1)) this.meta.remove('skipped_from');
  }

  /**
   * Deletes rows as {@link detach}, but keeps the blocks. Most pages find no rows to delete, which one statement finds
   * out in place of ten.
   * @returns true if rows were deleted.
   */
  #detachFound(from: number, to: number, freeInputs: boolean): boolean {
    if (!this.#hasFound(from, to)) return false;
    if (!freeInputs) this.lostInputs.detach(from, to);
    this.outputs.detach(from, to, freeInputs);
    this.payments.detach(from, to);
    this.outgoing.detach(from, to);
    this.ambiguousSpends.detach(from, to);
    return true;
  }

  /** Computes the derived columns of outputs with reused keys in a store of an earlier version. */
  recomputeReusedKeys(): void {
    this.outputs.recomputeReusedKeys();
    this.meta.remove('reused_keys');
  }

  /**
   * Records a payment that is about to be relayed: the transaction, its secret keys if this wallet has them, and its
   * inputs. A payment that had failed before keeps its recorded keys and destinations.
   */
  prepare(tx: OutgoingTx, inputs: readonly OutputRef[], txKeys: readonly SecretKey[]): void {
    this.outgoing.removeFailed(tx.txHash);
    this.outgoing.insert(tx);
    this.outputs.reserve(inputs, tx.txHash);
    if (txKeys.length > 0 || this.txKeys.get(tx.txHash) === undefined) this.txKeys.set(tx.txHash, txKeys);
  }

  /**
   * Marks a recorded payment as pending, because the daemon has accepted it or the mempool contains it. A mined payment
   * stays `confirmed`.
   */
  markPending(txHash: Hash): void {
    if (this.outgoing.setState(txHash, 'pending')) this.events.relayed(txHash);
  }

  /**
   * Records a payment that the mempool contains and that is not recorded: another wallet with the same keys made it, or
   * a daemon had refused it before.
   */
  addPending(tx: Omit<OutgoingTx, 'state'>): void {
    this.outgoing.insertSeen(tx);
    this.events.relayed(tx.txHash);
  }

  /**
   * Marks an unmined payment as failed and frees its inputs. Unmined payments that spend an output of the failed
   * payment fail, too: without the payment no block can contain them, and the balance does not count them.
   * @returns hashes of the payments that failed, this payment first; empty if it is mined or had already failed.
   */
  fail(txHash: Hash): Hash[] {
    if (!this.outgoing.setState(txHash, 'failed')) return [];
    this.outputs.release(txHash);
    this.events.failed(txHash);
    return [txHash, ...this.lostInputs.spendersOf(txHash).flatMap((spender) => this.fail(spender))];
  }

  /** Marks a payment that had failed before and was refused again as failed, and frees its inputs. */
  refuseAgain(txHash: Hash): void {
    if (this.outgoing.setState(txHash, 'failed')) this.outputs.release(txHash);
  }

  /** Removes a transaction from the incoming payments of the mempool, because it is a transfer of the wallet itself. */
  removeIncoming(txHash: Hash): void {
    this.pool.remove(txHash);
    this.events.notIncoming(txHash);
  }

  /** Removes a payment that was never sent, together with its keys and destinations. */
  discard(txHash: Hash): void {
    this.outputs.release(txHash);
    this.outgoing.remove(txHash);
    this.txKeys.remove(txHash);
  }

  /**
   * Removes a payment whose first relay was refused from the list of payments. Its keys, and its data that cannot be
   * read from the chain, are kept, because the daemon may have relayed it nevertheless.
   */
  refuse(txHash: Hash): void {
    this.outputs.release(txHash);
    this.outgoing.forget(txHash);
    this.orders.withdraw(txHash, 'refused');
  }

  /**
   * Records a transaction as the signed form of every transaction set with the same rings. A payment that another
   * wallet recorded gets the destinations of the set.
   */
  recogniseSigned(rings: Hash, txHash: Hash): void {
    const [attempt] = this.orders.sign(rings, txHash);
    if (attempt !== undefined) this.outgoing.describe(txHash, attempt.made.destinations);
  }

  /**
   * Deletes a part of the rows that come from the chain, from the highest blocks down, as if the chain ended below
   * them. The last call deletes the rows that belong to no block. Notes are kept, as in the reference. Refreshes and
   * rescans may run between two calls.
   * @param hard true: also deletes transaction keys, destinations, unmined payments except payments of orders, and the
   * multisig info of other signers. Source: wallet2.cpp `clear`, `clear_soft`.
   * @param rows approximate number of rows to delete from each table.
   * @param downTo height from which on rows are deleted; above 0, rows that belong to no block are kept.
   * @param wrong transaction whose payments the chain contradicts: they are reported as reversed, even if the scan finds
   * them again with other facts.
   * @returns true when all rows are deleted.
   */
  clearNext({
    hard,
    rows,
    downTo = 0,
    wrong,
  }: {
    readonly hard: boolean;
    readonly rows: number;
    readonly downTo?: number;
    readonly wrong?: Hash;
  }): boolean {
    const from = Math.max(downTo, this.#db.value<number | null>(NTH_FROM_TOP, { rows }) ?? 0);
    if (from === downTo && wrong !== undefined) this.#takeBack(wrong);
    this.events.rescan(from);
    this.detach(from);
    if (from > 0) return from === downTo;
    if (hard) this.events.rescanUnmined();
    this.pool.clear();
    if (!hard) return true;
    this.outgoing.clear();
    this.multisig.clearInfos();
    this.txKeys.clear();
    return true;
  }
}
