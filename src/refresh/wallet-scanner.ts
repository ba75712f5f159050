import { keyDerivation } from '../crypto/derivation.js';
import type { KeyDerivation, KeyImage, PublicKey, SecretKey } from '../crypto/types.js';
import { additionalPublicKeys, paymentIdOf, parseExtra, txPublicKeys } from '../cryptonote/extra.js';
import { cryptPaymentId } from '../cryptonote/payment-id.js';
import type { SubaddressIndex, Transaction } from '../cryptonote/types.js';
import type { ScanKernel } from '../kernel/kernel.js';
import type { KernelPool } from '../kernel/kernel-pool.js';
import { sum, ZERO, type Amount } from '../util/amount.js';
import { keyImagesOf } from '../wallet/pending-tx.js';
import {
  BlindOutputs,
  outgoingOf,
  spendingTx,
  type BlindOutput,
  type PossibleSpend,
} from '../wallet/possible-spends.js';
import {
  claimOutput,
  openClaims,
  type FoundOutput,
  type OutputArithmetic,
  type ReceivingKeys,
} from '../wallet/receive.js';
import type {
  FoundOutgoing,
  FoundSpend,
  OwnedOutput,
  PageFindings,
  PoolTx,
  ReceivedTx,
  SubaddressKey,
  TxFindings,
} from '../wallet/records.js';
import { SubaddressTable, type Lookahead } from '../wallet/subaddress-table.js';
import type { UnnamedOutput, WatchedOutput } from '../wallet/watched.js';
import type { ChainBlock, ChainTx, TxsOfBlock, UnminedTx } from './chain-block.js';
import { findHits, type Hit } from './hits.js';
import { spendKeysBy } from './spend-keys.js';

/** What a wallet's scanner starts from; crosses to the refresh thread as it is. */
export interface ScannerState {
  readonly keys: ReceivingKeys;
  readonly spendPublicKey: PublicKey;
  readonly lookahead: Lookahead;
  readonly subaddresses: readonly SubaddressKey[];
  /** The last address handed out, an account. */
  readonly handedOut: readonly SubaddressIndex[];
  readonly watched: readonly WatchedOutput[];
  /** While the spend key is put away, or shared with others: outputs whose spends are to be told later. */
  readonly blind?: readonly BlindOutput[];
  /** Blind to some outputs only: the pool is worth a look. */
  readonly seesPool?: true;
  /** Without a spend key: outputs whose key images are not known. */
  readonly unnamed: readonly UnnamedOutput[];
  /** Without a spend key: key images that its holder told. */
  readonly told: readonly NamedKey[];
}

/** The key image of an output's key. */
export interface NamedKey {
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
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

const bytesKey = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/**
 * Finds one wallet's receipts and spends in blocks and pool transactions, in chain order. Holds what it has
 * found so far, so that a page may spend what an earlier one received.
 * Source: wallet2.cpp `process_new_transaction`.
 */
export class WalletScanner {
  readonly #keys: ReceivingKeys;
  readonly #arithmetic: OutputArithmetic;
  readonly #table: SubaddressTable;
  readonly #watched = new Map<string, WatchedOutput>();
  readonly #unnamed = new Map<string, UnnamedOutput>();
  /** By output key. */
  readonly #told = new Map<string, KeyImage>();
  readonly #blind: BlindOutputs | undefined;
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
    for (const output of state.watched) this.#watch(output);
    for (const output of state.unnamed) this.#unnamed.set(bytesKey(output.publicKey), output);
    this.learn(state.told);
    this.#blind = state.blind && new BlindOutputs(state.blind);
    this.#seesPool = state.seesPool === true;
    for (const index of [{ major: 0, minor: 0 }, ...state.handedOut]) this.expandTo(index);
  }

  /** The spend key is put away: what is spent cannot be told, nor what of the pool is change. */
  get isBlind(): boolean {
    return this.#blind !== undefined && !this.#seesPool;
  }

  /** Makes sure that a handed-out address is recognised, with the lookahead beyond it. */
  expandTo(index: SubaddressIndex): void {
    this.#fresh.push(...this.#table.expandTo(index));
  }

  /** Looks further, or less far, ahead from now on. */
  lookAhead(lookahead: Lookahead, handedOut: readonly SubaddressIndex[]): void {
    this.#table.lookahead = lookahead;
    for (const index of [{ major: 0, minor: 0 }, ...handedOut]) this.expandTo(index);
  }

