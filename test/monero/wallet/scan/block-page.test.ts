import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { MOST_TREE_LAYERS, TREE_FORK } from '../../../../src/monero/fork-rules.js';
import type { Hash, PublicKey } from '../../../../src/monero/crypto/types.js';
import { block, blockHash } from '../../../../src/monero/cryptonote/block.js';
import {
  additionalPublicKeys,
  parseExtra,
  txPublicKeys,
  writeExtra,
  type ExtraField,
} from '../../../../src/monero/cryptonote/extra.js';
import {
  parsePrunedTransaction,
  prunedTransaction,
  transaction,
  transactionHash,
  txPrefix,
} from '../../../../src/monero/cryptonote/transaction.js';
import type { Block, Transaction, TxPrefix } from '../../../../src/monero/cryptonote/types.js';
import {
  parseBlocksAnswer,
  parseTxs,
  type ParsedBlocksAnswer,
  type ParsedTxs,
} from '../../../../src/monero/wallet/scan/block-page.js';
import { writeStorage, type TypedSection } from '../../../../src/monero/epee/storage-writer.js';
import { NO_VIEW_TAG } from '../../../../src/monero/kernel/kernel.js';
import { kernelBatches } from '../../../../src/monero/wallet/scan/output-matches.js';
import { U64_MAX, ZERO } from '../../../../src/util/amount.js';
import { concatBytes, fromHex, toHex } from '../../../../src/util/bytes.js';
import { CodecError, encode } from '../../../../src/util/codec.js';
import { versionOne } from '../../../support/chain/arbitrary-tx.js';
import { blocksAnswer, type SentBlock } from '../../../support/chain/blocks-answer.js';
import { mutatedBytes } from '../../../support/values/mutations.js';
import { parseWholePage } from '../../../support/network/whole-page.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';

const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 }) as unknown as fc.Arbitrary<Hash>;
const keys = hashes as unknown as fc.Arbitrary<PublicKey>;

const fields: fc.Arbitrary<ExtraField> = fc.oneof(
  fc.record({ type: fc.constant('publicKey' as const), key: keys }),
  fc.record({ type: fc.constant('additionalKeys' as const), keys: fc.array(keys, { maxLength: 5 }) }),
  fc.record({ type: fc.constant('nonce' as const), nonce: fc.uint8Array({ maxLength: 255 }) }),
  fc.record({
    type: fc.constant('mergeMining' as const),
    depth: fc.bigInt({ min: 0n, max: U64_MAX }),
    root: hashes,
  }),
  fc.record({ type: fc.constant('minergate' as const), data: fc.uint8Array({ maxLength: 9 }) }),
  fc.record({ type: fc.constant('padding' as const), size: fc.nat(300) }),
);

/** Fields in any order, as payers may write them. */
const extras = fc.oneof(
  fc.array(fields, { maxLength: 5 }).map((of) => concatBytes(...of.map((field) => writeExtra([field])))),
  fc.uint8Array({ maxLength: 50 }),
);

const transactions: fc.Arbitrary<Transaction> = fc
  .tuple(versionOne, extras)
  .map(([tx, extra]) => ({ ...tx, prefix: { ...tx.prefix, extra } }));

const prefixes: fc.Arbitrary<TxPrefix> = transactions.map(({ prefix }) => prefix);

const NO_HASH = new Uint8Array(32) as Hash;

/** Parses pruned transactions of version 1, which have no hash that could be computed. */
const parsedTxs = (...blobs: readonly Uint8Array[]): ParsedTxs =>
  parseTxs(
    blobs.map((blob, i) => ({ hash: new Uint8Array(32).fill(i) as Hash, blob, prunableHash: NO_HASH })),
  );

/** Runs a parser on input that it may refuse. @returns the message of the CodecError; undefined if there is none. */
function refusal(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(CodecError);
    return (error as Error).message;
  }
}

function keyImagesOf(txs: ParsedTxs, tx: number): Uint8Array[] {
  const images: Uint8Array[] = [];
  txs.eachKeyImage(tx, (bytes, at) => images.push(bytes.slice(at, at + 32)));
  return images;
}

interface Row {
  readonly key: string;
  readonly tx: number;
  readonly outputIndex: number;
  readonly viewTag: number;
  readonly output: string;
}

function rowsOf(txs: ParsedTxs): Row[] {
  return [...kernelBatches(txs.candidates, 0, txs.count)].flatMap(({ scan, txs: places }) =>
    Array.from(scan.outputKey, (key, row) => {
      return {
        key: toHex(scan.keys.subarray(32 * key, 32 * key + 32)),
        tx: places[key] ?? NaN,
        outputIndex: scan.outputIndex[row] ?? NaN,
        viewTag: scan.viewTags[row] ?? NaN,
        output: toHex(scan.outputs.subarray(32 * row, 32 * row + 32)),
      };
    }),
  );
}

