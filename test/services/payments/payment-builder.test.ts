import { describe, expect, it, test } from '@jest/globals';
import { isPoint } from '../../../src/monero/crypto/curve/points.js';
import { keccak } from '../../../src/monero/crypto/keccak.js';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { feeOfWeight } from '../../../src/monero/cryptonote/fees.js';
import { parseTransaction, transactionHash } from '../../../src/monero/cryptonote/transaction.js';
import type { RingCandidate } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { amountsBalance } from '../../../src/monero/ringct/commitment.js';
import { assertFee, PaymentBuilder, type Built } from '../../../src/services/payments/payment-builder.js';
import { PaymentPlanner } from '../../../src/services/payments/payment-planner.js';
import { amount } from '../../../src/util/amount.js';
import { keyImagesOf } from '../../../src/monero/wallet/exchange/pending-tx.js';
import type { SignedTx } from '../../../src/monero/wallet/build/signing.js';
import type { OwnedOutput } from '../../../src/monero/wallet/model/records.js';
import { sameAddress } from '../../../src/monero/wallet/select/transfer-request.js';
import { groupWallets } from '../../support/group-wallets.js';
import { FEES, paidOutput, payingWallet, type PayingWallet } from '../../support/paid-outputs.js';
import { seededRng } from '../../support/seeded-rng.js';
import { fault } from '../../support/service-wallet.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';
import { page } from '../../store/fixtures.js';

const rng = seededRng('payment builder');
const owner = holder(rng);
const stranger = holder(rng);
const prices = { rates: FEES, priority: 1 };
const terms = { account: 0, unlockTime: 0n };
/** Above the fee of any transaction with few inputs at the lowest rate. */
const FEE = 100_000_000n;

/** Bytes that are no point, others for each index. */
function noPoint(index: number): PublicKey {
  const bytes = new Uint8Array(32);
  do bytes.set(keccak(bytes, Uint8Array.of(index)));
  while (isPoint(bytes));
  return bytes as PublicKey;
}

/** Changes the outputs that the daemon sends. @returns a function that counts the requests for them. */
function altering(
  wallet: PayingWallet['wallet'],
  change: (output: RingCandidate, index: number) => RingCandidate,
): () => number {
  const { getOutputs } = wallet.answers;
  let calls = 0;
  wallet.answers = {
    ...wallet.answers,
    getOutputs: async (indices) => {
      calls += 1;
      const sent = (await getOutputs?.(indices)) ?? [];
      return sent.map((output, i) => change(output, indices[i] ?? 0));
    },
  };
  return () => calls;
}

const funded = (inputs: readonly OwnedOutput[], value = COIN, fee = FEE) => ({
  ...{ payees: [payeeOf(stranger.address(), value)], inputs, fee: amount(fee), feeFrom: [] },
});

/** A wallet with these outputs of two coins, and the builder of its payments. */
function builderOf(count: number, options: Parameters<typeof payingWallet>[2] = {}) {
  const paying = payingWallet(owner, Array<bigint>(count).fill(2n * COIN), options);
  return { ...paying, builder: new PaymentBuilder(paying.wallet, paying.wallet) };
}

async function drafted(count: number, options: Parameters<typeof payingWallet>[2] = {}) {
  const made = builderOf(count, options);
  const [draft] = await made.builder.draft([funded(made.outputs)], terms, prices);
  if (draft === undefined) throw new Error('a draft');
  return { ...made, draft };
}

describe('the spendable outputs of an account', () => {
  it('leave out other accounts, and outputs that are locked, frozen or spent', () => {
    const cases: Partial<OwnedOutput>[] = [
      {},
      { subaddress: { major: 1, minor: 0 } },
      { unlockTime: 1000n },
      { unlockTime: 1_700_000_500n },
      { unlockTime: 1_700_000_100n },
      {},
      { height: 111 },
      { height: 110 },
      { rct: false },
    ];
    const { wallet, outputs } = builderOf(cases.length, { facts: (place) => cases[place] ?? {} });
    const planner = new PaymentPlanner(wallet);
    const [spent, , , , , frozen] = outputs;
    if (spent === undefined || frozen === undefined) throw new Error('outputs');
    wallet.store.write((w) => w.outputs.setFrozen(frozen, true));
    // Of these nine: the first, a time lock that is about to open, and the one that has just come of age.
    const heights = planner
      .spendableOutputs(0, [])
      .coins(0, 0n)
      .map(({ height }) => height);
    expect(heights.sort((a, b) => a - b)).toEqual([1, 5, 110]);
    wallet.time += 500;
    wallet.store.write((w) => w.outputs.reserve([spent], new Uint8Array(32).fill(1) as Hash));
    expect(planner.spendableOutputs(0, []).funds(0n).available).toBe(6n * COIN);
    expect(planner.spendableOutputs(1, []).funds(0n).available).toBe(2n * COIN);
  });

  it('belong to the addresses that are named', () => {
    const { wallet } = builderOf(3, { facts: (minor) => ({ subaddress: { major: 0, minor } }) });
    const planner = new PaymentPlanner(wallet);
    expect(
      planner
        .spendableOutputs(0, [0, 2])
        .funds(0n)
        .addresses.map(({ minor }) => minor),
    ).toEqual([0, 2]);
    expect(planner.spendableOutputs(0, [9]).funds(0n).available).toBe(0n);
  });

  test.each([
    ['counts for a view-only wallet: another wallet signs', true, 2n * COIN],
    ['does not count for the wallet that signs', false, 0n],
  ])('an output without its key image %s', (_, viewOnly, available) => {
    const { wallet } = payingWallet(owner, [], { viewOnly });
    const { keyImage, ...blind } = paidOutput(owner, 2n * COIN, 119, rng);
    expect(keyImage).toHaveLength(32);
    wallet.receive([{ ...blind, height: 120 }], 140);
    expect(new PaymentPlanner(wallet).spendableOutputs(0, []).funds(0n).available).toBe(available);
  });
});

