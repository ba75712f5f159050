import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { TypedSection } from '../../../../src/monero/epee/storage-writer.js';
import { parseBlock } from '../../../../src/monero/cryptonote/block.js';
import { parsePrunedTransaction } from '../../../../src/monero/cryptonote/transaction.js';
import type { Hash } from '../../../../src/monero/crypto/types.js';
import { parseTxs } from '../../../../src/monero/wallet/scan/block-page.js';
import { candidatesIn } from '../../../../src/monero/wallet/scan/output-matches.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { blocksAnswer, type SentBlock } from '../../../support/chain/blocks-answer.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';
import { parseWholePage } from '../../../support/network/whole-page.js';
import { mutatedBytes } from '../../../support/values/mutations.js';
import {
  acceptedOf,
  allBlocks,
  allTxs,
  carrotFormats,
  flippedBits,
  otherLengths,
  type VectorTx,
} from '../../cryptonote/carrot-vectors.js';
import {
  attempt,
  built,
  byCodec,
  byParser,
  candidatesOf,
  parsed,
  parseOne,
  prefixOf,
} from './parser-twin.js';

/* The parser and the codecs read blocks and transactions in the form of the fork alike. */

const { made, real } = carrotFormats;
const rawOf = ({ hash, prunableHash, pruned }: VectorTx) => ({
  hash: fromHex(hash) as Hash,
  prunableHash: fromHex(prunableHash) as Hash,
  blob: fromHex(pruned),
});

describe('a transaction in the form of the fork', () => {
  it('has the hash that the parser computes', () => {
    const txs = parseTxs(allTxs.map(rawOf));
    expect(allTxs.map((_, i) => [toHex(txs.hash(i)), txs.isProven(i)])).toEqual(
      allTxs.map(({ hash }) => [hash, true]),
    );
  });

  test.each(allTxs)('with $note is refused by the parser if a bit is changed anywhere', (vector) => {
    const raw = rawOf(vector);
    const altered = [...flippedBits(raw.blob), ...otherLengths(vector.pruned)];
    expect(acceptedOf(altered, (blob) => parseTxs([{ ...raw, blob }]))).toEqual([]);
  });

  it('is located without its proofs, and refused if a bit is changed anywhere', () => {
    const vector = real.transactions.find(({ prunable }) => prunable !== undefined);
    const whole = fromHex(`${vector?.pruned}${vector?.prunable}`);
    const hash = fromHex(vector?.hash ?? '') as Hash;
    const parsedWhole = parseTxs([{ hash, blob: whole }]);
    expect([toHex(parsedWhole.blob(0)), parsedWhole.isProven(0)]).toEqual([vector?.pruned, true]);
    expect(acceptedOf(flippedBits(whole), (blob) => parseTxs([{ hash, blob }]))).toEqual([]);
  });

  it('has the same candidates for a scan, beside others', () => {
    const txs = parseTxs(allTxs.map(rawOf));
    expect(candidatesOf(txs)).toEqual(
      candidatesIn(allTxs.map(({ pruned }) => parsePrunedTransaction(fromHex(pruned)))),
    );
  });

  test.each(allTxs)('with $note, when changed, is refused by both or read alike by both', ({ pruned }) => {
    let refused = 0;
    fc.assert(
      fc.property(mutatedBytes(fromHex(pruned)), (blob) => {
        const read = attempt(() => byParser(parseOne(blob), 0));
        expect(read).toEqual(attempt(() => byCodec(prefixOf(blob))));
        if (read === undefined) refused++;
      }),
      { numRuns: randomRuns(800) },
    );
    expect(refused).toBeGreaterThan(randomRuns(800) / 5);
  });
});

/** Block as daemons send it, with transactions in the place of its own, which it must name to be read. */
function sentBlock(blob: Uint8Array, txs: readonly VectorTx[]): SentBlock {
  const prefixes = [
    parseBlock(blob).minerTx,
    ...txs.map(({ pruned }) => parsePrunedTransaction(fromHex(pruned))),
  ];
  return {
    block: blob,
    txs: txs.map(({ pruned }) => fromHex(pruned)),
    prunableHashes: txs.map(({ prunableHash }) => fromHex(prunableHash)),
    outputIndices: prefixes.map(({ prefix }) => prefix.outputs.map((_, i) => i)),
  };
}

/** Without the hashes of their prunable parts, the parser takes the hashes of transactions from their block. */
const unproven = (blob: string): SentBlock => {
  const value = parseBlock(fromHex(blob));
  const txs = value.txHashes.flatMap((_, i) => allTxs[i % allTxs.length] ?? []);
  const { prunableHashes: _, ...sent } = sentBlock(fromHex(blob), txs);
  return sent;
};

