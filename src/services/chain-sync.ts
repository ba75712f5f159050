import { DaemonError } from '../daemon/errors.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { Hash, KeyImage } from '../crypto/types.js';
import { RefreshCancelled } from '../refresh/refresh-error.js';
import type { RefreshResult, RefreshTarget } from '../refresh/refresh-run.js';
import type { Refresher } from '../refresh/refresher.js';
import type { ScannerState } from '../refresh/scanner-state.js';
import type { PoolFinding } from '../refresh/wallet-scanner.js';
import type { BatchFindings, TxBatch, WalletId } from '../refresh/messages.js';
import { ZERO } from '../util/amount.js';
import { toHex } from '../util/bytes.js';
import { Mutex } from '../util/mutex.js';
import { WalletError } from '../wallet/fault.js';
import type { LocatedOutput, SpendingKeys } from '../wallet/key-images.js';
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
import type { WalletEvents } from './events.js';
import type { WalletSession } from './wallet-session.js';

/** Addresses that are looked out for at most: each takes memory and a moment when the wallet is opened. */
const MAX_WATCHED_ADDRESSES = 500_000;

/** Keeps one open wallet at the daemon's tip: what is looked out for, what is found, and what waits meanwhile. */
export class ChainSync implements RefreshTarget {
  readonly #session: WalletSession;
  readonly #events: WalletEvents;
  readonly #refresher: Refresher;
  readonly #id: WalletId;
  readonly #refreshing = new Mutex();
  readonly #looking = new Mutex();
  #waiting: Promise<void> | undefined;