/** Outputs and keys that a scan tries, as computed from `parseExtra`. */
function expectedRows({ outputs, extra }: TxPrefix, tx: number): Row[] {
  const { fields } = parseExtra(extra);
  const row = (key: PublicKey, outputIndex: number): Row[] => {
    const output = outputs[outputIndex];
    if (output === undefined) return [];
    const { viewTag = NO_VIEW_TAG, publicKey } = output;
    return [{ key: toHex(key), tx, outputIndex, viewTag, output: toHex(publicKey) }];
  };
  const main = txPublicKeys(fields);
  if (main.length === 0) return [];
  return [
    ...main.flatMap((key) => outputs.flatMap((_, i) => row(key, i))),
    ...additionalPublicKeys(fields).flatMap((key, i) => row(key, i)),
  ];
}

describe('parsing transactions', () => {
  it('finds the key images, the outputs and keys to try, and the bytes of each transaction', () => {
    fc.assert(
      fc.property(fc.array(prefixes, { maxLength: 4 }), (txs) => {
        const blobs = txs.map((prefix) => encode(txPrefix, prefix));
        const parsed = parsedTxs(...blobs);
        expect(parsed.count).toBe(txs.length);
        txs.forEach((prefix, i) => {
          expect(parsed.blob(i)).toEqual(blobs[i]);
          expect(parsed.hash(i)[0]).toBe(i);
          expect(parsed.version(i)).toBe(1);
          expect(parsed.isCoinbase(i)).toBe(false);
          expect(parsed.outputCount(i)).toBe(prefix.outputs.length);
          expect(keyImagesOf(parsed, i)).toEqual(
            prefix.inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage] : [])),
          );
        });
        expect(rowsOf(parsed)).toEqual(txs.flatMap(expectedRows));
      }),
      { numRuns: randomRuns(300) },
    );
  });

  it('reads a changed extra up to the same field as parseExtra', () => {
    const [prefix] = fc.sample(
      versionOne.filter((tx) => tx.prefix.outputs.length > 1),
      { numRuns: 1, seed: 3 },
    );
    if (prefix === undefined) throw new Error('no transaction');
    const whole = extras.filter(({ length }) => length > 0);
    fc.assert(
      fc.property(whole.chain(mutatedBytes), (extra) => {
        const tx = { ...prefix.prefix, extra };
        expect(rowsOf(parsedTxs(encode(txPrefix, tx)))).toEqual(expectedRows(tx, 0));
      }),
      { numRuns: randomRuns(3000) },
    );
  });

  const isRead = (bytes: Uint8Array): boolean => refusal(() => parsePrunedTransaction(bytes)) === undefined;

  /** True if the parser accepts a transaction; one of version 2 then lacks the hash of its prunable part. */
  function isParsed(bytes: Uint8Array): boolean {
    const message = refusal(() => parsedTxs(bytes));
    return message === undefined || message.includes('without the hash');
  }

  it('refuses exactly the pruned transactions that the codec refuses', () => {
    fc.assert(
      fc.property(prefixes, fc.nat(), fc.nat(255), fc.boolean(), (prefix, place, value, cut) => {
        const whole = encode(txPrefix, prefix);
        const at = place % whole.length;
        const bytes = cut ? whole.slice(0, at) : Uint8Array.from(whole);
        if (!cut) bytes[at] = value;
        expect(isParsed(bytes)).toBe(isRead(bytes));
      }),
      { numRuns: randomRuns(3000) },
    );
  });

  test.each([
    ['of ten bytes', '8080808080808080808001'],
    ['that exceeds 64 bits', 'ffffffffffffffffff02'],
    ['of 64 bits', 'ffffffffffffffffff01'],
    ['that ends in zero', '8000'],
  ])('reads or refuses an unlock time %s like the codec', (_kind, hex) => {
    const bytes = fromHex(`01${hex}00000000`);
    expect(isParsed(bytes)).toBe(isRead(bytes));
  });

  it('returns global indices up to 2^53 - 1, and refuses too few or too many', () => {
    const [tx] = fc.sample(
      versionOne.filter(({ prefix }) => prefix.outputs.length === 3),
      { numRuns: 1, seed: 5 },
    );
    if (tx === undefined) throw new Error('no transaction');
    const blob = encode(txPrefix, tx.prefix);
    const pruned = { hash: NO_HASH, blob, prunableHash: NO_HASH };
    const indices = [0, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER];
    const parsed = parseTxs([
      { ...pruned, globalIndices: indices },
      { ...pruned, globalIndices: [7, 8, 9] },
    ]);
    expect(indices.map((_, i) => parsed.globalIndex(0, i))).toEqual(indices);
    expect(parsed.globalIndex(1, 2)).toBe(9);
    expect(() => parsed.globalIndex(1, 3)).toThrow(RangeError);
    for (const globalIndices of [[], [1, 2], [1, 2, 3, 4]])
      expect(() => parseTxs([{ ...pruned, globalIndices }])).toThrow('lacks output indices');
  });
});