describe('a draft', () => {
  it('gives each input a ring of sixteen that holds its output', async () => {
    const { draft, outputs } = await drafted(2);
    expect(draft.share.inputs).toEqual(outputs);
    draft.rings.forEach(({ members, realIndex }, i) => {
      expect(new Set(members.map(({ globalIndex }) => globalIndex)).size).toBe(16);
      expect(members[realIndex]?.publicKey).toEqual(outputs[i]?.publicKey);
    });
  });

  it('of nothing is empty', async () => {
    expect(await builderOf(0).builder.draft([], terms, prices)).toEqual([]);
  });

  it('is refused above a fee of one coin, before the daemon is asked', async () => {
    const { builder, outputs, wallet } = builderOf(1);
    wallet.answers = {};
    await expect(builder.draft([funded(outputs, COIN, COIN + 1n)], terms, prices)).rejects.toMatchObject(
      fault({ kind: 'fee_too_high', fee: COIN + 1n, ceiling: COIN }),
    );
    expect(() => assertFee(amount(COIN))).not.toThrow();
  });

  it('is refused once a reorganisation has taken an input', async () => {
    const { builder, outputs, wallet } = builderOf(1);
    wallet.store.write((w) => w.applyPage(page(1, 1)));
    await expect(builder.draft([funded(outputs)], terms, prices)).rejects.toMatchObject(
      fault({
        kind: 'transfer_failed',
        reason: 'a reorganisation removed an output that it spends from the chain',
      }),
    );
  });

  it('is refused where the daemon sends another key for an output of the wallet', async () => {
    const { builder, outputs, wallet } = builderOf(1);
    altering(wallet, (one) => ({ ...one, publicKey: stranger.spendPublicKey }));
    await expect(builder.draft([funded(outputs)], terms, prices)).rejects.toMatchObject({
      fault: { kind: 'daemon_misbehaves' },
    });
  });

  it('fails with the error of the daemon', async () => {
    const { builder, outputs, wallet } = builderOf(1);
    const error = new DaemonError('busy', 'the daemon is syncing');
    wallet.answers = { ...wallet.answers, getOutputs: () => Promise.reject(error) };
    await expect(builder.draft([funded(outputs)], terms, prices)).rejects.toBe(error);
  });
});

