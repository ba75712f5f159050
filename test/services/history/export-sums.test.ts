import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Hash, SecretKey } from '../../../src/monero/crypto/types.js';
import type { SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import type { OwnedOutput, PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import { Balances } from '../../../src/services/accounts/balances.js';
import { PaymentExport } from '../../../src/services/history/payment-export.js';
import { amount, sum } from '../../../src/util/amount.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';
import { blobSpending } from '../../support/wallets/unmined-payment.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const STRANGER =
  '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H';
const FEE = 2n;

/** A part of a payment: to an address of the wallet, or to a stranger. */
interface Part {
  readonly to: SubaddressIndex | undefined;
  readonly value: bigint;
}

/** A payment of the wallet: its inputs are outputs of one account, and `change` returns to it. */
interface Paid {
  readonly n: number;
  readonly account: number;
  readonly inputs: readonly OwnedOutput[];
  readonly parts: readonly Part[];
  readonly change: bigint;
}

const place = fc.record({ major: fc.nat(2), minor: fc.nat(2) });
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('receive' as const), to: place }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('pay' as const),
        // made: by this wallet. seen: by another wallet with these keys, in the mempool. mined: likewise, in a block.
        how: fc.constantFrom('made' as const, 'made' as const, 'seen' as const, 'mined' as const),
        account: fc.nat(2),
        inputs: fc.integer({ min: 1, max: 3 }),
        to: fc.array(fc.option(place, { nil: undefined }), { minLength: 1, maxLength: 3 }),
        isSweep: fc.boolean(),
        isInPool: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('mine' as const), skip: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const) }) },
  ),
  { minLength: 1, maxLength: 14 },
);

type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

/** A wallet with three accounts whose chain and mempool the test makes. */
class Book {
  readonly wallet = new TestWallet();
  readonly #pending: Paid[] = [];
  #height = 1;
  #next = 0;

  constructor() {
    for (const label of ['one', 'two']) this.wallet.accounts.create(label);
    this.wallet.store.write((w) => w.applyPage(page(0, 1)));
  }

  static async open(): Promise<Book> {
    const book = new Book();
    for (const account of [0, 1, 2]) await book.wallet.accounts.createAddresses(account, 2, '');
    return book;
  }

