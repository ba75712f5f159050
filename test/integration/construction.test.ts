import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseTransaction } from '../../src/monero/cryptonote/transaction.js';
import { feePerByte, feeOfWeight, type FeeRates } from '../../src/monero/wallet/select/fees.js';
import { formatAddress } from '../../src/monero/cryptonote/address.js';
import type { Address, PaymentId } from '../../src/monero/cryptonote/types.js';
import { loadCurve } from '../../src/monero/crypto/curve/load-curve.js';
import { amount } from '../../src/util/amount.js';
import { toHex } from '../../src/util/bytes.js';
import { chooseRings, GammaPicker } from '../../src/monero/wallet/select/decoys.js';
import { buildTransaction, type SignedTx } from '../../src/monero/wallet/build/signing.js';
import { planSweep } from '../../src/monero/wallet/select/sweep-plan.js';
import { planTransfers, type PaymentPlan } from '../../src/monero/wallet/select/transfer-plan.js';
import type { Payee, TransferRequest } from '../../src/monero/wallet/select/transfer-request.js';
import { isUnlocked } from '../../src/monero/cryptonote/unlock-time.js';
import { ChainWallet, fetchDistribution, fetchOutputs } from '../support/wallets/chain-wallet.js';
import { purseOf } from '../support/wallets/list-coins.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { seededRng } from '../support/fakes/seeded-rng.js';

const curve = loadCurve();
const rng = seededRng('construction');
const payer = new ChainWallet(rng);
const payee = new ChainWallet(rng);
const COIN = 1_000_000_000_000n;
let daemon: Monerod;
let rates: FeeRates;

const pay = (address: Address, value: bigint): Payee => ({
  address,
  text: formatAddress(address),
  amount: amount(value),
});

const spendableNow = async (wallet: ChainWallet) => {
  const { height, adjusted_time } = (await daemon.rpc('get_info')) as Record<string, number>;
  return wallet.unspent().filter((output) => isUnlocked(output, height ?? 0, adjusted_time ?? 0));
};

/** Chooses rings for a planned transaction, constructs and signs it. */
async function build(planned: PaymentPlan, from: ChainWallet = payer): Promise<SignedTx> {
  const picker = new GammaPicker(await fetchDistribution(daemon), rng);
  const { rings } = await chooseRings(
    planned.inputs,
    picker,
    (indices) => fetchOutputs(daemon, indices),
    curve,
  );
  const inputs = rings.flatMap((ring, i) => {
    const output = planned.inputs[i];
    return output === undefined ? [] : [from.spendable(output, ring)];
  });
  const { payees, feeFrom, fee } = planned;
  const plan = {
    inputs,
    payees,
    feeFrom,
    fee,
    changeAddress: from.address(),
    unlockTime: 0n,
    viewSecret: from.viewSecret,
  };
  return buildTransaction(plan, feePerByte(rates, 1), rates, rng, curve);
}

async function transfer(
  request: Omit<TransferRequest, 'account' | 'priority' | 'unlockTime'>,
): Promise<SignedTx> {
  const unspent = await spendableNow(payer);
  const planned = planTransfers(
    { account: 0, priority: 1, unlockTime: 0n, ...request },
    purseOf(unspent),
    rates,
    rng,
  );
  expect(planned).toHaveLength(1);
  const [only] = planned;
  if (only === undefined) throw new Error('no transaction was planned');
  const signed = await build(only);
  await expectInPool(signed);
  return signed;
}

/** Submits a transaction to the daemon, which must report the same weight and fee. */
async function expectInPool(signed: SignedTx): Promise<void> {
  expect(signed.fee).toBe(feeOfWeight(signed.weight, feePerByte(rates, 1), rates));
  const reply = await daemon.plain('/send_raw_transaction', { tx_as_hex: toHex(signed.blob) });
  expect(reply).toMatchObject({ status: 'OK', not_relayed: false });
  const { transactions } = (await daemon.plain('/get_transaction_pool')) as {
    transactions: { id_hash: string; weight: number; fee: number }[];
  };
  const entry = transactions.find(({ id_hash }) => id_hash === toHex(signed.hash));
  expect(entry).toMatchObject({ weight: signed.weight, fee: Number(signed.fee) });
}

