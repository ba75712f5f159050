import type { KeyImage } from '../crypto/types.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { RawTx } from '../daemon/block-parser.js';
import type { ParsedTxs } from '../daemon/parsed-txs.js';
import type { ScanKernel } from '../kernel/kernel.js';
import { sum, ZERO } from '../util/amount.js';
import { keyImagesOf } from '../wallet/exchange/pending-tx.js';
import { OutputsWithoutKeyImage, outgoingOf, spendingTx } from '../wallet/scan/ambiguous-spends.js';
import {
  claimOutput,
  openClaims,
  type Claim,
  type FoundOutput,
  type OutputArithmetic,
  type ReceivingKeys,
} from '../wallet/scan/receive.js';
import type {
  AmbiguousSpend,
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
import { buildTx, outlineSent, type ChainBlock, type ChainTxs } from './chain-block.js';
import { findHits, type BatchScanner, type Hit, type Hits } from './hits.js';
import { feeOf, paymentIdIn, place, receivedTx, type BuiltTx } from './received-tx.js';
import type { ScannerState } from './scanner-state.js';
import { spendKeysBy } from './spend-keys.js';
import { WatchList, type NamedKey } from './watch-list.js';

/** A transaction in the pool. */
export interface UnminedTx extends RawTx {
  readonly doubleSpendSeen: boolean;
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
  readonly #blind: OutputsWithoutKeyImage | undefined;
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
    this.#blind = state.blind && new OutputsWithoutKeyImage(state.blind);
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

  /** Spends of these are recognised from now on, whether their outputs were found already or will be. */
  learn(told: readonly NamedKey[]): void {
    this.#watched.learn(told);
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

  /** Forgets what was received at or above a height. */
  detachFrom(height: number): void {
    this.#watched.detachFrom(height);
    this.#blind?.detachFrom(height);
  }

  /** Finds what keys of transactions may open, which depends on the view key alone and so can begin ahead. */
  hitsIn({ blocks, txs }: ChainTxs, kernel: BatchScanner): Hits {
    return findHits(txs, this.#keys.viewSecret, kernel, blocks[0]?.firstTx, blocks.at(-1)?.endTx);
  }

  /**
   * Finds what blocks hold for this wallet.
   * @param page gapless blocks, each with all its transactions. @param hits in them.
   * @throws the signal's reason, before anything but addresses looked ahead has changed.
   */
  async scan(page: ChainTxs<ChainBlock>, hits: Hits, signal?: AbortSignal): Promise<PageFindings> {
    const { blocks, txs } = page;
    const startHeight = blocks[0]?.height ?? 0;
    const looked = await this.#lookAt(txs, hits, signal);
    this.detachFrom(startHeight);
    const last = blocks.at(-1);
    return {
      startHeight,
      hashes: blocks.map(({ hash }) => hash),
      ...this.#gather(page, looked),
      lastBlockReward: sum(
        last === undefined ? [] : buildTx(txs.blob(last.firstTx)).prefix.outputs.map(({ amount }) => amount),
      ),
    };
  }

  /** Looks through transactions alone, of blocks by ascending height; what came later is not forgotten. */
  async find(page: ChainTxs, hits: Hits): Promise<TxFindings> {
    return this.#gather(page, await this.#lookAt(page.txs, hits));
  }

  #gather({ blocks, txs }: ChainTxs, looked: (i: number) => Looked): TxFindings {
    const received: ReceivedTx[] = [];
    const outputs: OwnedOutput[] = [];
    const spends: FoundSpend[] = [];
    const outgoing: FoundOutgoing[] = [];
    const ambiguousSpends: AmbiguousSpend[] = [];
    for (const block of blocks)
      for (let tx = block.firstTx; tx < block.endTx; tx++) {
        const { found, build } = looked(tx);
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
   * Looks through transactions that are not mined yet.
   * @param seenAt Unix seconds. @returns one finding a transaction that concerns us. @throws DaemonError
   */
  async scanPool(sent: readonly UnminedTx[], seenAt: number, kernel: BatchScanner): Promise<PoolFinding[]> {
    const txs = outlineSent(sent);
    const looked = await this.#lookAt(txs, findHits(txs, this.#keys.viewSecret, kernel));
    return sent.flatMap(({ doubleSpendSeen }, i) => {
      const { found, build } = looked(i);
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

  /** Finds our outputs in transactions. @returns the findings of the transaction at a place. */
  async #lookAt(txs: ParsedTxs, hits: Hits, signal?: AbortSignal): Promise<(i: number) => Looked> {
    const built = new Map<number, BuiltTx & { readonly hits: Hit[] }>();
    const build = (i: number): BuiltTx & { readonly hits: Hit[] } => {
      const known = built.get(i);
      if (known !== undefined) return known;
      const made = { hash: txs.hash(i), tx: buildTx(txs.blob(i)), outlines: txs, at: i, hits: [] };
      built.set(i, made);
      return made;
    };
    const claims: TxClaim[] = [];
    for await (const portion of hits) {
      signal?.throwIfAborted();
      for (let n = 0; n < portion.count; n++) {
        if (this.#table.find(portion.spendKey(n)) === undefined) continue;
        const hit = portion.hit(n);
        const { tx, hits: others } = build(hit.tx);
        others.push(hit);
        const { outputIndex, derivation, key, spendKey } = hit;
        const claim = claimOutput(this.#table, tx, outputIndex, derivation, key, spendKey);
        if (claim === undefined) continue;
        this.expandTo(claim.subaddress);
        claims.push({ tx: hit.tx, claim });
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
      if (!outputs.has(output.outputIndex)) outputs.set(output.outputIndex, this.#watched.named(output));
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
const placeInBlock = (txs: ParsedTxs, tx: number): Pick<FoundSpend, 'globalIndex'> =>
  txs.version(tx) === 2 && txs.outputCount(tx) > 0 ? { globalIndex: txs.globalIndex(tx, 0) } : {};

/** A claim, and the place of its transaction among those looked at. */
interface TxClaim {
  readonly tx: number;
  readonly claim: Claim;
}

/** What a look at a transaction gave. */
interface Looked {
  /** Outputs of ours. */
  readonly found: readonly FoundOutput[];
  /** Most transactions concern nobody here: they are built only when this is called. @throws DaemonError */
  readonly build: () => BuiltTx;
}
