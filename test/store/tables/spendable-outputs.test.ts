import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FeeRates } from '../../../src/monero/wallet/select/fees.js';
import type { KeyImage, PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { faultOf } from '../../../src/model/wallet-error.js';
import {
  nameOf,
  SpendableOutputs,
  type SpendableOutput,
  type SpendableTerms,
} from '../../../src/monero/wallet/select/spendable-outputs.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { sweepInputs } from '../../../src/monero/wallet/select/sweep-plan.js';
import { planTransfers } from '../../../src/monero/wallet/select/transfer-plan.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { listCoins } from '../../support/wallets/list-coins.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { holder, ownedOutput, payeeOf } from '../../monero/wallet/fixtures.js';
import { received } from '../fixtures.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

/** Atomic units: small enough that some outputs are worth less than their fee. */
const UNIT = 10_000_000n;
const CHAIN_HEIGHT = 400;
const NOW = 1_700_000_000;
const RATES: FeeRates = { perByte: [20_000n, 80_000n, 320_000n, 4_000_000n], quantizationMask: 10_000n };
const payee = holder(seededRng('payee')).address();

const file = WalletStore.create(':memory:', new Uint8Array(32));
afterAll(() => file.close());

const chance = (weight: number): fc.Arbitrary<boolean> => fc.nat(weight).map((value) => value === weight);

const facts = fc.record({
  value: fc.oneof(fc.nat(400), fc.constant(50)),
  height: fc.oneof(
    fc.nat(CHAIN_HEIGHT),
    fc.nat(20),
    // The youngest outputs that can be spent, and the oldest that cannot: of payments, and of miner transactions.
    fc.constantFrom(...[8, 9, 10, 11, 58, 59, 60, 61, 62].map((depth) => CHAIN_HEIGHT - depth)),
  ),
  minor: fc.nat(3),
  /** Number of the transaction within the block: some outputs share one. */
  tx: fc.nat(1),
  lock: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0n) },
    fc.constantFrom(10n, BigInt(CHAIN_HEIGHT), BigInt(CHAIN_HEIGHT + 1), BigInt(CHAIN_HEIGHT + 500)),
    fc.constantFrom(BigInt(NOW), BigInt(NOW + 10_000), (1n << 64n) - 1n),
  ),
  coinbase: chance(4),
  blind: chance(8),
  plain: chance(12),
  fork: chance(8),
  frozen: chance(8),
  spent: chance(8),
});

type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never;

const FORK_FACTS = {
  extensionG: new Uint8Array(32) as SecretKey,
  extensionT: new Uint8Array(32) as SecretKey,
  context: new Uint8Array(33),
};

const keyOf = (n: number): PublicKey => {
  const bytes = new Uint8Array(32);
  new Uint32Array(bytes.buffer).set([n, 1]);
  return bytes as Uint8Array as PublicKey;
};

let run = 0;

/** Stores outputs. @returns the stored ones. */
function stored(held: readonly Facts[]): OwnedOutput[] {
  run += 1;
  const outputs = held.map((wish, i): OwnedOutput => {
    const txHash = new Uint8Array(32);
    // Frozen outputs are recorded by transaction hash: no two runs share one.
    new Uint32Array(txHash.buffer).set([wish.tx, wish.height, run]);
    const key = keyOf(i);
    return ownedOutput((BigInt(wish.value) + 1n) * UNIT, {
      txHash: txHash as OwnedOutput['txHash'],
      outputIndex: i,
      globalIndex: i,
      publicKey: key,
      ...(wish.blind ? {} : { keyImage: key as Uint8Array as KeyImage }),
      rct: !wish.plain,
      ...(wish.fork ? { carrot: FORK_FACTS } : {}),
      subaddress: { major: 0, minor: wish.minor },
      height: wish.height,
      unlockTime: wish.coinbase ? BigInt(wish.height + 60) : wish.lock,
      coinbase: wish.coinbase,
      frozen: wish.frozen,
      ...(wish.spent ? { spentBy: txHash as OwnedOutput['txHash'] } : {}),
    });
  });
  file.write((w) => {
    clearChain(w, { hard: true });
    for (const output of outputs) {
      if (!w.payments.has(output.txHash))
        w.payments.add({ ...received(0, output.height), txHash: output.txHash });
      w.outputs.add(output);
      if (output.frozen) w.outputs.setFrozen(output, true);
      if (output.spentBy !== undefined) w.outputs.reserve([output], output.spentBy);
    }
    // An output of another account, which is never returned.
    const other = ownedOutput(500n * UNIT, {
      subaddress: { major: 1, minor: 0 },
      height: 1,
      publicKey: new Uint8Array(32) as Uint8Array as PublicKey,
    });
    w.payments.add({ ...received(0, 1), txHash: other.txHash });
    w.outputs.add(other);
  });
  return outputs;
}

