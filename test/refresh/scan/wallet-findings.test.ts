import { afterAll, describe, expect, it } from '@jest/globals';
import { keyDerivation, publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { decompress, multiply } from '../../../src/monero/crypto/curve/point.js';
import { scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { Hash, KeyImage, PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { subaddressKeys } from '../../../src/monero/cryptonote/subaddress-keys.js';
import { prunedTransaction, transactionHash } from '../../../src/monero/cryptonote/transaction.js';
import type {
  SubaddressIndex,
  Transaction,
  TxInput,
  TxOutput,
} from '../../../src/monero/cryptonote/types.js';
import { KernelPool } from '../../../src/monero/kernel/kernel-pool.js';
import { loadKernel } from '../../../src/monero/kernel/load-kernel.js';
import {
  outlineLoose,
  outlineUnmined,
  type ChainBlock,
  type ChainTxs,
} from '../../../src/refresh/scan/chain-block.js';
import { type ScannerState, packKeyImages } from '../../../src/refresh/scan/scanner-state.js';
import { WalletScanner } from '../../../src/refresh/scan/wallet-scanner.js';
import { amount } from '../../../src/util/amount.js';
import { encode } from '../../../src/util/codec.js';
import type { OwnedOutput, PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import { outputTo } from '../../support/chain/coinbase.js';
import { extraOf } from '../../support/chain/heavy-txs.js';
import { hashOf } from '../../support/chain/loose-tx.js';
import { toPublicKey } from '../../support/values/plain-points.js';

/* Transactions with plain amounts, as miner transactions have them: all that a scanner decides is the same. */

const spendSecret = scalarBytes(11n);
const viewSecret = scalarBytes(13n);
const spendPublicKey = publicKeyOf(spendSecret);
const MAIN: SubaddressIndex = { major: 0, minor: 0 };
const OTHER_ACCOUNT: SubaddressIndex = { major: 1, minor: 0 };

const kernel = loadKernel();
const pool = new KernelPool(1);
afterAll(() => pool.close());

const scannerOf = (state: Partial<ScannerState> = {}): WalletScanner =>
  new WalletScanner(
    {
      keys: { viewSecret: Uint8Array.from(viewSecret) as SecretKey, spendSecret },
      spendPublicKey,
      lookahead: { major: 2, minor: 3 },
      subaddresses: [],
      handedOut: [],
      withKeyImage: new Uint8Array(),
      withoutKeyImage: new Uint8Array(),
      importedKeyImages: new Uint8Array(),
      ...state,
    },
    kernel,
  );

const viewOnly = (state: Partial<ScannerState> = {}): WalletScanner =>
  scannerOf({ keys: { viewSecret: Uint8Array.from(viewSecret) as SecretKey }, ...state });

interface Payment {
  readonly to: SubaddressIndex;
  readonly value: bigint;
}

interface TxParts {
  readonly pays?: Payment | undefined;
  readonly spends?: readonly KeyImage[];
  /** Global indices of the ring. */
  readonly ring?: readonly bigint[];
}

let made = 0;

/** A transaction that pays one address at most. */
function tx({ pays, spends = [bytesOf(200)], ring = [5n] }: TxParts): { hash: Hash; blob: Uint8Array } {
  const secret = BigInt(1000 + ++made);
  const outputs: TxOutput[] = [];
  let key = publicKeyOf(scalarBytes(secret));
  if (pays !== undefined) {
    const keys = subaddressKeys(spendPublicKey, viewSecret, pays.to);
    const isMain = pays.to.major === 0 && pays.to.minor === 0;
    if (!isMain) key = toPublicKey(multiply(decompress(keys.spendPublicKey), secret));
    const viewPublicKey = isMain ? publicKeyOf(viewSecret) : keys.viewPublicKey;
    const address = formatAddress({
      network: 'mainnet',
      kind: isMain ? 'standard' : 'subaddress',
      spendPublicKey: isMain ? spendPublicKey : keys.spendPublicKey,
      viewPublicKey,
    });
    const shared = keyDerivation(key, viewSecret);
    outputs.push({ amount: amount(pays.value), ...outputTo(address, 0, secret, shared) });
  } else outputs.push({ amount: amount(1n), publicKey: bytesOf<PublicKey>(9), viewTag: 0 });
  const inputs = spends.map((keyImage): TxInput => ({
    type: 'key',
    amount: amount(0n),
    keyOffsets: ring,
    keyImage,
  }));
  const value: Transaction = {
    prefix: { version: 2, unlockTime: 0n, inputs, outputs, extra: extraOf([key]) },
    rct: { base: { type: 0, fee: amount(0n), pseudoOuts: [], ecdhInfo: [], outPk: [] } },
  };
  return { hash: transactionHash(value), blob: encode(prunedTransaction, value) };
}

function bytesOf<T>(fill: number): T {
  return new Uint8Array(32).fill(fill) as T;
}

/** Blocks in a row, each with some transactions. */
function pageAt(startHeight: number, blocks: readonly (readonly TxParts[])[]): ChainTxs<ChainBlock> {
  const loose = outlineLoose(
    blocks.map((txs, i) => ({
      height: startHeight + i,
      timestamp: 1000 + i,
      // The first one stands for the miner's.
      txs: [{}, ...txs].map((parts, n) => ({ ...tx(parts), globalIndices: [100 * (startHeight + i) + n] })),
    })),
  );
  return { ...loose, blocks: loose.blocks.map((block) => ({ ...block, hash: hashOf(block.height) })) };
}

const scan = (scanner: WalletScanner, page: ChainTxs<ChainBlock>): Promise<PageFindings> =>
  scanner.scan(page, scanner.matchesIn(page.txs, pool));

async function scanPool(scanner: WalletScanner, parts: readonly TxParts[], wanted?: (i: number) => boolean) {
  const sent = parts.map((one) => ({ ...tx(one), doubleSpendSeen: false }));
  const txs = outlineUnmined(sent);
  return scanner.scanPool({ sent, txs }, scanner.matchesIn(txs, pool), 77, wanted);
}

/** Paths to byte strings that are views of longer memory, which is cloned as a whole when a message has one of them. */
function sharedStrings(value: unknown, path = ''): string[] {
  if (value instanceof Uint8Array) return value.buffer.byteLength === value.length ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => sharedStrings(member, `${path}.${name}`));
}

function imageOf([output]: readonly OwnedOutput[]): KeyImage {
  if (output?.keyImage === undefined) throw new Error('an output without key image');
  return output.keyImage;
}

const pay = (value: bigint, to = MAIN): TxParts => ({ pays: { to, value } });

describe('blocks that concern a wallet', () => {
  it('show receipts at all watched addresses', async () => {
    const scanner = scannerOf();
    const { outputs, received, outgoing, spends } = await scan(
      scanner,
      pageAt(10, [[pay(5n)], [], [pay(6n, { major: 0, minor: 2 }), pay(7n, OTHER_ACCOUNT)]]),
    );
    expect(outputs.map(({ height, amount: value, subaddress }) => [height, value, subaddress])).toEqual([
      [10, 5n, MAIN],
      [12, 6n, { major: 0, minor: 2 }],
      [12, 7n, OTHER_ACCOUNT],
    ]);
    expect(received).toHaveLength(3);
    expect([outgoing, spends]).toEqual([[], []]);
    expect(outputs.map(({ globalIndex }) => globalIndex)).toEqual([1001, 1201, 1202]);
  });

  it('move the lookahead along with the addresses that are paid', async () => {
    const scanner = scannerOf();
    expect((await scan(scanner, pageAt(10, [[pay(5n, { major: 0, minor: 4 })]]))).outputs).toEqual([]);
    const first = await scan(scanner, pageAt(11, [[pay(5n, { major: 0, minor: 2 })]]));
    expect(first.subaddresses.map(({ index }) => index)).toContainEqual({ major: 0, minor: 4 });
    const second = await scan(scanner, pageAt(12, [[pay(6n, { major: 0, minor: 4 })]]));
    expect(second.outputs.map(({ amount: value }) => value)).toEqual([6n]);
    expect(scanner.takeFresh()).toHaveLength(0);
  });

  it('show the spend of an output of an earlier page, and the change of its account', async () => {
    const scanner = scannerOf();
    const { outputs } = await scan(scanner, pageAt(10, [[pay(50n)]]));
    const image = imageOf(outputs);
    const found = await scan(scanner, pageAt(11, [[{ ...pay(20n), spends: [image] }]]));
    expect(found.spends).toMatchObject([{ keyImage: image, height: 11, globalIndex: 1101 }]);
    expect(found.outputs).toMatchObject([{ amount: 20n, change: true }]);
    expect(found.outgoing).toMatchObject([{ account: 0, amountIn: 50n, change: 20n, height: 11 }]);
  });

  it('show the spend of an output of the same page', async () => {
    const scanner = scannerOf();
    const probe = scannerOf();
    made = 5000;
    const image = imageOf((await scan(probe, pageAt(10, [[pay(50n)]]))).outputs);
    made = 5000;
    const found = await scan(
      scanner,
      pageAt(10, [[pay(50n)], [{ ...pay(1n, OTHER_ACCOUNT), spends: [image] }]]),
    );
    expect(found.spends).toMatchObject([{ keyImage: image, height: 11 }]);
    expect(found.outputs.map(({ change }) => change)).toEqual([false, false]);
  });

  it('are read again after a reorganisation: outputs at or above its height are spent no longer', async () => {
    const scanner = scannerOf();
    const low = imageOf((await scan(scanner, pageAt(10, [[pay(50n)]]))).outputs);
    const high = imageOf((await scan(scanner, pageAt(11, [[pay(60n)]]))).outputs);
    const found = await scan(scanner, pageAt(11, [[{ spends: [low] }, { spends: [high] }]]));
    expect(found.spends.map(({ keyImage }) => keyImage)).toEqual([low]);
  });

  it('give findings whose byte strings take no page or batch along to another thread', async () => {
    const page = pageAt(10, [[pay(5n)], [pay(6n), { ...pay(7n), spends: [bytesOf(4), bytesOf(5)] }]]);
    for (const scanner of [scannerOf(), viewOnly()]) {
      const { hashes: _, subaddresses: __, ...found } = await scan(scanner, page);
      const [received, outputs] = [found.received.length, found.outputs.length];
      expect([received, outputs]).toEqual([3, 3]);
      expect(sharedStrings(found)).toEqual([]);
    }
  });

  it('leave out transactions before the first block', async () => {
    const scanner = scannerOf();
    const page = pageAt(10, [[pay(5n)], [pay(6n)], [pay(7n)]]);
    const matches = scanner.matchesIn(page.txs, pool);
    const found = await scanner.scan({ ...page, blocks: page.blocks.slice(1) }, matches);
    expect(found.outputs.map(({ amount: value }) => value)).toEqual([6n, 7n]);
    expect(found.startHeight).toBe(11);
    expect(found.hashes).toEqual([hashOf(11), hashOf(12)]);
  });
});

describe('a wallet without spend key', () => {
  it('recognises spends once key images are imported, of earlier outputs and of later ones', async () => {
    const probe = scannerOf();
    made = 6000;
    const blocks = pageAt(10, [[pay(50n)], [pay(60n)]]);
    const full = (await scan(probe, blocks)).outputs;
    const known = full.map(({ publicKey, keyImage }) => ({ publicKey, keyImage: keyImage as KeyImage }));
    for (const importFirst of [true, false]) {
      const scanner = viewOnly(importFirst ? { importedKeyImages: packKeyImages(known) } : {});
      const { outputs } = await scan(scanner, blocks);
      expect(outputs.map(({ keyImage }) => keyImage)).toEqual(
        importFirst ? full.map(({ keyImage }) => keyImage) : [undefined, undefined],
      );
      if (!importFirst) scanner.importKeyImages(packKeyImages(known));
      const spends = known.map(({ keyImage }) => ({ spends: [keyImage] }));
      expect((await scan(scanner, pageAt(12, [spends]))).spends).toHaveLength(2);
    }
  });

  it('lists the key images of transactions that pay it', async () => {
    const { received } = await scan(viewOnly(), pageAt(10, [[{ ...pay(5n), spends: [bytesOf(77)] }]]));
    expect(received).toMatchObject([{ spentKeyImages: [bytesOf(77)] }]);
  });
});

describe('a wallet whose spend key is away', () => {
  it('reports transactions whose rings hold its outputs', async () => {
    const scanner = viewOnly({ blind: new Uint8Array() });
    expect(scanner.isBlind).toBe(true);
    const { outputs } = await scan(scanner, pageAt(10, [[pay(5n)]]));
    expect(outputs[0]?.globalIndex).toBe(1001);
    const image = bytesOf<KeyImage>(88);
    const page = pageAt(11, [[{ spends: [image], ring: [900n, 101n] }, { ring: [900n, 102n] }]]);
    const { ambiguousSpends } = await scan(scanner, page);
    expect(ambiguousSpends).toMatchObject([{ height: 11, keyImages: [image] }]);
  });

  it('scans the pool only where some key images are known', () => {
    expect(viewOnly({ blind: new Uint8Array(), seesPool: true }).isBlind).toBe(false);
    expect(scannerOf().isBlind).toBe(false);
  });
});

describe('unmined transactions that concern a wallet', () => {
  it('show receipts, spends and neither', async () => {
    const scanner = scannerOf();
    const image = imageOf((await scan(scanner, pageAt(10, [[pay(50n)]]))).outputs);
    const found = await scanPool(scanner, [
      pay(5n),
      {},
      { ...pay(20n), spends: [image] },
      { spends: [image] },
    ]);
    expect(found).toMatchObject([
      { incoming: { timestamp: 77, outputs: [{ amount: 5n }] } },
      { outgoing: { keyImages: [image], change: 20n } },
      { outgoing: { keyImages: [image], change: 0n } },
    ]);
    expect(found.map((one) => 'incoming' in one)).toEqual([true, false, false]);
  });

  it('are left out when they are not wanted', async () => {
    const found = await scanPool(scannerOf(), [pay(5n), pay(6n)], (i) => i === 1);
    expect(found.map(({ incoming }) => incoming?.outputs[0]?.amount)).toEqual([6n]);
  });

  it('remain unknown to the scanner as outputs', async () => {
    const scanner = scannerOf();
    await scanPool(scanner, [pay(5n)]);
    expect((await scan(scanner, pageAt(10, [[{ spends: [bytesOf(1)] }]]))).spends).toEqual([]);
  });
});
