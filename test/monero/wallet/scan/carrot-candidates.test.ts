import { describe, expect, it, test } from '@jest/globals';
import type { KeyImage, PublicKey } from '../../../../src/monero/crypto/types.js';
import { parseBlock } from '../../../../src/monero/cryptonote/block.js';
import { writeExtra } from '../../../../src/monero/cryptonote/extra.js';
import { parsePrunedTransaction, txPrefix } from '../../../../src/monero/cryptonote/transaction.js';
import type { TxInput, TxOutput, TxPrefix } from '../../../../src/monero/cryptonote/types.js';
import { NO_CONTEXT, NO_VIEW_TAG, UNSCANNED_TAG } from '../../../../src/monero/kernel/kernel.js';
import { candidatesIn, keysBefore } from '../../../../src/monero/wallet/scan/output-matches.js';
import { amount } from '../../../../src/util/amount.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { encode } from '../../../../src/util/codec.js';
import { carrotFormats, type VectorOutput } from '../../cryptonote/carrot-vectors.js';
import { candidatesOf, parseOne } from './parser-twin.js';

const { made } = carrotFormats;
const key = (n: number): PublicKey => new Uint8Array(32).fill(n) as PublicKey;
const KEY_INPUT: TxInput = {
  type: 'key',
  amount: amount(0n),
  keyOffsets: [],
  keyImage: new Uint8Array(32).fill(7) as KeyImage,
};
const GEN_INPUT: TxInput = { type: 'gen', height: 0x01_02_03 };
const CARROT: TxOutput = {
  amount: amount(0n),
  publicKey: key(100),
  carrot: { viewTag: Uint8Array.of(1, 2, 3), encryptedAnchor: new Uint8Array(16) },
};
const TAGGED: TxOutput = { amount: amount(0n), publicKey: key(101), viewTag: 9 };
const UNTAGGED: TxOutput = { amount: amount(0n), publicKey: key(102) };

interface Parts {
  readonly inputs?: readonly TxInput[];
  readonly outputs?: readonly TxOutput[];
  readonly main?: readonly number[];
  readonly additional?: readonly number[];
}

const prefixWith = ({
  inputs = [KEY_INPUT],
  outputs = [CARROT, CARROT],
  main = [],
  additional = [],
}: Parts): TxPrefix => ({
  version: 2,
  unlockTime: 0n,
  inputs,
  outputs,
  extra: writeExtra([
    ...main.map((n) => ({ type: 'publicKey', key: key(n) }) as const),
    ...(additional.length === 0 ? [] : [{ type: 'additionalKeys', keys: additional.map(key) } as const]),
  ]),
});

/** The candidates of the codecs, which those of the parser must equal. */
function candidates(parts: Parts) {
  const prefix = prefixWith(parts);
  const found = candidatesIn([{ prefix }]);
  // RingCT type 0 has nothing behind its type.
  expect(candidatesOf(parseOne(Uint8Array.of(...encode(txPrefix, prefix), 0)))).toEqual(found);
  return found;
}

/** Keys as their first bytes: those for every output, and those for one. */
function keysIn(parts: Parts): [main: number[], own: number[]] {
  const { keys, mainKeys } = candidates(parts);
  const all = [...keys].filter((_, i) => i % 32 === 0);
  return [all.slice(0, mainKeys[0]), all.slice(mainKeys[0])];
}

describe('the keys of a transaction in the form of the fork', () => {
  test.each<[string, Parts, number[], number[]]>([
    ['one key', { main: [51] }, [51], []],
    ['the first of several keys', { main: [51, 52] }, [51], []],
    ['a key, without the keys of each output', { main: [51], additional: [61, 62] }, [51], []],
    ['a key for each output', { additional: [61, 62] }, [], [61, 62]],
    ['a key for the first output alone', { outputs: [CARROT], additional: [61, 62] }, [], [61]],
    [
      'keys for the first two of three outputs',
      { outputs: [CARROT, CARROT, CARROT], additional: [61, 62] },
      [],
      [61, 62],
    ],
    ['a single key in the list of keys', { additional: [61] }, [61], []],
    ['no key', {}, [], []],
    ['a miner: a key for the first output', { inputs: [GEN_INPUT], main: [51] }, [], [51]],
    ['a miner: the first of several keys', { inputs: [GEN_INPUT], main: [51, 52] }, [], [51]],
    ['a miner: a key for each output', { inputs: [GEN_INPUT], additional: [61, 62, 63] }, [], [61, 62]],
    ['a miner: a single key in the list', { inputs: [GEN_INPUT], additional: [61] }, [], [61]],
    ['a miner with a second input: no key', { inputs: [GEN_INPUT, KEY_INPUT], main: [51] }, [], []],
    ['a spend with the input of a miner: one key', { inputs: [KEY_INPUT, GEN_INPUT], main: [51] }, [51], []],
  ])('are %s', (_, parts, main, own) => {
    expect(keysIn(parts)).toEqual([main, own]);
  });
});

