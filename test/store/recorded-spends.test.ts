import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, KeyImage, PublicKey } from '../../src/monero/crypto/types.js';
import { resolveKeyImages } from '../../src/store/resolve-key-images.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { amount } from '../../src/util/amount.js';
import { toHex } from '../../src/util/bytes.js';
import type { ImportedKeyImage } from '../../src/monero/wallet/scan/key-images.js';
import { EventLedger } from '../support/wallets/event-ledger.js';
import { bytes, output, page, received, unnamed } from './fixtures.js';
import { randomRuns } from '../support/fakes/random-runs.js';

/** Transaction of the n-th output, which is mined at height n and pays n coins; and of the payment that spends it. */
const RECEIPT = (n: number): number => n;
const PAYMENT = (n: number): number => 50 + n;
const FIRST_PAYMENT_HEIGHT = 100;

const keyOf = (n: number): PublicKey => bytes(100 + RECEIPT(n));
const imageOf = (n: number): KeyImage => bytes(1000 + n);
const FEE = 1n;

/** A payment that spends one output, and pays its change to an account; absent: it has none. */
interface Payment {
  readonly spends: number;
  readonly change?: { readonly value: bigint; readonly account: number };
}

/** A view-only wallet that finds spends by the key images that were imported, as its scanner does. */
class ViewOnly {
  readonly store = WalletStore.create(':memory:', new Uint8Array(32), (w) => w.accounts.create());
  readonly ledger = new EventLedger();

  constructor(outputs: number) {
    const numbers = Array.from({ length: outputs }, (_, i) => i + 1);
    this.store.addPage(
      page(0, FIRST_PAYMENT_HEIGHT, {
        received: numbers.map((n) => received(RECEIPT(n), n)),
        outputs: numbers.map((n) =>
          unnamed(output(RECEIPT(n), n, BigInt(n) * 100n, { subaddress: { major: n % 2, minor: 0 } })),
        ),
      }),
    );
    this.check();
  }

  import(images: readonly ImportedKeyImage[]): void {
    this.store.write((w) => resolveKeyImages(w, images));
    this.check();
  }

  /** Imports key images as an earlier version did, which took them by the places of their outputs. */
  importByPlace(images: readonly KeyImage[]): void {
    this.store.write((w) => {
      images.forEach((keyImage, i) => {
        const publicKey = keyOf(i + 1);
        w.importedKeyImages.set({ publicKey, keyImage, proven: false, placed: true });
        w.outputs.setKeyImage(publicKey, keyImage);
      });
    });
  }

  /** Scans the block of a payment. */
  scan({ spends, change }: Payment, height: number): void {
    const spent = this.store.read((r) => r.outputs.byKeyImage(imageOf(spends)));
    const account = spent?.subaddress.major;
    const returned =
      change === undefined
        ? []
        : [
            unnamed(
              output(PAYMENT(spends), height, change.value, {
                subaddress: { major: change.account, minor: 0 },
                change: change.account === account,
              }),
            ),
          ];
    this.store.addPage(
      page(height, 1, {
        received:
          change === undefined
            ? []
            : [{ ...received(PAYMENT(spends), height), fee: amount(FEE), spentKeyImages: [imageOf(spends)] }],
        outputs: returned,
        spends:
          spent === undefined
            ? []
            : [{ keyImage: imageOf(spends), txHash: bytes<Hash>(PAYMENT(spends)), height }],
        outgoing:
          spent === undefined
            ? []
            : [
                {
                  ...{ txHash: bytes<Hash>(PAYMENT(spends)), height, timestamp: 1000 + height },
                  ...{ account: spent.subaddress.major, fromIndices: [0], amountIn: spent.amount },
                  ...{
                    change: amount(returned.reduce((sum, one) => sum + (one.change ? one.amount : 0n), 0n)),
                  },
                  ...{ fee: amount(FEE), unlockTime: 0n },
                },
              ],
      }),
    );
    this.check();
  }

