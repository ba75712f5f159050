import type { KeyImage, SecretKey } from '../crypto/types.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { NamedTx } from '../daemon/outliner.js';
import type { TxOutlines } from '../daemon/tx-outlines.js';
import type { ScanKernel } from '../kernel/kernel.js';
import { sum, ZERO } from '../util/amount.js';
import { keyImagesOf } from '../wallet/exchange/pending-tx.js';
import {
  BlindOutputs,
  outgoingOf,
  spendingTx,
  type AmbiguousSpend,
} from '../wallet/scan/ambiguous-spends.js';
import {
  claimOutput,
  openClaims,
  type Claim,
  type FoundOutput,
  type OutputArithmetic,
  type ReceivingKeys,
} from '../wallet/scan/receive.js';
import type {
  FoundOutgoing,
  FoundSpend,
  OwnedOutput,
  PageFindings,
  PoolTx,
  ReceivedTx,
  SubaddressKey,
  TxFindings,
} from '../wallet/model/records.js';
import { SubaddressTable, type Lookahead } from '../wallet/scan/subaddress-table.js';
import { buildTx, type ChainBlock, type ChainTxs } from './chain-block.js';
import type { BatchScanner } from './match-group.js';
import type { MatchStream, OutputMatch } from './output-matches.js';
import { feeOf, paymentIdIn, place, receivedTx, type BuiltTx } from './received-tx.js';
import type { ScannerState } from './scanner-state.js';
import { SharedMatches } from './shared-matches.js';
import { spendKeysBy } from './spend-keys.js';
import { WatchList, type OutputKeyImage } from './watch-list.js';

/** A transaction in the pool. */
export interface UnminedTx extends NamedTx {
  readonly doubleSpendSeen: boolean;
}

/** Unmined transactions with their parsed form, in the same order. */
export interface UnminedTxs {
  readonly sent: readonly UnminedTx[];
  readonly txs: TxOutlines;
}

/** A transaction of the pool that concerns us. */
export interface PoolFinding {
  /** Absent when it pays us nothing but change. */
  readonly incoming?: PoolTx;
  /** Absent when it spends nothing of ours. */
  readonly outgoing?: PoolOutgoing;
}

/** A payment from our outputs, with the images of those. */
export type PoolOutgoing = Omit<FoundOutgoing, 'height'> & { readonly keyImages: readonly KeyImage[] };

/**
 * Finds one wallet's receipts and spends in blocks and pool transactions, in chain order. Holds what it has
 * found so far, so that a page may spend what an earlier one received.
 * Source: wallet2.cpp `process_new_transaction`.
 */
export class WalletScanner {
  readonly #keys: ReceivingKeys;
  readonly #arithmetic: OutputArithmetic;
  readonly #table: SubaddressTable;
  readonly #watched: WatchList;
  readonly #blind: BlindOutputs | undefined;
  readonly #seesPool: boolean;
  #fresh: SubaddressKey[] = [];

