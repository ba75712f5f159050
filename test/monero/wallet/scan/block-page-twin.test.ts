import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, PublicKey } from '../../../../src/monero/crypto/types.js';
import { block } from '../../../../src/monero/cryptonote/block.js';
import { writeExtra } from '../../../../src/monero/cryptonote/extra.js';
import {
  parseTransaction,
  prunedTransaction,
  txPrefix,
} from '../../../../src/monero/cryptonote/transaction.js';
import type { TxPrefix } from '../../../../src/monero/cryptonote/types.js';
import { parseTxs } from '../../../../src/monero/wallet/scan/block-page.js';
import { candidatesIn } from '../../../../src/monero/wallet/scan/output-matches.js';
import { concatBytes, fromHex } from '../../../../src/util/bytes.js';
import { decode, encode } from '../../../../src/util/codec.js';
import type { SentBlock } from '../../../support/chain/blocks-answer.js';
import { mutatedBytes } from '../../../support/values/mutations.js';
import { readVectors } from '../../ringct/vectors.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';
import {
  attempt,
  built,
  byCodec,
  byParser,
  candidatesOf,
  parsed,
  parseOne,
  prefixOf,
  withHash,
} from './parser-twin.js';

/* The parser in WebAssembly and the codecs in TypeScript accept the same blocks and read the same values. */

interface Blob {
  readonly hash: string;
  readonly note: string;
  readonly blob: string;
}
const regtest = readVectors<{
  readonly blocks: readonly { readonly height: number; readonly blob: string }[];
  readonly transactions: readonly Blob[];
}>('regtest.json');
const mainnet = readVectors<{ readonly transactions: readonly Blob[] }>('mainnet.json');
const real = [...regtest.transactions, ...mainnet.transactions].map(({ note, blob }) => ({
  note,
  pruned: encode(prunedTransaction, parseTransaction(fromHex(blob))),
}));

describe('a transaction of mainnet or of a regtest chain', () => {
  test.each(real)('with $note is read alike', ({ pruned }) => {
    expect(byParser(parseOne(pruned), 0)).toEqual(byCodec(prefixOf(pruned)));
  });

  it('has the same candidates for a scan, also beside others', () => {
    const prefixes = real.map(({ pruned }) => ({ prefix: prefixOf(pruned) }));
    const txs = parseTxs(real.map(({ pruned }) => withHash(pruned)));
    expect(candidatesOf(txs)).toEqual(candidatesIn(prefixes));
  });

  test.each(real)('with $note, when changed, is refused by both or read alike by both', ({ pruned }) => {
    let refused = 0;
    fc.assert(
      fc.property(mutatedBytes(pruned), (blob) => {
        const read = attempt(() => byParser(parseOne(blob), 0));
        expect(read).toEqual(attempt(() => byCodec(prefixOf(blob))));
        if (read === undefined) refused++;
      }),
      { numRuns: randomRuns(800) },
    );
    expect(refused).toBeGreaterThan(randomRuns(800) / 5);
  });
});

describe('the extra of a transaction', () => {
  const key = (byte: number): PublicKey => new Uint8Array(32).fill(byte) as PublicKey;
  const whole = concatBytes(
    writeExtra([{ type: 'mergeMining', depth: 2n ** 60n, root: key(9) as Uint8Array as Hash }]),
    writeExtra([{ type: 'publicKey', key: key(1) }]),
    writeExtra([{ type: 'nonce', nonce: new Uint8Array(9).fill(1) }]),
    writeExtra([{ type: 'additionalKeys', keys: [key(2), key(3), key(4)] }]),
    writeExtra([{ type: 'minergate', data: new Uint8Array(200) }]),
    writeExtra([{ type: 'publicKey', key: key(5) }]),
  );
  const [{ pruned } = { pruned: new Uint8Array() }] = real;
  /** The part behind the prefix. */
  const base = pruned.subarray(encode(txPrefix, prefixOf(pruned)).length);
  const withExtra = (extra: Uint8Array): TxPrefix => ({ ...prefixOf(pruned), extra });

  it('is read up to the same field by both, whatever is changed', () => {
    let fewer = 0;
    const all = byCodec(withExtra(whole));
    expect([all.mainKeys, all.otherKeys].map(({ length }) => length)).toEqual([2, 3]);
    fc.assert(
      fc.property(mutatedBytes(whole), (extra) => {
        const prefix = withExtra(extra);
        const expected = byCodec(prefix);
        const txs = parseOne(concatBytes(encode(txPrefix, prefix), base));
        expect(byParser(txs, 0)).toEqual(expected);
        expect(candidatesOf(txs)).toEqual(candidatesIn([{ prefix }]));
        if (expected.mainKeys.length < 2) fewer++;
      }),
      { numRuns: randomRuns(4000) },
    );
    expect(fewer).toBeGreaterThan(0.4 * randomRuns(4000));
  });
});

describe('a page of real blocks', () => {
  /** A block with other real transactions in the place of its own. */
  const page = ({ blob }: { readonly blob: string }): SentBlock => {
    const value = decode(block, fromHex(blob));
    const txs = value.txHashes.map((_, i) => real[i % real.length]?.pruned ?? new Uint8Array());
    return {
      block: fromHex(blob),
      txs,
      outputIndices: [value.minerTx.prefix, ...txs.map(prefixOf)].map(({ outputs }) =>
        outputs.map((_, i) => i),
      ),
    };
  };

  test.each(regtest.blocks)('at height $height is read alike', (of) => {
    expect(parsed(page(of))).toEqual(built(page(of)));
  });

  test.each(regtest.blocks)(
    'at height $height, when changed, is refused by both or read alike by both',
    (of) => {
      const whole = page(of);
      let accepted = 0;
      let refused = 0;
      const changed = fc.oneof(
        mutatedBytes(whole.block).map((changedBlock) => ({ ...whole, block: changedBlock })),
        ...whole.txs
          .slice(0, 1)
          .map((tx) =>
            mutatedBytes(tx).map((changedTx) => ({ ...whole, txs: [changedTx, ...whole.txs.slice(1)] })),
          ),
      );
      fc.assert(
        fc.property(changed, (sent) => {
          const read = attempt(() => parsed(sent));
          expect(read).toEqual(attempt(() => built(sent)));
          if (read === undefined) refused++;
          else accepted++;
        }),
        { numRuns: randomRuns(800) },
      );
      expect(Math.min(accepted, refused)).toBeGreaterThan(randomRuns(800) / 20);
    },
  );
});
