import { DaemonError } from '../../daemon/errors.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { Hash, KeyImage } from '../../crypto/types.js';
import { RefreshCancelled } from '../../refresh/refresh-error.js';
import type { RefreshResult, RefreshTarget } from '../../refresh/refresh-run.js';
import type { Refresher } from '../../refresh/refresher.js';
import type { ScannerState } from '../../refresh/scanner-state.js';
import type { PoolFinding } from '../../refresh/wallet-scanner.js';
import type { BatchFindings, TxBatch, WalletId } from '../../refresh/messages.js';
import { ZERO } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { Mutex } from '../../util/mutex.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { LocatedOutput, SpendingKeys } from '../../wallet/scan/key-images.js';
import type { OutputWithoutKeyImage } from '../../wallet/scan/ambiguous-spends.js';
import {
  MAX_REORGANISATION,
  type OwnedOutput,
  type PageFindings,
  type SubaddressKey,
  type ImportedKeyImage,
  type TxFindings,
} from '../../wallet/model/records.js';
import type { Lookahead } from '../../wallet/scan/subaddress-table.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { LostPayments } from './lost-payments.js';
import type { MempoolTracker } from './mempool-tracker.js';

type Context = Pick<
  WalletContext,
  'name' | 'store' | 'keystore' | 'addresses' | 'daemon' | 'events' | 'locks' | 'assertOpen'
>;

/** Sibling services, and the threads that scan. */
interface Services {
  readonly refresher: Refresher;
  readonly mempool: MempoolTracker;
  readonly lostPayments: LostPayments;
}

export interface RefreshOptions {
  /** Blocks below it that the wallet does not know are skipped. */
  readonly startHeight?: number;
  /**
   * Time since which the daemon must have been asked for the result to count [ms, Unix time with fractions]; absent:
   * now. Refreshes with one time share the daemon's answers.
   */
  readonly asOf?: number;
}

/** Addresses that are looked out for at most: each takes memory and a moment when the wallet is opened. */
const MAX_WATCHED_ADDRESSES = 500_000;