  /** Spends of these are recognised from now on, whether their outputs were found already or will be. */
  learn(told: readonly NamedKey[]): void {
    for (const { publicKey, keyImage } of told) {
      const key = bytesKey(publicKey);
      this.#told.set(key, keyImage);
      const output = this.#unnamed.get(key);
      if (output === undefined) continue;
      this.#unnamed.delete(key);
      this.#watch({ ...output, keyImage });
    }
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
    for (const outputs of [this.#watched, this.#unnamed])
      for (const [key, output] of outputs) if (output.height >= height) outputs.delete(key);
    this.#blind?.detachFrom(height);
  }

  /** @param blocks gapless, each with all its transactions. */
  async scan(blocks: readonly ChainBlock[], kernel: KernelPool): Promise<PageFindings> {
    const startHeight = blocks[0]?.height ?? 0;
    this.detachFrom(startHeight);
    return {
      startHeight,
      hashes: blocks.map(({ hash }) => hash),
      ...(await this.find(blocks, kernel)),
      lastBlockReward: sum(blocks.at(-1)?.txs[0]?.tx.prefix.outputs.map((output) => output.amount) ?? []),
    };
  }

  /** Looks through transactions alone, of blocks by ascending height; what came later is not forgotten. */
  async find(blocks: readonly TxsOfBlock[], kernel: KernelPool): Promise<TxFindings> {
    const flat = blocks.flatMap((block) => block.txs.map((tx) => ({ block, tx })));
    const hits = await findHits(
      flat.map(({ tx }) => tx.tx),
      this.#keys.viewSecret,
      kernel,
    );

    const ours = this.#receive(
      flat.map(({ tx }) => tx.tx),
      hits,
    );

    const received: ReceivedTx[] = [];
    const outputs: OwnedOutput[] = [];
    const spends: FoundSpend[] = [];
    const outgoing: FoundOutgoing[] = [];
    const possibleSpends: PossibleSpend[] = [];
    flat.forEach(({ block, tx }, i) => {
      const found = ours[i] ?? [];
      const spent = this.#spent(tx.tx);
      for (const { keyImage } of spent) spends.push({ keyImage, txHash: tx.hash, height: block.height });
      const payer = spent[0]?.subaddress.major;
      if (this.#blind?.mayBeSpentBy(tx.tx))
        possibleSpends.push({
          ...spendingTx(tx.hash, tx.tx, block.timestamp),
          height: block.height,
          keyImages: keyImagesOf(tx.tx),
        });
      if (found.length > 0) {
        received.push(this.#receivedTx(tx, block));
        const placed = found.map((output) => place(output, tx, block, output.subaddress.major === payer));
        outputs.push(...placed);
        for (const output of placed) this.#expect(output);
      }
      if (payer !== undefined)
        outgoing.push({
          ...outgoingOf(spendingTx(tx.hash, tx.tx, block.timestamp), payer, spent, found),
          height: block.height,
        });
    });
    return {
      received,
      outputs,
      spends,
      outgoing,
      ...(possibleSpends.length === 0 ? {} : { possibleSpends }),
      subaddresses: this.takeFresh(),
    };
  }

  /**
   * Looks through transactions that are not mined yet.
   * @param seenAt Unix seconds. @returns one finding a transaction that concerns us.
   */
  async scanPool(txs: readonly UnminedTx[], seenAt: number, kernel: KernelPool): Promise<PoolFinding[]> {
    const hits = await findHits(
      txs.map(({ tx }) => tx),
      this.#keys.viewSecret,
      kernel,
    );
    const ours = this.#receive(
      txs.map(({ tx }) => tx),
      hits,
    );
    return txs.flatMap((tx, i) => {
      const found = ours[i] ?? [];
      const spent = this.#spent(tx.tx);
      const payer = spent[0]?.subaddress.major;
      const paid = found.filter(({ subaddress }) => subaddress.major !== payer);
      if (paid.length === 0 && payer === undefined) return [];
      const incoming: PoolTx = {
        txHash: tx.hash,
        timestamp: seenAt,
        unlockTime: tx.tx.prefix.unlockTime,
        fee: feeOf(tx.tx),
        ...this.#paymentId(tx.tx),
        doubleSpendSeen: tx.doubleSpendSeen,
        outputs: paid.map(({ outputIndex, amount, subaddress }) => ({ outputIndex, amount, subaddress })),
      };
      return [
        {
          ...(paid.length === 0 ? {} : { incoming }),
          ...(payer === undefined
            ? {}
            : {
                outgoing: {
                  ...outgoingOf(spendingTx(tx.hash, tx.tx, seenAt), payer, spent, found),
                  keyImages: spent.map(({ keyImage }) => keyImage),
                },
              }),
        },
      ];
    });
  }

  #expect({ keyImage, publicKey, amount: value, subaddress, height, rct, globalIndex }: OwnedOutput): void {
    const output = { amount: value, subaddress, height };
    if (keyImage !== undefined) return this.#watch({ ...output, keyImage });
    this.#unnamed.set(bytesKey(publicKey), { ...output, publicKey });
    this.#blind?.add({ amount: rct ? ZERO : value, globalIndex, height });
  }

  #watch(output: WatchedOutput): void {
    const key = bytesKey(output.keyImage);
    const known = this.#watched.get(key);
    // Two outputs with one key share an image; only the larger can ever be spent.
    if (known === undefined || known.amount < output.amount)
      this.#watched.set(key, {
        keyImage: output.keyImage,
        amount: output.amount,
        subaddress: output.subaddress,
        height: output.height,
      });
  }

  #spent(tx: Transaction): WatchedOutput[] {
    return tx.prefix.inputs.flatMap((input) => {
      const output = input.type === 'key' ? this.#watched.get(bytesKey(input.keyImage)) : undefined;
      return output === undefined ? [] : [output];
    });
  }

  #named(output: FoundOutput): FoundOutput {
    if (output.keyImage !== undefined) return output;
    const keyImage = this.#told.get(bytesKey(output.publicKey));
    return keyImage === undefined ? output : { ...output, keyImage };
  }

  /** Outputs of ours, transaction by transaction; the first key that opens an output decides. */
  #receive(txs: readonly Transaction[], hits: ReadonlyMap<number, readonly Hit[]>): FoundOutput[][] {
    const claims = txs.flatMap((tx, i) =>
      (hits.get(i) ?? []).flatMap(({ outputIndex, key, derivation, spendKey }) => {
        const claim = claimOutput(this.#table, tx, outputIndex, derivation, key, spendKey);
        if (claim === undefined) return [];
        this.expandTo(claim.subaddress);
        return [{ tx: i, claim }];
      }),
    );
    const opened = openClaims(
      this.#keys,
      claims.map(({ claim }) => claim),
      this.#arithmetic,
    );
    const found = txs.map(() => new Map<number, FoundOutput>());
    claims.forEach(({ tx }, i) => {
      const output = opened[i];
      const outputs = found[tx];
      if (output !== undefined && !outputs?.has(output.outputIndex))
        outputs?.set(output.outputIndex, this.#named(output));
    });
    return found.map((outputs) => [...outputs.values()].sort((a, b) => a.outputIndex - b.outputIndex));
  }

  #receivedTx(tx: ChainTx, block: TxsOfBlock): ReceivedTx {
    const { fields } = parseExtra(tx.tx.prefix.extra);
    return {
      txHash: tx.hash,
      height: block.height,
      timestamp: block.timestamp,
      unlockTime: tx.tx.prefix.unlockTime,
      fee: feeOf(tx.tx),
      coinbase: tx.coinbase,
      ...this.#paymentId(tx.tx),
      txPublicKey: txPublicKeys(fields)[0] ?? (new Uint8Array(32) as PublicKey),
      additionalPublicKeys: additionalPublicKeys(fields),
      ...(this.#keys.spendSecret === undefined ? { spentKeyImages: keyImagesOf(tx.tx) } : {}),
    };
  }

  /** The payment id that a payer attached, decrypted. Long ones are obsolete and not read. */
  #paymentId(tx: Transaction): { readonly paymentId?: Uint8Array } {
    const { fields } = parseExtra(tx.prefix.extra);
    const id = paymentIdOf(fields);
    const key = txPublicKeys(fields)[0];
    if (id?.kind !== 'short' || key === undefined) return {};
    const derivation = tryKeyDerivation(key, this.#keys.viewSecret);
    return derivation === undefined ? {} : { paymentId: cryptPaymentId(id.id, derivation) };
  }
}

function tryKeyDerivation(key: PublicKey, viewSecret: SecretKey): KeyDerivation | undefined {
  try {
    return keyDerivation(key, viewSecret);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const feeOf = (tx: Transaction): Amount => tx.rct?.base.fee ?? ZERO;

function place(found: FoundOutput, tx: ChainTx, block: TxsOfBlock, change: boolean): OwnedOutput {
  return {
    ...found,
    txHash: tx.hash,
    globalIndex: tx.globalIndices[found.outputIndex] ?? 0,
    rct: tx.tx.prefix.version === 2,
    height: block.height,
    unlockTime: tx.tx.prefix.unlockTime,
    coinbase: tx.coinbase,
    change,
    burnt: false,
    frozen: false,
  };
}
