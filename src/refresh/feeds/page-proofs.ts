import type { KeyImage } from '../../monero/crypto/types.js';
import type { Daemon } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';
import type { BlockRef, FoundTx, TxFindings } from '../../monero/wallet/scan/findings.js';
import { bytes32 } from '../../util/bytes.js';
import { SharedRun, unlessAborted } from '../../util/concurrency.js';
import { toChainBlocks, type ChainBlock, type ChainTxs, type ExpectedChain } from '../scan/chain-block.js';
import type { BatchScanner } from '../scan/match-group.js';
import type { WalletScanner } from '../scan/wallet-scanner.js';

/** The call to the daemon with which transactions are proven, and whether the daemon is trusted. */
export type Prover = Pick<Daemon, 'proveTransactions' | 'isTrusted'>;

/**
 * Proves the transactions of a page that concern a wallet, once for all wallets. The bytes of a page prove its blocks and
 * the hashes that these list. They do not prove a pruned transaction whose prunable hash the daemon has left out: its bytes
 * are compared with those of a request by hash, whose answer proves itself.
 */
export class PageProofs {
  readonly #daemon: Prover;
  readonly #page: ChainTxs<ChainBlock>;
  readonly #proven = new Set<number>();
  /** Indices of the transactions that the next run proves. */
  #wanted = new Set<number>();
  readonly #proving = new SharedRun(() => this.#proveWanted());
  #forgery: DaemonError | undefined;

  constructor(daemon: Prover, page: ChainTxs<ChainBlock>) {
    this.#daemon = daemon;
    this.#page = page;
  }

  /** True if a transaction of the page is forged, so that no wallet may use the page. */
  get isForged(): boolean {
    return this.#forgery !== undefined;
  }

  /**
   * Proves transactions of the page that were found for a wallet. After a forged one, the page proves nothing any more.
   * @throws DaemonError `forged` if the daemon has sent a transaction with the hash of another one; the error of the request.
   */
  async prove(found: Iterable<FoundTx>): Promise<void> {
    const missing = this.#indicesOf(found).filter((at) => !this.#isProven(at));
    for (const at of missing) this.#wanted.add(at);
    if (missing.length > 0 && !this.isForged) await this.#proving.run();
    if (this.#forgery !== undefined) throw this.#forgery;
  }

  #isProven(at: number): boolean {
    return this.#page.txs.isProven(at) || this.#proven.has(at);
  }

  /** Returns the indices of transactions in the page. @throws RangeError if the page lacks such a transaction. */
  #indicesOf(found: Iterable<FoundTx>): number[] {
    const { blocks, txs } = this.#page;
    const start = blocks[0]?.height ?? 0;
    return Array.from(found, ({ txHash, height }) => {
      const { firstTx = 0, endTx = 0 } = blocks[height - start] ?? {};
      const at = txs.find(txHash, firstTx, endTx);
      if (at === undefined) throw new RangeError('the page has no such transaction');
      return at;
    });
  }

  async #proveWanted(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = new Set();
    const own = [...wanted].filter((at) => !this.#isProven(at));
    if (own.length === 0) return;
    const requested = this.#daemon.isTrusted ? own : this.#unprovenOfBlocks(new Set(own));
    const { txs } = this.#page;
    const listed = requested.sort((a, b) => a - b).map((at) => ({ hash: txs.hash(at), blob: txs.blob(at) }));
    await this.#daemon.proveTransactions(listed).catch((error: unknown) => {
      if (error instanceof DaemonError && error.kind === 'forged') this.#forgery = error;
      throw error;
    });
    for (const at of requested) this.#proven.add(at);
  }

  /**
   * Returns all unproven transactions of the blocks that contain some transactions. A daemon that is not trusted learns only in
   * which blocks the wallets have transactions.
   */
  #unprovenOfBlocks(own: ReadonlySet<number>): number[] {
    return this.#page.blocks.flatMap(({ firstTx, endTx }) => {
      const txs = Array.from({ length: endTx - firstTx }, (_, i) => firstTx + i);
      return txs.some((at) => own.has(at)) ? txs.filter((at) => !this.#isProven(at)) : [];
    });
  }
}

/** Blocks that a wallet has read, and the transactions that it has in them. */
export interface BlockProofRequest {
  readonly startHeight: number;
  /** Number of blocks, at least 1. */
  readonly count: number;
  /** Transactions that are to be proven. Without any, only the identities of the blocks are read. */
  readonly txs: readonly FoundTx[];
}

/** A transaction whose bytes and block are proven. */
interface ProvenTx extends FoundTx {
  /** Key images of its inputs. */
  readonly keyImages: readonly KeyImage[];
}

/** Contents of blocks whose identities, links and transactions are proven. */
export interface BlockProof extends Pick<TxFindings, 'received' | 'outputs'> {
  /** The blocks from the requested height on, possibly fewer than requested. */
  readonly blocks: readonly BlockRef[];
  /** The requested transactions that the blocks contain at the requested heights. */
  readonly txs: readonly ProvenTx[];
}

/**
 * Reads blocks again, and proves what they contain for a wallet, without effects on its scanner.
 * @throws DaemonError `forged` as {@link PageProofs.prove}; `malformed` if a block with a requested transaction is absent; the
 * error of the requests; the reason of the signal.
 */
export async function proveBlocks(
  { startHeight, count, txs: wanted }: BlockProofRequest,
  daemon: Pick<Daemon, 'getBlocks'> & Prover,
  chain: ExpectedChain,
  scan: {
    readonly scanner: Pick<WalletScanner, 'matchesIn' | 'receivedIn'>;
    readonly kernel: BatchScanner;
    readonly signal: AbortSignal;
  },
): Promise<BlockProof> {
  const { signal, scanner, kernel } = scan;
  const reply = await daemon.getBlocks({ startHeight, maxBlocks: count, signal });
  const { blocks: sent, txs, end } = toChainBlocks(reply, chain);
  const blocks = sent.slice(0, count);
  const refs = blocks.map(({ height, hash }) => ({ height, hash }));
  const next = startHeight + blocks.length;
  if (reply.startHeight !== startHeight || blocks.length === 0 || wanted.some(({ height }) => height >= next))
    throw end ?? new DaemonError('malformed', `the daemon did not send the blocks from ${startHeight} on`);
  if (wanted.length === 0) return { blocks: refs, received: [], outputs: [], txs: [] };
  const found = await scanner.receivedIn({ blocks, txs }, scanner.matchesIn(txs, kernel), signal);
  const contained = wanted.flatMap(({ txHash, height }): ProvenTx[] => {
    const { firstTx = 0, endTx = 0 } = blocks[height - startHeight] ?? {};
    const at = txs.find(txHash, firstTx, endTx);
    if (at === undefined) return [];
    const keyImages: KeyImage[] = [];
    txs.eachKeyImage(at, (bytes, offset) =>
      keyImages.push(bytes32<'KeyImage'>(bytes.slice(offset, offset + 32), 'KeyImage')),
    );
    return [{ txHash, height, keyImages }];
  });
  const proofs = new PageProofs(daemon, { blocks, txs });
  await unlessAborted(proofs.prove([...contained, ...found.received]), signal);
  return { ...found, blocks: refs, txs: contained };
}