  constructor(session: WalletSession, events: WalletEvents) {
    this.#session = session;
    this.#events = events;
    this.#refresher = session.link.refresher;
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

  /** First height scanned, where that is settled. */
  get restoreHeight(): number | undefined {
    const known = this.#session.file.read((r) => r.meta.get('restore_height'));
    return known === undefined ? undefined : Number(known);
  }

  /** Key images were told: spends of their outputs are recognised from now on. */
  expectSpends(told: readonly ToldKeyImage[]): void {
    this.#refresher.learn(this.#id, told);
  }

  /** What is looked out for changed: the scanner starts over from the store, the pool is read again. */
  lookAgain(): void {
    this.#refresher.restart(this.#id);
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
      this.#session.assertOpen();
      return this.#refresher.lookIntoPool(this.#id);
    });
    await this.#waiting;
  }

  /** Runs while neither a refresh nor a payment changes the wallet. @throws WalletError `no_wallet` once it is closed */
  undisturbed<T>(task: () => Promise<T>): Promise<T> {
    return this.#refreshing.run(() =>
      this.#session.payments.alone(() => {
        this.#session.assertOpen();
        return task();
      }),
    );
  }

  /** {@link undisturbed}, a refresh under way is given up; the scanner starts over from what stands then. */
  interrupted(task: () => Promise<void>): Promise<void> {
    this.#refresher.cancel(this.#id);
    return this.undisturbed(async () => {
      await task();
      this.#refresher.restart(this.#id);
    });
  }

  /** Key images of outputs of ours, in their order; made off this thread. */
  keyImages(keys: SpendingKeys, outputs: readonly LocatedOutput[]): Promise<KeyImage[]> {
    return this.#refresher.keyImages(this.#id, keys, outputs);
  }

  async #refreshNow(startHeight: number): Promise<RefreshResult> {
    this.#session.assertOpen();
    const from = {
      history: this.#session.file.read((r) => r.chain.shortHistory()),
      startHeight: Math.max(startHeight, await this.#restoreHeight()),
    };
    const result = await this.#refresher.refresh(this.#id, from);
    if (result.blocksFetched > 0) await this.#session.file.harden();
    // Without a look into the pool nothing can be missed there.
    if (this.#session.keyKeeper.background === undefined) await this.#session.pending.relayLost();
    return result;
  }

  /** Forgets what the chain can tell and reads it again. */
  async rescan(hard: boolean): Promise<void> {
    this.#refresher.cancel(this.#id);
    await this.#refreshing.run(() => {
      this.#session.file.write((w) => w.clearChain({ hard }));
      this.#refresher.restart(this.#id);
      return Promise.resolve();
    });
    await this.refresh();
  }

  scannerState(): ScannerState {
    const { viewSecret, spendSecret, spendPublicKey } = this.#session.keys;
    const known = this.#session.file.read((r) => ({
      subaddresses: r.subaddresses.packed(),
      watched: r.watch.named(this.#session.height() - MAX_REORGANISATION),
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
      lookahead: this.#session.keyKeeper.lookahead,
      handedOut: this.#handedOut(),
      ...known,
    };
  }

  /** Outputs whose spends only key images told later can show. */
  #blindTo(outputs: readonly OwnedOutput[]): Pick<ScannerState, 'blind' | 'seesPool'> {
    if (this.#session.keyKeeper.background !== undefined) return { blind: outputs.map(asBlind) };
    return this.#session.keys.multisig === undefined ? {} : { blind: outputs.map(asBlind), seesPool: true };
  }

  /** The last address handed out, an account. */
  #handedOut(): SubaddressIndex[] {
    return this.#session.file
      .read((r) => r.accounts.list())
      .map(({ major, addressCount }) => ({ major, minor: addressCount - 1 }));
  }

  commitSubaddresses(keys: readonly SubaddressKey[]): void {
    this.#session.file.writeRecoverable((w) => w.subaddresses.add(keys));
  }

  commitPage(findings: PageFindings, daemonHeight: number): void {
    const news = this.#newsIn(findings);
    this.#session.file.writeRecoverable((w) => {
      // Nothing can be paid while the spend key is put away: what a reorganisation undoes is ours to spend again,
      // until it is relayed again.
      w.applyPage(findings, { freeInputs: this.#session.keyKeeper.background !== undefined });
      w.meta.set('last_block_reward', findings.lastBlockReward.toString());
    });
    // A balance lists them.
    this.#session.accounts.foresee(findings.outputs.map(({ subaddress }) => subaddress));
    for (const txHash of news) this.#events.onIncoming(txHash);
    this.#events.onProgress(this.#session.name, findings.startHeight + findings.hashes.length, daemonHeight);
  }

  /** Transactions that pay us and that nobody was told of yet. */
  #newsIn({ received, outputs }: TxFindings): Hash[] {
    const incoming = new Set(outputs.filter(({ change }) => !change).map(({ txHash }) => toHex(txHash)));
    return this.#session.file.read((r) =>
      received
        .map(({ txHash }) => txHash)
        .filter((txHash) => incoming.has(toHex(txHash)) && !r.pool.has(txHash)),
    );
  }

  /** Looks for what concerns this wallet in transactions out of turn. */
  look(batch: TxBatch): Promise<BatchFindings> {
    return this.#refresher.look(this.#id, batch);
  }

  /** Commits what {@link look} found, and has the scanner know of it. */
  commitFound({ mined, unmined }: BatchFindings): void {
    const news = this.#session.file.read((r) =>
      this.#newsIn(mined).filter((txHash) => !r.payments.has(txHash)),
    );
    this.#session.file.write((w) => w.addFound(mined));
    this.#refresher.restart(this.#id);
    for (const txHash of [...news, ...this.#session.pending.admit(unmined)]) this.#events.onIncoming(txHash);
  }

  tidy(): Promise<void> {
    return this.#session.file.tidy();
  }

  commitPool(present: readonly Hash[], findings: readonly PoolFinding[]): void {
    for (const txHash of this.#session.pending.commitPool(present, findings)) this.#events.onIncoming(txHash);
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
    await this.#session.keyKeeper.setLookahead(lookahead);
    await this.watchAhead();
  }

  /** Ends once the store holds every address up to the lookahead beyond those handed out, without a daemon too. */
  async watchAhead(): Promise<void> {
    try {
      await this.#refresher.lookAhead(this.#id, this.#session.keyKeeper.lookahead, this.#handedOut());
    } catch (cause) {
      if (cause instanceof RefreshCancelled) throw new WalletError({ kind: 'no_wallet' }, { cause });
      throw cause;
    }
  }

  /**
   * First height to scan. A wallet made while no daemon could be asked starts a day before its creation, found
   * by the timestamps of blocks.
   */
  async #restoreHeight(): Promise<number> {
    const known = this.#session.file.read((r) => r.meta.get('restore_height'));
    if (known !== undefined) return Number(known);
    const created = Number(this.#session.file.read((r) => r.meta.get('created_at')) ?? '0');
    const found = await this.#heightBefore(created - 86_400);
    this.#session.file.write((w) => w.meta.set('restore_height', String(found)));
    return found;
  }

  async #heightBefore(timestamp: number): Promise<number> {
    const daemon = this.#session.link.daemon();
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
