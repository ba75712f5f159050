import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, test } from '@jest/globals';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { BlockProof, BlockProofRequest } from '../../../src/refresh/feeds/page-proofs.js';
import type { KeyImage } from '../../../src/monero/crypto/types.js';
import type { OwnedOutput, ReceivedTx } from '../../../src/monero/wallet/scan/findings.js';
import { RefreshCancelled } from '../../../src/refresh/messages.js';
import { amount } from '../../../src/util/amount.js';
import { equalBytes } from '../../../src/util/bytes.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { TestWallet, type TestWalletOptions } from '../../support/wallets/test-wallet.js';

const HEIGHT = 60;

/** A transaction of the chain, and what the wallet stores of it. */
interface Payment {
  readonly receipt: ReceivedTx;
  readonly output: OwnedOutput;
}

const payment = (tx: number, height: number, more: Partial<ReceivedTx> = {}): Payment => ({
  receipt: { ...received(tx, height), ...more },
  output: { ...output(tx, height, BigInt(tx)), unlockTime: more.unlockTime ?? 0n },
});

/** A chain, and a wallet that an earlier version has read it for. */
class World {
  readonly wallet: TestWallet;
  readonly height: number;
  readonly payments: Payment[];
  /** Key images that transactions of the chain spend, by the number of the transaction. */
  readonly spends = new Map<number, KeyImage>();
  /** True: the daemon follows another chain. */
  isElsewhere = false;

  constructor(
    payments: Payment[],
    { height = HEIGHT, ...options }: TestWalletOptions & { height?: number } = {},
  ) {
    this.wallet = new TestWallet(options);
    this.height = height;
    this.payments = payments;
    const { refresher } = this.wallet;
    refresher.onProve = (request) => Promise.resolve().then(() => this.proofOf(request));
    refresher.onRefresh = () => {
      this.read(this.payments, this.wallet.store.height());
      return Promise.resolve({ blocksFetched: 0, receivedMoney: false });
    };
  }

  /** Lets the wallet read its chain as an earlier version did. @param sent payments that a daemon sent. */
  readUnproven(sent = this.payments, spends: ReadonlyMap<number, KeyImage> = this.spends): void {
    this.read(sent, 0, spends);
    this.wallet.store.write((w) => w.meta.set('unproven_below', String(this.height)));
  }

  read(sent: readonly Payment[], from: number, spends: ReadonlyMap<number, KeyImage> = this.spends): void {
    const start = from === 1 && this.wallet.store.blockAt(0) === undefined ? 0 : from;
    if (start >= this.height) return;
    const isRead = ({ receipt }: Payment): boolean => receipt.height >= start;
    const paid = sent.filter(isRead);
    this.wallet.sync.commitPage(
      page(start, this.height - start, {
        received: paid.map(({ receipt }) => receipt),
        outputs: paid.map((one) => one.output),
        spends: paid.flatMap(({ receipt: { txHash, height } }) => {
          const keyImage = spends.get(txHash[0] ?? 0);
          return keyImage === undefined ? [] : [{ txHash, height, keyImage }];
        }),
      }),
      this.height,
    );
  }

  proofOf({ startHeight, count, txs }: BlockProofRequest): BlockProof {
    const blocks = Math.min(count, this.height - startHeight);
    const { hashes } = page(startHeight + (this.isElsewhere ? 1 : 0), blocks);
    const found = txs.length === 0 ? [] : this.payments;
    const inBlocks = found.filter(
      ({ receipt: { height } }) => height >= startHeight && height < startHeight + blocks,
    );
    return {
      blocks: hashes.map((hash, i) => ({ height: startHeight + i, hash })),
      received: inBlocks.map(({ receipt }) => receipt),
      outputs: inBlocks.map((one) => one.output),
      txs: txs
        .filter(({ txHash, height }) =>
          inBlocks.some(({ receipt }) => receipt.height === height && equalBytes(receipt.txHash, txHash)),
        )
        .map(({ txHash, height }) => ({
          ...{ txHash, height },
          keyImages: [this.spends.get(txHash[0] ?? 0) ?? bytes<KeyImage>(250)],
        })),
    };
  }

  /** Lets the wallet refresh, and the proofs after it end. */
  async refresh(): Promise<void> {
    await this.wallet.sync.refresh();
    await turns(400);
  }

  get below(): number | undefined {
    return this.wallet.store.read((r) => r.unproven.below());
  }

  /** Heights that the wallet had read again, with the number of blocks. */
  get asked(): (readonly [number, number])[] {
    return this.wallet.refresher
      .callsOf('proveBlocks')
      .map(([request]) => request as BlockProofRequest)
      .map(({ startHeight, count }) => [startHeight, count]);
  }

