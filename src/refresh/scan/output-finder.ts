import type { ParsedTxs } from '../../daemon/parsed-txs.js';
import {
  claimOutput,
  openClaims,
  outputsByTx,
  type FoundOutput,
  type OutputArithmetic,
  type ReceivingKeys,
  type TxClaim,
} from '../../monero/wallet/scan/receive.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { TurnLimit } from '../../util/event-loop.js';
import type { SubaddressTable } from '../../monero/wallet/scan/subaddress-table.js';
import type { MatchStream } from '../../monero/wallet/scan/output-matches.js';
import { matchedTx, receiptOf, type MatchedTx, type Receipt } from './received-tx.js';

/** Outputs of the wallet in one transaction, by ascending output index, and the record of the transaction. */
export interface FoundReceipt {
  readonly outputs: readonly FoundOutput[];
  readonly receipt: Receipt;
}

/** Transactions that pay the wallet, by their index. */
export type FoundReceipts = ReadonlyMap<number, FoundReceipt>;

/** Largest number of output matches that are decrypted in one turn of the event loop. */
const CLAIMS_AT_ONCE = 32;

/**
 * Number of wallets that decrypt their matches in one turn of the event loop. All wallets wait for the same scan. With
 * one wallet per turn, the findings of the first wallet are committed and further batches are scanned while the other
 * wallets decrypt theirs.
 */
const turns = new TurnLimit(1);

/** Which transactions an {@link OutputFinder} searches. */
export interface FinderOptions {
  readonly signal?: AbortSignal | undefined;
  /** Index of the first transaction to search; the ones before are skipped. */
  readonly firstTx?: number | undefined;
  /** Returns true if the transaction with this index is to be searched; absent: all are. */
  readonly isWanted?: ((tx: number) => boolean) | undefined;
}

/** Keys and functions of a wallet that an {@link OutputFinder} uses. */
export interface OutputFinderParts {
  readonly keys: ReceivingKeys;
  readonly arithmetic: OutputArithmetic;
  readonly table: SubaddressTable;
  /** Is called with the index of each paid address, before the outputs after it are tried. */
  readonly onPaid: (index: SubaddressIndex) => void;
  /** Returns the output with its imported key image, if it lacks its own. */
  readonly withKeyImage: (output: FoundOutput) => FoundOutput;
}

/** Finds the outputs of one wallet among output matches. */
export class OutputFinder {
  readonly #parts: OutputFinderParts;

  constructor(parts: OutputFinderParts) {
    this.#parts = parts;
  }

  /**
   * Searches all matches of a stream. A transaction is parsed into a value that is not kept: the values of a whole page
   * would outlive the young generation of the garbage collector.
   * @param matches by ascending index of their transaction.
   * @throws the reason of the signal; DaemonError
   */
  async find(
    txs: ParsedTxs,
    matches: MatchStream,
    { signal, firstTx = 0, isWanted = () => true }: FinderOptions = {},
  ): Promise<FoundReceipts> {
    const { keys, table, onPaid } = this.#parts;
    const claims: TxClaim[] = [];
    const receipts = new Map<number, Receipt>();
    let matched: MatchedTx | undefined;
    const close = (): void => {
      if (matched !== undefined && claims.at(-1)?.tx === matched.at)
        receipts.set(matched.at, receiptOf(matched, keys));
    };
    for await (const portion of matches) {
      signal?.throwIfAborted();
      for (const match of portion.payingTo(table)) {
        if (match.tx < firstTx || !isWanted(match.tx)) continue;
        // The matches of a transaction may be in two portions.
        if (matched?.at !== match.tx) {
          close();
          matched = matchedTx(txs, match.tx);
        }
        matched.matches.push(match);
        const claim = claimOutput(table, matched.tx, match);
        if (claim === undefined) continue;
        onPaid(claim.subaddress);
        claims.push({ tx: match.tx, claim });
      }
    }
    close();
    signal?.throwIfAborted();
    const found = new Map<number, FoundReceipt>();
    for (const [tx, outputs] of await this.#open(claims, signal)) {
      const receipt = receipts.get(tx);
      if (receipt === undefined) throw new Error('an output whose transaction has no record');
      found.set(tx, { outputs, receipt });
    }
    return found;
  }

  /**
   * Decrypts output matches, some in each turn of the event loop.
   * @returns the wallet's outputs by transaction. If several keys fit an output, the first one counts.
   * @throws the reason of the signal.
   */
  async #open(
    claims: readonly TxClaim[],
    signal: AbortSignal | undefined,
  ): Promise<Map<number, FoundOutput[]>> {
    const { keys, arithmetic, withKeyImage } = this.#parts;
    const opened: (FoundOutput | undefined)[] = [];
    for (let at = 0; at < claims.length; at += CLAIMS_AT_ONCE) {
      await turns.next();
      signal?.throwIfAborted();
      const part = claims.slice(at, at + CLAIMS_AT_ONCE).map(({ claim }) => claim);
      opened.push(...openClaims(keys, part, arithmetic));
    }
    const found = outputsByTx(claims, opened);
    return new Map([...found].map(([tx, outputs]) => [tx, outputs.map(withKeyImage)]));
  }
}
