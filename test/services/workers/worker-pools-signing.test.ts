import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { parseTransaction, transactionHash } from '../../../src/monero/cryptonote/transaction.js';
import { createSigningPool, SigningProblem } from '../../../src/services/workers/worker-pools.js';
import { amount } from '../../../src/util/amount.js';
import type { OwnPlan } from '../../../src/monero/wallet/build/signing.js';
import { assembleRings, decoysOf, type Ring } from '../../../src/monero/wallet/select/decoys.js';
import { FEES, paidOutput, ringAnswers } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { COIN, holder } from '../../monero/wallet/fixtures.js';

const rng = seededRng('signing pool');
const owner = holder(rng);
const stranger = holder(rng);
const pool = createSigningPool();
afterAll(() => pool.close());

const output = paidOutput(owner, 2n * COIN, 20, rng);
const indices = Array.from({ length: 25 }, (_, i) => i + 5);
let ring: Ring;

beforeAll(async () => {
  const fetched = (await ringAnswers([output], 120).getOutputs?.(indices)) ?? [];
  const { globalIndex, publicKey, amount: value, mask } = output;
  const real = { globalIndex, publicKey, amount: value, mask };
  [ring] = assembleRings([{ real, candidates: { indices, picked: indices }, fetched }]) as [Ring];
});

const planOf = (value: bigint): OwnPlan => {
  const { keyImage, derivationKey, outputIndex, subaddress, mask } = output;
  if (keyImage === undefined) throw new Error('a key image');
  return {
    inputs: [{ ring, keyImage, amount: output.amount, mask, derivationKey, outputIndex, subaddress }],
    payees: [{ address: stranger.address(), amount: amount(value) }],
    changeAddress: owner.address(),
    fee: amount(0n),
    unlockTime: 0n,
    viewSecret: Uint8Array.from(owner.viewSecret) as SecretKey,
    spendSecret: Uint8Array.from(owner.spendSecret) as SecretKey,
  };
};
const priced = (plan: OwnPlan) => ({ plan, rate: 20_000n, rates: FEES });

describe('the signing threads', () => {
  it('find the decoys that are no points', async () => {
    const decoys = decoysOf([ring]);
    expect(await pool.run('unusableDecoys', decoys)).toEqual([]);
    const spoiled = decoys.map((decoy, i) =>
      i === 3 ? { ...decoy, publicKey: new Uint8Array(32).fill(2) as PublicKey } : decoy,
    );
    expect(await pool.run('unusableDecoys', spoiled)).toEqual([decoys[3]?.globalIndex]);
  });

  it('build a signed transaction, and take the spend key with them', async () => {
    const plan = planOf(COIN);
    const signed = await pool.run('build', priced(plan), [plan.spendSecret]);
    expect(transactionHash(parseTransaction(signed.blob))).toEqual(signed.hash);
    expect(signed.change).toBe(COIN - signed.fee);
    expect([plan.spendSecret.length, plan.viewSecret.length]).toEqual([0, 32]);
  });

  it('lay out a transaction of the same weight and fee without a spend key', async () => {
    const { spendSecret, inputs, ...rest } = planOf(COIN);
    const laidOut = await pool.run('buildUnsigned', {
      ...priced({ ...rest, inputs, spendSecret }),
      plan: {
        ...rest,
        inputs: inputs.map((input) => ({ ...input, secretKey: new Uint8Array(32) as SecretKey })),
      },
    });
    const signed = await pool.run('build', priced(planOf(COIN)));
    expect([laidOut.weight, laidOut.fee, laidOut.change]).toEqual([signed.weight, signed.fee, signed.change]);
  });

  it('name the reason for which a transaction cannot be signed', async () => {
    const failed = pool.run('build', priced(planOf(2n * COIN)));
    await expect(failed).rejects.toBeInstanceOf(SigningProblem);
    await expect(failed).rejects.toThrow(/./);
  });

  it('pass on a fault of the caller', async () => {
    const plan = { ...planOf(1n), feeFrom: [0] };
    await expect(pool.run('build', priced(plan))).rejects.toMatchObject({
      name: 'WalletError',
      fault: { kind: 'tx_not_possible' },
    });
  });

  it('sign nothing for inputs of another wallet', async () => {
    const plan = { ...planOf(COIN), spendSecret: Uint8Array.from(stranger.spendSecret) as SecretKey };
    await expect(pool.run('build', priced(plan))).rejects.toBeInstanceOf(SigningProblem);
  });
});
