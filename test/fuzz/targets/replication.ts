import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WalletError } from '../../../src/model/wallet-error.js';
import {
  decodeBaseHead,
  decodeFrame,
  encodeBaseHead,
  encodeFrame,
  HEAD_BYTES,
} from '../../../src/store/replication/frame.js';
import { rebuildStore, RebuildError } from '../../../src/store/replication/rebuild-store.js';
import { concatBytes, equalBytes } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';
import type { Parser, Target } from '../target.js';

const PAGE_SIZE = 512;
const page = (number: number) => ({ number, bytes: new Uint8Array(PAGE_SIZE).fill(number) });
const shape = { pageSize: PAGE_SIZE, pageCount: 4 };

const frame = (sequence: number, numbers: readonly number[], pageCount = 4): Uint8Array =>
  encodeFrame({ ...shape, sequence, pageCount, pages: numbers.map(page) });
const base = concatBytes(encodeBaseHead({ ...shape, sequence: 7 }), new Uint8Array(4 * PAGE_SIZE));

/** Writes parts one after the other, each behind its length in two bytes. */
const joined = (...parts: readonly Uint8Array[]): Uint8Array =>
  concatBytes(...parts.flatMap((part) => [Uint8Array.of(part.length >> 8, part.length & 0xff), part]));

/** Splits an input as {@link joined} has joined it; the last part may be shorter. */
function split(input: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at + 2 <= input.length;) {
    const length = ((input[at] ?? 0) << 8) | (input[at + 1] ?? 0);
    parts.push(input.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return parts;
}

async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

/** Parser of a base in two parts and of the frames that follow on it, which become a file. */
function rebuildParser(): Parser {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'store');
  const halves = [base.subarray(0, HEAD_BYTES + 100), base.subarray(HEAD_BYTES + 100)];
  return {
    seeds: [
      joined(...halves),
      joined(...halves, frame(8, [1, 3]), frame(9, [2, 9], 9)),
      joined(...halves, frame(8, [1], 2), frame(10, [1])),
    ],
    async run(input) {
      const [first = new Uint8Array(), second = new Uint8Array(), ...frames] = split(input);
      await rebuildStore(path, each([first, second]), each(frames));
    },
  };
}

export const targets: readonly Target[] = [
  {
    name: 'frame',
    errors: [CodecError],
    modules: ['store/replication/frame'],
    words: ['WRPF', 'WRPB'],
    prepare: () => ({
      seeds: [frame(8, [1, 3]), frame(9, []), frame(1, [4]), base],
      run(input) {
        const decoded = decodeFrame(input);
        if (!equalBytes(encodeFrame(decoded), input)) throw new Error('a frame is encoded otherwise');
      },
    }),
  },
  {
    name: 'base',
    errors: [CodecError],
    modules: ['store/replication/frame'],
    words: ['WRPF', 'WRPB'],
    maxBytes: 64,
    prepare: () => ({
      seeds: [base.slice(0, HEAD_BYTES), frame(8, [1]).slice(0, 64)],
      run(input) {
        const decoded = decodeBaseHead(input);
        if (!equalBytes(encodeBaseHead(decoded), input.subarray(0, HEAD_BYTES)))
          throw new Error('a base is encoded otherwise');
      },
    }),
  },
  {
    name: 'rebuild',
    errors: [CodecError, RebuildError, WalletError],
    modules: ['store/replication/rebuild-store', 'store/replication/frame'],
    words: ['WRPF', 'WRPB'],
    prepare: rebuildParser,
  },
];
