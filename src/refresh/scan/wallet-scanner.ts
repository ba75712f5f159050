import type { AddressTier } from '../../monero/carrot/account.js';
import { spendKeysOfTier } from '../../monero/wallet/carrot-keys.js';
import type { KeyImage } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { RawTx, ParsedTxs } from '../../monero/wallet/scan/block-page.js';
import type { ScanKernel } from '../../monero/kernel/kernel.js';
import { ZERO } from '../../util/amount.js';
import { joinBytes } from '../../util/bytes.js';
import { keyImagesOf } from '../../monero/wallet/exchange/pending-tx.js';
import {
  OutputsWithoutKeyImage,
  outgoingOf,
  spendingTx,
  unpackBlindOutputs,
} from '../../monero/wallet/scan/ambiguous-spends.js';
import {
  computesKeyImages,
  scanKeysOf,
  type FoundOutput,
  type ReceivingKeys,
  type WalletScanKeys,
} from '../../monero/wallet/scan/found-output.js';
import type {
  AmbiguousSpend,
  FoundOutgoing,
  FoundSpend,
  FoundTx,
  OwnedOutput,
  PageFindings,
  PoolTx,
  ReceivedTx,
  TxFindings,
} from '../../monero/wallet/scan/findings.js';
import { unpackSubaddresses, type PackedSubaddresses } from '../../monero/wallet/scan/packed-subaddresses.js';
import {
  SubaddressTable,
  type Lookahead,
  type SpendKeyRange,
} from '../../monero/wallet/scan/subaddress-table.js';
import {
  readTx,
  rewardOf,
  type ChainBlock,
  type ChainTxs,
  outlineLoose,
  outlineUnmined,
  type LooseBlock,
} from './chain-block.js';
import type { BatchScanner } from './match-group.js';
import type { MatchStream } from '../../monero/wallet/scan/output-matches.js';
import { findReceipts, ownedOutput, poolTx, type FinderOptions, type FoundReceipt } from './output-finder.js';
import { unpackKeyImages, type PackedKeyImages, type ScannerState } from './scanner-state.js';
import { SharedMatches } from './shared-matches.js';
import { WatchList } from './watch-list.js';
import { SUBADDRESS_MESSAGE_BYTES, subaddressMessages } from '../../monero/cryptonote/subaddress-keys.js';
import { systemClock, unixSeconds } from '../../util/clock.js';

/** An unmined transaction. */
export interface UnminedTx extends RawTx {
  readonly doubleSpendSeen: boolean;
}

/** Unmined transactions and their parsed form, in the same order. */
export interface UnminedTxs {
  readonly sent: readonly UnminedTx[];
  readonly txs: ParsedTxs;
}

/** Returns true for an output that a scan looks for. */
type IsOfInterest = (output: Pick<OwnedOutput, 'subaddress'>) => boolean;

/** Receipts and spends of a wallet in an unmined transaction. */
export interface PoolFinding {
  /** Payment to the wallet; absent if the transaction pays the wallet nothing but change. */
  readonly incoming?: PoolTx;
  /** Payment of the wallet; absent if the transaction spends no output of the wallet. */
  readonly outgoing?: PoolOutgoing;
}

/** An unmined payment of the wallet, with the key images of the outputs that it spends. */
export type PoolOutgoing = Omit<FoundOutgoing, 'height'> & { readonly keyImages: readonly KeyImage[] };

/**
 * Finds one wallet's receipts and spends in blocks and pool transactions, which are scanned in chain order. Remembers
 * the outputs that it has found, because a later transaction may spend them. Source: wallet2.cpp
 * `process_new_transaction`.
 */
export class WalletScanner {
  readonly #keys: ReceivingKeys;
  readonly #addressTier: AddressTier | undefined;
  readonly #table: SubaddressTable;
  readonly #kernel: ScanKernel;
  readonly #watched: WatchList;
  readonly #blind: OutputsWithoutKeyImage | undefined;
  readonly #seesPool: boolean;
  readonly #fresh: PackedSubaddresses[] = [];