const reward = (version: 1 | 2, prefix: TxPrefix): Transaction => ({
  prefix: { ...prefix, version, inputs: [{ type: 'gen', height: 300 }] },
  ...(version === 1
    ? { signatures: [[]] }
    : { rct: { base: { type: 0, fee: ZERO, pseudoOuts: [], ecdhInfo: [], outPk: [] } } }),
});

interface WholeBlock {
  readonly value: Block;
  readonly txs: readonly Transaction[];
}

const wholeBlocks: fc.Arbitrary<WholeBlock> = fc
  .record({
    header: fc.record({
      majorVersion: fc.nat(20),
      minorVersion: fc.nat(20),
      timestamp: fc.nat(),
      prevHash: hashes,
      nonce: fc.nat(),
    }),
    minerTx: fc.tuple(fc.constantFrom(1 as const, 2 as const), prefixes).map((of) => reward(...of)),
    txs: fc.array(transactions, { maxLength: 9 }),
    tree: fc.record({ layers: fc.nat(MOST_TREE_LAYERS), root: hashes }),
  })
  .map(({ txs, tree, ...rest }) => ({
    value: {
      ...rest,
      txHashes: txs.map(transactionHash),
      ...(rest.header.majorVersion < TREE_FORK ? {} : { tree }),
    },
    txs,
  }));

/** Links each block to the one before. */
function chained(blocks: readonly WholeBlock[]): WholeBlock[] {
  let previous: Hash | undefined;
  return blocks.map(({ value, txs }) => {
    const header = previous === undefined ? value.header : { ...value.header, prevHash: previous };
    const linked = { ...value, header };
    previous = blockHash(linked);
    return { value: linked, txs };
  });
}

const sent = ({ value, txs }: WholeBlock, { first = 0, pruned = false } = {}): SentBlock => ({
  block: encode(block, value),
  txs: txs.map((tx) => encode(pruned ? prunedTransaction : transaction, tx)),
  outputIndices: [value.minerTx, ...txs].map(({ prefix: { outputs } }, i) =>
    outputs.map((_, j) => first + 100 * i + j),
  ),
});

const answer = (blocks: readonly SentBlock[], options = {}): Uint8Array =>
  blocksAnswer({ startHeight: 1000, currentHeight: 2000, blocks }, options);

