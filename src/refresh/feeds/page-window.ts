import type { SecretKey } from '../../monero/crypto/types.js';
import type { ChainBlock, ChainTxs } from '../scan/chain-block.js';
import type { ChainPage } from './chain-page.js';
import { type ChainPosition, fitOf } from './chain-position.js';
import type { FeedMember } from './feed-member.js';
import type { BatchScanner, MatchReader } from '../scan/match-group.js';
import { SharedMatches } from '../scan/shared-matches.js';

/** Consecutive blocks of a page whose outputs are scanned together. */
export class PassBatch {
  readonly page: ChainPage;
  readonly blocks: readonly ChainBlock[];
  readonly matches: SharedMatches;
  /** Scans that were begun for members before they took this batch, by member. */
  readonly readers = new Map<FeedMember, MatchReader>();
  /** Scan that was begun for a wallet that is expected to join. */
  #expected: MatchReader | undefined;

  constructor(page: ChainPage, blocks: readonly ChainBlock[], kernel: BatchScanner) {
    this.page = page;
    this.blocks = blocks;
    this.matches = new SharedMatches(page.txs, kernel, blocks[0]?.firstTx, blocks.at(-1)?.endTx);
  }

  /**
   * Begins the scan for a wallet that is expected to join.
   * @param viewSecret is read until {@link adopt} or {@link giveUp}.
   */
  expect(viewSecret: SecretKey): void {
    const [first] = this.blocks;
    if (first === undefined || this.#expected !== undefined) return;
    this.#expected = { viewSecret, firstTx: first.firstTx };
    void this.matches.begin([this.#expected]).scanAhead();
  }

  /**
   * Assigns the scan that was begun for the expected wallet to the member of the wallet, whose own copy of the view key
   * is read from now on.
   */
  adopt(member: FeedMember): void {
    if (this.#expected === undefined) return;
    this.#expected.viewSecret = member.keys.viewSecret;
    this.readers.set(member, this.#expected);
    this.#expected = undefined;
  }

  /** Ends the scan for an expected wallet that has not joined. */
  giveUp(): void {
    if (this.#expected !== undefined) this.matches.drop(this.#expected);
    this.#expected = undefined;
  }

  /** Ends the scan that was begun for a member. */
  drop(member: FeedMember): void {
    const reader = this.readers.get(member);
    this.readers.delete(member);
    if (reader !== undefined) this.matches.drop(reader);
  }
}

/**
 * The pages of a pass that its members still need, and always the newest page, divided into scan batches with
 * consecutive numbers.
 */
export class PageWindow {
  readonly #kernel: BatchScanner;
  readonly #batchKeys: number;
  readonly #batches: PassBatch[] = [];
  /** Number of the first batch that is still held. */
  #base = 0;

  /** @param batchKeys largest number of transaction public keys in a scan batch. */
  constructor(kernel: BatchScanner, batchKeys: number) {
    this.#kernel = kernel;
    this.#batchKeys = batchKeys;
  }

  /** Number of the batch that is added next. */
  get end(): number {
    return this.#base + this.#batches.length;
  }

  /** Number of the first batch of the newest page. */
  get newestPage(): number {
    const page = this.#batches.at(-1)?.page;
    return this.#base + this.#batches.findIndex((batch) => batch.page === page);
  }

  /** Total size of the held pages [bytes]. */
  get bytes(): number {
    return [...new Set(this.#batches.map(({ page }) => page))].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** True if a held page has a forged transaction. */
  get isForged(): boolean {
    return this.#batches.some(({ page }) => page.proofs.isForged);
  }

  at(number: number): PassBatch | undefined {
    return this.#batches[number - this.#base];
  }

  /** Returns the batches from the given number on. */
  from(number: number): readonly PassBatch[] {
    return this.#batches.slice(Math.max(0, number - this.#base));
  }

  add(page: ChainPage): void {
    const fresh = { ...page, blocks: page.blocks.slice(page.firstNew) };
    for (const { blocks } of scanBatchesOf(fresh, this.#batchKeys))
      this.#batches.push(new PassBatch(page, blocks, this.#kernel));
  }

  /** Drops the pages before the one that contains the given batch. */
  trim(number: number): void {
    const keep = (this.at(number) ?? this.#batches.at(-1))?.page;
    const first = this.#batches.findIndex(({ page }) => page === keep);
    if (first <= 0) return;
    for (const batch of this.#batches.splice(0, first)) batch.giveUp();
    this.#base += first;
  }

  clear(): void {
    this.#base = this.end;
    for (const batch of this.#batches.splice(0)) batch.giveUp();
  }

  /**
   * Finds the number of the batch that contains the first block which a position lacks; undefined if no page fits the
   * position.
   */
  find(position: ChainPosition): number | undefined {
    const newest = this.#batches.at(-1)?.page;
    for (const page of new Set(this.#batches.map((batch) => batch.page))) {
      const index = fitOf(page, position);
      if (index === undefined || index < page.firstNew) continue;
      const height = (page.blocks[0]?.height ?? 0) + index;
      const found = this.#batches.findIndex(
        (batch) => batch.page === page && (batch.blocks.at(-1)?.height ?? -1) >= height,
      );
      if (found >= 0) return this.#base + found;
      // The page after this one may replace its last blocks: the position must fit that page too.
      if (page === newest) return this.end;
    }
    return undefined;
  }
}

/**
 * Divides a page at block boundaries into scan batches, so that the first findings of a large page are committed while
 * its last transactions are scanned.
 * @param most largest number of keys in a batch; a block with more keys is a batch of its own.
 * @returns the batches in chain order; each block is in exactly one of them.
 */
export function* scanBatchesOf<P extends ChainTxs<ChainBlock>>(
  page: P,
  most: number,
): Generator<P, void, void> {
  const { blocks, txs } = page;
  let from = 0;
  let before = txs.keysBefore(blocks[0]?.firstTx ?? 0);
  for (let at = 1; at < blocks.length; at++) {
    const reached = txs.keysBefore(blocks[at]?.endTx ?? 0);
    if (reached - before <= most) continue;
    yield { ...page, blocks: blocks.slice(from, at) };
    before = txs.keysBefore(blocks[at]?.firstTx ?? 0);
    from = at;
  }
  if (blocks.length > 0) yield from === 0 ? page : { ...page, blocks: blocks.slice(from) };
}
