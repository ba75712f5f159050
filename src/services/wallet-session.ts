import type { Logger } from 'pino';
import { parseAddress } from '../cryptonote/address.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { Hash, KeyImage } from '../crypto/types.js';
import { DaemonError } from '../daemon/errors.js';
import { RefreshCancelled, type RefreshResult, type RefreshTarget } from '../refresh/refresher.js';
import type { ScannerState } from '../refresh/scanner-state.js';
import type { PoolFinding } from '../refresh/wallet-scanner.js';
import type { BatchFindings, TxBatch, WalletId } from '../refresh/messages.js';
import type { WalletLock } from '../store/lock.js';
import type { WalletFile } from '../store/wallet-file.js';
import { amount, ZERO, type Amount } from '../util/amount.js';
import { toHex } from '../util/bytes.js';
import { Mutex } from '../util/mutex.js';
import { WalletError } from '../wallet/fault.js';
import type { LocatedOutput, SpendingKeys } from '../wallet/key-images.js';
import type { ExportFormat } from '../wallet/exported-outputs.js';
import { wipeKeys, type WalletKeys } from '../wallet/keys.js';
import type { BlindOutput } from '../wallet/possible-spends.js';
import {
  MAX_REORGANISATION,
  type OwnedOutput,
  type PageFindings,
  type SubaddressKey,
  type ToldKeyImage,
  type TxFindings,
} from '../wallet/records.js';
import type { Lookahead } from '../wallet/subaddress-table.js';
import { Accounts } from './accounts.js';
import { AccountTags } from './account-tags.js';
import { AddressBook } from './address-book.js';
import { Annotations } from './annotations.js';
import { BackgroundSync } from './background-sync.js';
import { Balances } from './balances.js';
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

/** Addresses that are looked out for at most: each takes memory and a moment when the wallet is opened. */
const MAX_WATCHED_ADDRESSES = 500_000;

/** One open wallet: its keys, its store, and the services over both. */
export class WalletSession implements RefreshTarget {
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
  readonly #parts: SessionParts;
  readonly #refreshing = new Mutex();
  readonly #id: WalletId;
  readonly #looking = new Mutex();
  #waiting: Promise<void> | undefined;
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
    this.#id = parts.link.refresher.attach(this);
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

