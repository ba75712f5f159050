import type { Hash } from '../../monero/crypto/types.js';
import { DaemonError } from '../../daemon/errors.js';
import { RefreshCancelled } from '../../refresh/messages.js';
import type { BlockProof, BlockProofRequest } from '../../refresh/feeds/page-proofs.js';
import { betweenWrites } from '../../store/between-writes.js';
import { CachedRead } from '../../store/cached-read.js';
import type { HeldTx } from '../../store/tables/unproven-blocks.js';
import type {
  BlockRef,
  FoundSpend,
  FoundTx,
  OwnedOutput,
  ReceivedTx,
} from '../../monero/wallet/scan/findings.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { Mutex } from '../../util/concurrency.js';
import { faultOf } from '../../model/wallet-error.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'assertOpen' | 'keystore' | 'locks' | 'log' | 'store'>;

/** Refresh thread and refreshes of a wallet whose blocks are proven. */
interface BlockProver {
  /** Reads blocks again, and proves what they contain. @throws DaemonError, RefreshCancelled; WalletError `no_wallet` */
  prove(request: BlockProofRequest): Promise<BlockProof>;
  /**
   * Deletes the rows of blocks from a height on, then refreshes, which reads the blocks again. @param wrong transaction whose
   * payments are reported as reversed.
   */
  readAgain(height: number, wrong: Hash): Promise<void>;
}

/** Largest number of blocks that are read at once, of which each second one has rows at least. */
const MOST_BLOCKS = 20;
/** Largest number of transactions that are proven at once, unless one block has more. */
const MOST_TXS = 200;
/** Largest distance between two heights with rows that are read at once. */
const LARGEST_GAP = 4;
/** Number of blocks that are read at once to find out whether a block belongs to the chain of the wallet. */
const LINKED_AT_ONCE = 100;
/** Largest distance between a block and the next block that the wallet holds. */
const MOST_LINKED = 1_000;

/**
 * Number of times that a wallet reads blocks again because of single contradictions; after the next one it reads all its
 * blocks again.
 */
const MOST_READ_AGAIN = 3;

/** Wallets take turns: the blocks of one wallet are read at a time. */
const turns = new Mutex();

/** A transaction that the store takes from a block, and that the block contradicts. */
interface Contradiction extends FoundTx {
  readonly reason: string;
}

/**
 * Proves the payments and spends of blocks that an earlier version of this program read, which believed what the daemon
 * sent. Reads each block with such a payment or spend again, in the background, from the newest one down; a block without
 * them is not read. What a block contradicts is taken back: the blocks from there on are read again by a refresh, which
 * proves all that it commits. A daemon that does not answer, or whose answers do not prove themselves, takes nothing back.
 */
export class UnprovenBlocks {
  readonly #context: Context;
  readonly #prover: BlockProver;
  /** Height below which blocks are unproven; undefined if all are proven. */
  readonly #below: CachedRead<number | undefined>;
  #isRunning = false;
  /** Number of times so far that blocks were read again. */
  #readAgain = 0;
  /** True after a failure of the daemon was logged, until it has answered. */
  #hasFailed = false;

  constructor(context: Context, prover: BlockProver) {
    this.#context = context;
    this.#prover = prover;
    this.#below = new CachedRead(context.store, (r) => r.unproven.below());
  }

