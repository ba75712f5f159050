import { describe, expect, it } from '@jest/globals';
import { NO_CONTEXT } from '../../../../src/monero/kernel/kernel.js';
import {
  type Candidates,
  BATCH_KEYS,
  BATCH_ROWS,
  kernelBatches,
  type KernelBatch,
} from '../../../../src/monero/wallet/scan/output-matches.js';

/** Numbers of outputs, main keys and additional keys of a transaction. */
type Shape = readonly [outputs: number, mainKeys: number, additionalKeys: number];

/** Numbers as byte strings of 32 bytes, joined. */
function numbered(count: number): Uint8Array {
  const bytes = new Uint8Array(32 * count);
  const view = new DataView(bytes.buffer);
  for (let n = 0; n < count; n++) {
    view.setUint32(32 * n, n);
    bytes.fill(n, 32 * n + 4, 32 * n + 32);
  }
  return bytes;
}

/** Returns the sums of the numbers before each number. */
const sumsBefore = (numbers: readonly number[]): Uint32Array => {
  let sum = 0;
  return Uint32Array.from(numbers, (n) => (sum += n) - n);
};

/** Candidates in which each key, output and view tag is a number of its own. */
function candidatesOf(shapes: readonly Shape[]): Candidates {
  const outputCounts = shapes.map(([outputs]) => outputs);
  const keyCounts = shapes.map(([, main, additional]) => main + additional);
  const total = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);
  return {
    firstOutputs: sumsBefore(outputCounts),
    outputs: numbered(total(outputCounts)),
    outputIndices: Uint32Array.from(shapes.flatMap(([outputs]) => [...Array(outputs).keys()])),
    viewTags: Uint32Array.from({ length: total(outputCounts) }, (_, i) => i % 257),
    firstKeys: sumsBefore(keyCounts),
    mainKeys: Uint32Array.from(shapes, ([, main]) => main),
    keys: numbered(total(keyCounts)),
    contextOf: Uint32Array.from(shapes, () => NO_CONTEXT),
    contexts: new Uint8Array(),
  };
}

/** Describes a pair of a key and an output, by their numbers among all candidates. */
const pairText = (tx: number, key: number, output: number, outputIndex: number, viewTag: number): string =>
  `tx ${tx}, key ${key}, output ${output}: index ${outputIndex}, tag ${viewTag}`;

/** Returns the pairs that are to be tried, by ascending output; those of one output by ascending key. */
function pairsOf(shapes: readonly Shape[], firstTx: number, endTx: number): string[] {
  const { firstOutputs, firstKeys, viewTags } = candidatesOf(shapes);
  const pairs: string[] = [];
  shapes.forEach(([outputs, main, additional], tx) => {
    if (tx < firstTx || tx >= endTx) return;
    for (let index = 0; index < outputs; index++) {
      const output = (firstOutputs[tx] ?? NaN) + index;
      const keys = [...Array(main).keys(), ...(index < additional ? [main + index] : [])];
      for (const key of keys)
        pairs.push(pairText(tx, (firstKeys[tx] ?? NaN) + key, output, index, viewTags[output] ?? NaN));
    }
  });
  return pairs;
}

/** Reads the rows of batches in the order of {@link pairsOf}. */
function pairsIn(batches: readonly KernelBatch[]): string[] {
  const rows = batches.flatMap(({ scan, txs }) => {
    const keys = Buffer.from(scan.keys);
    const outputs = Buffer.from(scan.outputs);
    return Array.from(scan.outputKey, (key, row) => {
      const output = outputs.readUInt32BE(32 * row);
      const [index = NaN, tag = NaN] = [scan.outputIndex[row], scan.viewTags[row]];
      return { output, text: pairText(txs[key] ?? NaN, keys.readUInt32BE(32 * key), output, index, tag) };
    });
  });
  return rows.sort((a, b) => a.output - b.output).map(({ text }) => text);
}

/** Transactions of all small shapes: more than one batch of them. */
const SMALL: readonly Shape[] = Array.from({ length: 3 * BATCH_KEYS }, (_, i) => {
  const outputs = i % 4;
  return outputs === 0 ? [0, 0, 0] : [outputs, (i >> 2) % 3, (i >> 4) % (outputs + 1)];
});

const ONE: Shape = [1, 1, 0];