  /** Compares the sum of the events with the balance. */
  check(): void {
    for (const event of this.store.read((r) => r.events.after(this.ledger.last, 1_000)))
      this.ledger.add(event);
    const balance = this.store
      .read((r) => r.balances.ofAddresses({ strict: false }))
      .reduce((sum, { total }) => sum + total, 0n);
    expect(this.ledger.sum).toBe(balance);
  }

  facts(): unknown {
    return this.store.read((r) => ({
      outputs: r.outputs
        .inOrder()
        .map(({ publicKey, keyImage, spentBy, spentHeight, change }) => [
          ...[publicKey, keyImage].map((key) => key && toHex(key)),
          ...[spentBy && toHex(spentBy), spentHeight, change],
        ]),
      outgoing: r.outgoing.list({ states: ['confirmed'] }),
      payments: r.payments.list({ min: -1, max: 1_000 }),
    }));
  }
}

const proven = (n: number): ImportedKeyImage => ({
  publicKey: keyOf(n),
  keyImage: imageOf(n),
  proven: true,
});

describe('an import that contradicts an earlier one', () => {
  it('leaves the wallet as if its key images had been right from the beginning, in any order and any parts', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }).chain((count) => {
          const numbers = Array.from({ length: count }, (_, i) => i + 1);
          return fc.record({
            wrong: fc.shuffledSubarray(numbers, { minLength: count }),
            payments: fc.shuffledSubarray(numbers).chain((spent) =>
              fc.tuple(
                ...spent.map((spends) =>
                  fc.record(
                    {
                      spends: fc.constant(spends),
                      change: fc.record({
                        value: fc.bigInt({ min: 1n, max: 90n }),
                        account: fc.integer({ min: 0, max: 1 }),
                      }),
                    },
                    { requiredKeys: ['spends'] },
                  ),
                ),
              ),
            ),
            order: fc.shuffledSubarray(numbers, { minLength: count }),
            parts: fc.array(fc.integer({ min: 1, max: count }), { minLength: count, maxLength: count }),
          });
        }),
        ({ wrong, payments, order, parts }) => {
          const right = new ViewOnly(order.length);
          const damaged = new ViewOnly(order.length);
          right.import(order.map(proven));
          damaged.importByPlace(wrong.map(imageOf));
          payments.forEach((payment, i) => {
            for (const wallet of [right, damaged]) wallet.scan(payment, FIRST_PAYMENT_HEIGHT + i);
          });
          const rest = [...order];
          for (const part of parts) damaged.import(rest.splice(0, part).map(proven));
          expect(damaged.facts()).toEqual(right.facts());
        },
      ),
      { numRuns: randomRuns(40) },
    );
  });

  it('is stored with a proof, or in place of one that was taken by its place, from any other output too', () => {
    const wallet = new ViewOnly(3);
    const known = () =>
      wallet.store.read((r) => r.outputs.inOrder().map(({ keyImage }) => keyImage && toHex(keyImage)));
    const claim = (n: number, image: number): ImportedKeyImage => ({
      ...{ publicKey: keyOf(n), keyImage: imageOf(image), proven: false },
    });
    const hex = (n: number): string => toHex(imageOf(n));
    wallet.importByPlace([2, 3, 1].map(imageOf));
    wallet.import([claim(1, 1)]);
    expect(known()).toEqual([hex(1), hex(3), undefined]);
    wallet.import([claim(3, 3)]);
    expect(known()).toEqual([hex(1), undefined, hex(3)]);
    wallet.import([claim(1, 7), claim(2, 3), claim(2, 8)]);
    expect(known()).toEqual([hex(1), hex(8), hex(3)]);
    wallet.import([proven(2)]);
    wallet.import([claim(2, 5), claim(3, 2)]);
    expect(known()).toEqual([hex(1), hex(2), hex(3)]);
  });
});
