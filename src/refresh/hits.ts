import type { KeyDerivation, PublicKey, SecretKey } from '../crypto/types.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../cryptonote/extra.js';
import type { Transaction, TxOutput } from '../cryptonote/types.js';
import { NO_VIEW_TAG, type ScanBatch } from '../kernel/kernel.js';
import type { KernelPool } from '../kernel/kernel-pool.js';
import { concatBytes } from '../util/bytes.js';

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

/** An output to be tried with a key. */
interface Candidate {
  readonly tx: number;
  readonly outputIndex: number;
  readonly output: TxOutput;
  readonly key: PublicKey;
  /** Place of the key in its batch. */
  readonly slot: number;
}

/** Keys handed to the kernel at once. */
const BATCH_KEYS = 256;

/** Tries every output with every key that may open it. @returns hits by transaction, main keys first. */
export async function findHits(
  txs: readonly Transaction[],
  viewSecret: SecretKey,
  kernel: KernelPool,
): Promise<Map<number, Hit[]>> {
  const jobs: Promise<Hit[]>[] = [];
  let keys: PublicKey[] = [];
  let candidates: Candidate[] = [];
  const flush = (): void => {
    if (candidates.length > 0) jobs.push(tryAll(keys, candidates, viewSecret, kernel));
    keys = [];
    candidates = [];
  };
  txs.forEach((tx, i) => {
    const { fields } = parseExtra(tx.prefix.extra);
    const { outputs } = tx.prefix;
    const add = (key: PublicKey, chosen: readonly (readonly [number, TxOutput])[]): void => {
      const slot = keys.push(key) - 1;
      for (const [outputIndex, output] of chosen) candidates.push({ tx: i, outputIndex, output, key, slot });
    };
    for (const key of txPublicKeys(fields)) add(key, [...outputs.entries()]);
    additionalPublicKeys(fields).forEach((key, outputIndex) => {
      const output = outputs[outputIndex];
      if (output !== undefined) add(key, [[outputIndex, output]]);
    });
    if (keys.length >= BATCH_KEYS) flush();
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

async function tryAll(
  keys: readonly PublicKey[],
  candidates: readonly Candidate[],
  viewSecret: SecretKey,
  kernel: KernelPool,
): Promise<Hit[]> {
  const batch: ScanBatch = {
    keys: concatBytes(...keys),
    outputKey: Uint32Array.from(candidates, ({ slot }) => slot),
    outputIndex: Uint32Array.from(candidates, ({ outputIndex }) => outputIndex),
    viewTags: Uint16Array.from(candidates, ({ output }) => output.viewTag ?? NO_VIEW_TAG),
    outputs: concatBytes(...candidates.map(({ output }) => output.publicKey)),
  };
  const { outputs, derivations, spendKeys } = await kernel.scan(batch, viewSecret);
  return [...outputs].flatMap((j, n) => {
    const candidate = candidates[j];
    if (candidate === undefined) return [];
    const { tx, outputIndex, key } = candidate;
    const derivation = derivations.slice(32 * n, 32 * n + 32) as KeyDerivation;
    const spendKey = spendKeys.slice(32 * n, 32 * n + 32) as PublicKey;
    return [{ tx, outputIndex, key, derivation, spendKey }];
  });
}