  /** Proves blocks in the background, if there are unproven ones. To be called after each complete refresh. */
  start(): void {
    if (this.#isRunning || this.#below.value === undefined) return;
    this.#isRunning = true;
    void this.#run().finally(() => (this.#isRunning = false));
  }

  /**
   * Returns true if the chain of the wallet proves a recorded spend. @throws RefreshCancelled; DaemonError, also if the daemon
   * follows another chain.
   */
  async provesSpend({ keyImage, txHash, height }: FoundSpend): Promise<boolean> {
    const { blocks, txs } = await this.#prover.prove({
      startHeight: height,
      count: 1,
      txs: [{ txHash, height }],
    });
    if (txs.some(({ keyImages }) => keyImages.some((other) => equalBytes(other, keyImage)))) return true;
    await this.#assertOfChain(blocks[0], height);
    return false;
  }

  async #run(): Promise<void> {
    const { log, locks, store, assertOpen, keystore } = this.#context;
    try {
      // Background sync has no spend key, so that blocks that are read again would lack their spends.
      while (this.#below.value !== undefined && keystore.background === undefined) {
        // Refreshes come first.
        await locks.refresh.run(() => Promise.resolve());
        const wrong = await turns.run(() => this.#proveNext());
        if (wrong !== undefined) await this.#takeBack(wrong);
        await betweenWrites(store);
        assertOpen();
      }
    } catch (error) {
      if (error instanceof RefreshCancelled || faultOf(error)?.kind === 'no_wallet') return;
      if (!(error instanceof DaemonError))
        return log.error({ err: error }, 'proving payments that an earlier version read has failed');
      if (!this.#hasFailed)
        log.warn(
          { reason: error.message, below: this.#below.value },
          'payments that an earlier version read could not be proven; this is tried again after the next refresh',
        );
      this.#hasFailed = true;
    }
  }

  /**
   * Reads blocks again from that of a transaction on. A refresh continues from the next block below whose identity the wallet
   * holds, so all rows above that one are deleted.
   */
  async #takeBack({ txHash, height }: FoundTx): Promise<void> {
    const { store } = this.#context;
    this.#readAgain += 1;
    const lowest = this.#readAgain > MOST_READ_AGAIN ? 0 : height;
    const below = store.read((r) => r.chain.newestUpTo(lowest - 1));
    await this.#prover.readAgain((below?.height ?? -1) + 1, txHash);
  }

  /**
   * Proves the newest unproven blocks that have rows.
   * @returns the lowest transaction that the blocks contradict; undefined if they prove all rows.
   * @throws DaemonError, RefreshCancelled
   */
  async #proveNext(): Promise<FoundTx | undefined> {
    const { assertOpen, log, store } = this.#context;
    assertOpen();
    const held = this.#nextHeld();
    const [highest, lowest] = [held[0]?.height, held.at(-1)?.height];
    if (highest === undefined || lowest === undefined) {
      store.writeRecoverable((w) => w.unproven.lower(0));
      log.info({}, 'all payments and spends that an earlier version read are proven');
      return undefined;
    }
    const txs = held.map(({ txHash, height }) => ({ txHash, height }));
    const proof = await this.#prover.prove({ startHeight: lowest, count: highest - lowest + 1, txs });
    assertOpen();
    this.#hasFailed = false;
    for (const block of proof.blocks) if (this.#isReplaced(block)) throw otherChain(block.height);
    const wrong = contradictionIn(held, proof);
    if (wrong === undefined) {
      // Rows that other tasks have added to these blocks meanwhile are proven, too.
      store.writeRecoverable((w) => w.unproven.lower(lowest));
      return undefined;
    }
    const { height, txHash, reason } = wrong;
    await this.#assertOfChain(
      proof.blocks.find((one) => one.height === height),
      height,
    );
    assertOpen();
    // A reorganisation may have replaced the block meanwhile.
    if ((this.#below.value ?? 0) <= height) return undefined;
    log.warn(
      { height, txid: toHex(txHash), reason },
      'the chain contradicts a payment or spend that an earlier version read: it is taken back, and the blocks from this height on are read again',
    );
    return wrong;
  }

  /** Returns what the store takes from the newest unproven blocks that are read together, by descending height. */
  #nextHeld(): readonly HeldTx[] {
    return this.#context.store.read((r) => {
      const held: HeldTx[] = [];
      for (const height of closeTogether(r.unproven.next(MOST_BLOCKS))) {
        const txs = r.unproven.held(height);
        if (held.length > 0 && held.length + txs.length > MOST_TXS) break;
        held.push(...txs);
      }
      return held;
    });
  }

  /** Checks that a block belongs to the chain of the wallet. @throws DaemonError, RefreshCancelled */
  async #assertOfChain(block: BlockRef | undefined, height: number): Promise<void> {
    if (block === undefined || !(await this.#isOfChain(block))) throw otherChain(height);
  }

  /** True if the wallet holds another block at the height of a block. It holds its newest blocks, and some older ones. */
  #isReplaced({ height, hash }: BlockRef): boolean {
    const held = this.#context.store.blockAt(height);
    return held !== undefined && !equalBytes(held.hash, hash);
  }

  /**
   * True if a block, or a block above it that names it through its predecessors, is one that the wallet holds. The wallet has
   * the identities of its newest blocks, and of some older ones.
   * @throws DaemonError, RefreshCancelled
   */
  async #isOfChain(block: BlockRef): Promise<boolean> {
    const isHeld = ({ height, hash }: BlockRef): boolean => {
      const held = this.#context.store.blockAt(height);
      return held !== undefined && equalBytes(held.hash, hash);
    };
    if (isHeld(block)) return true;
    for (let last = block; last.height <= block.height + MOST_LINKED;) {
      const { blocks } = await this.#prover.prove({
        startHeight: last.height,
        count: LINKED_AT_ONCE,
        txs: [],
      });
      const [first] = blocks;
      const next = blocks.at(-1);
      if (first === undefined || next === undefined || !equalBytes(first.hash, last.hash)) return false;
      if (blocks.some(isHeld)) return true;
      if (next.height === last.height) return false;
      last = next;
    }
    return false;
  }
}

