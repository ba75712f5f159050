import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../../src/monero/crypto/types.js';
import { block } from '../../../../src/monero/cryptonote/block.js';
import {
  parseTransaction,
  prunableHash,
  prunedTransaction,
  transaction,
  transactionHash,
} from '../../../../src/monero/cryptonote/transaction.js';
import { parseTxs } from '../../../../src/monero/wallet/scan/block-page.js';
import { fromHex } from '../../../../src/util/bytes.js';
import { CodecError, decode, encode } from '../../../../src/util/codec.js';
import { versionOne } from '../../../support/chain/arbitrary-tx.js';
import { blocksAnswer } from '../../../support/chain/blocks-answer.js';
import { parseWholePage } from '../../../support/network/whole-page.js';
import { readVectors } from '../../ringct/vectors.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';

/* A daemon cannot change the contents of a transaction whose hash it names. */

const NO_HASH = new Uint8Array(32) as Hash;

interface Blob {
  readonly note: string;
  readonly blob: string;
}
const regtest = readVectors<{
  readonly blocks: readonly { readonly blob: string }[];
  readonly transactions: readonly Blob[];
}>('regtest.json');
const mainnet = readVectors<{ readonly transactions: readonly Blob[] }>('mainnet.json');

const valueOf = ({ note, blob }: Blob) => ({ note, tx: parseTransaction(fromHex(blob)) });
const [ofVersion1] = fc.sample(versionOne, { numRuns: 1, seed: 3 });
const real = [
  ...[...regtest.transactions, ...mainnet.transactions].map(valueOf),
  ...(ofVersion1 === undefined ? [] : [{ note: 'ring signatures of version 1', tx: ofVersion1 }]),
].map(({ note, tx }) => ({
  note,
  version: tx.prefix.version,
  hash: transactionHash(tx),
  whole: encode(transaction, tx),
  pruned: encode(prunedTransaction, tx),
  prunable: tx.rct === undefined ? NO_HASH : prunableHash(tx),
}));
const ofVersion2 = real.filter(({ version }) => version === 2);

