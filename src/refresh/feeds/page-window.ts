import type { SecretKey } from '../../monero/crypto/types.js';
import type { ChainBlock } from '../scan/chain-block.js';
import type { ChainPage } from './chain-page.js';
import type { ChainPosition } from './chain-position.js';
import type { FeedMember } from './feed-member.js';
import type { BatchScanner, MatchReader } from '../scan/match-group.js';
import { fitOf } from './page-fit.js';
import { scanBatchesOf } from '../scan/scan-batches.js';
import { SharedMatches } from '../scan/shared-matches.js';

/** Consecutive blocks of a page that are scanned in one go. */
export class PassBatch {
  readonly page: ChainPage;
  readonly blocks: readonly ChainBlock[];
  readonly matches: SharedMatches;
  /** Members whose scan was begun ahead. */
  readonly readers = new Map<FeedMember, MatchReader>();
  /** Scan that was begun for a wallet that has not come yet. */
  #expected: MatchReader | undefined;

  constructor(page: ChainPage, blocks: readonly ChainBlock[], kernel: BatchScanner) {
    this.page = page;
    this.blocks = blocks;
    this.matches = new SharedMatches(page.txs, kernel, blocks[0]?.firstTx, blocks.at(-1)?.endTx);
  }

  /** Begins the scan for a wallet that will come. @param viewSecret is read until {@link adopt} or {@link giveUp}. */
  expect(viewSecret: SecretKey): void {
    const [first] = this.blocks;
    if (first === undefined || this.#expected !== undefined) return;
    this.#expected = { viewSecret, firstTx: first.firstTx };
    void this.matches.begin([this.#expected]).scanAhead();
  }

  /** Hands the scan that was begun for an expected wallet to its member, whose own view key is read from then on. */
  adopt(member: FeedMember): void {
    if (this.#expected === undefined) return;
    this.#expected.viewSecret = member.viewSecret;
    this.readers.set(member, this.#expected);
    this.#expected = undefined;
  }

  /** Ends the scan for an expected wallet that has not come. */
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

/** The pages of a pass that its members still need, and always the newest, as scan batches with increasing numbers. */
export class PageWindow {
  readonly #kernel: BatchScanner;
  readonly #batchKeys: number;
  readonly #batches: PassBatch[] = [];
  /** Number of the first batch. */
  #base = 0;

  /** @param batchKeys transaction public keys of a scan batch. */
  constructor(kernel: BatchScanner, batchKeys: number) {
    this.#kernel = kernel;
    this.#batchKeys = batchKeys;
  }

  /** Number of the next batch to be added. */
  get end(): number {
    return this.#base + this.#batches.length;
  }

  /** Number of the first batch of the newest page. */
  get newestPage(): number {
    const page = this.#batches.at(-1)?.page;
    return this.#base + this.#batches.findIndex((batch) => batch.page === page);
  }

  /** Size of all pages (bytes). */
  get bytes(): number {
    return [...new Set(this.#batches.map(({ page }) => page))].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  at(number: number): PassBatch | undefined {
    return this.#batches[number - this.#base];
  }

  /** Batches from a number on. */
  from(number: number): readonly PassBatch[] {
    return this.#batches.slice(Math.max(0, number - this.#base));
  }

  add(page: ChainPage): void {
    const fresh = { ...page, blocks: page.blocks.slice(page.firstNew) };
    for (const { blocks } of scanBatchesOf(fresh, this.#batchKeys))
      this.#batches.push(new PassBatch(page, blocks, this.#kernel));
  }

  /** Drops the pages before that of a batch. */
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

  /** Finds the number of the batch with the first block that a position lacks; undefined where no page fits it. */
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
      // The next page may have replaced the end of this one: it must fit on its own.
      if (page === newest) return this.end;
    }
    return undefined;
  }
}