  /** Amounts of the payments, with the numbers of the transactions that spend them. */
  get held(): (readonly [bigint, number | undefined])[] {
    return this.wallet.store
      .read((r) => r.outputs.inOrder())
      .map((one) => [one.amount, one.spentBy?.[0]] as const);
  }

  get events(): string[] {
    return this.wallet.store.read((r) => r.events.after(0, 1000)).map(({ type }) => type);
  }

  get warnings(): unknown[] {
    return this.wallet.lines.filter(({ level }) => level === 40).map(({ reason }) => reason);
  }
}

const directory = mkdtempSync(join(tmpdir(), 'unproven-blocks-'));
let world: World;
afterEach(() => world.wallet.close());
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const HONEST = [payment(1, 10), payment(2, 30), payment(3, 31), payment(4, 50)];

describe('blocks that an earlier version read', () => {
  it('are proven from the newest one down after a refresh, and those without payments are not read', async () => {
    world = new World(HONEST);
    world.readUnproven();
    const { events } = world;
    await world.refresh();
    expect(world.asked).toEqual([
      [50, 1],
      [30, 2],
      [10, 1],
    ]);
    expect([world.below, world.warnings]).toEqual([undefined, []]);
    expect(world.events).toEqual([...events, 'wallet.synced']);
    await world.refresh();
    expect(world.asked).toHaveLength(3);
  });

  /** Payments in a block each. */
  const at = (...heights: readonly number[]): Payment[] => heights.map((height, i) => payment(i + 1, height));
  /** Payments of which some are in one block, and the others in the next one. */
  const inTwo = (first: number, second: number): Payment[] =>
    Array.from({ length: first + second }, (_, i) => payment(i + 1, i < first ? 30 : 31));

  it.each<[string, Payment[], [number, number][]]>([
    ['together up to a distance of 4', at(10, 14), [[10, 5]]],
    [
      'apart from a distance of 5 on',
      at(10, 15),
      [
        [15, 1],
        [10, 1],
      ],
    ],
    ['together up to 20 blocks', at(11, 15, 19, 23, 27, 30), [[11, 20]]],
    [
      'apart beyond 20 blocks',
      at(10, 14, 18, 22, 26, 30),
      [
        [14, 17],
        [10, 1],
      ],
    ],
    ['together up to 200 transactions', inTwo(100, 100), [[30, 2]]],
    [
      'apart beyond 200 transactions',
      inTwo(101, 100),
      [
        [31, 1],
        [30, 1],
      ],
    ],
  ])('are read %s', async (_, payments, asked) => {
    world = new World(payments);
    world.readUnproven();
    await world.refresh();
    expect([world.asked, world.below]).toEqual([asked, undefined]);
  });

  it('are not read again in a new wallet', async () => {
    world = new World(HONEST);
    world.read(HONEST, 0);
    await world.refresh();
    expect(world.asked).toEqual([]);
  });

  it('wait for a daemon that answers, and continue below those that are proven', async () => {
    world = new World(HONEST);
    world.readUnproven();
    const { onProve } = world.wallet.refresher;
    world.wallet.refresher.onProve = (request) =>
      request.startHeight === 50 ? onProve(request) : Promise.reject(new DaemonError('timeout', 'no answer'));
    await world.refresh();
    await world.refresh();
    expect([world.below, world.warnings]).toEqual([50, ['no answer']]);
    world.wallet.refresher.onProve = onProve;
    await world.refresh();
    expect([world.below, world.held]).toEqual([
      undefined,
      HONEST.map((one) => [one.output.amount, undefined]),
    ]);
  });

  it('continue after a kill where they were proven last', async () => {
    const path = join(directory, 'wallet');
    world = new World(HONEST, { path });
    world.readUnproven();
    const { onProve } = world.wallet.refresher;
    let end: (error: Error) => void = () => undefined;
    world.wallet.refresher.onProve = (request) =>
      request.startHeight > 31
        ? onProve(request)
        : new Promise((_, reject) => {
            end = reject;
          });
    await world.refresh();
    world.wallet.close();
    end(new RefreshCancelled('the wallet is closed'));
    await turns(5);
    world = new World(HONEST, { path, isOld: true });
    expect(world.below).toBe(50);
    await world.refresh();
    expect(world.asked).toEqual([
      [30, 2],
      [10, 1],
    ]);
  });

  it('are proven in the background, after a refresh that reads the last ones anew', async () => {
    world = new World(HONEST);
    world.readUnproven();
    world.wallet.sync.commitPage(
      page(20, 40, { received: [received(9, 25)], outputs: [output(9, 25, 9n)] }),
      60,
    );
    expect(world.below).toBe(20);
    await world.refresh();
    expect(world.asked).toEqual([[10, 1]]);
  });
});