/** Amounts that a wallet received in a transaction, ascending. */
const received = (wallet: ChainWallet, { hash }: SignedTx): bigint[] =>
  wallet
    .foundIn(hash)
    .map((output) => output.amount as bigint)
    .sort((a, b) => (a < b ? -1 : 1));

/** Mines until the pool is empty: the daemon's block template may be older than its pool. */
async function mine(): Promise<void> {
  for (let blocks = 0; blocks < 5; blocks++) {
    await daemon.generate(payer.addressText(), 1);
    if (((await daemon.rpc('get_info')) as { tx_pool_size: number }).tx_pool_size === 0) break;
  }
  await payer.scan(daemon);
  await payee.scan(daemon);
}

beforeAll(async () => {
  daemon = await startMonerod();
  await daemon.generate(payer.addressText(), 120);
  await payer.scan(daemon);
  const { fees, quantization_mask } = (await daemon.rpc('get_fee_estimate')) as {
    fees: number[];
    quantization_mask: number;
  };
  rates = { perByte: fees.map(BigInt), quantizationMask: BigInt(quantization_mask) };
});

afterAll(async () => {
  await daemon?.stop();
});

describe('a real daemon accepts and mines', () => {
  it('a payment to a standard address, with a dummy payment id', async () => {
    const signed = await transfer({ payees: [pay(payee.address(), COIN)] });
    expect(signed.additionalSecretKeys).toEqual([]);
    await mine();
    expect(received(payee, signed)).toEqual([COIN]);
    expect(received(payer, signed)).toEqual([signed.change]);
    expect(payee.paymentId(parseTransaction(signed.blob))).toEqual(new Uint8Array(8));
  });

  it('a payment to one subaddress, whose key the transaction key becomes', async () => {
    const signed = await transfer({ payees: [pay(payee.address({ major: 1, minor: 2 }), COIN + 1n)] });
    expect(signed.additionalSecretKeys).toEqual([]);
    await mine();
    expect(received(payee, signed)).toEqual([COIN + 1n]);
    expect(received(payer, signed)).toEqual([signed.change]);
    expect(payee.foundIn(signed.hash)[0]?.subaddress).toEqual({ major: 1, minor: 2 });
  });

  it('a payment to an integrated address', async () => {
    const paymentId = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) as PaymentId;
    const signed = await transfer({
      payees: [pay({ ...payee.address(), kind: 'integrated', paymentId }, COIN + 2n)],
    });
    await mine();
    expect(received(payee, signed)).toEqual([COIN + 2n]);
    expect(payee.paymentId(parseTransaction(signed.blob))).toEqual(paymentId);
  });

  it('a payment to fifteen destinations, with subaddresses and repeated addresses', async () => {
    const addresses = [
      payee.address(),
      payee.address({ major: 0, minor: 1 }),
      payee.address({ major: 0, minor: 2 }),
      payee.address({ major: 1, minor: 0 }),
      payer.address(),
    ];
    const payees = Array.from({ length: 15 }, (_, i) =>
      pay(addresses[i % 5] ?? payee.address(), BigInt(i + 1) * 1000n),
    );
    const signed = await transfer({ payees });
    expect(signed.additionalSecretKeys).toHaveLength(16);
    await mine();
    expect(received(payee, signed)).toEqual(
      [1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14].map((n) => BigInt(n) * 1000n),
    );
    expect(received(payer, signed)).toEqual([5000n, 10_000n, 15_000n, signed.change]);
  });

  it('a payment from several inputs', async () => {
    const unspent = await spendableNow(payer);
    const largest = unspent.reduce((most, output) => (output.amount > most ? output.amount : most), 0n);
    const signed = await transfer({ payees: [pay(payee.address(), largest * 3n)] });
    expect(signed.keyImages.length).toBeGreaterThanOrEqual(4);
    await mine();
    expect(received(payee, signed)).toEqual([largest * 3n]);
  });

  it('a payment whose fee the destination pays', async () => {
    const signed = await transfer({
      payees: [pay(payee.address(), COIN), pay(payee.address({ major: 0, minor: 1 }), COIN)],
      feeFrom: [1],
    });
    await mine();
    expect(received(payee, signed)).toEqual([COIN - signed.fee, COIN]);
  });

  it('a payment split into two transactions at the limit of sixteen outputs', async () => {
    const payees = Array.from({ length: 20 }, (_, i) => pay(payee.address(), BigInt(i + 1)));
    const request = { account: 0, priority: 1, unlockTime: 0n, payees };
    const planned = planTransfers(request, purseOf(await spendableNow(payer)), rates, rng);
    expect(planned.map((share) => share.payees.length)).toEqual([15, 5]);
    const signed: SignedTx[] = [];
    for (const share of planned) signed.push(await build(share));
    for (const tx of signed) await expectInPool(tx);
    await mine();
    expect(signed.flatMap((tx) => received(payee, tx))).toEqual(payees.map((one) => one.amount));
  });

  it('a sweep of outputs of subaddresses, split in three', async () => {
    await daemon.generate(payer.addressText(), 10);
    await payer.scan(daemon);
    await payee.scan(daemon);
    const outputs = (await spendableNow(payee)).filter((output) => output.amount > COIN / 2n);
    expect(outputs.length).toBeGreaterThanOrEqual(5);
    const held = outputs.reduce((total, output) => total + output.amount, 0n);
    const address = payer.address({ major: 2, minor: 1 });
    const request = { account: 0, unlockTime: 0n, address, text: '', outputs: 3, priority: 1 };
    const [only] = planSweep(request, outputs, rates, rng);
    if (only === undefined) throw new Error('no transaction was planned');
    const signed = await build(only, payee);
    expect(signed.change).toBe(0n);
    await expectInPool(signed);
    await mine();
    const parts = received(payer, signed);
    expect(parts).toHaveLength(3);
    expect(parts.reduce((total, part) => total + part, 0n)).toBe(held - signed.fee);
    expect((parts[2] ?? 0n) - (parts[0] ?? 0n)).toBeLessThanOrEqual(2n);
  });

  it('a sweep of one output, with a dummy output of amount 0', async () => {
    const [output] = await spendableNow(payer);
    if (output === undefined) throw new Error('nothing to sweep');
    const address = payee.address({ major: 2, minor: 1 });
    const request = { account: 0, unlockTime: 0n, address, text: '', outputs: 1, priority: 1 };
    const [only] = planSweep(request, [output], rates, rng);
    if (only === undefined) throw new Error('no transaction was planned');
    const signed = await build(only);
    expect(parseTransaction(signed.blob).prefix.outputs).toHaveLength(2);
    expect(signed.additionalSecretKeys).toEqual([]);
    await expectInPool(signed);
    await mine();
    expect(received(payee, signed)).toEqual([output.amount - signed.fee]);
  });
});

describe('a real daemon refuses', () => {
  it('the same inputs a second time', async () => {
    const signed = await transfer({ payees: [pay(payee.address(), 7n)] });
    await mine();
    const reply = await daemon.plain('/send_raw_transaction', { tx_as_hex: toHex(signed.blob) });
    expect(reply).toMatchObject({ status: 'OK' });
    const again = Uint8Array.from(signed.blob);
    again[again.length - 100] = (again[again.length - 100] ?? 0) ^ 1;
    const changed = await daemon.plain('/send_raw_transaction', { tx_as_hex: toHex(again) });
    expect(changed).toMatchObject({ status: 'Failed' });
  });
});
