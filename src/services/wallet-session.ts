import type { Logger } from 'pino';
import { parseAddress } from '../cryptonote/address.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { WalletLock } from '../store/lock.js';
import type { WalletFile } from '../store/wallet-file.js';
import { amount, type Amount } from '../util/amount.js';
import { WalletError } from '../wallet/fault.js';
import type { ExportFormat } from '../wallet/exported-outputs.js';
import { wipeKeys, type WalletKeys } from '../wallet/keys.js';
import { Accounts } from './accounts.js';
import { AccountTags } from './account-tags.js';
import { AddressBook } from './address-book.js';
import { Annotations } from './annotations.js';
import { BackgroundSync } from './background-sync.js';
import { Balances } from './balances.js';
import { ChainSync } from './chain-sync.js';
import { ColdSigning } from './cold-signing.js';
import type { WalletEvents } from './events.js';
import { ExportSealer } from './export-sealer.js';
import { FeeMarket } from './fee-market.js';
import { History } from './history.js';
import type { KeyKeeper } from './key-keeper.js';
import { Mining } from './mining.js';
import type { OpenAlias } from './open-alias.js';
import { KeyImageExchange } from './key-image-exchange.js';
import { MultisigExchange } from './multisig-exchange.js';
import { MultisigSigning } from './multisig-signing.js';
import { OutputExchange } from './output-exchange.js';
import { OutputStates } from './output-states.js';
import { PaymentMaker } from './payment-maker.js';
import { PendingPayments } from './pending-payments.js';
import { Proofs } from './proofs.js';
import { Sweeps } from './sweeps.js';
import { TxScan } from './tx-scan.js';
import { Transfers } from './transfers.js';
import type { DaemonLink } from './daemon-link.js';
import type { WalletPaths } from './wallet-directory.js';

/** What an open wallet is made of. */
export interface SessionParts {
  /** Absent for a wallet in memory. */
  readonly paths?: WalletPaths;
  readonly keys: WalletKeys;
  readonly keyKeeper: KeyKeeper;
  readonly file: WalletFile;
  readonly lock?: WalletLock;
  readonly kdfRounds: number;
  readonly exportFormat: ExportFormat;
  readonly link: DaemonLink;
  readonly openAlias: OpenAlias;
  readonly events: WalletEvents;
  readonly log: Logger;
}

/** One open wallet: its keys, its store, and the services over both. */
export class WalletSession {
  readonly name: string;
  readonly keyKeeper: KeyKeeper;
  readonly file: WalletFile;
  readonly link: DaemonLink;
  readonly openAlias: OpenAlias;
  readonly log: Logger;
  readonly accounts: Accounts;
  readonly tags: AccountTags;
  readonly addressBook: AddressBook;
  readonly annotations: Annotations;
  readonly balances: Balances;
  readonly backgroundSync: BackgroundSync;
  readonly history: History;
  readonly feeMarket: FeeMarket;
  readonly payments: PaymentMaker;
  readonly pending: PendingPayments;
  readonly transfers: Transfers;
  readonly sweeps: Sweeps;
  readonly outputStates: OutputStates;
  readonly txScan: TxScan;
  readonly mining: Mining;
  readonly proofs: Proofs;
  /** Seals what other wallets with these keys are to read. */
  readonly exports: ExportSealer;
  readonly outputExchange: OutputExchange;
  readonly keyImageExchange: KeyImageExchange;
  readonly coldSigning: ColdSigning;
  readonly multisigExchange: MultisigExchange;
  readonly multisigSigning: MultisigSigning;
  readonly sync: ChainSync;
  readonly #parts: SessionParts;
  #closed = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.name = parts.paths?.name ?? '';
    this.keyKeeper = parts.keyKeeper;
    this.file = parts.file;
    this.link = parts.link;
    this.openAlias = parts.openAlias;
    this.log = parts.log;
    this.accounts = new Accounts(this);
    this.tags = new AccountTags(this);
    this.addressBook = new AddressBook(this);
    this.annotations = new Annotations(this);
    this.balances = new Balances(this);
    this.backgroundSync = new BackgroundSync(this);
    this.history = new History(this);
    this.feeMarket = new FeeMarket(this);
    this.payments = new PaymentMaker(this);
    this.transfers = new Transfers(this);
    this.sweeps = new Sweeps(this);
    this.outputStates = new OutputStates(this);
    this.txScan = new TxScan(this);
    this.mining = new Mining(this);
    this.proofs = new Proofs(this);
    this.exports = new ExportSealer(parts.keys, parts.kdfRounds, parts.link.rng);
    this.outputExchange = new OutputExchange(this);
    this.keyImageExchange = new KeyImageExchange(this);
    this.coldSigning = new ColdSigning(this);
    this.multisigExchange = new MultisigExchange(this);
    this.multisigSigning = new MultisigSigning(this);
    this.pending = new PendingPayments(this);
    this.sync = new ChainSync(this, parts.events);
  }

  /** For what goes on after a wait. @throws WalletError `no_wallet` once it is closed */
  assertOpen(): void {
    if (this.#closed) throw new WalletError({ kind: 'no_wallet' });
  }

  get exportFormat(): ExportFormat {
    return this.#parts.exportFormat;
  }

  get keys(): WalletKeys {
    return this.keyKeeper.keys;
  }

  get isViewOnly(): boolean {
    return this.keyKeeper.isViewOnly;
  }

  /** Absent for a wallet in memory. */
  get paths(): WalletPaths | undefined {
    return this.#parts.paths;
  }

  /** Number of blocks known. */
  height(): number {
    return (this.file.read((r) => r.chain.tip())?.height ?? 0) + 1;
  }

  /** Unix seconds. */
  now(): number {
    return Math.floor(Date.now() / 1000);
  }

  /** What the miner of the last block got; zero while unknown. */
  lastBlockReward(): Amount {
    return amount(BigInt(this.file.read((r) => r.meta.get('last_block_reward')) ?? '0'));
  }

  /** Which of our addresses a text is, if any. */
  ownIndex(address: string): SubaddressIndex | undefined {
    const { spendPublicKey } = parseAddress(address, this.keys.network);
    return this.file.read((r) => r.subaddresses.find(spendPublicKey));
  }

  /** Everything acknowledged is on disk already: this shortens the log of changes, or writes files again that are gone. */
  async store(): Promise<void> {
    this.file.sync();
    if (await this.keyKeeper.restoreFile())
      this.log.warn({ name: this.name }, 'the keys file of the open wallet was gone; it was written again');
  }

  /** Stops its refresh, closes the store, wipes the keys. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.sync.stop();
    await this.payments.settle();
    await this.file.settle();
    try {
      this.file.close();
    } finally {
      this.#parts.lock?.release();
      this.exports.wipe();
      wipeKeys(this.keys);
    }
  }
}
