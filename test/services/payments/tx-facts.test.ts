import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { Address, PaymentId } from '../../../src/monero/cryptonote/types.js';
import { PaymentBuilder } from '../../../src/services/payments/payment-builder.js';
import { readMetadata, writeMetadata } from '../../../src/services/payments/payment-metadata.js';
import { TxFacts } from '../../../src/services/payments/tx-facts.js';
import { amount, ZERO } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { txOfPayment, type SpentTx } from '../../../src/monero/wallet/build/spent-tx.js';
import type { DestinationEntry } from '../../../src/monero/wallet/exchange/construction-data.js';
import { pendingTx, type PendingTx } from '../../../src/monero/wallet/exchange/pending-tx.js';
import type { SignedPayment } from '../../../src/monero/wallet/build/signed-payment.js';
import { costOfInput } from '../../../src/monero/wallet/select/fees.js';
import { FEES, payingWallet, type PayingWallet } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';

const rng = seededRng('tx facts');
const owner = holder(rng);
const stranger = holder(rng);
const shop = holder(rng);
const ID = rng(8) as PaymentId;

const OWN = owner.address();
const OWN_SUBADDRESS = owner.address({ major: 0, minor: 1 });
const OTHER_ACCOUNT = owner.address({ major: 1, minor: 0 });
const STRANGER = stranger.address();
const STRANGER_SUBADDRESS = stranger.address({ major: 0, minor: 2 });
const SHOP = shop.address();

let paying: PayingWallet;
let facts: TxFacts;

beforeAll(() => {
  paying = payingWallet(owner, [2n * COIN, 3n * COIN]);
  facts = new TxFacts(paying.wallet, paying.wallet);
});

interface Paid {
  readonly pending: PendingTx;
  readonly fee: bigint;
}

/** Signs a payment of both outputs. @returns its metadata as its maker writes them. */
async function paid(payees: readonly (readonly [Address, bigint])[], unlockTime = 0n): Promise<Paid> {
  const { wallet, outputs } = paying;
  const builder = new PaymentBuilder(wallet, wallet);
  const share = {
    payees: payees.map(([to, value]) => ({ ...payeeOf(to, value), text: formatAddress(to) })),
    ...{ inputs: outputs, fee: amount(100_000_000n), feeFrom: [] },
    ...{ account: 0, unlockTime, prices: { rates: FEES, priority: 1 } },
  };
  const [draft] = await builder.draft([share]);
  if (draft === undefined) throw new Error('a draft');
  const { tx: signed } = await builder.sign(draft);
  const pending = decode(pendingTx, writeMetadata(wallet, draft, signed, draft.payees));
  return { pending, fee: signed.fee };
}

/** Payment as a client's metadata bring it back. */
const broughtBack = (pending: PendingTx): SignedPayment =>
  readMetadata(paying.wallet, facts, toHex(encode(pendingTx, pending)));

const spentBy = (pending: PendingTx): SpentTx => facts.spentBy(txOfPayment(broughtBack(pending)));

const entry = (address: Address, value: bigint): DestinationEntry => ({
  original: formatAddress(address),
  amount: value,
  address: { spendPublicKey: address.spendPublicKey, viewPublicKey: address.viewPublicKey },
  isSubaddress: address.kind === 'subaddress',
  isIntegrated: address.kind === 'integrated',
});

const destinationsOf = ({ destinations }: SignedPayment) =>
  destinations.map(({ address, amount: value }) => [address, value]);