  /** @param kernel kernel that computes subaddress keys, commitments and key images. */
  constructor(state: ScannerState, kernel: ScanKernel) {
    this.#keys = state.keys;
    this.#table = new SubaddressTable(
      state.spendPublicKey,
      state.keys.viewSecret,
      state.lookahead,
      state.addressTier === undefined ? spendKeysBy(kernel) : spendKeysOfTier(state.addressTier),
    );
    this.#addressTier = state.addressTier;
    this.#table.load(state.subaddresses);
    this.#kernel = kernel;
    this.#watched = new WatchList(state);
    this.#blind = state.blind && new OutputsWithoutKeyImage(unpackBlindOutputs(state.blind));
    this.#seesPool = state.seesPool === true;
    for (const index of [{ major: 0, minor: 0 }, ...state.handedOut]) this.expandTo(index);
  }

  /** True if key images cannot be computed (background sync): spends and change in the pool are not recognised. */
  get isBlind(): boolean {
    return this.#blind !== undefined && !this.#seesPool;
  }

  /** True if the wallet cannot compute key images, so that it does not recognise its spends. */
  get #lacksKeyImages(): boolean {
    return !computesKeyImages(this.#keys);
  }

  /** Adds an address, and the lookahead after it, to the recognised addresses. */
  expandTo(index: SubaddressIndex): void {
    const added = this.#table.expandTo(index);
    if (added.length > 0) this.#fresh.push(added);
  }

  /** Changes the lookahead. @param handedOut the last address in use of each account. */
  lookAhead(lookahead: Lookahead, handedOut: readonly SubaddressIndex[]): void {
    this.#table.lookahead = lookahead;
    for (const index of [{ major: 0, minor: 0 }, ...handedOut]) this.expandTo(index);
  }

  /**
   * Adds imported key images: the spends of their outputs are recognised from now on, whether the outputs are already
   * found or not.
   */
  importKeyImages(keyImages: PackedKeyImages): void {
    this.#watched.importKeyImages(unpackKeyImages(keyImages));
  }

  /** Returns the subaddress keys that were computed since the last call, and forgets them. */
  takeFresh(): PackedSubaddresses {
    return joinBytes(this.#fresh.splice(0));
  }

  /** Zeroes the keys. The scanner must not be used afterwards. */
  wipe(): void {
    this.#keys.viewSecret.fill(0);
    const { spendSecret, balance } = this.#keys;
    for (const secret of [
      spendSecret,
      balance?.viewSecret,
      balance?.balanceSecret,
      balance?.imageSecret,
      balance?.addressSecret,
      this.#addressTier?.addressSecret,
    ])
      secret?.fill(0);
  }

  /** Keys with which the kernel scans for this wallet. */
  get scanKeys(): WalletScanKeys {
    return scanKeysOf(this.#keys);
  }

  /** Starts a scan of transactions for this wallet alone. */
  matchesIn(txs: ParsedTxs, kernel: BatchScanner): MatchStream {
    return new SharedMatches(txs, kernel).read({ ...this.scanKeys, firstTx: 0 });
  }

  /**
   * Finds the receipts and spends of this wallet in blocks. The blocks replace only blocks at the same heights: a page
   * of a daemon that is behind proves nothing about the blocks above the page, whose outputs the wallet keeps.
   * @param page consecutive blocks with all their transactions.
   * @param matches output matches that cover at least these transactions.
   * @throws the reason of the signal; in that case the scanner is unchanged except for a larger lookahead.
   */
  async scan(page: ChainTxs<ChainBlock>, matches: MatchStream, signal?: AbortSignal): Promise<PageFindings> {
    const { blocks, txs } = page;
    const startHeight = blocks[0]?.height ?? 0;
    const found = await this.#receipts(txs, matches, { signal, firstTx: blocks[0]?.firstTx });
    const last = blocks.at(-1);
    for (const outputs of [this.#watched, this.#blind])
      outputs?.detach(startHeight, last?.height ?? startHeight);
    return {
      startHeight,
      hashes: blocks.map(({ hash }) => hash),
      ...this.#gather(page, found),
      lastBlockReward: last === undefined ? ZERO : rewardOf(txs, last.firstTx),
      lastBlockTime: last?.timestamp,
    };
  }

  /**
   * Finds the receipts and spends of addresses that were not watched when blocks were scanned. The outputs that were
   * found when the blocks were scanned stay watched.
   * @param page consecutive blocks with all their transactions. @param matches matches that cover these transactions.
   * @param searched number of addresses of each account that were watched when the blocks were scanned.
   * @throws the reason of the signal.
   */
  async scanAgain(
    page: ChainTxs<ChainBlock>,
    matches: MatchStream,
    searched: readonly number[],
    signal?: AbortSignal,
  ): Promise<PageFindings> {
    const { blocks, txs } = page;
    const found = await this.#receipts(txs, matches, { signal, firstTx: blocks[0]?.firstTx });
    const isMissed: IsOfInterest = ({ subaddress: { major, minor } }) => minor >= (searched[major] ?? 0);
    return {
      startHeight: blocks[0]?.height ?? 0,
      hashes: blocks.map(({ hash }) => hash),
      ...this.#gather(page, found, isMissed),
      lastBlockReward: ZERO,
    };
  }

  /**
   * Finds the receipts and spends of this wallet in single transactions. Does not remove outputs of the same heights.
   * @param page blocks by ascending height, each with some of its transactions.
   */
  async find(page: ChainTxs, matches: MatchStream): Promise<TxFindings> {
    return this.#gather(page, await this.#receipts(page.txs, matches));
  }

  /**
   * Finds the transactions of blocks that pay this wallet. Changes neither the outputs nor the addresses for which later
   * scans look.
   */
  async receivedIn(
    { blocks, txs }: ChainTxs,
    matches: MatchStream,
    signal: AbortSignal,
  ): Promise<Pick<TxFindings, 'received' | 'outputs'>> {
    const found = await this.#receipts(txs, matches, { signal }, () => undefined);
    const received: ReceivedTx[] = [];
    const outputs: OwnedOutput[] = [];
    for (const { height, timestamp, firstTx, endTx } of blocks)
      for (let at = firstTx; at < endTx; at++) {
        const own = found.get(at);
        if (own === undefined || own.outputs.length === 0) continue;
        received.push({ ...own.receipt, height, timestamp });
        for (const output of own.outputs)
          outputs.push(ownedOutput(output, own.receipt, { txs, at, height }, false));
      }
    return { received, outputs };
  }

  /**
   * Finds the transactions that pay this wallet, by their index.
   * @param onPaid is called with the index of each paid address; absent: grows the lookahead by it.
   */
  #receipts(
    txs: ParsedTxs,
    matches: MatchStream,
    options?: FinderOptions,
    onPaid = (index: SubaddressIndex): void => this.expandTo(index),
  ): Promise<ReadonlyMap<number, FoundReceipt>> {
    const wallet = {
      keys: this.#keys,
      arithmetic: this.#kernel,
      table: this.#table,
      onPaid,
      withKeyImage: (output: FoundOutput) => this.#watched.withKeyImage(output),
    };
    return findReceipts(wallet, txs, matches, options);
  }

  /**
   * Makes the findings of the transactions of blocks, in their order.
   * @param isOfInterest only transactions that pay or spend such outputs are included.
   */
  #gather(
    { blocks, txs }: ChainTxs,
    found: ReadonlyMap<number, FoundReceipt>,
    isOfInterest: IsOfInterest = () => true,
  ): TxFindings {
    const received: ReceivedTx[] = [];
    const outputs: OwnedOutput[] = [];
    const spends: FoundSpend[] = [];
    const outgoing: FoundOutgoing[] = [];
    const ambiguousSpends: AmbiguousSpend[] = [];
    const doubted: FoundTx[] = [];
    for (const { height, timestamp, firstTx, endTx } of blocks)
      for (let at = firstTx; at < endTx; at++) {
        const receipt = found.get(at);
        const own = receipt?.outputs.length === 0 ? undefined : receipt;
        const isEmpty = receipt?.isEmpty === true;
        if (receipt !== undefined && own === undefined && !isEmpty)
          doubted.push({ txHash: txs.hash(at), height });
        const spent = this.#watched.spentBy(txs, at);
        const payer = spent[0]?.subaddress.major;
        // A payment of this wallet without change has an output of zero to it.
        const mayPay = isEmpty && payer === undefined && this.#lacksKeyImages;
        const spending =
          payer === undefined && this.#blind === undefined && !mayPay ? undefined : readTx(txs, at);
        const isFound = own?.outputs.some(isOfInterest) === true || spent.some(isOfInterest);
        if (spending !== undefined && (mayPay || this.#blind?.mayBeSpentBy(spending) === true))
          ambiguousSpends.push({
            ...spendingTx(txs.hash(at), spending, timestamp),
            height,
            ...placeInBlock(txs, at),
            keyImages: keyImagesOf(spending),
          });
        if (!isFound) continue;
        for (const { keyImage } of spent)
          spends.push({ keyImage, txHash: txs.hash(at), height, ...placeInBlock(txs, at) });
        if (own !== undefined) {
          received.push({ ...own.receipt, height, timestamp });
          for (const output of own.outputs) {
            const owned = ownedOutput(
              output,
              own.receipt,
              { txs, at, height },
              payer === undefined ? output.carrot?.isChange === true : output.subaddress.major === payer,
            );
            outputs.push(owned);
            this.#expect(owned);
          }
        }
        if (spending !== undefined && payer !== undefined)
          outgoing.push({
            ...outgoingOf(spendingTx(txs.hash(at), spending, timestamp), payer, spent, own?.outputs ?? []),
            height,
          });
      }
    return {
      received,
      outputs,
      spends,
      outgoing,
      ...(ambiguousSpends.length === 0 ? {} : { ambiguousSpends }),
      ...(doubted.length === 0 ? {} : { doubted }),
      subaddresses: unpackSubaddresses(this.takeFresh()),
    };
  }

  /**
   * Finds the receipts and spends of this wallet in unmined transactions.
   * @param seenAt time when the pool was read [Unix seconds].
   * @param isWanted returns true if the transaction with this index is to be scanned; absent: all transactions are
   * scanned.
   * @throws DaemonError
   */
  async scanPool(
    { sent, txs }: UnminedTxs,
    matches: MatchStream,
    seenAt: number,
    isWanted: (tx: number) => boolean = () => true,
  ): Promise<PoolFinding[]> {
    const found = await this.#receipts(txs, matches, { isWanted });
    return sent.flatMap(({ doubleSpendSeen }, at) => {
      if (!isWanted(at)) return [];
      const own = found.get(at);
      const outputs = own?.outputs ?? [];
      const spent = this.#watched.spentBy(txs, at);
      const payer = spent[0]?.subaddress.major;
      const paid = outputs.filter(({ subaddress }) => subaddress.major !== payer);
      if (paid.length === 0 && payer === undefined) return [];
      return [
        {
          ...(own === undefined || paid.length === 0
            ? {}
            : { incoming: poolTx(own.receipt, paid, { seenAt, doubleSpendSeen }) }),
          ...(payer === undefined
            ? {}
            : {
                outgoing: {
                  ...outgoingOf(spendingTx(txs.hash(at), readTx(txs, at), seenAt), payer, spent, outputs),
                  keyImages: spent.map(({ keyImage }) => keyImage),
                },
              }),
        },
      ];
    });
  }

  #expect(output: OwnedOutput): void {
    this.#watched.add(output);
    const { keyImage, rct, amount: value, globalIndex, height } = output;
    if (keyImage === undefined) this.#blind?.add({ amount: rct ? ZERO : value, globalIndex, height });
  }
}

/**
 * Returns the position of a transaction in the chain as the global index of its first output. Within a block the global
 * indices of RingCT outputs ascend; the global indices of older outputs are counted per amount.
 */
const placeInBlock = (txs: ParsedTxs, tx: number): Pick<FoundSpend, 'globalIndex'> =>
  txs.version(tx) === 2 && txs.outputCount(tx) > 0 ? { globalIndex: txs.globalIndex(tx, 0) } : {};

/** Returns a function that computes spend keys of subaddresses in the kernel. */
const spendKeysBy =
  (kernel: ScanKernel): SpendKeyRange =>
  (spendPublicKey, viewSecret, major, from, to) => {
    const messages = subaddressMessages(viewSecret, major, from, to);
    const keys = kernel.addHashes(spendPublicKey, messages, SUBADDRESS_MESSAGE_BYTES);
    messages.fill(0);
    // The spend key of the primary address is B itself, without an offset m·G.
    if (major === 0 && from === 0 && to > 0) keys.set(spendPublicKey);
    return keys;
  };

/** Mined and unmined transactions to be scanned outside of a refresh. */
export interface TxBatch {
  /** Mined transactions by block, by ascending height; each height occurs once. */
  readonly mined: readonly LooseBlock[];
  readonly unmined: readonly UnminedTx[];
}

/** Receipts and spends of a wallet in a {@link TxBatch}. */
export interface BatchFindings {
  readonly mined: TxFindings;
  readonly unmined: readonly PoolFinding[];
}

/** Scans single transactions with a scanner made for this call. @throws DaemonError `malformed` */
export async function scanTransactions(
  state: ScannerState,
  batch: TxBatch,
  kernels: {
    readonly pool: BatchScanner;
    readonly own: ScanKernel;
  },
): Promise<BatchFindings> {
  const scanner = new WalletScanner(state, kernels.own);
  try {
    const loose = outlineLoose(batch.mined);
    const mined = await scanner.find(loose, scanner.matchesIn(loose.txs, kernels.pool));
    const unmined = { sent: batch.unmined, txs: outlineUnmined(batch.unmined) };
    const seenAt = unixSeconds(systemClock);
    return {
      mined,
      unmined: await scanner.scanPool(unmined, scanner.matchesIn(unmined.txs, kernels.pool), seenAt),
    };
  } finally {
    scanner.wipe();
  }
}
