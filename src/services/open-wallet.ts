import type { Logger } from 'pino';
import { parseAddress } from '../cryptonote/address.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { WalletLock } from '../store/file/wallet-lock.js';
import type { WalletStore } from '../store/wallet-store.js';
import { amount, type Amount } from '../util/amount.js';
import { WalletError } from '../wallet/model/wallet-error.js';
import type { ExportFormat } from '../wallet/exchange/exported-outputs.js';
import { wipeKeys, type WalletKeys } from '../wallet/keys.js';
import { Accounts } from './accounts/accounts.js';
import { AccountTags } from './accounts/account-tags.js';
import { AddressBook } from './accounts/address-book.js';
import { Annotations } from './accounts/notes.js';
import { BackgroundSync } from './sync/background-sync.js';
import { Balances } from './accounts/balances.js';
import { WalletSync } from './sync/wallet-sync.js';
import { ColdSigning } from './cold/cold-signing.js';
import type { WalletEvents } from './context/wallet-events.js';
import { ExportCipher } from './context/export-cipher.js';
import { FeeEstimator } from './payments/fee-estimator.js';
import { History } from './history/history.js';
import type { Keystore } from './context/keystore.js';
import { Mining } from './mining.js';
import type { OpenAlias } from './context/openalias.js';
import { KeyImageTransfer } from './cold/key-image-transfer.js';
import { MultisigInfoTransfer } from './multisig/multisig-info.js';
import { MultisigSigning } from './multisig/multisig-signing.js';
import { OutputTransfer } from './cold/output-transfer.js';
import { OutputFreezing } from './sync/output-freezing.js';
import { PaymentMaker } from './payments/payment-maker.js';
import { PaymentRelay } from './payments/payment-relay.js';
import { MempoolTracker } from './sync/mempool-tracker.js';
import { Proofs } from './proofs/proofs.js';
import { Sweeps } from './payments/sweeps.js';
import { TxScan } from './sync/tx-scan.js';
import { Transfers } from './payments/transfers.js';
import type { WalletLink } from './context/wallet-link.js';
import type { WalletPaths } from './context/wallet-directory.js';

/** What an open wallet is made of. */
export interface OpenWalletParts {
  /** Absent for a wallet in memory. */
  readonly paths?: WalletPaths;
  readonly keys: WalletKeys;
  readonly keystore: Keystore;
  readonly file: WalletStore;
  readonly lock?: WalletLock;
  readonly kdfRounds: number;
  readonly exportFormat: ExportFormat;
  readonly link: WalletLink;
  readonly openAlias: OpenAlias;
  readonly events: WalletEvents;
  readonly log: Logger;
}

/** One open wallet: its keys, its store, and the services over both. */
export class OpenWallet {
  readonly name: string;
  readonly keystore: Keystore;
  readonly file: WalletStore;
  readonly link: WalletLink;
  readonly openAlias: OpenAlias;
  readonly log: Logger;
  readonly accounts: Accounts;
  readonly tags: AccountTags;
  readonly addressBook: AddressBook;
  readonly annotations: Annotations;
  readonly balances: Balances;
  readonly backgroundSync: BackgroundSync;
  readonly history: History;
  readonly feeEstimator: FeeEstimator;
  readonly relay: PaymentRelay;
  readonly payments: PaymentMaker;
  readonly pending: MempoolTracker;
  readonly transfers: Transfers;
  readonly sweeps: Sweeps;
  readonly outputFreezing: OutputFreezing;
  readonly txScan: TxScan;
  readonly mining: Mining;
  readonly proofs: Proofs;
  /** Seals what other wallets with these keys are to read. */
  readonly exports: ExportCipher;
  readonly outputTransfer: OutputTransfer;
  readonly keyImageTransfer: KeyImageTransfer;
  readonly coldSigning: ColdSigning;
  readonly multisigInfoTransfer: MultisigInfoTransfer;
  readonly multisigSigning: MultisigSigning;
  readonly sync: WalletSync;
  readonly #parts: OpenWalletParts;
  #closed = false;
  #lockIsKept = false;

  constructor(parts: OpenWalletParts) {
    this.#parts = parts;
    this.name = parts.paths?.name ?? '';
    this.keystore = parts.keystore;
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
    this.feeEstimator = new FeeEstimator(this);
    this.relay = new PaymentRelay(this);
    this.payments = new PaymentMaker(this);
    this.transfers = new Transfers(this);
    this.sweeps = new Sweeps(this);
    this.outputFreezing = new OutputFreezing(this);
    this.txScan = new TxScan(this);
    this.mining = new Mining(this);
    this.proofs = new Proofs(this);
    this.exports = new ExportCipher(parts.keys, parts.kdfRounds, parts.link.rng);
    this.outputTransfer = new OutputTransfer(this);
    this.keyImageTransfer = new KeyImageTransfer(this);
    this.coldSigning = new ColdSigning(this);
    this.multisigInfoTransfer = new MultisigInfoTransfer(this);
    this.multisigSigning = new MultisigSigning(this);
    this.pending = new MempoolTracker(this);
    this.sync = new WalletSync(this, parts.events);
  }

  /** For what goes on after a wait. @throws WalletError `no_wallet` once it is closed */
  assertOpen(): void {
    if (this.#closed) throw new WalletError({ kind: 'no_wallet' });
  }

  get exportFormat(): ExportFormat {
    return this.#parts.exportFormat;
  }

  get keys(): WalletKeys {
    return this.keystore.keys;
  }

  get isViewOnly(): boolean {
    return this.keystore.isViewOnly;
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
    this.file.checkpointSync();
    if (await this.keystore.restoreFile())
      this.log.warn({ name: this.name }, 'the keys file of the open wallet was gone; it was written again');
  }

  /** Keeps the lock when this session closes, for the next session of the same wallet. @returns undefined in memory */
  handLockOver(): WalletLock | undefined {
    this.#lockIsKept = true;
    return this.#parts.lock;
  }

  /** Ends its calls to the daemon, stops its refresh, closes the store, wipes the keys. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.link.close();
    this.sync.stop();
    await this.payments.settle();
    await this.file.waitForCheckpoint();
    try {
      this.file.close();
    } finally {
      if (!this.#lockIsKept) this.#parts.lock?.release();
      this.exports.wipe();
      wipeKeys(this.keys);
    }
  }
}