describe('signing a draft', () => {
  it('makes a balanced transaction of its inputs, at the fee that its weight asks for', async () => {
    const { builder, draft, outputs, wallet } = await drafted(2);
    const { tx: signed } = await builder.sign(draft);
    const tx = parseTransaction(signed.blob);
    expect(transactionHash(tx)).toEqual(signed.hash);
    const hex = (images: readonly (KeyImage | undefined)[]) => images.map(String).sort();
    expect(hex(keyImagesOf(tx))).toEqual(hex(outputs.map(({ keyImage }) => keyImage)));
    expect(signed.fee).toBe(feeOfWeight(signed.weight, FEES.perByte[0] ?? 0n, FEES));
    expect(signed.change).toBe(4n * COIN - COIN - signed.fee);
    const { base, prunable } = tx.rct ?? {};
    expect(base && amountsBalance(prunable?.pseudoOuts ?? [], base.outPk, base.fee)).toBe(true);
    // The keys of the wallet are as they were: the thread gets copies.
    expect(wallet.keystore.keys.spendSecret?.expose()).toEqual(owner.spendSecret);
    expect(wallet.keystore.keys.viewSecret.expose()).toEqual(owner.viewSecret);
  });

  test.each([
    ['before it is built', 2],
    ['while it is built', 6],
  ])('replaces decoys that are no usable points, %s, by fetched candidates', async (_, count) => {
    const { builder, outputs, wallet } = builderOf(count);
    // The newer outputs of this chain have no points as keys.
    const calls = altering(wallet, (one, index) =>
      index > 70 ? { ...one, publicKey: noPoint(index) } : one,
    );
    const [draft] = await builder.draft([funded(outputs)], terms, prices);
    if (draft === undefined) throw new Error('a draft');
    const membersOf = ({ rings }: typeof draft) =>
      rings.flatMap(({ members }) => members.map(({ globalIndex }) => globalIndex));
    expect(Math.max(...membersOf(draft))).toBeGreaterThan(70);
    const built = [await builder.sign(draft), await builder.buildUnsigned(draft)];
    for (const { draft: usable } of built) expect(Math.max(...membersOf(usable))).toBeLessThanOrEqual(70);
    expect(calls()).toBe(1);
    const [signed] = built as [Built<SignedTx>, unknown];
    const { inputs } = parseTransaction(signed.tx.blob).prefix;
    const offsets = inputs.flatMap((input) => (input.type === 'key' ? [input.keyOffsets] : []));
    const ends = offsets.map((each) => each.reduce((sum, offset) => sum + offset, 0n));
    expect(ends).toHaveLength(count);
    for (const end of ends) expect(end).toBeLessThanOrEqual(70n);
  });

  test.each([1, 6])('of %i inputs is refused where too few decoys are usable', async (count) => {
    const { builder, outputs, wallet } = builderOf(count);
    altering(wallet, (one, index) =>
      outputs.some(({ globalIndex }) => globalIndex === index) ? one : { ...one, publicKey: noPoint(index) },
    );
    const [draft] = await builder.draft([funded(outputs)], terms, prices);
    if (draft === undefined) throw new Error('a draft');
    await expect(builder.sign(draft)).rejects.toMatchObject({ fault: { kind: 'not_enough_ring_members' } });
  });

  it('makes as many change outputs as the plan has', async () => {
    const { builder, draft } = await drafted(2);
    const share = { ...draft.share, changeSplit: { outputs: 5, least: 1n } };
    const [signed, laidOut] = [
      await builder.sign({ ...draft, share }),
      await builder.buildUnsigned({ ...draft, share }),
    ];
    for (const { targets, change, fee } of [signed.tx, laidOut.tx]) {
      const parts = targets.filter(({ address }) => sameAddress(address, owner.address()));
      expect(parts).toHaveLength(5);
      expect(parts.reduce((total, part) => total + part.amount, 0n)).toBe(change);
      expect(change).toBe(3n * COIN - fee);
    }
  });

  it('takes as much weight and fee as laying it out without a spend key', async () => {
    const { builder, draft } = await drafted(2, { viewOnly: true });
    const { tx: laidOut } = await builder.buildUnsigned(draft);
    const own = await drafted(2);
    const {
      tx: { weight, fee, change },
    } = await own.builder.sign(own.draft);
    // Ring offsets differ by a byte or two each.
    expect(Math.abs(laidOut.weight - weight)).toBeLessThan(32 * 2);
    expect(laidOut.fee + laidOut.change).toBe(fee + change);
  });

  it('is refused in a view-only wallet', async () => {
    const { builder, draft } = await drafted(1, { viewOnly: true });
    await expect(builder.sign(draft)).rejects.toMatchObject(fault({ kind: 'view_only' }));
  });

  it('is refused where the inputs do not cover the payment', async () => {
    const { builder, draft } = await drafted(1);
    const share = { ...draft.share, payees: [payeeOf(stranger.address(), 2n * COIN)] };
    for (const made of [builder.sign({ ...draft, share }), builder.buildUnsigned({ ...draft, share })])
      await expect(made).rejects.toMatchObject({
        fault: { kind: 'transfer_failed', reason: expect.stringMatching(/./) },
        cause: { name: 'SigningProblem' },
      });
  });

  it('is refused above a fee of one coin, however the rates came to be', async () => {
    const { builder, draft } = await drafted(1);
    const share = { ...draft.share, payees: [payeeOf(stranger.address(), 1n)] };
    const rates = { ...FEES, perByte: [900_000_000n, 0n, 0n, 0n] };
    await expect(builder.sign({ ...draft, share, prices: { rates, priority: 1 } })).rejects.toMatchObject({
      fault: { kind: 'fee_too_high', ceiling: COIN },
    });
  });
});

describe('a proposal to the other signers', () => {
  it('is refused in a wallet of one owner', async () => {
    const { builder, draft } = await drafted(1);
    await expect(builder.propose(draft)).rejects.toMatchObject(fault({ kind: 'not_multisig' }));
  });

  it('needs fresh info of other signers about its inputs', async () => {
    const { wallets, outputs } = groupWallets(2, 2, [2n * COIN], rng);
    const [wallet] = wallets;
    const [output] = outputs;
    if (wallet === undefined || output === undefined) throw new Error('a group');
    const keyImage = owner.spendPublicKey as Uint8Array as KeyImage;
    wallet.store.write((w) => w.outputs.setKeyImage(output.publicKey, keyImage));
    const builder = new PaymentBuilder(wallet, wallet);
    const [draft] = await builder.draft([funded([{ ...output, keyImage }])], terms, prices);
    if (draft === undefined) throw new Error('a draft');
    await expect(builder.propose(draft)).rejects.toMatchObject(fault({ kind: 'multisig_import_needed' }));
  });
});
