import { loadCurve } from '../../../src/monero/crypto/curve/load-curve.js';
import { loadKernel } from '../../../src/monero/kernel/load-kernel.js';
import type { ScanBatch, ScanHits } from '../../../src/monero/kernel/kernel.js';
import { KernelPool } from '../../../src/monero/kernel/kernel-pool.js';
import { toHex } from '../../../src/util/bytes.js';

/* Kernel results of a child process, which may run another build than its parent. */

/** Request on standard input: a scan, and points with a secret for each. */
export interface Question {
  readonly batch: { readonly [Part in Exclude<keyof ScanBatch, 'contexts'>]: readonly number[] };
  readonly viewSecret: readonly number[];
  readonly points: readonly (readonly number[])[];
  readonly secrets: readonly (readonly number[])[];
}

export interface Answers {
  readonly kernel: string;
  readonly curve: string;
  readonly hits: string;
  readonly pooledHits: string;
  readonly products: readonly string[];
}

export const hitsText = ({ outputs, derivations, spendKeys }: ScanHits): string =>
  `${[...outputs].join(',')} ${toHex(derivations)} ${toHex(spendKeys)}`;

export async function answersTo(question: Question): Promise<Answers> {
  const batch: ScanBatch = {
    keys: Uint8Array.from(question.batch.keys),
    outputKey: Uint32Array.from(question.batch.outputKey),
    outputIndex: Uint32Array.from(question.batch.outputIndex),
    viewTags: Uint32Array.from(question.batch.viewTags),
    outputs: Uint8Array.from(question.batch.outputs),
  };
  const viewSecret = Uint8Array.from(question.viewSecret);
  const bytes = (lists: readonly (readonly number[])[]): Uint8Array[] =>
    lists.map((list) => Uint8Array.from(list));
  const [kernel, curve, pool] = [loadKernel(), loadCurve(), new KernelPool(1)];
  const answers = {
    kernel: kernel.name,
    curve: curve.name,
    hits: hitsText(kernel.scan(batch, { viewSecret })),
    pooledHits: hitsText(await pool.scan(batch, { viewSecret })),
    products: curve.multiplySecret(bytes(question.points), bytes(question.secrets)).map(toHex),
  };
  await pool.close();
  return answers;
}
