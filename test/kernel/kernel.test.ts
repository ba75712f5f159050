import { afterAll, describe, expect, it } from '@jest/globals';
import {
  derivePublicKey,
  keyDerivation,
  publicKeyOf,
  randomSecretKey,
  viewTag,
} from '../../src/crypto/derivation.js';
import { NO_VIEW_TAG, type ScanBatch } from '../../src/kernel/kernel.js';
import { KernelPool } from '../../src/kernel/kernel-pool.js';
import { referenceKernel } from '../../src/kernel/reference-kernel.js';
import { concatBytes, equalBytes } from '../../src/util/bytes.js';
import { systemRng } from '../../src/util/random.js';

const viewSecret = randomSecretKey(systemRng);
const pool = new KernelPool(2);
afterAll(() => pool.close());

/** Transactions of two outputs; the second of every third one is tagged for us. */
function makeBatch(transactions: number): { batch: ScanBatch; mine: number[] } {
  const keys = Array.from({ length: transactions }, () => publicKeyOf(randomSecretKey(systemRng)));
  const mine: number[] = [];
  const tags = keys.flatMap((key, i) => {
    const right = viewTag(keyDerivation(key, viewSecret), 1);
    if (i % 3 === 0) mine.push(2 * i + 1);
    return [(viewTag(keyDerivation(key, viewSecret), 0) + 1) % 256, i % 3 === 0 ? right : (right + 1) % 256];
  });
  return {
    batch: {
      keys: concatBytes(...keys),
      outputKey: Uint32Array.from(tags, (_, j) => j >> 1),
      outputIndex: Uint32Array.from(tags, (_, j) => j & 1),
      viewTags: Uint16Array.from(tags),
    },
    mine,
  };
}

describe.each([
  ['reference', (batch: ScanBatch) => Promise.resolve(referenceKernel.scan(batch, viewSecret))],
  ['pooled', (batch: ScanBatch) => pool.scan(batch, viewSecret)],
])('the %s kernel', (_, scan) => {
  it('finds the outputs whose tag fits, with their derivations', async () => {
    const { batch, mine } = makeBatch(10);
    const hits = await scan(batch);
    expect([...hits.outputs]).toEqual(mine);
    mine.forEach((j, n) => {
      const key = batch.keys.slice(32 * (j >> 1), 32 * (j >> 1) + 32) as Parameters<typeof keyDerivation>[0];
      expect(equalBytes(hits.derivations.subarray(32 * n, 32 * n + 32), keyDerivation(key, viewSecret))).toBe(
        true,
      );
    });
  });

  it('rules nothing out without tags, and everything of a key that is no point', async () => {
    const good = publicKeyOf(randomSecretKey(systemRng));
    const bad = new Uint8Array(32).fill(0xff);
    const hits = await scan({
      keys: concatBytes(good, bad),
      outputKey: Uint32Array.of(0, 0, 1),
      outputIndex: Uint32Array.of(0, 1, 0),
      viewTags: Uint16Array.of(NO_VIEW_TAG, NO_VIEW_TAG, NO_VIEW_TAG),
    });
    expect([...hits.outputs]).toEqual([0, 1]);
    expect(hits.derivations).toHaveLength(64);
    expect(derivePublicKey(hits.derivations.slice(0, 32) as never, 0, good)).toHaveLength(32);
  });

  it('takes an empty batch', async () => {
    const nothing = {
      keys: new Uint8Array(),
      outputKey: new Uint32Array(),
      outputIndex: new Uint32Array(),
      viewTags: new Uint16Array(),
    };
    expect((await scan(nothing)).outputs).toHaveLength(0);
  });
});
