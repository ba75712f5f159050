import { afterAll, describe, expect, it } from '@jest/globals';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { writeExtra } from '../../../src/monero/cryptonote/extra.js';
import { parseBlocksAnswer } from '../../../src/monero/wallet/scan/block-page.js';
import { KernelPool } from '../../../src/monero/kernel/kernel-pool.js';
import { loadKernel } from '../../../src/monero/kernel/load-kernel.js';
import type { ChainBlock, ChainTxs } from '../../../src/refresh/scan/chain-block.js';
import { SharedMatches } from '../../../src/refresh/scan/shared-matches.js';
import { WalletScanner } from '../../../src/refresh/scan/wallet-scanner.js';
import { addressKeysOf } from '../../../src/monero/wallet/scan/subaddress-table.js';
import { bytes32, concatBytes } from '../../../src/util/bytes.js';
import { outputTo, pointsFrom, strayOutputs, type RewardOutput } from '../../support/chain/coinbase.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { extraOf, minedAnswer, minedBlocks } from '../../support/chain/heavy-txs.js';
import { isNight, itAtNight } from '../../support/jest/lanes.js';

const spendSecret = scalarBytes(11n);
const viewSecret = scalarBytes(13n);
const spendPublicKey = publicKeyOf(spendSecret);
const ADDRESS = formatAddress({
  network: 'mainnet',
  kind: 'standard',
  spendPublicKey,
  viewPublicKey: publicKeyOf(viewSecret),
});
const AMOUNT = 5n;

const pool = new KernelPool(2);
afterAll(() => pool.close());

const scanner = (kernel = loadKernel()): WalletScanner =>
  new WalletScanner(
    {
      keys: { viewSecret: Uint8Array.from(viewSecret) as SecretKey, spendSecret },
      spendPublicKey,
      lookahead: { major: 1, minor: 2 },
      subaddresses: [],
      handedOut: [],
      withKeyImage: new Uint8Array(),
      withoutKeyImage: new Uint8Array(),
      importedKeyImages: new Uint8Array(),
    },
    kernel,
  );

function pageOf(count: number, outputs: readonly RewardOutput[], extra: Uint8Array): ChainTxs<ChainBlock> {
  const { blocks, txs } = parseBlocksAnswer(minedAnswer(minedBlocks(count, outputs, extra), outputs.length));
  return { blocks: blocks.map((block, height) => ({ ...block, height })), txs };
}

/** Heights at which the wallet is paid, and places of outputs. */
async function paidIn(page: ChainTxs<ChainBlock>): Promise<[number, number][]> {
  const one = scanner();
  const { outputs } = await one.scan(page, one.matchesIn(page.txs, pool));
  expect(outputs.every(({ amount }) => amount === AMOUNT)).toBe(true);
  return outputs.map(({ height, outputIndex }) => [height, outputIndex]);
}

