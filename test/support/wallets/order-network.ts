import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { parseTransaction, transactionHash } from '../../../src/monero/cryptonote/transaction.js';
import type { Daemon, DaemonTransaction, RelayOutcome } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { PoolFinding } from '../../../src/refresh/scan/wallet-scanner.js';
import { amount } from '../../../src/util/amount.js';
import { equalBytes, toHex } from '../../../src/util/bytes.js';
import { keyImagesOf } from '../../../src/monero/wallet/exchange/pending-tx.js';
import type {
  FoundOutgoing,
  OwnedOutput,
  PageFindings,
  ReceivedTx,
} from '../../../src/monero/wallet/scan/findings.js';
import { page, received, unnamed } from '../../store/fixtures.js';
import { REFUSED, TAKEN } from './payment-home.js';

/** A transaction that spends outputs of the wallet. */
export interface NetworkTx {
  readonly txHash: Hash;
  readonly keyImages: readonly KeyImage[];
  /** Absent for one that only the network has. */
  readonly blob?: Uint8Array;
}

interface NetworkBlock {
  readonly hash: Hash;
  readonly txs: readonly NetworkTx[];
}

interface MinedTx {
  readonly tx: NetworkTx;
  readonly height: number;
}

/** Findings of a scanner that lacks the key images. */
const ambiguous = (txs: readonly MinedTx[]): Pick<PageFindings, 'ambiguousSpends'> => ({
  ambiguousSpends: txs.map(({ tx: { txHash, keyImages }, height }) => ({
    ...{ txHash, keyImages, height, timestamp: height, unlockTime: 0n },
    ...{ fee: amount(1n), amountOut: amount(0n) },
  })),
});

/**
 * Behaviour of the node. crash: it takes the transaction, and the wallet never reads the answer. lie: it answers that it
 * refuses, hides the transaction, and passes it on.
 */
export type Conduct = 'honest' | 'no answer' | 'gone' | 'lie' | 'crash' | 'crash before';

/** 32 bytes of a number and a kind. */
function numbered<T>(kind: number, n: number): T {
  const made = new Uint8Array(32).fill(kind, 0, 8);
  new DataView(made.buffer).setUint32(28, n);
  return made as T;
}

const nameOf = ({ txHash }: Pick<NetworkTx, 'txHash'>): string => toHex(txHash);

/** Transaction in its encoding. */
export function networkTx(blob: Uint8Array): NetworkTx {
  const tx = parseTransaction(blob);
  return { txHash: transactionHash(tx), keyImages: keyImagesOf(tx), blob };
}

/** A node with the outputs of one wallet in its chain, and the transactions that spend them. */
export class OrderNetwork {
  readonly blocks: NetworkBlock[] = [];
  /** Transactions that the node shows, by hash in hex. */
  readonly pool = new Map<string, NetworkTx>();
  /** Transactions that other nodes have, by hash in hex. */
  readonly hidden = new Map<string, NetworkTx>();
  /** Every transaction that the node was sent, in order. */
  readonly sent: NetworkTx[] = [];
  /** Answer to the next transaction. */
  conduct: Conduct = 'honest';
  /** Called when the process crashes. */
  onCrash: () => void = () => undefined;
  readonly #outputs: readonly OwnedOutput[];
  readonly #isBlind: boolean;
  #made = 0;

  /** @param outputs of the wallet, with their key images. @param isBlind the scanner of the wallet lacks key images. */
  constructor(outputs: readonly OwnedOutput[], height: number, isBlind = false) {
    this.#outputs = outputs;
    this.#isBlind = isBlind;
    for (let i = 0; i < height; i++) this.#append([]);
  }

  get tip(): number {
    return this.blocks.length - 1;
  }