const FORGED = payment(7, 40);
const first = HONEST[1] as Payment;
const changed = (receipt: Partial<ReceivedTx>, own: Partial<OwnedOutput> = {}): Payment => ({
  receipt: { ...first.receipt, ...receipt },
  output: { ...first.output, ...own },
});
const others = HONEST.filter((one) => one !== first);
/** Payments as an earlier version read them, with what the chain has against them. */
const LIES: readonly (readonly [string, readonly Payment[], string])[] = [
  ['that no block contains', [...HONEST, FORGED], 'the block does not contain the transaction'],
  [
    'with another amount',
    [...others, changed({}, { amount: amount(900n) })],
    'the transaction pays other outputs',
  ],
  [
    'to another key',
    [...others, changed({}, { publicKey: bytes(99) })],
    'the transaction pays other outputs',
  ],
  [
    'to another address',
    [...others, changed({}, { subaddress: { major: 0, minor: 3 } })],
    'the transaction pays other outputs',
  ],
  [
    'with another payment id',
    [...others, changed({ paymentId: new Uint8Array(8).fill(1) })],
    'the transaction has another payment id',
  ],
  [
    'with another unlock time',
    [...others, changed({ unlockTime: 7n })],
    'the transaction has another unlock time',
  ],
];

describe('a payment', () => {
  test.each(LIES)(
    '%s is taken back with events and a line in the log, and others stay',
    async (_, sent, reason) => {
      world = new World(HONEST);
      world.readUnproven([...sent].sort((a, b) => a.receipt.height - b.receipt.height));
      await world.refresh();
      expect([world.below, world.warnings]).toEqual([undefined, [reason]]);
      expect(world.held).toEqual(HONEST.map((one) => [one.output.amount, undefined]));
      const reversed = world.events.filter((type) => type === 'payment.reversed');
      expect(reversed).toHaveLength(1);
    },
  );

  it('of which the chain has no block is kept while the daemon follows another chain', async () => {
    world = new World(HONEST);
    world.readUnproven([...HONEST.slice(0, 3), FORGED, ...HONEST.slice(3)]);
    world.isElsewhere = true;
    await world.refresh();
    expect(world.held).toHaveLength(5);
    expect([world.below, world.warnings]).toEqual([
      60,
      ['the daemon follows another chain than the wallet at block 50'],
    ]);
    world.isElsewhere = false;
    await world.refresh();
    expect([world.held.length, world.below]).toEqual([4, undefined]);
  });

  it('in an old block is taken back if later blocks link that block to one that the wallet holds', async () => {
    world = new World([payment(1, 10), payment(2, 1900)], { height: 12_300 });
    world.readUnproven([payment(1, 10), payment(7, 1750), payment(2, 1900)]);
    expect(world.wallet.store.blockAt(1750)).toBeUndefined();
    await world.refresh();
    expect(world.asked).toEqual([
      [1900, 1],
      [1750, 1],
      [1750, 100],
      [1849, 100],
      [1948, 100],
      [10, 1],
    ]);
    expect(world.held.map(([value]) => value)).toEqual([1n, 2n]);
  });

  it('is taken back together with all others after several that the chain contradicts', async () => {
    const forged = [5, 15, 25, 35, 45].map((height) => payment(100 + height, height));
    world = new World(HONEST);
    world.readUnproven([...HONEST, ...forged].sort((a, b) => a.receipt.height - b.receipt.height));
    await world.refresh();
    expect(world.warnings).toHaveLength(4);
    expect(world.asked.map(([height]) => height)).not.toContain(5);
    expect([world.held.length, world.below]).toEqual([4, undefined]);
  });
});

describe('a spend', () => {
  const spent = first.output.keyImage as KeyImage;

  it('that the chain has is kept', async () => {
    world = new World(HONEST);
    world.spends.set(4, spent);
    world.readUnproven();
    await world.refresh();
    expect([world.below, world.warnings, world.held[1]]).toEqual([undefined, [], [2n, 4]]);
  });

  it('that its transaction does not make is taken back', async () => {
    world = new World(HONEST);
    world.readUnproven(HONEST, new Map([[4, spent]]));
    expect(world.held[1]).toEqual([2n, 4]);
    await world.refresh();
    expect([world.below, world.held[1]]).toEqual([undefined, [2n, undefined]]);
    expect(world.warnings).toEqual(['the transaction does not spend an output that it is said to spend']);
  });
});

test('wallets take turns', async () => {
  world = new World(HONEST);
  world.readUnproven();
  const other = new World(HONEST);
  other.readUnproven();
  let running = 0;
  let most = 0;
  for (const { wallet } of [world, other]) {
    const { onProve } = wallet.refresher;
    wallet.refresher.onProve = async (request) => {
      most = Math.max(most, ++running);
      await turns(3);
      running -= 1;
      return onProve(request);
    };
  }
  await Promise.all([world.refresh(), other.refresh()]);
  expect([world.below, other.below, most]).toEqual([undefined, undefined, 1]);
  other.wallet.close();
});
