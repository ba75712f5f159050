import { AccountTagWriter } from './account-tags.js';
import { AccountWriter, SubaddressWriter } from './accounts.js';
import { AddressBookWriter } from './address-book.js';
import { AttributeWriter } from './attributes.js';
import { ChainWriter } from './chain.js';
import { type Db } from './database.js';
import { ImportedOutputWriter } from './imported-outputs.js';
import { recogniseSpends } from './learn-key-images.js';
import { MetaWriter } from './meta.js';
import { MultisigWriter } from './multisig.js';
import { NoteWriter, OutgoingWriter, TxKeyWriter } from './outgoing.js';
import { OutputWriter } from './output-writer.js';
import type { OutputRef } from './outputs.js';
import { PaymentWriter } from './payments.js';
import { PossibleSpendWriter } from './possible-spends.js';
import { PoolWriter } from './pool.js';
import { ToldKeyImageWriter } from './told-key-images.js';
import type { Hash, SecretKey } from '../crypto/types.js';
import type { OutgoingTx, PageFindings, TxFindings } from '../wallet/records.js';

/** Above all heights. */
const MAX_HEIGHT = Number.MAX_SAFE_INTEGER;

/** Changes a wallet's store; handed out by `WalletFile.write` alone. */
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
  readonly accountTags: AccountTagWriter;
  readonly possibleSpends: PossibleSpendWriter;
  readonly addressBook: AddressBookWriter;
  readonly attributes: AttributeWriter;
  readonly imported: ImportedOutputWriter;
  readonly toldKeyImages: ToldKeyImageWriter;
  readonly multisig: MultisigWriter;
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
    this.meta = new MetaWriter(db);
    this.chain = new ChainWriter(db);
    this.outputs = new OutputWriter(db);
    this.payments = new PaymentWriter(db);
    this.outgoing = new OutgoingWriter(db);
    this.txKeys = new TxKeyWriter(db);
    this.notes = new NoteWriter(db);
    this.pool = new PoolWriter(db);
    this.accounts = new AccountWriter(db);
    this.subaddresses = new SubaddressWriter(db);
    this.accountTags = new AccountTagWriter(db);
    this.possibleSpends = new PossibleSpendWriter(db);
    this.addressBook = new AddressBookWriter(db);
    this.attributes = new AttributeWriter(db);
    this.imported = new ImportedOutputWriter(db);
    this.toldKeyImages = new ToldKeyImageWriter(db);
    this.multisig = new MultisigWriter(db);
  }

  /**
   * Puts a page of blocks into the store: undo of what it replaces comes before redo.
   * @param freeInputs payments that it undoes hold their inputs no longer, though they can be relayed again.
   */
  applyPage(page: PageFindings, { freeInputs = false }: { readonly freeInputs?: boolean } = {}): void {
    const last = page.startHeight + page.hashes.length - 1;
    const tip = this.chain.tip()?.height ?? -1;
    // What lies beyond a page that continues the chain was read out of turn, and stands until the chain gets there.
    this.detach(page.startHeight, page.startHeight > tip ? last : MAX_HEIGHT, freeInputs);
    this.chain.attach(page.startHeight, page.hashes);
    this.subaddresses.add(page.subaddresses);
    for (const tx of page.received) {
      // Read out of turn, at a height that a reorganisation has taken from it.
      if (this.payments.has(tx.txHash)) this.#forget(tx.txHash);
      this.payments.add(tx);
      this.pool.remove(tx.txHash);
    }
    for (const output of page.outputs) {
      this.outputs.add(output);
      this.accounts.reach(output.subaddress);
    }
    for (const spend of page.spends) this.outputs.markSpent(spend);
    for (const tx of page.outgoing) this.outgoing.confirm(tx);
    for (const spend of page.possibleSpends ?? []) this.possibleSpends.add(spend);
    // A key image may have been told while the page was on its way.
    for (const { spentKeyImages = [] } of page.received) recogniseSpends(this, spentKeyImages);
    if (page.hashes.length > 0) this.imported.clear();
    this.outgoing.settle(last);
  }

  /** Puts transactions of the chain into the store that were read out of turn; of those known already it adds what is missing. */
  addFound(found: TxFindings): void {
    this.subaddresses.add(found.subaddresses);
    for (const tx of found.received) {
      if (!this.payments.has(tx.txHash)) this.payments.add(tx);
      this.pool.remove(tx.txHash);
    }
    for (const output of found.outputs) {
      if (this.outputs.has(output)) this.outputs.setChange(output);
      else this.outputs.add(output);
      this.accounts.reach(output.subaddress);
    }
    for (const spend of found.spends) this.outputs.markSpent(spend);
    for (const tx of found.outgoing) this.outgoing.confirmAnew(tx);
    for (const spend of found.possibleSpends ?? []) this.possibleSpends.add(spend);
    // A key image may have been told while they were looked at.
    for (const { spentKeyImages = [] } of found.received) recogniseSpends(this, spentKeyImages);
  }

  /** A transaction that paid us, and what it paid. */
  #forget(txHash: Hash): void {
    this.outputs.freezeUnseen(this.outputs.ofTx(txHash).filter(({ frozen }) => frozen));
    this.payments.remove(txHash);
  }

  /** Forgets what blocks from one height to another, both inclusive, hold. */
  detach(from: number, to: number = MAX_HEIGHT, freeInputs = false): void {
    this.chain.drop(from);
    this.outputs.detach(from, to, freeInputs);
    this.payments.detach(from, to);
    this.outgoing.detach(from, to);
    this.possibleSpends.detach(from, to);
  }

  /** A payment is about to be relayed: it, its keys if this wallet has them, and its inputs are recorded together. */
  prepare(tx: OutgoingTx, inputs: readonly OutputRef[], txKeys: readonly SecretKey[]): void {
    this.outgoing.insert(tx);
    this.outputs.reserve(inputs, tx.txHash);
    if (txKeys.length > 0 || this.txKeys.get(tx.txHash) === undefined) this.txKeys.set(tx.txHash, txKeys);
  }

  /** A payment was refused by the network: its inputs are free again. */
  fail(txHash: Hash): void {
    this.outgoing.setState(txHash, 'failed');
    this.outputs.release(txHash);
  }

  /** A payment that never left: nothing of it stays. */
  discard(txHash: Hash): void {
    this.outputs.release(txHash);
    this.outgoing.remove(txHash);
    this.#db.prepare('DELETE FROM tx_secret_key WHERE tx_hash = ?').run(txHash);
  }

  /**
   * Forgets what the chain can tell. @param hard what it cannot tell of payments too: keys and destinations. Notes
   * stay, as they do upstream. Source: wallet2.cpp `clear`, `clear_soft`.
   */
  clearChain({ hard }: { readonly hard: boolean }): void {
    this.detach(0);
    this.pool.clear();
    if (!hard) return;
    for (const table of ['outgoing_destination', 'outgoing_fact', 'outgoing_tx', 'tx_secret_key'])
      this.#db.prepare(`DELETE FROM ${table}`).run();
  }
}
