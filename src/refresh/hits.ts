import type { KeyDerivation, PublicKey, SecretKey } from '../crypto/types.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../cryptonote/extra.js';
import { NO_VIEW_TAG, type ScanBatch } from '../kernel/kernel.js';
import type { KernelPool } from '../kernel/kernel-pool.js';
import type { ChainTx } from './chain-block.js';

/** An output that a key of its transaction may open. */
export interface Hit {
  /** Place of the transaction among those looked at. */
  readonly tx: number;
  readonly outputIndex: number;
  readonly key: PublicKey;
  readonly derivation: KeyDerivation;
  /** Spend key of the address it was paid to, if that is one of ours. */
  readonly spendKey: PublicKey;
}

/** By the place of their transaction, main keys first. */
export type Hits = ReadonlyMap<number, readonly Hit[]>;

/** Keys handed to the kernel at once. */
const BATCH_KEYS = 256;

/** Outputs to be tried, each with a key, in columns as the kernel takes them. */
class Candidates {
  readonly #keys: Uint8Array[] = [];
  readonly #outputs: Uint8Array[] = [];
  readonly #outputKey: number[] = [];
  readonly #outputIndex: number[] = [];
  readonly #viewTags: number[] = [];
  readonly #txs: number[] = [];

  get keyCount(): number {
    return this.#keys.length;
  }

  addKey(key: PublicKey): void {
    this.#keys.push(key);
  }

  /** To be tried with the key added last. */
  addOutput(tx: number, { blob, outline }: ChainTx, outputIndex: number): void {
    const place = at(outline.outputs, outputIndex);
    this.#outputs.push(blob.subarray(place.key, place.key + 32));
    this.#outputKey.push(this.#keys.length - 1);
    this.#outputIndex.push(outputIndex);
    this.#viewTags.push(place.viewTag ?? NO_VIEW_TAG);
    this.#txs.push(tx);
  }

  async scan(viewSecret: SecretKey, kernel: KernelPool): Promise<Hit[]> {
    if (this.#outputs.length === 0) return [];
    const batch: ScanBatch = {
      keys: join(this.#keys),
      outputKey: new Uint32Array(this.#outputKey),
      outputIndex: new Uint32Array(this.#outputIndex),
      viewTags: new Uint16Array(this.#viewTags),
      outputs: join(this.#outputs),
    };
    const { outputs, derivations, spendKeys } = await kernel.scan(batch, viewSecret);
    return Array.from(outputs, (j, n) => ({
      tx: at(this.#txs, j),
      outputIndex: at(this.#outputIndex, j),
      key: at(this.#keys, at(this.#outputKey, j)) as PublicKey,
      derivation: derivations.slice(32 * n, 32 * n + 32) as KeyDerivation,
      spendKey: spendKeys.slice(32 * n, 32 * n + 32) as PublicKey,
    }));
  }
}

function at<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new RangeError('an output that was not to be tried');
  return value;
}

/** 32 bytes each. */
function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(32 * parts.length);
  parts.forEach((part, i) => whole.set(part, 32 * i));
  return whole;
}

/** Tries every output with every key that may open it. */
export async function findHits(
  txs: readonly ChainTx[],
  viewSecret: SecretKey,
  kernel: KernelPool,
): Promise<Hits> {
  const jobs: Promise<Hit[]>[] = [];
  let candidates = new Candidates();
  const flush = (): void => {
    jobs.push(candidates.scan(viewSecret, kernel));
    candidates = new Candidates();
  };
  txs.forEach((tx, i) => {
    const { fields } = parseExtra(tx.blob.subarray(...tx.outline.extra));
    for (const key of txPublicKeys(fields)) {
      candidates.addKey(key);
      tx.outline.outputs.forEach((_, outputIndex) => candidates.addOutput(i, tx, outputIndex));
    }
    const additional = additionalPublicKeys(fields).slice(0, tx.outline.outputs.length);
    additional.forEach((key, outputIndex) => {
      candidates.addKey(key);
      candidates.addOutput(i, tx, outputIndex);
    });
    if (candidates.keyCount >= BATCH_KEYS) flush();
  });
  flush();
  const byTx = new Map<number, Hit[]>();
  for (const hit of (await Promise.all(jobs)).flat()) {
    const others = byTx.get(hit.tx);
    if (others === undefined) byTx.set(hit.tx, [hit]);
    else others.push(hit);
  }
  return byTx;
}