describe('the scanner of a wallet', () => {
  itAtNight('finds the payment in each of many half-heavy blocks of one page', async () => {
    const secret = 1n << 90n;
    const keys = pointsFrom(secret, 1000);
    const outputs = [...strayOutputs(7n, 1049), outputTo(ADDRESS, 1049, secret + 999n)];
    // A block at each end of the page, and at night one between them.
    const heights = isNight ? [0, 1, 2] : [0, 1];
    expect(await paidIn(pageOf(heights.length, outputs, extraOf(keys)))).toEqual(
      heights.map((height) => [height, 1049]),
    );
  });

  it('lets the event loop turn between 32 outputs that it opens', async () => {
    const turns = new EventLoopTurns();
    const kernel = loadKernel();
    const opened: { readonly turn: number; readonly outputs: number }[] = [];
    const { ownKeyImages } = kernel;
    kernel.ownKeyImages = (claimed, secrets) => {
      opened.push({ turn: turns.count, outputs: claimed.outputIndices.length });
      return ownKeyImages.call(kernel, claimed, secrets);
    };
    const outputs = Array.from({ length: 70 }, (_, i) => outputTo(ADDRESS, i, 21n));
    const page = pageOf(1, outputs, extraOf(pointsFrom(21n, 1)));
    const one = scanner(kernel);
    const found = await one.scan(page, one.matchesIn(page.txs, pool));
    turns.stop();
    expect(found.outputs.map(({ outputIndex }) => outputIndex)).toEqual(outputs.map((_, i) => i));
    expect(opened.map((part) => part.outputs)).toEqual([32, 32, 6]);
    expect(new Set(opened.map((part) => part.turn)).size).toBe(3);
  });

  it('has found its outputs before the next wallet of the same scan opens its own', async () => {
    const order: string[] = [];
    const page = pageOf(1, [outputTo(ADDRESS, 0, 21n)], extraOf(pointsFrom(21n, 1)));
    const names = ['first', 'second', 'third'];
    const readers = names.map(() => ({ viewSecret, firstTx: 0 }));
    const matches = new SharedMatches(page.txs, pool);
    matches.begin(readers);
    await Promise.all(
      readers.map(async (reader, i) => {
        const kernel = loadKernel();
        const { ownKeyImages } = kernel;
        kernel.ownKeyImages = (claimed, secrets) => {
          order.push(`${names[i]} opens`);
          return ownKeyImages.call(kernel, claimed, secrets);
        };
        const { outputs } = await scanner(kernel).scan(page, matches.read(reader));
        expect(outputs).toHaveLength(1);
        order.push(`${names[i]} has found`);
      }),
    );
    expect(order).toEqual(names.flatMap((name) => [`${name} opens`, `${name} has found`]));
  });

  it('finds again only transactions of addresses that were not searched for', async () => {
    const [{ spendPublicKey: key, viewPublicKey } = { spendPublicKey, viewPublicKey: spendPublicKey }] =
      addressKeysOf(spendPublicKey, viewSecret, [{ major: 0, minor: 1 }]);
    const second = formatAddress({
      network: 'mainnet',
      kind: 'subaddress',
      spendPublicKey: key,
      viewPublicKey,
    });
    const secret = 21n;
    // A payment to a subaddress has a transaction key of its own.
    const subaddressKey = bytes32<'PublicKey'>(loadKernel().multiply(key, scalarBytes(secret)), 'PublicKey');
    const [first, other] = [
      pageOf(1, [outputTo(ADDRESS, 0, secret)], extraOf(pointsFrom(secret, 1))),
      pageOf(1, [outputTo(second, 0, secret)], extraOf([subaddressKey])),
    ];
    const foundBy = async (page: ChainTxs<ChainBlock>, searched: number[]): Promise<number[]> => {
      const one = scanner();
      const { outputs, received, hashes } = await one.scanAgain(
        page,
        one.matchesIn(page.txs, pool),
        searched,
      );
      expect([received.length, hashes.length]).toEqual([outputs.length, 1]);
      return outputs.map(({ subaddress }) => subaddress.minor);
    };
    expect(await foundBy(first, [0])).toEqual([0]);
    expect(await foundBy(first, [1])).toEqual([]);
    expect(await foundBy(other, [1])).toEqual([1]);
    expect(await foundBy(other, [2])).toEqual([]);
    expect(await foundBy(other, [])).toEqual([1]);
  });

  it('stops between two kernel batches when it is aborted', async () => {
    const page = pageOf(1, strayOutputs(7n, 1050), extraOf(pointsFrom(3n, 1000)));
    const abort = new AbortController();
    const one = scanner();
    const scanned = one.scan(page, one.matchesIn(page.txs, pool), abort.signal);
    abort.abort(new Error('closed'));
    await expect(scanned).rejects.toThrow('closed');
  });

  const [main = new Uint8Array(32) as PublicKey] = pointsFrom(21n, 1);
  const own = pointsFrom(31n, 3);
  const strays = strayOutputs(7n, 3);
  const additional = (keys: readonly PublicKey[]): Uint8Array =>
    writeExtra([{ type: 'additionalKeys', keys }]);
  const paying = (place: number, secret: bigint): RewardOutput[] =>
    strays.map((stray, i) => (i === place ? outputTo(ADDRESS, i, secret) : stray));

  it('tries an additional key with the output at its place, and with no other', async () => {
    const extra = concatBytes(extraOf([main]), additional(own));
    expect(await paidIn(pageOf(1, paying(2, 33n), extra))).toEqual([[0, 2]]);
    expect(await paidIn(pageOf(1, paying(2, 32n), extra))).toEqual([]);
  });

  it('tries additional keys although there are more or fewer of them than outputs', async () => {
    const few = concatBytes(extraOf([main]), additional(own.slice(0, 2)));
    const many = concatBytes(extraOf([main]), additional([...own, ...own]));
    expect(await paidIn(pageOf(1, paying(1, 32n), few))).toEqual([[0, 1]]);
    expect(await paidIn(pageOf(1, paying(2, 33n), many))).toEqual([[0, 2]]);
    expect(await paidIn(pageOf(1, paying(2, 21n), few))).toEqual([[0, 2]]);
  });

  it('takes the first list of additional keys, and none without a transaction key', async () => {
    const twice = concatBytes(extraOf([main]), additional(own), additional([main, main, main]));
    expect(await paidIn(pageOf(1, paying(2, 33n), twice))).toEqual([[0, 2]]);
    expect(await paidIn(pageOf(1, paying(2, 33n), additional(own)))).toEqual([]);
    expect(await paidIn(pageOf(1, paying(2, 33n), concatBytes(additional(own), extraOf([main]))))).toEqual([
      [0, 2],
    ]);
  });
});