  /** @param kernel for what concerns this wallet alone. */
  constructor(state: ScannerState, kernel: ScanKernel) {
    this.#keys = state.keys;
    this.#arithmetic = kernel;
    this.#table = new SubaddressTable(
      state.spendPublicKey,
      state.keys.viewSecret,
      state.lookahead,
      spendKeysBy(kernel),
    );
    this.#table.load(state.subaddresses);
    this.#watched = new WatchList(state);
    this.#blind = state.blind && new BlindOutputs(state.blind);
    this.#seesPool = state.seesPool === true;
    for (const index of [{ major: 0, minor: 0 }, ...state.handedOut]) this.expandTo(index);
  }

  /** The spend key is put away: what is spent cannot be told, nor what of the pool is change. */
  get isBlind(): boolean {
    return this.#blind !== undefined && !this.#seesPool;
  }

  /** Makes sure that a handed-out address is recognised, with the lookahead beyond it. */
  expandTo(index: SubaddressIndex): void {
    for (const entry of this.#table.expandTo(index)) this.#fresh.push(entry);
  }

  /** Looks further, or less far, ahead from now on. */
  lookAhead(lookahead: Lookahead, handedOut: readonly SubaddressIndex[]): void {
    this.#table.lookahead = lookahead;
    for (const index of [{ major: 0, minor: 0 }, ...handedOut]) this.expandTo(index);
  }

  /** Recognises the spends of outputs from now on, those found already and those found later. */
  importKeyImages(keyImages: readonly OutputKeyImage[]): void {
    this.#watched.importKeyImages(keyImages);
  }

  /** Lookahead entries computed since the last call. */
  takeFresh(): SubaddressKey[] {
    return this.#fresh.splice(0);
  }

  /** Zeroes the keys. The scanner is of no use afterwards. */
  wipe(): void {
    this.#keys.viewSecret.fill(0);
    this.#keys.spendSecret?.fill(0);
  }

  get viewSecret(): SecretKey {
    return this.#keys.viewSecret;
  }

  /** Forgets what was received at or above a height. */
  detachFrom(height: number): void {
    this.#watched.detachFrom(height);
    this.#blind?.detachFrom(height);
  }

  /** Starts a scan of transactions with this wallet's view key alone. */
  matchesIn(txs: TxOutlines, kernel: BatchScanner): MatchStream {
    return new SharedMatches(txs, kernel).read({ viewSecret: this.#keys.viewSecret, firstTx: 0 });
  }

  /**
   * Finds the receipts and spends of this wallet in blocks.
   * @param page gapless blocks with all their transactions. @param matches of these transactions at least.
   * @throws the signal's reason; until then nothing changes but the lookahead.
   */
  async scan(page: ChainTxs<ChainBlock>, matches: MatchStream, signal?: AbortSignal): Promise<PageFindings> {
    const { blocks, txs } = page;
    const startHeight = blocks[0]?.height ?? 0;
    const scanned = await this.#scanOutputs(txs, matches, { signal, firstTx: blocks[0]?.firstTx });
    this.detachFrom(startHeight);
    const last = blocks.at(-1);
    return {
      startHeight,
      hashes: blocks.map(({ hash }) => hash),
      ...this.#gather(page, scanned),
      lastBlockReward: sum(
        last === undefined ? [] : buildTx(txs.blob(last.firstTx)).prefix.outputs.map(({ amount }) => amount),
      ),
    };
  }

  /** Finds the receipts and spends in single transactions of blocks by ascending height; detaches nothing. */
  async find(page: ChainTxs, matches: MatchStream): Promise<TxFindings> {
    return this.#gather(page, await this.#scanOutputs(page.txs, matches));
  }

  #gather({ blocks, txs }: ChainTxs, scanned: (i: number) => ScannedTx): TxFindings {
    const received: ReceivedTx[] = [];
    const outputs: OwnedOutput[] = [];
    const spends: FoundSpend[] = [];
    const outgoing: FoundOutgoing[] = [];
    const ambiguousSpends: AmbiguousSpend[] = [];
    for (const block of blocks)
      for (let tx = block.firstTx; tx < block.endTx; tx++) {
        const { found, build } = scanned(tx);
        const spent = this.#watched.spentBy(txs, tx);
        const payer = spent[0]?.subaddress.major;
        if (this.#blind !== undefined) {
          const built = build();
          if (this.#blind.mayBeSpentBy(built.tx))
            ambiguousSpends.push({
              ...spendingTx(built.hash, built.tx, block.timestamp),
              height: block.height,
              ...placeInBlock(txs, tx),
              keyImages: keyImagesOf(built.tx),
            });
        }
        if (found.length === 0 && payer === undefined) continue;
        const built = build();
        for (const { keyImage } of spent)
          spends.push({ keyImage, txHash: built.hash, height: block.height, ...placeInBlock(txs, tx) });
        if (found.length > 0) {
          received.push(receivedTx(built, block, this.#keys));
          const placed = found.map((output) =>
            place(output, built, block, output.subaddress.major === payer),
          );
          outputs.push(...placed);
          for (const output of placed) this.#expect(output);
        }
        if (payer !== undefined)
          outgoing.push({
            ...outgoingOf(spendingTx(built.hash, built.tx, block.timestamp), payer, spent, found),
            height: block.height,
          });
      }
    return {
      received,
      outputs,
      spends,
      outgoing,
      ...(ambiguousSpends.length === 0 ? {} : { ambiguousSpends }),
      subaddresses: this.takeFresh(),
    };
  }

  /**
   * Finds the receipts and spends of this wallet in unmined transactions.
   * @param seenAt Unix seconds. @param isWanted by index; absent: all are scanned. @throws DaemonError
   */
  async scanPool(
    { sent, txs }: UnminedTxs,
    matches: MatchStream,
    seenAt: number,
    isWanted: (tx: number) => boolean = () => true,
  ): Promise<PoolFinding[]> {
    const scanned = await this.#scanOutputs(txs, matches, { isWanted });
    return sent.flatMap(({ doubleSpendSeen }, i) => {
      if (!isWanted(i)) return [];
      const { found, build } = scanned(i);
      const spent = this.#watched.spentBy(txs, i);
      const payer = spent[0]?.subaddress.major;
      const paid = found.filter(({ subaddress }) => subaddress.major !== payer);
      if (paid.length === 0 && payer === undefined) return [];
      const built = build();
      const incoming: PoolTx = {
        txHash: built.hash,
        timestamp: seenAt,
        unlockTime: built.tx.prefix.unlockTime,
        fee: feeOf(built.tx),
        ...paymentIdIn(built, this.#keys.viewSecret),
        doubleSpendSeen,
        outputs: paid.map(({ outputIndex, publicKey, amount, subaddress }) => ({
          outputIndex,
          publicKey,
          amount,
          subaddress,
        })),
      };
      return [
        {
          ...(paid.length === 0 ? {} : { incoming }),
          ...(payer === undefined
            ? {}
            : {
                outgoing: {
                  ...outgoingOf(spendingTx(built.hash, built.tx, seenAt), payer, spent, found),
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

  /** Finds outputs of this wallet. @returns the findings of a transaction by its index. */
  async #scanOutputs(
    txs: TxOutlines,
    matches: MatchStream,
    options: {
      readonly signal?: AbortSignal | undefined;
      readonly firstTx?: number | undefined;
      readonly isWanted?: (tx: number) => boolean;
    } = {},
  ): Promise<(i: number) => ScannedTx> {
    const { signal, firstTx = 0, isWanted = () => true } = options;
    const built = new Map<number, BuiltTx & { readonly matches: OutputMatch[] }>();
    const build = (i: number): BuiltTx & { readonly matches: OutputMatch[] } => {
      const known = built.get(i);
      if (known !== undefined) return known;
      const made = { hash: txs.hash(i), tx: buildTx(txs.blob(i)), outlines: txs, at: i, matches: [] };
      built.set(i, made);
      return made;
    };
    const claims: TxClaim[] = [];
    for await (const portion of matches) {
      signal?.throwIfAborted();
      for (let n = 0; n < portion.count; n++) {
        if (this.#table.find(portion.spendKey(n)) === undefined) continue;
        const match = portion.match(n);
        if (match.tx < firstTx || !isWanted(match.tx)) continue;
        const { tx, matches: others } = build(match.tx);
        others.push(match);
        const { outputIndex, derivation, key, spendKey } = match;
        const claim = claimOutput(this.#table, tx, outputIndex, derivation, key, spendKey);
        if (claim === undefined) continue;
        this.expandTo(claim.subaddress);
        claims.push({ tx: match.tx, claim });
      }
    }
    signal?.throwIfAborted();
    const found = this.#open(claims);
    return (i) => ({ found: found.get(i) ?? [], build: () => build(i) });
  }

  /** Opens claims. @returns outputs of ours by transaction; the first key that opens an output decides. */
  #open(claims: readonly TxClaim[]): Map<number, FoundOutput[]> {
    const opened = openClaims(
      this.#keys,
      claims.map(({ claim }) => claim),
      this.#arithmetic,
    );
    const found = new Map<number, Map<number, FoundOutput>>();
    claims.forEach(({ tx }, i) => {
      const output = opened[i];
      if (output === undefined) return;
      const outputs = found.get(tx) ?? new Map<number, FoundOutput>();
      found.set(tx, outputs);
      if (!outputs.has(output.outputIndex))
        outputs.set(output.outputIndex, this.#watched.withKeyImage(output));
    });
    return new Map(
      [...found].map(([tx, outputs]) => [
        tx,
        [...outputs.values()].sort((a, b) => a.outputIndex - b.outputIndex),
      ]),
    );
  }
}

/** Global indices ascend within a block, but for outputs from before RingCT, which are numbered by amount. */
const placeInBlock = (txs: TxOutlines, tx: number): Pick<FoundSpend, 'globalIndex'> =>
  txs.version(tx) === 2 && txs.outputCount(tx) > 0 ? { globalIndex: txs.globalIndex(tx, 0) } : {};

interface TxClaim {
  /** Index of the transaction. */
  readonly tx: number;
  readonly claim: Claim;
}

interface ScannedTx {
  /** Outputs of this wallet. */
  readonly found: readonly FoundOutput[];
  /** Parses the transaction; most are of no interest and never parsed. @throws DaemonError */
  readonly build: () => BuiltTx;
}