/** The bytes with one bit changed. */
const flipped = (bytes: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc.nat(8 * bytes.length - 1).map((bit) => {
    const changed = Uint8Array.from(bytes);
    changed[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return changed;
  });

describe('a transaction that a daemon sends by its hash', () => {
  test.each(real)('with $note is located without its proofs', ({ hash, whole, pruned }) => {
    const parsed = parseTxs([
      { hash, blob: whole },
      { hash, blob: whole },
    ]);
    expect([parsed.hash(1), parsed.blob(0), parsed.blob(1)]).toEqual([hash, pruned, pruned]);
  });

  test.each(real)('with $note is refused if a bit is changed anywhere', ({ hash, whole }) => {
    fc.assert(
      fc.property(flipped(whole), (blob) => {
        expect(() => parseTxs([{ hash, blob }])).toThrow(CodecError);
      }),
      { numRuns: randomRuns(60) },
    );
    for (const blob of [whole.subarray(0, -1), Uint8Array.of(...whole, 0)])
      expect(() => parseTxs([{ hash, blob }])).toThrow(CodecError);
  });

  test.each(ofVersion2)('with $note may be pruned, and is refused if a bit is changed', (of) => {
    const { hash, pruned, prunable } = of;
    const parsed = parseTxs([{ hash, blob: pruned, prunableHash: prunable }]);
    expect([parsed.hash(0), parsed.blob(0)]).toEqual([hash, pruned]);
    fc.assert(
      fc.property(flipped(pruned), (blob) => {
        // A bit makes it version 1, whose pruned form no hash proves.
        fc.pre(blob[0] !== 1);
        expect(() => parseTxs([{ hash, blob, prunableHash: prunable }])).toThrow(CodecError);
      }),
      { numRuns: randomRuns(60) },
    );
  });

  test.each(ofVersion2.filter(({ prunable }) => prunable.some((byte) => byte !== 0)))(
    'with $note is refused if the hash of its proofs is absent or another',
    ({ hash, pruned, prunable }) => {
      expect(() => parseTxs([{ hash, blob: pruned }])).toThrow(CodecError);
      expect(() => parseTxs([{ hash, blob: pruned, prunableHash: NO_HASH }])).toThrow('without the hash');
      const other = Uint8Array.from(prunable, (byte) => byte ^ 1) as Hash;
      expect(() => parseTxs([{ hash, blob: pruned, prunableHash: other }])).toThrow('differs from its hash');
    },
  );
});

describe('a transaction in a page of blocks', () => {
  const [first] = regtest.blocks;
  const signed = real.filter(({ whole, pruned }) => whole.length > pruned.length);

  type Sent = (of: (typeof real)[number]) => { readonly blob: Uint8Array; readonly prunable?: Hash };
  const whole: Sent = ({ whole: blob }) => ({ blob });
  const pruned: Sent = ({ pruned: blob, prunable }) => ({ blob, prunable });
  /** As daemons of version 0.18 send it. */
  const unproven: Sent = ({ pruned: blob }) => ({ blob, prunable: NO_HASH });

  /** A page with one block that contains the given transactions. */
  function page(txs: typeof real, sent: Sent): Uint8Array {
    const value = decode(block, fromHex(first?.blob ?? ''));
    const forms = txs.map(sent);
    return blocksAnswer(
      {
        startHeight: 5,
        currentHeight: 9,
        blocks: [
          {
            block: encode(block, { ...value, txHashes: txs.map(({ hash }) => hash) }),
            txs: forms.map(({ blob }) => blob),
            prunableHashes: forms.map(({ prunable }) => prunable ?? NO_HASH),
            outputIndices: [value.minerTx, ...txs.map((tx) => parseTransaction(tx.whole))].map(
              ({ prefix: { outputs } }) => outputs.map((_, i) => i),
            ),
          },
        ],
      },
      { pruned: forms.some(({ prunable }) => prunable !== undefined) },
    );
  }

  it.each([
    ['whole', whole, false],
    ['whole', whole, true],
    ['pruned', pruned, false],
    ['without the hash of its proofs', unproven, false],
  ])('may be sent %s', (_, sent, complete) => {
    const { txs } = parseWholePage(page(signed, sent), complete);
    expect(signed.map((_tx, i) => txs.hash(i + 1))).toEqual(signed.map(({ hash }) => hash));
    expect(signed.map((_tx, i) => txs.blob(i + 1))).toEqual(signed.map((tx) => tx.pruned));
  });

  it('is refused unproven where every one must be proven', () => {
    const ofTwo = signed.filter(({ version }) => version === 2);
    const ofOne = signed.filter(({ version }) => version === 1);
    expect(parseWholePage(page(ofTwo, pruned), true).blocks).toHaveLength(1);
    for (const [txs, sent] of [
      [ofOne, pruned],
      [ofTwo, unproven],
    ] as const)
      expect(() => parseWholePage(page(txs, sent), true)).toThrow('without signatures');
  });

  it.each([
    ['whole', whole, signed],
    ['pruned', pruned, signed.filter(({ version }) => version === 2)],
  ])('is refused %s if it is another one', (_, sent, txs) => {
    const [a, b, ...rest] = txs;
    if (a === undefined || b === undefined) throw new Error('too few transactions');
    const swapped = [{ ...b, hash: a.hash }, { ...a, hash: b.hash }, ...rest];
    expect(() => parseWholePage(page(swapped, sent))).toThrow('differs from its hash');
  });

  it('is refused with a hash of another length', () => {
    const sent: Sent = ({ pruned: blob, prunable }) => ({ blob, prunable: prunable.subarray(1) as Hash });
    expect(() => parseWholePage(page(signed, sent))).toThrow('another length');
  });
});
