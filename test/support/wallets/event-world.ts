import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import type { SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import type { PoolFinding } from '../../../src/refresh/scan/wallet-scanner.js';
import { amount } from '../../../src/util/amount.js';
import type { FoundOutgoing, OwnedOutput, PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import type { OutgoingTx } from '../../../src/monero/wallet/build/outgoing-tx.js';

/** An output of a wallet in {@link EventWorld}. */
export interface WorldOutput {
  readonly txHash: Hash;
  readonly outputIndex: number;
  readonly number: number;
  readonly value: bigint;
  readonly subaddress: SubaddressIndex;
}

/** A transaction that pays the wallet, or spends one of its outputs. */
export interface WorldTx {
  readonly txHash: Hash;
  readonly outputs: readonly WorldOutput[];
  readonly input?: WorldOutput;
  readonly fee: bigint;
  readonly unlockTime: bigint;
  readonly coinbase: boolean;
}

interface WorldBlock {
  readonly hash: Hash;
  readonly txs: readonly WorldTx[];
}

/** 32 bytes of a kind and a number. They differ in the first 8, which a store indexes, as those of real keys do. */
function numbered<T>(kind: number, n: number): T {
  const made = new Uint8Array(32).fill(kind, 0, 4);
  new DataView(made.buffer).setUint32(4, n);
  return made as T;
}

/** Returns the payment id of a transaction of {@link EventWorld}; undefined for every third one. */
export function paymentIdOf(txHash: Hash): Uint8Array | undefined {
  const n = new DataView(txHash.buffer, txHash.byteOffset).getUint32(4);
  return n % 3 === 0 ? undefined : numbered<Uint8Array>(6, n).subarray(0, 8);
}

/** The payment id of a transaction as a field, if it has one. */
function paymentIdField(txHash: Hash): { readonly paymentId?: Uint8Array } {
  const paymentId = paymentIdOf(txHash);
  return paymentId === undefined ? {} : { paymentId };
}

export const keyImageOf = ({ number }: WorldOutput): KeyImage => numbered<KeyImage>(3, number);

/** A daemon with the transactions of one wallet: blocks, mempool, and the findings of a scanner. */
export class EventWorld {
  readonly blocks: WorldBlock[] = [];
  readonly pool: WorldTx[] = [];
  #made = 0;

  get tip(): number {
    return this.blocks.length - 1;
  }

  /** Makes a transaction; an input makes it an own transfer of account 0. */
  makeTx(
    pays: readonly { readonly value: bigint; readonly subaddress: SubaddressIndex }[],
    more: Partial<Pick<WorldTx, 'input' | 'unlockTime' | 'coinbase'>> = {},
  ): WorldTx {
    const txHash = numbered<Hash>(1, ++this.#made);
    const outputs = pays.map((pay, outputIndex) => ({ ...pay, txHash, outputIndex, number: ++this.#made }));
    return { txHash, outputs, fee: 1n, unlockTime: 0n, coinbase: false, ...more };
  }

  /** Adds a block with some transactions, which leave the mempool. */
  mine(txs: readonly WorldTx[]): void {
    this.blocks.push({ hash: numbered<Hash>(2, ++this.#made), txs });
    for (const tx of txs) this.drop(tx);
  }

  /** Removes a transaction from the mempool. */
  drop({ txHash }: WorldTx): void {
    const at = this.pool.findIndex((tx) => tx.txHash === txHash);
    if (at >= 0) this.pool.splice(at, 1);
  }

  /** Removes blocks, except the first one. @returns their transactions in order. */
  undo(depth: number): WorldTx[] {
    return this.blocks.splice(Math.max(1, this.blocks.length - depth)).flatMap(({ txs }) => txs);
  }

  /** Outputs in blocks that no transaction of a block or of the mempool spends. */
  unspent(): WorldOutput[] {
    const mined = this.blocks.flatMap(({ txs }) => txs);
    const spent = new Set([...mined, ...this.pool].map(({ input }) => input?.number));
    return mined.flatMap(({ outputs }) => outputs).filter(({ number }) => !spent.has(number));
  }

  /** First height whose block a wallet does not know. @param hashAt of the wallet. */
  forkOf(hashAt: (height: number) => Hash | undefined): number {
    let height = 0;
    for (; height < this.blocks.length; height++) {
      const known = hashAt(height);
      const hash = this.blocks[height]?.hash;
      if (known === undefined || hash === undefined || Buffer.compare(known, hash) !== 0) break;
    }
    return height;
  }

  /** Findings of the blocks at heights from one to another, the second exclusive. */
  page(from: number, to: number): PageFindings {
    const findings = [];
    for (let height = from; height < to; height++)
      for (const tx of this.blocks[height]?.txs ?? []) findings.push({ tx, height });
    return {
      startHeight: from,
      hashes: this.blocks.slice(from, to).map(({ hash }) => hash),
      received: findings
        .filter(({ tx }) => tx.outputs.length > 0)
        .map(({ tx, height }) => ({
          ...{
            txHash: tx.txHash,
            height,
            timestamp: height,
            unlockTime: tx.unlockTime,
            coinbase: tx.coinbase,
          },
          ...{ fee: amount(tx.fee), txPublicKey: numbered<PublicKey>(4, 0), additionalPublicKeys: [] },
          ...paymentIdField(tx.txHash),
        })),
      outputs: findings.flatMap(({ tx, height }) => tx.outputs.map((output) => ownedOf(tx, output, height))),
      spends: findings.flatMap(({ tx, height }) =>
        tx.input === undefined ? [] : [{ keyImage: keyImageOf(tx.input), txHash: tx.txHash, height }],
      ),
      outgoing: findings.flatMap(({ tx, height }) =>
        tx.input === undefined ? [] : [{ ...outgoingOf(tx, tx.input), height }],
      ),
      subaddresses: [],
      lastBlockReward: amount(0n),
    };
  }

  /** Findings of the mempool. */
  poolFindings(): PoolFinding[] {
    return this.pool.map((tx) => {
      const paid = tx.outputs.filter((output) => !isChange(tx, output));
      const incoming = {
        ...{ txHash: tx.txHash, timestamp: 1, unlockTime: tx.unlockTime, fee: amount(tx.fee) },
        ...paymentIdField(tx.txHash),
        doubleSpendSeen: false,
        outputs: paid.map(({ outputIndex, value, subaddress, number }) => ({
          ...{ outputIndex, amount: amount(value), subaddress, publicKey: numbered<PublicKey>(5, number) },
        })),
      };
      return {
        ...(paid.length === 0 ? {} : { incoming }),
        ...(tx.input === undefined
          ? {}
          : { outgoing: { ...outgoingOf(tx, tx.input), keyImages: [keyImageOf(tx.input)] } }),
      };
    });
  }
}

const isChange = ({ input }: WorldTx, { subaddress }: WorldOutput): boolean =>
  input?.subaddress.major === subaddress.major;

function ownedOf(tx: WorldTx, output: WorldOutput, height: number): OwnedOutput {
  const { txHash, outputIndex, number, value, subaddress } = output;
  return {
    ...{ txHash, outputIndex, globalIndex: number, publicKey: numbered<PublicKey>(5, number), subaddress },
    ...{ keyImage: keyImageOf(output), amount: amount(value), mask: 1n, rct: true, height },
    ...{ derivationKey: numbered<PublicKey>(4, 0), unlockTime: tx.unlockTime, coinbase: tx.coinbase },
    ...{ change: isChange(tx, output), burnt: false, frozen: false },
  };
}

function outgoingOf(tx: WorldTx, input: WorldOutput): Omit<FoundOutgoing, 'height'> {
  const change = tx.outputs
    .filter((output) => isChange(tx, output))
    .reduce((sum, { value }) => sum + value, 0n);
  return {
    ...{
      txHash: tx.txHash,
      timestamp: 1,
      account: input.subaddress.major,
      fromIndices: [input.subaddress.minor],
    },
    ...{
      amountIn: amount(input.value),
      change: amount(change),
      fee: amount(tx.fee),
      unlockTime: tx.unlockTime,
    },
  };
}

/** Record of an own transfer that this wallet made. */
export const recordOf = (tx: WorldTx, input: WorldOutput): OutgoingTx => ({
  ...outgoingOf(tx, input),
  state: 'prepared',
  blob: Uint8Array.of(1),
  destinations: [],
});