const otherChain = (height: number): DaemonError =>
  new DaemonError('malformed', `the daemon follows another chain than the wallet at block ${height}`);

/** Returns the first of some heights that are read together. @param heights descending. */
function closeTogether(heights: readonly number[]): readonly number[] {
  const [highest = 0] = heights;
  const end = heights.findIndex(
    (height, i) => (heights[i - 1] ?? height) - height > LARGEST_GAP || highest - height >= MOST_BLOCKS,
  );
  return end < 0 ? heights : heights.slice(0, end);
}

const nameOf = ({ txHash, height }: FoundTx): string => `${height} ${toHex(txHash)}`;

/** Groups values by their transactions. */
function byTx<T extends FoundTx>(values: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const name = nameOf(value);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [value]);
    else group.push(value);
  }
  return groups;
}

const isSameId = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalBytes(a, b);

/** Returns the lowest transaction that proven blocks contradict; undefined if they prove all. */
function contradictionIn(held: readonly HeldTx[], proof: BlockProof): Contradiction | undefined {
  const [txs, received, outputs] = [byTx(proof.txs), byTx(proof.received), byTx(proof.outputs)];
  const wrong = held.flatMap((tx): Contradiction[] => {
    const name = nameOf(tx);
    const own = {
      tx: txs.get(name)?.[0],
      receipt: received.get(name)?.[0],
      outputs: outputs.get(name) ?? [],
    };
    const reason = contradictionOf(tx, own);
    return reason === undefined ? [] : [{ ...tx, reason }];
  });
  return wrong.sort((a, b) => a.height - b.height)[0];
}

/** Contents of a transaction in proven blocks. */
interface ProvenFacts {
  readonly tx: BlockProof['txs'][number] | undefined;
  readonly receipt: ReceivedTx | undefined;
  readonly outputs: readonly OwnedOutput[];
}

/** Returns how proven blocks contradict a transaction of the store; undefined if they prove it. */
function contradictionOf({ receipt, outputs, spent }: HeldTx, proven: ProvenFacts): string | undefined {
  const { tx, receipt: found } = proven;
  if (tx === undefined) return 'the block does not contain the transaction';
  if (spent.some((image) => !tx.keyImages.some((other) => equalBytes(image, other))))
    return 'the transaction does not spend an output that it is said to spend';
  if (outputs.length > 0 && found === undefined) return 'the transaction does not pay the wallet';
  if (receipt === undefined || found === undefined) return undefined;
  if (receipt.unlockTime !== found.unlockTime) return 'the transaction has another unlock time';
  if (!isSameId(receipt.paymentId, found.paymentId)) return 'the transaction has another payment id';
  if (outputs.every((output) => proven.outputs.some((other) => isSameOutput(output, other))))
    return undefined;
  return 'the transaction pays other outputs';
}

const isSameOutput = (a: HeldTx['outputs'][number], b: OwnedOutput): boolean =>
  a.outputIndex === b.outputIndex &&
  a.amount === b.amount &&
  a.subaddress.major === b.subaddress.major &&
  a.subaddress.minor === b.subaddress.minor &&
  equalBytes(a.publicKey, b.publicKey);