describe('kernel batches', () => {
  it.each<[string, readonly Shape[]]>([
    ['no transactions', []],
    ['small transactions', SMALL],
    ['as many keys as a batch has', Array.from({ length: BATCH_KEYS }, () => ONE)],
    ['one key more', Array.from({ length: BATCH_KEYS + 1 }, () => ONE)],
    ['a transaction with more main keys than a batch has', [ONE, [3, BATCH_KEYS + 5, 2], ONE]],
    ['a transaction with more additional keys than a batch has', [[BATCH_KEYS + 9, 1, BATCH_KEYS + 9], ONE]],
    ...[BATCH_ROWS - 1, BATCH_ROWS, BATCH_ROWS + 1, 2 * BATCH_ROWS + 7].flatMap((outputs) =>
      (
        [
          [1, 0],
          [1, 1],
          [1, 9],
          [2, 1],
          [1, BATCH_ROWS + 1],
        ] as const
      ).map(([main, additional]): [string, readonly Shape[]] => [
        `${outputs} outputs with ${main} main keys and ${Math.min(outputs, additional)} additional ones`,
        [ONE, [outputs, main, Math.min(outputs, additional)], ONE, [2, 1, 2], [2, 1, 1], ONE],
      ]),
    ),
  ])('try each key of %s with its outputs once, in full batches of bounded size', (_, shapes) => {
    const candidates = candidatesOf(shapes);
    for (const [firstTx, endTx] of [
      [0, shapes.length],
      [1, shapes.length - 1],
      [0, Math.ceil(shapes.length / 2)],
    ] as const) {
      const batches = [...kernelBatches(candidates, firstTx, endTx)];
      expect(pairsIn(batches)).toEqual(pairsOf(shapes, firstTx, endTx));
      batches.forEach(({ scan: { keys, outputKey }, txs }, i) => {
        const count = txs.length;
        expect(keys).toHaveLength(32 * count);
        // Each key has a row at least.
        expect(new Set(outputKey).size).toBe(count);
        expect(count).toBeLessThanOrEqual(BATCH_KEYS);
        expect(outputKey.length).toBeLessThan(2 * BATCH_ROWS);
        if (i < batches.length - 1) expect(count === BATCH_KEYS || outputKey.length >= BATCH_ROWS).toBe(true);
      });
    }
  });

  it('copy whole keys and outputs', () => {
    const candidates = candidatesOf(SMALL);
    const isCopied = (list: Uint8Array, source: Uint8Array): boolean => {
      const [copy, from] = [Buffer.from(list), Buffer.from(source)];
      return [...Array(list.length / 32).keys()].every((n) => {
        const at = 32 * copy.readUInt32BE(32 * n);
        return copy.subarray(32 * n, 32 * n + 32).equals(from.subarray(at, at + 32));
      });
    };
    for (const { scan } of kernelBatches(candidates, 0, SMALL.length)) {
      expect(isCopied(scan.keys, candidates.keys)).toBe(true);
      expect(isCopied(scan.outputs, candidates.outputs)).toBe(true);
    }
  });

  it('have no input contexts if no transaction has the form of the fork', () => {
    for (const { scan } of kernelBatches(candidatesOf(SMALL), 0, SMALL.length))
      expect(scan).not.toHaveProperty('contexts');
  });

  it('have the input contexts of their own keys alone, each once', () => {
    /** The form of the fork has every third transaction, but none of the first hundred. */
    const isNew = (tx: number): boolean => tx >= 100 && tx % 3 === 0;
    const old = candidatesOf(SMALL);
    const numbers = SMALL.map((_, tx) => tx).filter(isNew);
    const contexts = new Uint8Array(33 * numbers.length);
    numbers.forEach((tx, i) => contexts.fill(tx % 251, 33 * i, 33 * i + 33));
    const contextOf = Uint32Array.from(SMALL, (_, tx) => (isNew(tx) ? numbers.indexOf(tx) : NO_CONTEXT));
    let withContexts = 0;
    for (const [firstTx, endTx] of [
      [0, 100],
      [0, SMALL.length],
      [50, 300],
    ] as const)
      for (const { scan, txs } of kernelBatches({ ...old, contextOf, contexts }, firstTx, endTx)) {
        const ofFork = new Set([...txs].filter(isNew));
        if (ofFork.size === 0) expect(scan).not.toHaveProperty('contexts');
        else withContexts++;
        const { ofKeys, bytes } = scan.contexts ?? { ofKeys: undefined, bytes: new Uint8Array() };
        expect(bytes).toHaveLength(33 * ofFork.size);
        txs.forEach((tx, key) => {
          const at = ofKeys?.[key] ?? NO_CONTEXT;
          if (isNew(tx)) expect([...bytes.subarray(33 * at, 33 * at + 33)]).toEqual(Array(33).fill(tx % 251));
          else expect(at).toBe(NO_CONTEXT);
        });
      }
    expect(withContexts).toBeGreaterThan(4);
  });
});