describe('a payment that a client brings back', () => {
  it.each<[string, readonly (readonly [Address, bigint])[]]>([
    ['an address', [[STRANGER, COIN]]],
    ['a subaddress', [[STRANGER_SUBADDRESS, COIN]]],
    ['an integrated address', [[{ ...STRANGER, kind: 'integrated', paymentId: ID }, COIN]]],
    [
      'addresses and subaddresses beside each other, which need additional tx keys',
      [
        [STRANGER, COIN],
        [STRANGER_SUBADDRESS, 2n],
        [SHOP, 2n],
      ],
    ],
    [
      'one address twice with one amount',
      [
        [STRANGER, COIN],
        [STRANGER, COIN],
      ],
    ],
    [
      'the wallet itself, and another account of it',
      [
        [OWN, COIN],
        [OTHER_ACCOUNT, COIN],
      ],
    ],
    ['the wallet under a payment id', [[{ ...OWN, kind: 'integrated', paymentId: ID }, COIN]]],
  ])('to %s keeps destinations, change, payment id and keys', async (_, payees) => {
    const { pending, fee } = await paid(payees);
    const payment = broughtBack(pending);
    expect(destinationsOf(payment)).toEqual(payees.map(([to, value]) => [formatAddress(to), value]));
    const total = payees.reduce((sum, [, value]) => sum + value, 0n);
    expect(payment.change).toBe(5n * COIN - total - fee);
    expect(payment.txSecretKeys).toEqual([pending.txSecretKey, ...pending.additionalSecretKeys]);
    expect(payment.paymentId).toEqual(payees[0]?.[0].paymentId);
  });

  it('records no destination that its transaction does not pay', async () => {
    const { pending, fee } = await paid([[STRANGER, COIN]]);
    for (const lie of [OWN, OWN_SUBADDRESS, SHOP, STRANGER_SUBADDRESS]) {
      const forged = { ...pending, destinations: [entry(lie, COIN)] };
      const payment = broughtBack(forged);
      expect(destinationsOf(payment)).toEqual([]);
      expect(payment.change).toBe(4n * COIN - fee);
      expect(spentBy(forged)).toMatchObject({ amount: COIN + fee, payees: [], hasUnknownPayee: true });
    }
  });

  it('records the change that returns, where its maker claims more change and fewer destinations', async () => {
    const { pending, fee } = await paid([
      [STRANGER, COIN],
      [SHOP, COIN],
    ]);
    const [first] = pending.destinations;
    const forged = {
      ...pending,
      destinations: first === undefined ? [] : [first],
      change: { ...pending.change, amount: pending.change.amount + COIN },
    };
    const payment = broughtBack(forged);
    expect(payment.change).toBe(3n * COIN - fee);
    expect(destinationsOf(payment)).toEqual([[formatAddress(STRANGER), COIN]]);
    expect(spentBy(forged)).toMatchObject({
      ...{ amount: 2n * COIN + fee, hasUnknownPayee: true },
      payees: [formatAddress(STRANGER)],
    });
  });

  it('records amounts that their outputs carry alone', async () => {
    const { pending, fee } = await paid([
      [STRANGER, COIN],
      [SHOP, 2n * COIN],
    ]);
    const forged = { ...pending, destinations: [entry(STRANGER, 2n * COIN), entry(SHOP, COIN)] };
    expect(destinationsOf(broughtBack(forged))).toEqual([]);
    expect(spentBy(forged)).toMatchObject({ amount: 3n * COIN + fee, hasUnknownPayee: true });
    const split = {
      ...pending,
      destinations: [entry(STRANGER, COIN), entry(STRANGER, COIN), entry(STRANGER, COIN)],
    };
    expect(destinationsOf(broughtBack(split))).toEqual([[formatAddress(STRANGER), COIN]]);
  });

  it('records neither tx keys of another transaction nor destinations that they would prove', async () => {
    const { pending, fee } = await paid([[STRANGER, COIN]]);
    const forged = { ...pending, txSecretKey: randomSecretKey(rng) };
    const payment = broughtBack(forged);
    expect([payment.txSecretKeys, destinationsOf(payment)]).toEqual([[], []]);
    expect(spentBy(forged)).toMatchObject({ amount: COIN + fee, hasUnknownPayee: true });
    const several = (
      await paid([
        [STRANGER_SUBADDRESS, COIN],
        [SHOP, COIN],
      ])
    ).pending;
    const [one, ...rest] = several.additionalSecretKeys;
    for (const additionalSecretKeys of [
      [],
      rest,
      [...rest, randomSecretKey(rng)],
      [...rest, ...(one ? [one] : [])],
    ])
      expect(broughtBack({ ...several, additionalSecretKeys }).txSecretKeys).toEqual([]);
  });

  it('records no payment id that its transaction does not carry', async () => {
    const to: Address = { ...STRANGER, kind: 'integrated', paymentId: ID };
    const { pending } = await paid([[to, COIN]]);
    const lie: Address = { ...to, paymentId: rng(8) as PaymentId };
    const payment = broughtBack({ ...pending, destinations: [entry(lie, COIN)] });
    expect([destinationsOf(payment), payment.paymentId]).toEqual([[], undefined]);
  });
});