/** Keeps one open wallet at the daemon's tip: what is looked out for, what is found, and what waits meanwhile. */
export class WalletSync implements RefreshTarget {
  readonly #context: Context;
  readonly #services: Services;
  readonly #refresher: Refresher;
  readonly #id: WalletId;
  readonly #looking = new Mutex();
  #waiting: Promise<void> | undefined;
  #daemonHeight = 0;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    this.#refresher = services.refresher;
    this.#id = this.#refresher.attach(this);
  }

  /** Stops the refresh under way; there is no other. */
  stop(): void {
    this.#refresher.detach(this.#id);
  }

  /** An address was handed out: it and the lookahead beyond it are recognised from now on. */
  expandTo(index: SubaddressIndex): void {
    this.#refresher.expand(this.#id, index);
  }

  /** Blocks that the daemon held when this wallet last read some; 0 before. */
  get daemonHeight(): number {
    return this.#daemonHeight;
  }

  /** First height scanned, where that is settled. */
  get restoreHeight(): number | undefined {
    const known = this.#context.store.read((r) => r.meta.get('restore_height'));
    return known === undefined ? undefined : Number(known);
  }

  /** Key images were told: spends of their outputs are recognised from now on. */
  expectSpends(told: readonly ImportedKeyImage[]): void {
    this.#refresher.learn(this.#id, told);
  }

  /** What is looked out for changed: the scanner starts over from the store, the pool is read again. */
  lookAgain(): void {
    this.#refresher.restart(this.#id);
  }

  /**
   * Brings the wallet to the daemon's tip. Refreshes asked for while one runs wait for it, then run; one that is
   * cancelled, by another daemon or a rescan, starts again.
   * @throws DaemonError; WalletError `no_wallet` once it is closed.
   */
  async refresh({ startHeight = 0, asOf }: RefreshOptions = {}): Promise<RefreshResult> {
    for (;;) {
      try {
        return await this.#context.locks.refresh.run(() => this.#refreshNow(startHeight, asOf));
      } catch (error) {
        if (!(error instanceof RefreshCancelled)) throw error;
        this.#context.assertOpen();
      }
    }
  }

  /**
   * Looks through the pool, whatever a refresh is at, and leaves blocks to it. The look starts after this call;
   * pendingRequests that wait for the same one share it. @throws DaemonError; WalletError `no_wallet` once it is closed.
   * Source: wallet2.cpp `update_pool_state`.
   */
  async refreshPool(): Promise<void> {
    this.#waiting ??= this.#looking.run(() => {
      this.#waiting = undefined;
      this.#context.assertOpen();
      return untilClosed(this.#refresher.lookIntoPool(this.#id));
    });
    await this.#waiting;
  }

  /** Runs while neither a refresh nor a payment changes the wallet. @throws WalletError `no_wallet` once it is closed */
  undisturbed<T>(task: () => Promise<T>): Promise<T> {
    return this.#context.locks.exclusive(() => {
      this.#context.assertOpen();
      return task();
    });
  }

  /** {@link undisturbed}, a refresh under way is given up; the scanner starts over from what stands then. */
  interrupted(task: () => Promise<void>): Promise<void> {
    this.#refresher.cancel(this.#id);
    return this.undisturbed(async () => {
      await task();
      this.#refresher.restart(this.#id);
    });
  }

  /** Key images of outputs of ours, in their order; made off this thread. @throws WalletError `no_wallet` */
  keyImages(keys: SpendingKeys, outputs: readonly LocatedOutput[]): Promise<KeyImage[]> {
    return untilClosed(this.#refresher.keyImages(this.#id, keys, outputs));
  }

  async #refreshNow(startHeight: number, asOf?: number): Promise<RefreshResult> {
    this.#context.assertOpen();
    const restoreHeight = await this.#restoreHeight();
    const from = {
      history: this.#context.store.read((r) => r.chain.shortHistory()),
      startHeight: Math.max(startHeight, restoreHeight),
      ...(asOf === undefined ? {} : { asOf }),
    };
    const result = await this.#refresher.refresh(this.#id, from);
    if (result.blocksFetched > 0) await this.#context.store.flushToDisk();
    this.#context.assertOpen();
    // Without a look into the pool nothing can be missed there.
    if (this.#context.keystore.background === undefined) await this.#followPayments();
    return result;
  }

  /** Relays payments of this wallet that the pool lacks, or fails them. To be called once the pool was read. */
  async #followPayments(): Promise<void> {
    const { mempool, lostPayments } = this.#services;
    mempool.reserveLost();
    await lostPayments.follow(mempool.present);
  }

  /** Deletes every row derived from the chain, then reads it again; `hard` also deletes tx keys and destinations. */
  async rescan(hard: boolean): Promise<void> {
    this.#refresher.cancel(this.#id);
    await this.#context.locks.refresh.run(() => {
      this.#context.assertOpen();
      this.#context.store.write((w) => w.clearChain({ hard }));
      this.#refresher.restart(this.#id);
      return Promise.resolve();
    });
    await this.refresh();
  }

  scannerState(): ScannerState {
    const { viewSecret, spendSecret, spendPublicKey } = this.#context.keystore.keys;
    const known = this.#context.store.read((r) => ({
      subaddresses: r.subaddresses.packed(),
      withKeyImage: r.watch.withKeyImage(this.#context.store.height() - MAX_REORGANISATION),
      withoutKeyImage: r.watch.withoutKeyImage(),
      reused: {
        withKeyImage: r.watch.burntWithKeyImage(),
        withoutKeyImage: r.watch.burntWithoutKeyImage(),
      },
      importedKeyImages: r.importedKeyImages.list(),
      ...this.#blindTo(r.outputs.withoutKeyImage()),
    }));
    return {
      keys: {
        viewSecret: viewSecret.expose(),
        ...(spendSecret === undefined ? {} : { spendSecret: spendSecret.expose() }),
      },
      spendPublicKey,
      lookahead: this.#context.keystore.lookahead,
      handedOut: this.#handedOut(),
      ...known,
    };
  }

  /** Outputs whose spends only key images told later can show. */
  #blindTo(outputs: readonly OwnedOutput[]): Pick<ScannerState, 'blind' | 'seesPool'> {
    if (this.#context.keystore.background !== undefined) return { blind: outputs.map(asBlind) };
    return this.#context.keystore.keys.multisig === undefined
      ? {}
      : { blind: outputs.map(asBlind), seesPool: true };
  }

  /** The last address handed out, an account. */
  #handedOut(): SubaddressIndex[] {
    return this.#context.store
      .read((r) => r.accounts.list())
      .map(({ major, addressCount }) => ({ major, minor: addressCount - 1 }));
  }

  commitSubaddresses(keys: readonly SubaddressKey[]): void {
    this.#context.store.writeRecoverable((w) => w.subaddresses.add(keys));
  }

  commitPage(findings: PageFindings, daemonHeight: number): void {
    const news = this.#newsIn(findings);
    this.#context.store.writeRecoverable((w) => {
      // Nothing can be paid while the spend key is put away: what a reorganisation undoes is ours to spend again,
      // until it is relayed again.
      w.applyPage(findings, { freeInputs: this.#context.keystore.background !== undefined });
      w.meta.set('last_block_reward', findings.lastBlockReward.toString());
    });
    // A balance lists them.
    this.#context.addresses.foresee(findings.outputs.map(({ subaddress }) => subaddress));
    this.#tell(news);
    this.#daemonHeight = daemonHeight;
    this.#context.events.onProgress(
      this.#context.name,
      findings.startHeight + findings.hashes.length,
      daemonHeight,
    );
  }

  /** Transactions that pay us and that nobody was told of yet. */
  #newsIn({ received, outputs }: TxFindings): Hash[] {
    const incoming = new Set(outputs.filter(({ change }) => !change).map(({ txHash }) => toHex(txHash)));
    return this.#context.store.read((r) =>
      received
        .map(({ txHash }) => txHash)
        .filter((txHash) => incoming.has(toHex(txHash)) && !r.pool.has(txHash)),
    );
  }

  /** Looks for what concerns this wallet in transactions out of turn. @throws WalletError `no_wallet` */
  look(batch: TxBatch): Promise<BatchFindings> {
    return untilClosed(this.#refresher.look(this.#id, batch));
  }

  /** Commits what {@link look} found, and has the scanner know of it. */
  commitFound({ mined, unmined }: BatchFindings): void {
    const news = this.#context.store.read((r) =>
      this.#newsIn(mined).filter((txHash) => !r.payments.has(txHash)),
    );
    this.#context.store.write((w) => w.addFound(mined));
    this.#refresher.restart(this.#id);
    this.#tell(news);
    for (const txHash of this.#services.mempool.admit(unmined))
      this.#context.events.onIncoming(this.#context.name, txHash);
  }

  /** Reports mined transactions, but for those whose outputs are burnt. */
  #tell(news: readonly Hash[]): void {
    const income = this.#context.store.read((r) => news.filter((txHash) => r.outputs.isIncome(txHash)));
    for (const txHash of income) this.#context.events.onIncoming(this.#context.name, txHash);
  }

  checkpoint(): Promise<void> {
    return this.#context.store.checkpoint();
  }

  commitPool(present: readonly Hash[], findings: readonly PoolFinding[]): void {
    for (const txHash of this.#services.mempool.commitPool(present, findings))
      this.#context.events.onIncoming(this.#context.name, txHash);
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
    await this.#context.keystore.setLookahead(lookahead);
    await this.watchAhead();
  }

  /** Ends once the store holds every address up to the lookahead beyond those handed out, without a daemon too. */
  async watchAhead(): Promise<void> {
    const { lookahead } = this.#context.keystore;
    await untilClosed(this.#refresher.lookAhead(this.#id, lookahead, this.#handedOut()));
  }

  /**
   * First height to scan. A wallet made while no daemon could be asked starts a day before its creation, found
   * by the timestamps of blocks.
   */
  async #restoreHeight(): Promise<number> {
    const known = this.#context.store.read((r) => r.meta.get('restore_height'));
    if (known !== undefined) return Number(known);
    const created = Number(this.#context.store.read((r) => r.meta.get('created_at')) ?? '0');
    const found = await this.#heightBefore(created - 86_400);
    this.#context.assertOpen();
    this.#context.store.write((w) => w.meta.set('restore_height', String(found)));
    return found;
  }

  async #heightBefore(timestamp: number): Promise<number> {
    const daemon = this.#context.daemon.client();
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

/** Awaits an answer of the refresh thread, which cancels it when the wallet closes. @throws WalletError `no_wallet` then */
async function untilClosed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof RefreshCancelled) throw new WalletError({ kind: 'no_wallet' }, { cause });
    throw cause;
  }
}

/** As rings name it. */
const asBlind = ({ rct, amount: value, globalIndex, height }: OwnedOutput): OutputWithoutKeyImage => ({
  amount: rct ? ZERO : value,
  globalIndex,
  height,
});