  /** Makes a transaction of which only the network has the bytes. */
  rivalOf(keyImages: readonly KeyImage[]): NetworkTx {
    return { txHash: numbered<Hash>(1, ++this.#made), keyImages };
  }

  /** Transactions of the chain with their heights. */
  mined(): MinedTx[] {
    return this.blocks.flatMap(({ txs }, height) => txs.map((tx) => ({ tx, height })));
  }

  minedAt(txHash: Hash): number | undefined {
    return this.mined().find(({ tx }) => equalBytes(tx.txHash, txHash))?.height;
  }

  /** Whether a transaction could enter a block now. */
  #isValid({ keyImages }: NetworkTx): boolean {
    const spent = new Set(this.mined().flatMap(({ tx }) => tx.keyImages.map(toHex)));
    return keyImages.every((keyImage) => !spent.has(toHex(keyImage)));
  }

  /** Adds a transaction to the pool, unless chain or pool have another spend of its inputs. @returns whether it is there. */
  accept(tx: NetworkTx): boolean {
    if (this.pool.has(nameOf(tx))) return true;
    const reserved = new Set([...this.pool.values()].flatMap(({ keyImages }) => keyImages.map(toHex)));
    if (!this.#isValid(tx) || tx.keyImages.some((keyImage) => reserved.has(toHex(keyImage)))) return false;
    this.pool.set(nameOf(tx), tx);
    return true;
  }

  /** Mines a block with these transactions as far as they are valid, and drops those that they exclude. */
  mine(txs: readonly NetworkTx[]): void {
    this.#append([]);
    const taken: NetworkTx[] = [];
    for (const tx of txs) {
      if (!this.#isValid(tx)) continue;
      taken.push(tx);
      this.blocks[this.tip] = { hash: this.blocks[this.tip]?.hash ?? numbered<Hash>(2, 0), txs: [...taken] };
    }
    for (const place of [this.pool, this.hidden])
      for (const [name, tx] of place) if (!this.#isValid(tx)) place.delete(name);
  }

  /** Mines everything that the pool has. */
  minePool(): void {
    this.mine([...this.pool.values()]);
  }

  /** Replaces blocks by one more. @param fate of their transactions: back in the pool, or only in other nodes. */
  reorganise(depth: number, fate: 'pool' | 'hidden', rival: readonly NetworkTx[] = []): void {
    const undone = this.blocks.splice(this.blocks.length - depth).flatMap(({ txs }) => txs);
    this.mine(rival);
    for (let i = 0; i < depth; i++) this.mine([]);
    for (const tx of undone) {
      if (fate === 'hidden') this.hidden.set(nameOf(tx), tx);
      else this.accept(tx);
    }
  }

  #append(txs: readonly NetworkTx[]): void {
    this.blocks.push({ hash: numbered<Hash>(2, ++this.#made), txs });
  }

  /** Answers to the calls that relay and look for transactions. */
  answers(): Partial<Daemon> {
    return {
      sendRawTransaction: (blob) => this.#take(networkTx(blob)),
      getTransactions: (hashes) =>
        Promise.resolve({
          transactions: hashes.flatMap((hash): DaemonTransaction[] => {
            const height = this.minedAt(hash);
            const tx =
              this.pool.get(toHex(hash)) ?? this.mined().find((one) => equalBytes(one.tx.txHash, hash))?.tx;
            if (tx === undefined) return [];
            const place = height === undefined ? {} : { blockHeight: height };
            return [
              {
                hash,
                blob: tx.blob ?? new Uint8Array(),
                inPool: height === undefined,
                doubleSpendSeen: false,
                ...place,
              },
            ];
          }),
        }),
    };
  }

  #take(tx: NetworkTx): Promise<RelayOutcome> {
    const { conduct } = this;
    this.conduct = 'honest';
    if (conduct === 'crash before') return this.#crash();
    if (conduct === 'gone')
      return Promise.reject(new DaemonError('unreachable', 'no connection', { notTaken: true }));
    this.sent.push(tx);
    if (conduct === 'lie') {
      this.hidden.set(nameOf(tx), tx);
      return Promise.resolve(REFUSED);
    }
    const isTaken = this.accept(tx);
    if (conduct === 'crash') return this.#crash();
    if (conduct === 'no answer') return Promise.reject(new DaemonError('timeout', 'no answer'));
    return Promise.resolve(isTaken ? TAKEN : REFUSED);
  }

  #crash(): Promise<never> {
    this.onCrash();
    return new Promise(() => undefined);
  }

  /** First height whose block a wallet does not know. @param hashAt of the wallet. */
  forkOf(hashAt: (height: number) => Hash | undefined): number {
    let height = 0;
    for (; height < this.blocks.length; height++) {
      const known = hashAt(height);
      const hash = this.blocks[height]?.hash;
      if (known === undefined || hash === undefined || !equalBytes(known, hash)) break;
    }
    return height;
  }

  /** Findings of a scanner of the wallet in the blocks from a height on. */
  findings(from: number): PageFindings {
    const paid = this.#outputs.filter(({ height }) => height >= from);
    const txs = this.mined().filter(({ height }) => height >= from);
    return {
      ...page(from, 0),
      hashes: this.blocks.slice(from).map(({ hash }) => hash),
      received: paid.map(({ txHash, height, coinbase }): ReceivedTx => ({
        ...received(1, height),
        txHash,
        coinbase,
      })),
      ...(this.#isBlind
        ? { outputs: paid.map(unnamed), ...ambiguous(txs) }
        : { outputs: paid, ...this.#spendsIn(txs) }),
    };
  }

  #spendsIn(txs: readonly MinedTx[]): Pick<PageFindings, 'spends' | 'outgoing'> {
    return {
      spends: txs.flatMap(({ tx: { keyImages, txHash }, height }) =>
        keyImages.map((keyImage) => ({ keyImage, txHash, height })),
      ),
      outgoing: txs.map(({ tx, height }) => ({ ...this.#outgoing(tx), height })),
    };
  }

  /** Findings of a scanner of the wallet in the pool. */
  poolFindings(): PoolFinding[] {
    return [...this.pool.values()].map((tx) => ({
      outgoing: { ...this.#outgoing(tx), keyImages: tx.keyImages },
    }));
  }

  #outgoing({ txHash, keyImages }: NetworkTx): Omit<FoundOutgoing, 'height'> {
    const inputs = this.#outputs.filter(({ keyImage }) =>
      keyImages.some((one) => keyImage !== undefined && equalBytes(one, keyImage)),
    );
    return {
      ...{ txHash, timestamp: 1, account: 0, fromIndices: [0], unlockTime: 0n },
      ...{
        amountIn: amount(inputs.reduce((total, one) => total + one.amount, 0n)),
        change: amount(0n),
        fee: amount(1n),
      },
    };
  }
}