describe('the money that a transaction takes from the wallet', () => {
  it('is what it pays to others, with its fee', async () => {
    const { pending, fee } = await paid([[STRANGER_SUBADDRESS, COIN]]);
    expect(spentBy(pending)).toMatchObject({
      ...{ amount: COIN + fee, hasUnknownPayee: false, isLocked: false },
      payees: [formatAddress(STRANGER_SUBADDRESS)],
    });
  });

  it('is its fee alone where it pays the wallet itself', async () => {
    const { pending, fee } = await paid([[OWN_SUBADDRESS, COIN]]);
    expect(spentBy(pending)).toMatchObject({ amount: fee, payees: [], hasUnknownPayee: false });
  });

  it('includes the fee to spend each further output to the wallet itself, or its amount where that is less', async () => {
    const { pending, fee } = await paid([
      [OWN_SUBADDRESS, COIN],
      ...[0n, 1n].map((more) => [OTHER_ACCOUNT, COIN / 10n + more] as const),
      ...[1n, 2n, 3n].map((value) => [OWN_SUBADDRESS, value] as const),
    ]);
    const { amount: taken, payees } = spentBy(pending);
    const cost = (taken - fee - 6n) / 2n;
    expect(payees).toEqual([]);
    expect(taken).toBe(fee + 2n * cost + 6n);
    expect(cost).toBeLessThan(costOfInput(FEES, 1) + 1_000_000n);
    expect(cost).toBeGreaterThan((costOfInput(FEES, 1) * 9n) / 10n);
  });

  it('is all that it spends where an unlock time locks its outputs, change too', async () => {
    const { pending } = await paid([[OWN, COIN]], (1n << 63n) - 1n);
    expect(spentBy(pending)).toMatchObject({ amount: 5n * COIN, isLocked: true });
    const planned = { inputs: paying.outputs, payees: [payeeOf(OWN, COIN)], unlockTime: 1n };
    expect(facts.leastSpending(planned, ZERO)).toMatchObject({ amount: 5n * COIN, isLocked: true });
  });

  it('includes payments to own keys under a kind of address by which the wallet does not find them', async () => {
    const lost: Address[] = [
      { ...OWN_SUBADDRESS, kind: 'standard' },
      { ...OTHER_ACCOUNT, kind: 'standard' },
    ];
    for (const to of lost) {
      const { pending, fee } = await paid([[to, COIN]]);
      expect(spentBy(pending).amount).toBe(COIN + fee);
      const planned = { inputs: paying.outputs, payees: [payeeOf(to, COIN)], unlockTime: 0n };
      expect(facts.leastSpending(planned, ZERO)).toMatchObject({ amount: COIN, payees: [formatAddress(to)] });
    }
  });
});

