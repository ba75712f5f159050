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
import { buildTx } from './chain-block.js';
import type { MatchStream, OutputMatch } from '../../monero/wallet/scan/output-matches.js';
import type { BuiltTx } from './received-tx.js';

/** Transactions and the outputs of the wallet that were found in them. */
export interface ScannedTxs {
  /**
   * Returns the outputs of the wallet in a transaction, by ascending output index.
   * @param tx index of the transaction.
   */
  outputsOf(tx: number): readonly FoundOutput[];
  /** Parses a transaction into a value; most transactions pay no wallet and are never parsed. @throws DaemonError */
  build(tx: number): BuiltTx;
}

/** Largest number of output matches that are decrypted in one turn of the event loop. */
const CLAIMS_AT_ONCE = 32;

/**
 * Number of wallets that decrypt their matches in one turn of the event loop. All wallets wait for the same scan. With
 * one wallet per turn, the findings of the first wallet are committed and further batches are scanned while the other
 * wallets decrypt theirs.
 */
const turns = new TurnLimit(1);

const NONE: readonly FoundOutput[] = [];

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

  /** Searches all matches of a stream. @throws the reason of the signal; DaemonError */
  async find(
    txs: ParsedTxs,
    matches: MatchStream,
    { signal, firstTx = 0, isWanted = () => true }: FinderOptions = {},
  ): Promise<ScannedTxs> {
    const { table, onPaid } = this.#parts;
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
      for (const match of portion.payingTo(table)) {
        if (match.tx < firstTx || !isWanted(match.tx)) continue;
        const { tx, matches: others } = build(match.tx);
        others.push(match);
        const claim = claimOutput(table, tx, match);
        if (claim === undefined) continue;
        onPaid(claim.subaddress);
        claims.push({ tx: match.tx, claim });
      }
    }
    signal?.throwIfAborted();
    const found = await this.#open(claims, signal);
    return { outputsOf: (tx) => found.get(tx) ?? NONE, build };
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
