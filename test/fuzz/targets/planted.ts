import type { Parser, Target } from '../target.js';

/* Parsers with one defect each, which tests of the fuzzer plant. The first bytes of an input reach the defect in steps. */

const MAGIC = [0x42, 0x55, 0x47];

/** Block that a case takes and fills [bytes]. */
const BLOCK = 48 * 2 ** 20;

const held: unknown[] = [];

/** Returns a parser that does something wrong with inputs that begin with all bytes of {@link MAGIC}. */
const planted = (defect: () => unknown): Parser => ({
  seeds: [Uint8Array.of(MAGIC[0] ?? 0, 0, 0, 1, 2, 3)],
  run(input) {
    if (input[0] !== MAGIC[0] || input[1] !== MAGIC[1]) throw new RangeError('refused');
    return input[2] === MAGIC[2] ? defect() : undefined;
  },
});

const target = (name: string, defect: () => unknown): Target => ({
  name,
  errors: [RangeError],
  modules: [],
  words: [String.fromCharCode(...MAGIC)],
  maxBytes: 16,
  prepare: () => planted(defect),
});

export const targets: readonly Target[] = [
  target('planted-none', () => undefined),
  target('planted-error', () => {
    throw new TypeError('a bug');
  }),
  target('planted-rejection', () => Promise.reject(new TypeError('a bug'))),
  target('planted-crash', () => process.abort()),
  target('planted-throw', () => {
    setImmediate(() => {
      throw new Error('outside of the call');
    });
    return Promise.resolve();
  }),
  target('planted-slow', () => {
    const end = process.cpuUsage().user + 120_000;
    let sum = 0;
    while (process.cpuUsage().user < end) for (let i = 0; i < 1e6; i++) sum += i;
    return sum > 0;
  }),
  target('planted-hang', () => {
    for (;;);
  }),
  target('planted-wait', () => new Promise(() => undefined)),
  target('planted-memory', () => void Buffer.alloc(BLOCK, 1).length),
  target('planted-heap', () => {
    for (;;) held.push(new Array(1 << 20).fill(held.length));
  }),
];