  #hash(n: number): Hash {
    return bytes<Hash>(1000 + n);
  }

  #apply(found: Partial<PageFindings>): void {
    this.wallet.store.write((w) => w.applyPage(page(this.#height, 1, found)));
    this.#height += 1;
  }

  #output(n: number, i: number, to: SubaddressIndex, value: bigint, change: boolean): OwnedOutput {
    const key = 100_000 + 10 * n + i;
    return output(n, this.#height, value, {
      ...{ txHash: this.#hash(n), outputIndex: i, globalIndex: 10 * n + i, subaddress: to, change },
      ...{ publicKey: bytes(key), keyImage: bytes(key) },
    });
  }

  receive(to: SubaddressIndex): void {
    const n = this.#next++;
    this.#apply({
      received: [{ ...received(1, this.#height), txHash: this.#hash(n) }],
      outputs: [this.#output(n, 0, to, BigInt(100 + n), false)],
    });
  }

  pay({ how, account, inputs: count, to, isSweep, isInPool }: Step & { kind: 'pay' }): void {
    const inputs = this.wallet.store
      .read((r) => r.outputs.unspent())
      .filter(({ subaddress, spentBy }) => subaddress.major === account && spentBy === undefined)
      .slice(0, count);
    const total = sum(inputs.map((input) => input.amount)) - FEE;
    if (inputs.length === 0 || total < 20n) return;
    const share = isSweep ? total / BigInt(to.length) : 3n;
    const parts = to.map((index, i): Part => ({
      to: index,
      value: i === 0 && isSweep ? total - share * BigInt(to.length - 1) : share,
    }));
    const change = total - parts.reduce((paid, { value }) => paid + value, 0n);
    const paid = { n: this.#next++, account, inputs, parts, change };
    if (how === 'mined') return this.mine(paid);
    this.#pending.push(paid);
    const txHash = this.#hash(paid.n);
    const keyImages = inputs.flatMap(({ keyImage }) => keyImage ?? []);
    const base = {
      ...{ txHash, account, fromIndices: [0], amountIn: amount(total + FEE), fee: amount(FEE) },
      ...{ unlockTime: 0n, timestamp: 5000 },
    };
    this.wallet.store.write((w) => {
      if (how === 'made')
        w.prepare(
          {
            ...base,
            ...{ state: 'pending', change: amount(change), blob: blobSpending(keyImages) },
            destinations: parts.map(({ to: index, value }) => ({
              address: index === undefined ? STRANGER : this.wallet.accounts.address(index),
              amount: amount(value),
            })),
          },
          inputs,
          [bytes<SecretKey>(1)],
        );
      else {
        w.outputs.reserveByKeyImages(keyImages, txHash, { seen: true });
        w.addPending({ ...base, change: amount(this.#returned(paid)), destinations: [] });
      }
      const others = parts.filter((part) => part.to !== undefined && part.to.major !== account);
      if (others.length > 0 && isInPool)
        w.pool.add({
          ...{ txHash, timestamp: 5000, unlockTime: 0n, fee: amount(FEE), doubleSpendSeen: false },
          outputs: others.map((part, i) => ({
            ...{ outputIndex: i, amount: amount(part.value), subaddress: part.to ?? { major: 0, minor: 0 } },
          })),
        });
    });
  }

  /** Sum of what a payment returns to its account. */
  #returned({ account, parts, change }: Paid): bigint {
    return parts.reduce((total, { to, value }) => (to?.major === account ? total + value : total), change);
  }

  mine(paid: Paid): void {
    const { n, account, inputs, parts, change } = paid;
    const txHash = this.#hash(n);
    const own = [...parts, { to: { major: account, minor: 0 }, value: change }].flatMap(({ to, value }, i) =>
      to === undefined || value === 0n ? [] : [this.#output(n, i, to, value, to.major === account)],
    );
    this.#apply({
      received: own.length === 0 ? [] : [{ ...received(1, this.#height), txHash }],
      outputs: own,
      spends: inputs.flatMap(({ keyImage }) =>
        keyImage === undefined ? [] : [{ keyImage, txHash, height: this.#height }],
      ),
      outgoing: [
        {
          ...{ txHash, height: this.#height, timestamp: 1000 + this.#height, account, fromIndices: [0] },
          ...{ amountIn: sum(inputs.map((input) => input.amount)), fee: amount(FEE), unlockTime: 0n },
          change: amount(this.#returned(paid)),
        },
      ],
    });
  }

  run(step: Step): void {
    if (step.kind === 'receive') this.receive(step.to);
    else if (step.kind === 'pay') this.pay(step);
    else if (step.kind === 'mine') {
      const [paid] = this.#pending.splice(step.skip, 1);
      if (paid !== undefined) this.mine(paid);
    } else if (step.kind === 'fail') this.#fail();
  }

  #fail(): void {
    const paid = this.#pending.pop();
    if (paid === undefined) return;
    const txHash = this.#hash(paid.n);
    this.wallet.store.write((w) => {
      w.fail(txHash);
      w.pool.remove(txHash);
    });
  }

  /** Sum of the exported rows, without failed payments. */
  async exported(account?: number, from = 0, to = 4_000_000_000): Promise<bigint> {
    const filter = { from, to, ...(account === undefined ? {} : { account }) };
    const { pages, release } = PaymentExport.read(this.wallet, filter);
    let total = 0n;
    for await (const rows of pages)
      for (const row of rows)
        if (row.state !== 'failed') total += row.direction === 'in' ? row.amount : -row.amount - row.fee;
    release();
    return total;
  }

  balance(account?: number): bigint {
    return new Balances(this.wallet, this.wallet).of(account, false).total;
  }
}

describe('the sum of the exported payments without the failed ones', () => {
  it('is the balance of the wallet and of each account, after any payments in any state', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1000, max: 1012 }), async (list, closing) => {
        const book = await Book.open();
        try {
          for (const step of list) {
            book.run(step);
            for (const account of [undefined, 0, 1, 2])
              expect([step, account, await book.exported(account)]).toEqual([
                step,
                account,
                book.balance(account),
              ]);
          }
          const opening = await book.exported(undefined, 0, closing);
          expect(opening + (await book.exported(undefined, closing))).toBe(book.balance());
        } finally {
          book.wallet.close();
        }
      }),
      { numRuns: randomRuns(100) },
    );
  });
});
