import type { ParsedTxs } from '../../monero/wallet/scan/block-page.js';
import {
  kernelBatches,
  type MatchStream,
  type OutputMatches,
} from '../../monero/wallet/scan/output-matches.js';
import { MatchGroup, type BatchScanner, type MatchReader } from './match-group.js';

/**
 * Scans some transactions for any number of wallets. The wallets that are known at the start are scanned together in a
 * first group. Wallets that come later are scanned together in the next group, which begins when the first group ends.
 */
export class SharedMatches {
  readonly #txs: ParsedTxs;
  readonly #firstTx: number;
  readonly #endTx: number;
  readonly #kernel: BatchScanner;
  readonly #groups = new Map<MatchReader, MatchGroup>();
  /** Late readers that wait for the next group, with the function that resumes each. */
  readonly #late = new Map<MatchReader, (group: MatchGroup | undefined) => void>();
  #lateGroupScans = false;

  /** @param firstTx index of the first transaction. @param endTx index after the last transaction. */
  constructor(txs: ParsedTxs, kernel: BatchScanner, firstTx = 0, endTx = txs.count) {
    this.#txs = txs;
    this.#kernel = kernel;
    this.#firstTx = firstTx;
    this.#endTx = endTx;
  }

  /** Begins the scan for readers that will read its matches later. */
  begin(readers: readonly MatchReader[]): MatchGroup {
    const first = readers.reduce((lowest, { firstTx }) => Math.min(lowest, firstTx), this.#endTx);
    const batches = kernelBatches(this.#txs.candidates, Math.max(this.#firstTx, first), this.#endTx);
    const group = new MatchGroup(batches, readers, this.#kernel);
    for (const reader of readers) this.#groups.set(reader, group);
    return group;
  }

  /**
   * Yields the matches of one reader; may be called once per reader.
   * @throws Error if the reader is dropped meanwhile.
   */
  async *read(reader: MatchReader): MatchStream & AsyncGenerator<OutputMatches, void, void> {
    try {
      const known = this.#groups.get(reader);
      const group = known?.start(reader) === true ? known : await this.#joinLate(reader);
      if (group === undefined) throw new Error('a reader of output matches was dropped');
      yield* group.read(reader);
    } finally {
      this.drop(reader);
    }
  }

  drop(reader: MatchReader): void {
    this.#groups.get(reader)?.drop(reader);
    this.#groups.delete(reader);
    const join = this.#late.get(reader);
    this.#late.delete(reader);
    join?.(undefined);
  }

  #joinLate(reader: MatchReader): Promise<MatchGroup | undefined> {
    return new Promise((resolve) => {
      this.#late.set(reader, resolve);
      if (!this.#lateGroupScans) this.#beginLate();
    });
  }

  #beginLate(): void {
    this.#lateGroupScans = this.#late.size > 0;
    if (!this.#lateGroupScans) return;
    const late = [...this.#late];
    this.#late.clear();
    const group = this.begin(late.map(([reader]) => reader));
    for (const [reader, join] of late) {
      group.start(reader);
      join(group);
    }
    void group.ready.then(() => this.#beginLate());
  }
}
