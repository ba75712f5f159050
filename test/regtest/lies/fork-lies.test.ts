import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import type { KeyImage } from '../../../src/monero/crypto/types.js';
import { parseBlock } from '../../../src/monero/cryptonote/block.js';
import {
  parsePrunedTransaction,
  parseTransaction,
  prunableHash,
  prunedTransaction,
} from '../../../src/monero/cryptonote/transaction.js';
import type { Transaction } from '../../../src/monero/cryptonote/types.js';
import { RCT_FCMP } from '../../../src/monero/fork-rules.js';
import { BLOCK_LIES } from '../../../src/regtest/lies/block-lies.js';
import { CHAIN_LIES } from '../../../src/regtest/lies/chain-lies.js';
import type { Fault } from '../../../src/regtest/lies/fault.js';
import { ForgedChain } from '../../../src/regtest/lies/forged-chain.js';
import { forgePayment } from '../../../src/regtest/lies/forged-payment.js';
import type { LieContext, Target } from '../../../src/regtest/lies/lie-context.js';
import { PAYMENT_LIES } from '../../../src/regtest/lies/payment-lies.js';
import type { ServedBlock } from '../../../src/regtest/store/served-blocks.js';
import { amount } from '../../../src/util/amount.js';
import { encode } from '../../../src/util/codec.js';
import { holder } from '../../monero/wallet/fixtures.js';
import { findEnotes, type CarrotHolder } from '../../support/chain/carrot-finder.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { testNode } from '../../support/processes/regtest-node.js';

/* Lies of a node whose chain has the next fork. */

const FORK = { from: 4, only: 6 };
const RCT_RINGS = 6;

const rng = seededRng('fork lies');
const victim = holder(rng);
const address = victim.address();
const addresses = [address, victim.address({ major: 0, minor: 1 })];
const keys: CarrotHolder = { ...victim, addresses: addresses.map(({ spendPublicKey }) => spendPublicKey) };
const at = testNode({ fork: FORK, rng });
const { node } = at;
const keyImages = [holder(rng).spendPublicKey as Uint8Array as KeyImage];

beforeAll(() => at.mine(8));
afterAll(() => node.close());

/** Returns the context of a lie about a target. */
function lieAbout(target: Partial<Target>, value = 1): LieContext {
  const kept = new Map<string, unknown>();
  return {
    ...{ node, rng, value, isDue: () => true },
    target: { amount: amount(7n), keyImages: [], ...target },
    once<T>(name: string, make: () => T): T {
      if (!kept.has(name)) kept.set(name, make());
      return kept.get(name) as T;
    },
  };
}

const typeOf = ({ rct }: Transaction): number | undefined => rct?.base.type;
const amountsOf = (tx: Transaction): bigint[] => findEnotes(tx, keys).map((found) => found.amount);

describe('a fabricated payment', () => {
  it('has the form of the block for which it is made', () => {
    const typeAt = (height?: number): number | undefined =>
      typeOf(forgePayment({ node, rng }, { amount: amount(7n), keyImages: [] }, height).tx);
    expect([3, 4, 5, 6, undefined].map(typeAt)).toEqual([RCT_RINGS, ...Array<number>(4).fill(RCT_FCMP)]);
  });

  it('truly pays the address in the new form, as a scanner sees it, and has the given key images', () => {
    addresses.forEach((to, index) => {
      const { tx, inputs } = forgePayment({ node, rng }, { address: to, amount: amount(7n), keyImages });
      expect(findEnotes(tx, keys)).toMatchObject([{ amount: 7n, address: index }]);
      expect(inputs.map(({ keyImage }) => keyImage)).toEqual(keyImages);
    });
  });
});

/** Returns a block of one payment to the victim, as a page has it. */
function servedBlock(prune: boolean): ServedBlock {
  const { tx, blob } = forgePayment({ node, rng }, { address, amount: amount(5n), keyImages: [] });
  const payment = prune ? { blob: encode(prunedTransaction, tx), prunableHash: prunableHash(tx) } : { blob };
  return {
    blob: node.store.blocks.at(7)?.blob ?? new Uint8Array(),
    payments: [payment],
    outputIndices: [[0], [1, 2]],
  };
}

const paymentIn = (served: ServedBlock | undefined, prune: boolean): Transaction => {
  const [{ blob } = { blob: new Uint8Array() }] = served?.payments ?? [];
  return prune ? parsePrunedTransaction(blob) : parseTransaction(blob);
};

describe.each([
  ['pruned', true],
  ['whole', false],
])('a %s payment of the new form', (_, prune) => {
  /** Tells a lie about a block with one payment. @returns the payments before and after it. */
  function told(fault: Fault, { value = 1, ...target }: Partial<Target> & { readonly value?: number } = {}) {
    const served = servedBlock(prune);
    const lie = lieAbout({ address, height: 7, keyImages, ...target }, value);
    const changed = fault.block?.(served, { height: 7, prune }, lie);
    return { honest: paymentIn(served, prune), changed: paymentIn(changed, prune) };
  }

  it.each<[keyof typeof PAYMENT_LIES, number]>([
    ['raised-amount', 41],
    ['changed-amount', 41],
    ['changed-commitment', 1],
    ['changed-output-key', 1],
  ])('is not one to the address any more after %s', (name, value) => {
    const { honest, changed } = told(PAYMENT_LIES[name], { value });
    expect(typeOf(changed)).toBe(RCT_FCMP);
    expect(amountsOf(honest)).toEqual([5n]);
    expect(amountsOf(changed)).toEqual([]);
  });

  it.each<[keyof typeof PAYMENT_LIES]>([['changed-payment-id'], ['changed-unlock-time']])(
    'is another transaction to the address after %s',
    (name) => {
      const { honest, changed } = told(PAYMENT_LIES[name]);
      expect(changed.prefix).not.toEqual(honest.prefix);
      expect(amountsOf(changed)).toEqual([5n]);
    },
  );

  it('spends what the lie says', () => {
    const spends = ({ prefix }: Transaction): unknown[] =>
      prefix.inputs.map((input) => (input.type === 'key' ? input.keyImage : undefined));
    const added = told(PAYMENT_LIES['added-key-image']);
    expect(spends(added.changed)).toEqual([...spends(added.honest), ...keyImages]);
    const other = told(PAYMENT_LIES['changed-key-image']);
    expect(spends(other.changed)).not.toEqual(spends(other.honest));
  });

  it('is replaced by a payment of the new form', () => {
    const { changed } = told(BLOCK_LIES['swapped-payment']);
    expect(typeOf(changed)).toBe(RCT_FCMP);
    expect(amountsOf(changed)).toEqual([7n]);
  });
});

test('a forged reward has the form of its block, and pays the address', () => {
  const lie = lieAbout({ address }, 9);
  const chain = new ForgedChain(node.copy(), lie);
  CHAIN_LIES['forged-reward'].chain.forge(chain, lie);
  const stored = chain.node.store.blocks.at(node.chain.height);
  expect(amountsOf(parseBlock(stored?.blob ?? new Uint8Array()).minerTx)).toEqual([9_000_000_000_000n]);
});