describe('parsing a page of blocks', () => {
  it('computes the same hashes and finds the same outputs as building the blocks', () => {
    fc.assert(
      fc.property(fc.array(wholeBlocks, { maxLength: 4 }), fc.boolean(), (loose, pruned) => {
        const blocks = chained(loose);
        const page = parseWholePage(
          answer(
            blocks.map((one, i) => sent(one, { first: 1000 * i, pruned })),
            { pruned },
          ),
        );
        expect(page).toMatchObject({ status: 'OK', startHeight: 1000, currentHeight: 2000 });
        expect(page.blocks.map(({ hash }) => hash)).toEqual(blocks.map(({ value }) => blockHash(value)));
        expect(page.blocks.map(({ version, timestamp }) => [version, timestamp])).toEqual(
          blocks.map(({ value: { header } }) => [header.majorVersion, header.timestamp]),
        );
        expectTxs(page, blocks);
      }),
      { numRuns: randomRuns(200) },
    );
  });

  function expectTxs({ blocks: parsedBlocks, txs }: ParsedBlocksAnswer, blocks: readonly WholeBlock[]): void {
    let at = 0;
    blocks.forEach(({ value, txs: own }, b) => {
      const all = [value.minerTx.prefix, ...own.map(({ prefix }) => prefix)];
      expect(parsedBlocks[b]).toMatchObject({ firstTx: at, endTx: at + all.length });
      expect(txs.hash(at)).toEqual(transactionHash(value.minerTx));
      expect(parsePrunedTransaction(txs.blob(at)).prefix).toEqual(value.minerTx.prefix);
      expect(txs.version(at)).toBe(value.minerTx.prefix.version);
      all.forEach((prefix, i) => {
        expect(txs.isCoinbase(at + i)).toBe(i === 0);
        if (i > 0) expect(txs.hash(at + i)).toEqual(value.txHashes[i - 1]);
        if (i > 0) expect(txs.blob(at + i)).toEqual(encode(txPrefix, prefix));
        expect(prefix.outputs.map((_, j) => txs.globalIndex(at + i, j))).toEqual(
          prefix.outputs.map((_, j) => 1000 * b + 100 * i + j),
        );
      });
      at += all.length;
    });
    expect(txs.count).toBe(at);
    const all = blocks.flatMap(({ value, txs: own }) => [value.minerTx, ...own]);
    expect(rowsOf(txs)).toEqual(all.flatMap(({ prefix }, tx) => expectedRows(prefix, tx)));
  }

  const samples = fc.sample(wholeBlocks, { numRuns: 40, seed: 7 });
  const honest = chained(samples.filter(({ txs }) => txs.length > 1).slice(0, 3)).map((one) => sent(one));
  const whole = answer(honest);

  it.each([0, 1, 2])('keeps the blocks before the one at index %i that cannot be read', (bad) => {
    const sentBlock = honest[bad];
    if (sentBlock === undefined) throw new Error('no block');
    const spoiled: [why: string, SentBlock][] = [
      ['left over', { ...sentBlock, block: concatBytes(sentBlock.block, Uint8Array.of(0)) }],
      ['', { ...sentBlock, block: sentBlock.block.subarray(0, -1) }],
      ['lacks output indices', { ...sentBlock, outputIndices: [] }],
      ['lacks transactions', { ...sentBlock, txs: [...sentBlock.txs, new Uint8Array(3)] }],
      [
        'end of input',
        { ...sentBlock, txs: sentBlock.txs.map((tx, i) => (i === 1 ? tx.subarray(0, 5) : tx)) },
      ],
    ];
    for (const [why, block] of spoiled) {
      const page = parseBlocksAnswer(answer(honest.map((one, i) => (i === bad ? block : one))));
      const before = parseBlocksAnswer(answer(honest.slice(0, bad)));
      expect(page.unread).toMatchObject({ cause: { message: expect.stringContaining(why) as unknown } });
      expect(page.blocks.map(({ hash }) => hash)).toEqual(before.blocks.map(({ hash }) => hash));
      expect(page.txs.count).toBe(before.txs.count);
      expect(rowsOf(page.txs)).toEqual(rowsOf(before.txs));
    }
  });

  it('tells the version of a block of which nothing else can be read', () => {
    const [first, second, third] = honest;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no blocks');
    const unknown = { ...second, block: concatBytes(Uint8Array.of(17), new Uint8Array(90).fill(0xff)) };
    const page = parseBlocksAnswer(answer([first, unknown, third]));
    expect(page.unread?.version).toBe(17);
    expect(page.blocks).toHaveLength(1);
    const nothing = parseBlocksAnswer(answer([first, { ...second, block: new Uint8Array() }]));
    expect(nothing.unread).toMatchObject({ cause: { message: 'unexpected end of input' } });
    expect(nothing.unread).not.toHaveProperty('version');
  });

  it('refuses blocks that do not chain up, or lack transactions or output indices', () => {
    const [first, second, third] = honest;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no blocks');
    const spoiled = (change: Partial<SentBlock>) => parseWholePage(answer([first, { ...second, ...change }]));
    expect(() => parseWholePage(answer([second, first]))).toThrow('do not chain up');
    expect(() => spoiled({ block: third.block })).toThrow('do not chain up');
    expect(() => spoiled({ block: second.block.subarray(0, -1) })).toThrow(CodecError);
    expect(() => spoiled({ block: concatBytes(second.block, Uint8Array.of(0)) })).toThrow('left over');
    expect(() => spoiled({ txs: second.txs.slice(1) })).toThrow('lacks transactions');
    expect(() => spoiled({ txs: [...second.txs, new Uint8Array(3)] })).toThrow('lacks transactions');
    expect(() => spoiled({ outputIndices: [] })).toThrow('lacks output indices');
    expect(() => spoiled({ outputIndices: second.outputIndices.slice(1) })).toThrow('lacks output indices');
    expect(() => spoiled({ outputIndices: second.outputIndices.map((of) => [...of, 1]) })).toThrow(
      'lacks output indices',
    );
    expect(() => spoiled({ txs: second.txs.map((tx) => tx.subarray(0, 5)) })).toThrow('end of input');
  });

  it('refuses a block whose miner transaction spends, or is signed', () => {
    const [one] = samples;
    const [spending] = fc.sample(versionOne, { numRuns: 1, seed: 5 });
    if (one === undefined || spending === undefined) throw new Error('no block');
    const page = (minerTx: Transaction, change = (bytes: Uint8Array) => bytes): Uint8Array => {
      const value = { ...one.value, minerTx };
      return answer([{ ...sent({ ...one, value }), block: change(encode(block, value)) }]);
    };
    expect(() => parseWholePage(page(spending))).toThrow('without a miner transaction');
    const honestOne = reward(2, one.value.minerTx.prefix);
    expect(() => parseWholePage(page(honestOne))).not.toThrow();
    const sign = (bytes: Uint8Array): Uint8Array => {
      bytes[bytes.length - 2 - 32 * one.value.txHashes.length] = 6;
      return bytes;
    };
    expect(() => parseWholePage(page(honestOne, sign))).toThrow('signed');
  });

  it('returns the status only, unless it is OK', () => {
    const page = parseBlocksAnswer(answer(honest, { status: 'BUSY' }));
    expect(page).toMatchObject({ status: 'BUSY', blocks: [] });
    expect(page.txs.count).toBe(0);
  });

  it('fails with a CodecError only, whatever is changed', () => {
    let refused = 0;
    fc.assert(
      fc.property(mutatedBytes(whole), (bytes) => {
        if (refusal(() => parseWholePage(bytes)) !== undefined) refused++;
      }),
      { numRuns: randomRuns(5000) },
    );
    expect(refused).toBeGreaterThan(0.8 * randomRuns(5000));
    expect(parseWholePage(whole).blocks).toHaveLength(3);
  });

  it('refuses a page that is cut anywhere', () => {
    for (let length = 0; length < whole.length; length++)
      expect(refusal(() => parseWholePage(whole.subarray(0, length)))).toBeDefined();
  });
});