const fundsOf = (purse: SpendableOutputs, least: bigint): unknown => {
  const { available, locked, addresses } = purse.funds(least);
  return { available, locked, addresses: addresses.map((address) => ({ ...address })) };
};

const named = (coins: readonly (SpendableOutput | undefined)[]): (string | undefined)[] =>
  coins.map((coin) => coin && `${toHex(coin.txHash)}/${coin.outputIndex}/${coin.amount}`);

/** Runs a task to its end or its error. @returns the result of a task, or the fault of its error. */
function outcome<T>(task: () => T): unknown {
  try {
    return task();
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    return fault;
  }
}

describe('spendable outputs of the store', () => {
  const wallets = fc.tuple(
    fc.array(facts, { maxLength: 40 }),
    fc.boolean(),
    fc.constantFrom([], [0], [1, 3, 1]),
    fc.nat(3),
  );
  const pursesOf = (
    held: readonly Facts[],
    blind: boolean,
    minors: readonly number[],
    /** Number of outputs of which one is held by a payment that is being signed; 0: none is. */
    oneHeldOf = 0,
  ): {
    outputs: readonly OwnedOutput[];
    terms: SpendableTerms;
    lazy: SpendableOutputs;
    plain: SpendableOutputs<OwnedOutput>;
  } => {
    const all = stored(held);
    const outputs = all.filter(({ subaddress }) => minors.length === 0 || minors.includes(subaddress.minor));
    // Held outputs may have been recorded as spent meanwhile, or belong to other addresses.
    const being = all.filter((_, i) => oneHeldOf > 0 && i % oneHeldOf === 0);
    const terms = { chainHeight: CHAIN_HEIGHT, now: NOW, blind, held: being };
    const lazy = new SpendableOutputs(
      file.read((r) => r.spendableOutputs.of(0, minors)),
      terms,
    );
    return { outputs, terms, lazy, plain: new SpendableOutputs(listCoins(outputs), terms) };
  };

  it('are counted up to a number if no lock holds them', () => {
    const age = (height: number, more: Partial<OwnedOutput> = {}) => ({ height, unlockTime: 0n, ...more });
    stored([]);
    file.write((w) => {
      const outputs = [
        age(CHAIN_HEIGHT - 10),
        age(CHAIN_HEIGHT - 9),
        age(CHAIN_HEIGHT - 59, { unlockTime: BigInt(CHAIN_HEIGHT + 1), coinbase: true }),
        age(CHAIN_HEIGHT - 62, { unlockTime: BigInt(CHAIN_HEIGHT - 2), coinbase: true }),
        age(20, { frozen: true }),
      ];
      for (const [i, more] of outputs.entries()) {
        const output = ownedOutput(UNIT, {
          ...{ subaddress: { major: 0, minor: i }, publicKey: keyOf(100 + i), globalIndex: i },
          ...more,
        });
        w.payments.add({ ...received(0, output.height), txHash: output.txHash });
        w.outputs.add(output);
        if (output.frozen) w.outputs.setFrozen(output, true);
      }
    });
    const count = (most: number, account: number) =>
      file.read((r) => r.spendableOutputs.countOpenUpTo(most, account, CHAIN_HEIGHT));
    expect([count(10, 0), count(1, 0), count(10, 1), count(10, 2)]).toEqual([2, 1, 1, 0]);
  });

  it('answer queries like outputs that are all read first', () => {
    fc.assert(
      fc.property(wallets, fc.nat(410), ([held, blind, minors, oneHeldOf], wanted) => {
        const { outputs, terms, lazy, plain } = pursesOf(held, blind, minors, oneHeldOf);
        const least = BigInt(wanted) * UNIT;
        expect(fundsOf(lazy, least)).toEqual(fundsOf(plain, least));
        const taken = new Set(terms.held?.map(nameOf));
        for (const { minor } of lazy.funds(least).addresses)
          expect(lazy.coins(minor, least).filter((coin) => taken.has(nameOf(coin)))).toEqual([]);
        expect(named([lazy.oldest(least)])).toEqual(named([plain.oldest(least)]));
        for (const most of [1, 5, 1000])
          expect(named(lazy.largestCoins(least, most))).toEqual(named(plain.largestCoins(least, most)));
        for (const minor of [0, 1, 2, 3]) {
          if (minors.length > 0 && !minors.some((one) => one === minor)) continue;
          expect(lazy.largest(minor)).toBe(plain.largest(minor));
          expect(named(lazy.coins(minor, least))).toEqual(named(plain.coins(minor, least)));
          expect(lazy.countFrom(minor, least, 3)).toBe(plain.countFrom(minor, least, 3));
          for (const other of outputs.slice(0, 5))
            expect(named([lazy.smallestUnrelated(minor, least, other)])).toEqual(
              named([plain.smallestUnrelated(minor, least, other)]),
            );
        }
      }),
      { numRuns: randomRuns(300) },
    );
  });

  it('have none in the form of the fork, locked or not', () => {
    const wish = { value: 5, minor: 0, tx: 0, lock: 0n, coinbase: false, blind: false, plain: false };
    const held = [10, CHAIN_HEIGHT].map((height) => ({
      ...wish,
      height,
      fork: true,
      frozen: false,
      spent: false,
    }));
    const { lazy } = pursesOf(held, false, []);
    expect(lazy.funds(0n)).toMatchObject({ available: 0n, locked: 0n, addresses: [] });
    expect([lazy.oldest(0n), lazy.largestCoins(0n, 5), lazy.coins(0, 0n)]).toEqual([undefined, [], []]);
  });

  it('make the same payments from an address with many outputs', () => {
    const held = Array.from({ length: 1500 }, (_, i): Facts => ({
      value: 100 + ((i * 7919) % 300),
      height: Math.floor(i / 4),
      minor: 0,
      tx: i % 2,
      lock: 0n,
      coinbase: false,
      blind: i % 50 === 0,
      plain: false,
      fork: i % 70 === 0,
      frozen: false,
      spent: false,
    }));
    const { lazy, plain } = pursesOf(held, false, []);
    const pay = (purse: SpendableOutputs, value: bigint): (string | undefined)[][] =>
      planTransfers(
        { payees: [payeeOf(payee, value * UNIT)], account: 0, priority: 1, unlockTime: 0n },
        purse,
        RATES,
        seededRng(Number(value)),
      ).map(({ inputs }) => named(inputs));
    for (const value of [300n, 700n, 790n, 5_000n, 60_000n]) {
      const paid = pay(lazy, value);
      expect(paid).toEqual(pay(plain, value));
      expect(new Set(paid.flat()).size).toBe(paid.flat().length);
      // No statement is left open: the store can be written.
      file.write((w) => w.meta.set('last_block_reward', '0'));
    }
  });

  it('make the same payments and sweeps', () => {
    fc.assert(
      fc.property(
        wallets,
        fc.array(fc.nat(300), { minLength: 1, maxLength: 20 }),
        fc.nat(),
        ([held, blind, minors, oneHeldOf], values, seed) => {
          const { lazy, plain } = pursesOf(held, blind, minors, oneHeldOf);
          const payees = values.map((value) => payeeOf(payee, (BigInt(value) + 1n) * UNIT));
          const request = { payees, account: 0, priority: 1, unlockTime: 0n };
          const planned = (purse: SpendableOutputs): unknown =>
            outcome(() =>
              planTransfers(request, purse, RATES, seededRng(seed)).map((share) => ({
                ...share,
                inputs: named(share.inputs),
              })),
            );
          expect(planned(lazy)).toEqual(planned(plain));
          for (const oneAddress of [true, false])
            for (const below of [0n, 50n * UNIT]) {
              const filter = { oneAddress, below: amount(below) };
              const to = { account: 0, unlockTime: 0n, address: payee, text: '', outputs: 1, priority: 1 };
              const swept = (purse: SpendableOutputs): unknown =>
                named(sweepInputs(purse, filter, to, RATES, seededRng(seed)));
              expect(swept(lazy)).toEqual(swept(plain));
            }
        },
      ),
      { numRuns: randomRuns(300) },
    );
  });
});