  /** An address was handed out: it and the lookahead beyond it are recognised from now on. */
  expandTo(index: SubaddressIndex): void {
    this.link.refresher.expand(this.#id, index);
  }

  /** First height scanned, where that is settled. */
  get restoreHeight(): number | undefined {
    const known = this.file.read((r) => r.meta.get('restore_height'));
    return known === undefined ? undefined : Number(known);
  }

  /** Key images were told: spends of their outputs are recognised from now on. */
  expectSpends(told: readonly ToldKeyImage[]): void {
    this.link.refresher.learn(this.#id, told);
  }

  /** What is looked out for changed: the scanner starts over from the store, the pool is read again. */
  lookAgain(): void {
    this.link.refresher.restart(this.#id);
  }

  /**
   * Brings the wallet to the daemon's tip. Refreshes asked for while one runs wait for it, then run.
   * @param startHeight skips blocks below it, where that is beyond what the wallet holds.
   */
  refresh(startHeight = 0): Promise<RefreshResult> {
    return this.#refreshing.run(() => this.#refreshNow(startHeight));
  }

  /**
   * Looks through the pool, whatever a refresh is at, and leaves blocks to it. The look starts after this call;
   * callers that wait for the same one share it. @throws DaemonError. Source: wallet2.cpp `update_pool_state`.
   */
  async refreshPool(): Promise<void> {
    this.#waiting ??= this.#looking.run(() => {
      this.#waiting = undefined;
      this.assertOpen();
      return this.link.refresher.lookIntoPool(this.#id);
    });
    await this.#waiting;
  }

  /** Runs while neither a refresh nor a payment changes the wallet. @throws WalletError `no_wallet` once it is closed */
  undisturbed<T>(task: () => Promise<T>): Promise<T> {
    return this.#refreshing.run(() =>
      this.payments.alone(() => {
        this.assertOpen();
        return task();
      }),
    );
  }

  /** {@link undisturbed}, a refresh under way is given up; the scanner starts over from what stands then. */
  interrupted(task: () => Promise<void>): Promise<void> {
    this.link.refresher.cancel(this.#id);
    return this.undisturbed(async () => {
      await task();
      this.link.refresher.restart(this.#id);
    });
  }

  /** Key images of outputs of ours, in their order; made off this thread. */
  keyImages(keys: SpendingKeys, outputs: readonly LocatedOutput[]): Promise<KeyImage[]> {
    return this.link.refresher.keyImages(this.#id, keys, outputs);
  }

  async #refreshNow(startHeight: number): Promise<RefreshResult> {
    this.assertOpen();
    const from = {
      history: this.file.read((r) => r.chain.shortHistory()),
      startHeight: Math.max(startHeight, await this.#restoreHeight()),
    };
    const result = await this.link.refresher.refresh(this.#id, from);
    if (result.blocksFetched > 0) await this.file.harden();
    // Without a look into the pool nothing can be missed there.
    if (this.keyKeeper.background === undefined) await this.pending.relayLost();
    return result;
  }

  /** Forgets what the chain can tell and reads it again. */
  async rescan(hard: boolean): Promise<void> {
    this.link.refresher.cancel(this.#id);
    await this.#refreshing.run(() => {
      this.file.write((w) => w.clearChain({ hard }));
      this.link.refresher.restart(this.#id);
      return Promise.resolve();
    });
    await this.refresh();
  }

  scannerState(): ScannerState {
    const { viewSecret, spendSecret, spendPublicKey } = this.keys;
    const known = this.file.read((r) => ({
      subaddresses: r.subaddresses.packed(),
      watched: r.watch.named(this.height() - MAX_REORGANISATION),
      unnamed: r.watch.unnamed(),
      told: r.toldKeyImages.list(),
      ...this.#blindTo(r.outputs.blind()),
    }));
    return {
      keys: {
        viewSecret: viewSecret.expose(),
        ...(spendSecret === undefined ? {} : { spendSecret: spendSecret.expose() }),
      },
      spendPublicKey,
      lookahead: this.keyKeeper.lookahead,
      handedOut: this.#handedOut(),
      ...known,
    };
  }

  /** Outputs whose spends only key images told later can show. */
  #blindTo(outputs: readonly OwnedOutput[]): Pick<ScannerState, 'blind' | 'seesPool'> {
    if (this.keyKeeper.background !== undefined) return { blind: outputs.map(asBlind) };
    return this.keys.multisig === undefined ? {} : { blind: outputs.map(asBlind), seesPool: true };
  }

  /** The last address handed out, an account. */
  #handedOut(): SubaddressIndex[] {
    return this.file
      .read((r) => r.accounts.list())
      .map(({ major, addressCount }) => ({ major, minor: addressCount - 1 }));
  }

  commitSubaddresses(keys: readonly SubaddressKey[]): void {
    this.file.writeRecoverable((w) => w.subaddresses.add(keys));
  }

  commitPage(findings: PageFindings, daemonHeight: number): void {
    const news = this.#newsIn(findings);
    this.file.writeRecoverable((w) => {
      // Nothing can be paid while the spend key is put away: what a reorganisation undoes is ours to spend again,
      // until it is relayed again.
      w.applyPage(findings, { freeInputs: this.keyKeeper.background !== undefined });
      w.meta.set('last_block_reward', findings.lastBlockReward.toString());
    });
    for (const txHash of news) this.#parts.events.onIncoming(txHash);
    this.#parts.events.onProgress(this.name, findings.startHeight + findings.hashes.length, daemonHeight);
  }

  /** Transactions that pay us and that nobody was told of yet. */
  #newsIn({ received, outputs }: TxFindings): Hash[] {
    const incoming = new Set(outputs.filter(({ change }) => !change).map(({ txHash }) => toHex(txHash)));
    return this.file.read((r) =>
      received
        .map(({ txHash }) => txHash)
        .filter((txHash) => incoming.has(toHex(txHash)) && !r.pool.has(txHash)),
    );
  }

  /** Looks for what concerns this wallet in transactions out of turn. */
  look(batch: TxBatch): Promise<BatchFindings> {
    return this.link.refresher.look(this.#id, batch);
  }

  /** Commits what {@link look} found, and has the scanner know of it. */
  commitFound({ mined, unmined }: BatchFindings): void {
    const news = this.file.read((r) => this.#newsIn(mined).filter((txHash) => !r.payments.has(txHash)));
    this.file.write((w) => w.addFound(mined));
    this.link.refresher.restart(this.#id);
    for (const txHash of [...news, ...this.pending.admit(unmined)]) this.#parts.events.onIncoming(txHash);
  }

  tidy(): Promise<void> {
    return this.file.tidy();
  }

  commitPool(present: readonly Hash[], findings: readonly PoolFinding[]): void {
    for (const txHash of this.pending.commitPool(present, findings)) this.#parts.events.onIncoming(txHash);
  }

  /** Everything acknowledged is on disk already: this shortens the log of changes, or writes files again that are gone. */
  async store(): Promise<void> {
    this.file.sync();
    if (await this.keyKeeper.restoreFile())
      this.log.warn({ name: this.name }, 'the keys file of the open wallet was gone; it was written again');
  }

  /**
   * Looks this far beyond the last address handed out from now on, for as long as the keys file exists.
   * @throws WalletError `invalid` for none, or more than memory holds.
   */
  async setLookahead(lookahead: Lookahead): Promise<void> {
    if (lookahead.major === 0 || lookahead.minor === 0)
      throw new WalletError({ kind: 'invalid', reason: 'a lookahead is at least 1' });
    const handedOut = this.#handedOut();
    const watched = handedOut.reduce(
      (sum, { minor }) => sum + minor + lookahead.minor,
      lookahead.major * lookahead.minor,
    );
    if (watched > MAX_WATCHED_ADDRESSES)
      throw new WalletError({
        kind: 'invalid',
        reason: `a lookahead of that size makes more than ${MAX_WATCHED_ADDRESSES} addresses to watch`,
      });
    await this.keyKeeper.setLookahead(lookahead);
    await this.watchAhead();
  }

  /** Ends once the store holds every address up to the lookahead beyond those handed out, without a daemon too. */
  async watchAhead(): Promise<void> {
    try {
      await this.link.refresher.lookAhead(this.#id, this.keyKeeper.lookahead, this.#handedOut());
    } catch (cause) {
      if (cause instanceof RefreshCancelled) throw new WalletError({ kind: 'no_wallet' }, { cause });
      throw cause;
    }
  }

  /** Stops its refresh, closes the store, wipes the keys. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.link.refresher.detach(this.#id);
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

  /**
   * First height to scan. A wallet made while no daemon could be asked starts a day before its creation, found
   * by the timestamps of blocks.
   */
  async #restoreHeight(): Promise<number> {
    const known = this.file.read((r) => r.meta.get('restore_height'));
    if (known !== undefined) return Number(known);
    const created = Number(this.file.read((r) => r.meta.get('created_at')) ?? '0');
    const found = await this.#heightBefore(created - 86_400);
    this.file.write((w) => w.meta.set('restore_height', String(found)));
    return found;
  }

  async #heightBefore(timestamp: number): Promise<number> {
    const daemon = this.link.daemon();
    let low = 0;
    let high = (await daemon.getInfo()).height - 1;
    if (high < 0) throw new DaemonError('malformed', 'the daemon has no blocks');
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((await daemon.getBlockHeader(middle)).timestamp < timestamp) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** As rings name it. */
const asBlind = ({ rct, amount: value, globalIndex, height }: OwnedOutput): BlindOutput => ({
  amount: rct ? ZERO : value,
  globalIndex,
  height,
});