describe('a payment of the wallet with the spend key, which withheld its tx keys', () => {
  const submitted = (pending: PendingTx, changes: Partial<SignedPayment> = {}): SignedPayment =>
    facts.submitted({ ...broughtBack(pending), txSecretKeys: [], ...changes });
  const text = formatAddress;
  const claim = (address: Address, value: bigint) => ({ address: text(address), amount: amount(value) });

  it('keeps the destinations that add up to the money that leaves the wallet', async () => {
    const { pending } = await paid([
      [STRANGER, COIN],
      [SHOP, 2n],
    ]);
    const payment = submitted(pending);
    expect(destinationsOf(payment)).toEqual([
      [text(STRANGER), COIN],
      [text(SHOP), 2n],
    ]);
    expect([payment.txSecretKeys, payment.paymentId]).toEqual([[], undefined]);
    expect(payment.change).toBe(broughtBack(pending).change);
  });

  it.each<[string, readonly (readonly [Address, bigint])[]]>([
    ['less', [[STRANGER, COIN - 1n]]],
    ['more', [[STRANGER, COIN + 1n]]],
    ['nothing', []],
    [
      'more, with a second one',
      [
        [STRANGER, COIN],
        [SHOP, 1n],
      ],
    ],
  ])('keeps none where they add up to %s', async (_, claims) => {
    const { pending } = await paid([[STRANGER, COIN]]);
    const destinations = claims.map(([to, value]) => claim(to, value));
    expect(submitted(pending, { destinations }).destinations).toEqual([]);
  });

  it('keeps a destination of its own only where the transaction pays it', async () => {
    const { pending } = await paid([
      [STRANGER, COIN],
      [OTHER_ACCOUNT, 7n],
    ]);
    const destinations = [claim(OTHER_ACCOUNT, 7n), claim(STRANGER, COIN), claim(OWN_SUBADDRESS, 7n)];
    expect(destinationsOf(submitted(pending, { destinations }))).toEqual([
      [text(OTHER_ACCOUNT), 7n],
      [text(STRANGER), COIN],
    ]);
  });

  it('keeps the payment id of a destination, and no other', async () => {
    const to: Address = { ...STRANGER, kind: 'integrated', paymentId: ID };
    const { pending } = await paid([[to, COIN]]);
    expect(submitted(pending, { paymentId: ID }).paymentId).toEqual(ID);
    expect(submitted(pending, { paymentId: rng(8) as PaymentId }).paymentId).toBeUndefined();
    const { paymentId, ...without } = broughtBack(pending);
    expect(paymentId).toEqual(ID);
    expect(facts.submitted({ ...without, txSecretKeys: [] }).paymentId).toBeUndefined();
    const plain = [claim(STRANGER, COIN)];
    expect(submitted(pending, { paymentId: ID, destinations: plain }).paymentId).toBeUndefined();
    const other: Address = { ...SHOP, kind: 'integrated', paymentId: rng(8) as PaymentId };
    const two = [claim(to, COIN - 2n), claim(other, 2n)];
    expect(submitted(pending, { paymentId: ID, destinations: two }).paymentId).toEqual(ID);
  });
});

describe('the change in a description', () => {
  const changeTo = async (to: Pick<Address, 'spendPublicKey' | 'viewPublicKey'>) => {
    const { construction } = (await paid([[STRANGER, COIN]])).pending;
    const { spendPublicKey, viewPublicKey } = to;
    const change = { ...construction.change, address: { spendPublicKey, viewPublicKey } };
    const data = { ...construction, change };
    return { data, shown: facts.withOwnChange(data) };
  };

  it('is that of the wallet', async () => {
    for (const to of [OWN, OTHER_ACCOUNT]) {
      const { data, shown } = await changeTo(to);
      expect(shown).toEqual(data);
      expect(shown.change.amount).toBeGreaterThan(0n);
    }
  });

  it('is nothing where another wallet gets it', async () => {
    const mixed = { spendPublicKey: OWN.spendPublicKey, viewPublicKey: STRANGER.viewPublicKey };
    for (const to of [STRANGER, mixed]) {
      const { data, shown } = await changeTo(to);
      expect(shown).toEqual({ ...data, change: { ...data.change, amount: 0n } });
    }
  });
});