const { invalid } = JSON.parse(
  readFileSync(new URL('../../../../../test/vectors/epee/portable-storage.json', import.meta.url), 'utf8'),
) as { invalid: { note: string; hex: string }[] };

describe('portable storage around a page of blocks', () => {
  const u64 = (value: bigint) => ({ type: 'u64', value }) as const;
  const text = (value: string) => ({ type: 'string', value: Buffer.from(value) }) as const;
  const read = (section: TypedSection): ParsedBlocksAnswer =>
    parseWholePage(writeStorage({ status: text('OK'), ...section }));

  it('may have other fields, which are skipped', () => {
    const other: TypedSection = {
      a: { type: 'bool', value: true },
      b: { type: 'list', items: [text('one'), text('two')] },
      c: { type: 'object', value: { blocks: { type: 'list', items: [u64(7n)] }, status: text('no') } },
      d: { type: 'u8', value: 200 },
      e: { type: 'u16', value: 60_000 },
      f: { type: 'u32', value: 4_000_000_000 },
      g: text('x'.repeat(20_000)),
      h: { type: 'list', items: [{ type: 'object', value: { x: text('deep') } }] },
    };
    expect(read(other)).toMatchObject({ status: 'OK', blocks: [] });
    expect(read(other)).not.toHaveProperty('startHeight');
  });

  it('may write heights in any width', () => {
    expect(
      read({ start_height: { type: 'u8', value: 200 }, current_height: u64(2n ** 53n - 1n) }),
    ).toMatchObject({
      startHeight: 200,
      currentHeight: Number.MAX_SAFE_INTEGER,
    });
    expect(
      read({ start_height: { type: 'u16', value: 60_000 }, current_height: { type: 'u32', value: 4e9 } }),
    ).toMatchObject({ startHeight: 60_000, currentHeight: 4e9 });
  });

  test.each<[string, TypedSection]>([
    ['a string instead of a list', { blocks: text('none') }],
    ['strings instead of blocks', { blocks: { type: 'list', items: [text('none')] } }],
    ['a block without itself', { blocks: { type: 'list', items: [{ type: 'object', value: {} }] } }],
    ['a string instead of a height', { start_height: text('5') }],
    ['a height that is no safe integer', { start_height: u64(2n ** 53n) }],
    ['a number instead of the status', { status: u64(1n) }],
    [
      'more fields than any answer has',
      Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`n${i}`, u64(0n)])),
    ],
  ])('is refused for %s', (_fault, section) => {
    expect(() => read(section)).toThrow(CodecError);
  });

  it('is refused without a status', () => {
    expect(() => parseWholePage(writeStorage({ start_height: u64(1n) }))).toThrow('status');
  });

  test.each(invalid.filter(({ note }) => !note.startsWith('a bool')))('is refused with $note', ({ hex }) => {
    expect(() => parseWholePage(fromHex(hex))).toThrow(CodecError);
  });
});