describe('a page of blocks in the form of the fork', () => {
  it('has the blocks and transactions of a test network with their hashes', () => {
    const blocks = real.blocks.map(({ blob }, i) =>
      sentBlock(fromHex(blob), i === 0 ? [] : real.transactions),
    );
    const page = parseWholePage(
      blocksAnswer({ startHeight: 120, currentHeight: 122, blocks }, { pruned: true }),
      true,
    );
    expect(page.blocks.map(({ hash, version }) => [toHex(hash), version])).toEqual(
      real.blocks.map(({ hash }) => [hash, 18]),
    );
    const hashes = Array.from({ length: page.txs.count }, (_, tx) => toHex(page.txs.hash(tx)));
    expect(hashes).toEqual([
      real.blocks[0]?.minerTxHash,
      real.blocks[1]?.minerTxHash,
      ...real.transactions.map(({ hash }) => hash),
    ]);
    const values = [
      ...real.blocks.map(({ blob }) => parseBlock(fromHex(blob)).minerTx),
      ...real.transactions.map(({ pruned }) => parsePrunedTransaction(fromHex(pruned))),
    ];
    expect(candidatesOf(page.txs)).toEqual(candidatesIn(values));
  });

  it('may have the data with which a wallet begins a tree, which are skipped', () => {
    const u64 = (value: bigint) => ({ type: 'u64', value }) as const;
    const blobOf = (length: number) => ({ type: 'string', value: new Uint8Array(length).fill(9) }) as const;
    const section = (value: TypedSection) => ({ type: 'object', value }) as const;
    // Source: `stage` core_rpc_server_commands_defs.h `init_tree_sync_data_t`.
    const other: TypedSection = {
      init_tree_sync_data: section({
        init_block_hash: blobOf(32),
        init_block_idx: u64(100n),
        last_path: section({
          c1_layers: {
            type: 'list',
            items: [section({ chunk: blobOf(320) }), section({ chunk: blobOf(32) })],
          },
          leaves: { type: 'list', items: [section({ output: blobOf(72) })] },
        }),
        locked_outputs: {
          type: 'list',
          items: [section({ last_locked_block: u64(160n), outputs: { type: 'list', items: [blobOf(72)] } })],
        },
        n_leaf_tuples: u64(2n ** 64n - 1n),
      }),
      top_block_hash: blobOf(32),
      daemon_time: u64(1_790_215_746n),
      pool_info_extent: { type: 'u8', value: 0 },
    };
    const blocks = real.blocks.map(({ blob }, i) =>
      sentBlock(fromHex(blob), i === 0 ? [] : real.transactions),
    );
    const chain = { startHeight: 120, currentHeight: 122, blocks };
    const [plain, more] = [{}, other].map((fields) =>
      parseWholePage(blocksAnswer(chain, { pruned: true, other: fields })),
    );
    expect(more?.blocks).toEqual(plain?.blocks);
    expect(more?.blocks).toHaveLength(2);
    expect(more?.startHeight).toBe(120);
  });

  test.each(allBlocks)('as $note is read alike', ({ blob, hash }) => {
    const sent = unproven(blob);
    expect(parsed(sent)).toEqual(built(sent));
    expect(parsed(sent)).toMatchObject({ hash });
  });

  test.each(allBlocks)('as $note is unread with fewer bytes, and with one more', ({ blob }) => {
    const sent = unproven(blob);
    const parse = (block: Uint8Array): unknown =>
      parseWholePage(
        blocksAnswer({ startHeight: 5, currentHeight: 9, blocks: [{ ...sent, block }] }, { pruned: true }),
      );
    expect(acceptedOf([sent.block], parse)).toHaveLength(1);
    expect(acceptedOf(otherLengths(blob), parse)).toEqual([]);
  });

  test.each(allBlocks)('as $note, when changed, is refused by both or read alike by both', ({ blob }) => {
    const whole = unproven(blob);
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(mutatedBytes(whole.block), (block) => {
        const sent = { ...whole, block };
        const read = attempt(() => parsed(sent));
        expect(read).toEqual(attempt(() => built(sent)));
        if (read === undefined) refused++;
        else accepted++;
      }),
      { numRuns: randomRuns(600) },
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(randomRuns(600) / 20);
  });

  it('names the tree from version 17 on, with up to 12 layers', () => {
    const bytes = fromHex(made.blocks[0]?.blob ?? '');
    const withBytes = (version: number, layers: number): SentBlock => {
      const changed = Uint8Array.from(bytes);
      changed[0] = version;
      changed[bytes.length - 33] = layers;
      return { ...unproven(made.blocks[0]?.blob ?? ''), block: changed };
    };
    for (const [version, layers] of [
      [17, 0],
      [17, 12],
      [18, 12],
      [19, 1],
    ] as const)
      expect(parsed(withBytes(version, layers))).toEqual(built(withBytes(version, layers)));
    for (const [version, layers] of [
      [16, 1],
      [17, 13],
      [18, 255],
    ] as const) {
      expect(attempt(() => parsed(withBytes(version, layers)))).toBeUndefined();
      expect(attempt(() => built(withBytes(version, layers)))).toBeUndefined();
    }
  });
});
