import { expect } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import type { DaemonTransaction, KeyImageStatus } from '../../../src/daemon/daemon.js';
import { OutputFreezing } from '../../../src/services/sync/output-freezing.js';
import { SpendGuard } from '../../../src/services/payments/spend-guard.js';
import { resolveKeyImages } from '../../../src/store/resolve-key-images.js';
import { amount, sum } from '../../../src/util/amount.js';
import { equalBytes, toHex } from '../../../src/util/bytes.js';
import type { BlockRef, OwnedOutput, PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import { bytes, output, page, received, unnamed } from '../../store/fixtures.js';
import { EventLedger } from './event-ledger.js';
import { ringTx, type RingTx } from '../chain/ring-tx.js';
import { TestWallet } from './test-wallet.js';

/** Output of the n-th transaction, which is mined at height n and has global index n. */
export const keyOf = (n: number): PublicKey => bytes(100 + n);
/** Its key image. */
export const imageOf = (n: number): KeyImage => bytes(1000 + n);

/** Height of the first block that is mined after the outputs of a wallet. */
const FIRST_PAYMENT = 150;

/** A payment of the wallet. */
export interface PlacedPayment {
  /** Numbers of the outputs that it spends, ascending; for each the further outputs of the wallet in its ring. */
  readonly spends: ReadonlyMap<number, readonly number[]>;
  /** Change with its account; absent: it has none. */
  readonly change?: { readonly value: bigint; readonly account: number };
  /** Version of its transaction; absent: 2. */
  readonly version?: 1;
}

interface MinedPayment extends PlacedPayment {
  readonly tx: RingTx;
  readonly height: number;
  readonly fee: bigint;
}

/** A chain with outputs of one wallet, and payments that spend them. */
export class PlacedWorld {
  readonly outputs: number;
  readonly payments: MinedPayment[] = [];

  constructor(outputs: number) {
    this.outputs = outputs;
  }

  get height(): number {
    return FIRST_PAYMENT + this.payments.length;
  }

  /** Mines a block with a payment. */
  mine(payment: PlacedPayment): MinedPayment {
    const { height } = this;
    const inputs = [...payment.spends].map(([n, decoys]) => ({
      keyImage: imageOf(n),
      ring: [...new Set([n, ...decoys, 10_000 + n, 20_000])].sort((a, b) => a - b),
    }));
    const mined = {
      ...payment,
      height,
      fee: 1n,
      tx: ringTx(inputs, height, { ...payment, unlockTime: BigInt(height) }),
    };
    this.payments.push(mined);
    return mined;
  }
}

/** A view-only wallet that follows a world with the key images that its store has, as its scanner does. */
export class PlacedWallet {
  readonly wallet: TestWallet;
  readonly world: PlacedWorld;
  readonly freezing: OutputFreezing;
  readonly ledger = new EventLedger();
  /** Hashes in hex that the daemon was asked for, of each call. */
  readonly asked: string[][] = [];
  /** Answer to a call for transactions. @param prune true: those of version 2 without proofs. */
  send = (hashes: readonly Hash[], prune: boolean): readonly DaemonTransaction[] =>
    this.world.payments
      .map(({ tx }) => (prune && tx.pruned.blob[0] === 2 ? tx.pruned : tx.whole))
      .filter(({ hash }) => hashes.some((one) => equalBytes(one, hash)));

  constructor(world: PlacedWorld, wallet = new TestWallet({ viewOnly: true })) {
    this.world = world;
    this.wallet = wallet;
    const { sync, lostPayments, answers } = wallet;
    this.freezing = new OutputFreezing(wallet, { sync, lostPayments, spending: new SpendGuard(wallet) });
    wallet.answers = {
      ...answers,
      isKeyImageSpent: (images) => Promise.resolve(images.map((image) => this.#statusOf(image))),
      getTransactions: (hashes, { prune }) => {
        this.asked.push(hashes.map(toHex));
        return Promise.resolve().then(() => ({ transactions: this.send(hashes, prune) }));
      },
    };
    wallet.refresher.onProve = ({ startHeight, txs }) =>
      Promise.resolve({
        blocks:
          wallet.store.blockAt(startHeight) === undefined
            ? []
            : [wallet.store.blockAt(startHeight) as BlockRef],
        ...{ received: [], outputs: [] },
        txs: world.payments.flatMap(({ tx, height, spends }) =>
          txs
            .filter(({ txHash }) => equalBytes(txHash, tx.pruned.hash))
            .map(({ txHash }) => ({ txHash, height, keyImages: [...spends.keys()].map(imageOf) })),
        ),
      });
    wallet.refresher.onRefresh = () => Promise.resolve(this.#scan());
  }

  /** Stores key images by the places of their outputs, as an earlier version did. @param images number of each. */
  place(images: readonly (number | undefined)[]): void {
    this.wallet.store.write((w) => {
      images.forEach((image, i) => {
        if (image === undefined) return;
        const one = { publicKey: keyOf(i + 1), keyImage: imageOf(image) };
        w.importedKeyImages.set({ ...one, proven: false, placed: true });
        w.outputs.setKeyImage(one.publicKey, one.keyImage);
      });
    });
  }

  /** Stores proven key images of outputs. */
  prove(numbers: readonly number[]): void {
    this.wallet.store.write((w) =>
      resolveKeyImages(
        w,
        numbers.map((n) => ({ publicKey: keyOf(n), keyImage: imageOf(n), proven: true })),
      ),
    );
  }

  /** Replaces the key images of outputs as an earlier version did, which kept the spends of the former ones. */
  replace(numbers: readonly number[]): void {
    this.wallet.store.write((w) => {
      for (const n of numbers) {
        w.importedKeyImages.set({ publicKey: keyOf(n), keyImage: imageOf(n), proven: true });
        w.outputs.setKeyImage(keyOf(n), imageOf(n));
      }
    });
  }

  /** Reads new blocks as an earlier version did, without a comparison of key images with rings. */
  scan(): void {
    this.#scan();
  }

  async refresh(): Promise<void> {
    await this.wallet.sync.refresh();
  }

  #statusOf(image: KeyImage): KeyImageStatus {
    const isSpent = this.world.payments.some(({ spends }) =>
      [...spends.keys()].some((n) => equalBytes(imageOf(n), image)),
    );
    return isSpent ? 1 : 0;
  }

  #scan(): { blocksFetched: number; receivedMoney: boolean } {
    const { store, sync } = this.wallet;
    const { world } = this;
    if (store.read((r) => r.chain.tip()) === undefined) {
      const numbers = Array.from({ length: world.outputs }, (_, i) => i + 1);
      sync.commitPage(
        page(0, FIRST_PAYMENT, {
          received: numbers.map((n) => received(n, n)),
          outputs: numbers.map((n) => this.#known(ownOutput(n))),
        }),
        world.height,
      );
    }
    for (const payment of world.payments)
      if (payment.height === store.height()) sync.commitPage(this.#findings(payment), world.height);
    return { blocksFetched: 0, receivedMoney: false };
  }

  /** Adds the key image that the store has for an output. */
  #known(found: OwnedOutput): OwnedOutput {
    const keyImage = this.wallet.store.read((r) => r.importedKeyImages.of(found.publicKey)?.keyImage);
    return { ...unnamed(found), ...(keyImage === undefined ? {} : { keyImage }) };
  }

  #findings({ tx, height, spends, change, fee }: MinedPayment): PageFindings {
    const { hash: txHash } = tx.pruned;
    const keyImages = [...spends.keys()].map(imageOf);
    const spent = this.wallet.store.read((r) => keyImages.flatMap((one) => r.outputs.byKeyImage(one) ?? []));
    const payer = spent[0]?.subaddress.major;
    const returned =
      change === undefined
        ? []
        : [
            {
              ...unnamed(output(height, height, change.value)),
              ...{ txHash, subaddress: { major: change.account, minor: 0 }, globalIndex: 500 + height },
              change: change.account === payer,
            },
          ];
    const facts = { txHash, height, timestamp: 1000 + height, fee: amount(fee), unlockTime: 0n };
    return page(height, 1, {
      received: change === undefined ? [] : [{ ...received(1, height), ...facts, spentKeyImages: keyImages }],
      outputs: returned,
      spends: spent.flatMap(({ keyImage }) =>
        keyImage === undefined ? [] : [{ keyImage, txHash, height, globalIndex: 500 + height }],
      ),
      outgoing:
        payer === undefined
          ? []
          : [
              {
                ...{ ...facts, account: payer, fromIndices: [0] },
                amountIn: sum(spent.map((one) => one.amount)),
                change: sum(returned.filter((one) => one.change).map((one) => one.amount)),
              },
            ],
    });
  }

  /** Spends, history and balance; also compares the sum of the events with the balance. */
  facts(): object {
    const { store } = this.wallet;
    for (const event of store.read((r) => r.events.after(this.ledger.last, 10_000))) this.ledger.add(event);
    const facts = store.read((r) => ({
      outputs: r.outputs
        .inOrder()
        .map(({ publicKey, spentBy, spentHeight, change }) => [
          ...[toHex(publicKey), spentBy && toHex(spentBy), spentHeight, change],
        ]),
      outgoing: r.outgoing.list({ states: ['confirmed'] }),
      payments: r.payments.list({ min: -1, max: 10_000 }),
      balance: r.balances.ofAddresses({ strict: false }).reduce((sum, { total }) => sum + total, 0n),
    }));
    expect(this.ledger.sum).toBe(facts.balance);
    return facts;
  }

  /** Numbers of the outputs whose key images outputs have, in the order of the outputs; undefined: none. */
  images(): (number | undefined)[] {
    const { world } = this;
    const known = this.wallet.store.read((r) => r.outputs.inOrder());
    const numbers = Array.from({ length: world.outputs }, (_, i) => i + 1);
    return known
      .slice(0, world.outputs)
      .map(({ keyImage }) => numbers.find((n) => keyImage !== undefined && equalBytes(imageOf(n), keyImage)));
  }

  /** Numbers of the outputs whose key images may still belong to others. */
  doubtful(): number[] {
    const numbers = Array.from({ length: this.world.outputs }, (_, i) => i + 1);
    return this.wallet.store.read((r) =>
      numbers.filter((n) => r.importedKeyImages.of(keyOf(n))?.placed === true),
    );
  }
}

const ownOutput = (n: number): OwnedOutput => ({
  ...output(n, n, BigInt(n) * 100n, { subaddress: { major: n % 2, minor: 0 } }),
  keyImage: imageOf(n),
});