describe('the input context of a transaction', () => {
  const HEIGHT = `03020100${'00'.repeat(28)}`;
  test.each<[string, Parts, string | undefined]>([
    ['a spend is its first key image', {}, `52${'07'.repeat(32)}`],
    ['a miner is the height', { inputs: [GEN_INPUT] }, `43${HEIGHT}`],
    [
      'several inputs is that of the first',
      { inputs: [GEN_INPUT, { type: 'gen', height: 9 }] },
      `43${HEIGHT}`,
    ],
    ['the old form is none', { outputs: [TAGGED], main: [51] }, undefined],
    [
      'the old form beside an output of the fork is none',
      { outputs: [TAGGED, CARROT], main: [51] },
      undefined,
    ],
    ['no outputs is none', { outputs: [] }, undefined],
  ])('of %s', (_, parts, expected) => {
    const { contextOf, contexts } = candidates(parts);
    expect([...contextOf]).toEqual([expected === undefined ? NO_CONTEXT : 0]);
    expect(toHex(contexts)).toBe(expected ?? '');
  });

  it('has heights of more than 32 bits', () => {
    const { contexts } = candidates({ inputs: [{ type: 'gen', height: 2 ** 53 - 1 }] });
    expect(toHex(contexts)).toBe(`43ffffffffffff1f${'00'.repeat(25)}`);
  });

  it('is absent without inputs, and then there are no keys', () => {
    const found = candidatesIn([{ prefix: prefixWith({ inputs: [], main: [51] }) }]);
    expect([[...found.contextOf], found.keys, found.contexts]).toEqual([
      [NO_CONTEXT],
      new Uint8Array(),
      new Uint8Array(),
    ]);
  });
});

test('a view tag of the fork has three bytes, the least significant first; outputs of another form have none to match', () => {
  const tagsOf = (outputs: readonly TxOutput[]): number[] => [
    ...candidates({ outputs, main: [51] }).viewTags,
  ];
  expect(tagsOf([CARROT, TAGGED, UNTAGGED, CARROT])).toEqual([
    0x030201,
    UNSCANNED_TAG,
    UNSCANNED_TAG,
    0x030201,
  ]);
  expect(tagsOf([TAGGED, CARROT, UNTAGGED])).toEqual([9, NO_VIEW_TAG, NO_VIEW_TAG]);
});

test('transactions of both forms beside each other have the contexts of their own', () => {
  const { contextOf, contexts, mainKeys, ...found } = candidatesIn(
    [
      { outputs: [TAGGED], main: [51], additional: [61] },
      { main: [52] },
      { outputs: [UNTAGGED], additional: [62] },
      { inputs: [GEN_INPUT], main: [53], additional: [63] },
    ].map((parts) => ({ prefix: prefixWith(parts) })),
  );
  expect([...contextOf]).toEqual([NO_CONTEXT, 0, NO_CONTEXT, 1]);
  expect(contexts).toHaveLength(66);
  expect([...mainKeys]).toEqual([1, 1, 0, 0]);
  expect([0, 1, 2, 3, 4].map((tx) => keysBefore(found as never, tx))).toEqual([0, 2, 3, 3, 4]);
});

describe('the candidates of a vector', () => {
  const tagOf = ({ viewTag }: VectorOutput): number => Buffer.from(viewTag, 'hex').readUIntLE(0, 3);
  const cases: [string, TxPrefix, readonly VectorOutput[], string][] = [
    ...made.transactions.map(
      ({ note, pruned, outputs, keyImages }): [string, TxPrefix, readonly VectorOutput[], string] => [
        note,
        parsePrunedTransaction(fromHex(pruned)).prefix,
        outputs,
        `52${keyImages[0]}`,
      ],
    ),
    ...made.blocks.map(
      ({ note, blob, outputs, height }): [string, TxPrefix, readonly VectorOutput[], string] => {
        const bytes = Buffer.alloc(32);
        bytes.writeUIntLE(height, 0, 6);
        return [note, parseBlock(fromHex(blob)).minerTx.prefix, outputs, `43${bytes.toString('hex')}`];
      },
    ),
  ];
  test.each(cases)(
    '%s are its outputs, each with its key, its tag and the context',
    (_, prefix, expected, context) => {
      const found = candidatesIn([{ prefix }]);
      expect(toHex(found.contexts)).toBe(context);
      expect([...found.viewTags]).toEqual(expected.map(tagOf));
      expect(toHex(found.outputs)).toBe(expected.map(({ outputKey }) => outputKey).join(''));
      const keys = expected.map(({ key: own }) => own);
      const isShared = found.mainKeys[0] === 1;
      expect(toHex(found.keys)).toBe(isShared ? keys[0] : keys.join(''));
      if (isShared) expect(new Set(keys).size).toBe(1);
    },
  );
});
