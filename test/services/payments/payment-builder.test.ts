import { describe, expect, it, jest, test } from '@jest/globals';
import { isPoint } from '../../../src/monero/crypto/curve/points.js';
import { keccak } from '../../../src/monero/crypto/keccak.js';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { feeOfWeight } from '../../../src/monero/wallet/select/fees.js';
import { parseTransaction, transactionHash } from '../../../src/monero/cryptonote/transaction.js';
import type { RingCandidate } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { amountsBalance } from '../../../src/monero/ringct/commitment.js';
import { PaymentBuilder, type Built } from '../../../src/services/payments/payment-builder.js';
import { assertFee } from '../../../src/services/payments/fee-estimator.js';
import { PaymentPlanner } from '../../../src/services/payments/payment-planner.js';
import { amount } from '../../../src/util/amount.js';
import { keyImagesOf } from '../../../src/monero/wallet/exchange/pending-tx.js';
import type { SignedTx } from '../../../src/monero/wallet/build/signing.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { sameAddress } from '../../../src/monero/wallet/select/transfer-request.js';
import { exchangeInfo, GroupMember, groupWallets } from '../../support/wallets/group-wallets.js';
import { FEES, paidOutput, payingWallet, type PayingWallet } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';
import { page, unnamed } from '../../store/fixtures.js';

const rng = seededRng('payment builder');
const owner = holder(rng);
const stranger = holder(rng);
const terms = { account: 0, unlockTime: 0n, prices: { rates: FEES, priority: 1 } };
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
  ...terms,
  ...{ payees: [payeeOf(stranger.address(), value)], inputs, fee: amount(fee), feeFrom: [] },
});

/** A wallet with these outputs of two coins, and the builder of its payments. */
function builderOf(count: number, options: Parameters<typeof payingWallet>[2] = {}) {
  const paying = payingWallet(owner, Array<bigint>(count).fill(2n * COIN), options);
  return { ...paying, builder: new PaymentBuilder(paying.wallet, paying.wallet) };
}

async function drafted(count: number, options: Parameters<typeof payingWallet>[2] = {}) {
  const made = builderOf(count, options);
  const [draft] = await made.builder.draft([funded(made.outputs)]);
  if (draft === undefined) throw new Error('a draft');
  return { ...made, draft };
}

/** Plan in a task of a thread. */
interface ThreadPlan {
  readonly viewSecret: Uint8Array;
  readonly inputs: readonly { readonly secretKey?: Uint8Array }[];
}

const secretsOf = ({ viewSecret, inputs }: ThreadPlan): Uint8Array[] => [
  viewSecret,
  ...inputs.flatMap(({ secretKey }) => secretKey ?? []),
];

/** Observes the secrets in the plans that a wallet sends to threads. */
function plansSent({ workers: { multisig, signing } }: PayingWallet['wallet']) {
  const secrets: Uint8Array[] = [];
  /** The secrets as they were when they were sent. */
  const sent: Uint8Array[] = [];
  for (const pool of [signing, multisig] as { run(job: string, input: unknown): Promise<unknown> }[]) {
    const run = pool.run.bind(pool);
    jest.spyOn(pool, 'run').mockImplementation((job, input) => {
      if (job === 'unusableDecoys') return run(job, input);
      const found = secretsOf((input as { readonly plan: ThreadPlan }).plan);
      secrets.push(...found);
      sent.push(...found.map((secret) => Uint8Array.from(secret)));
      return run(job, input);
    });
  }
  return { secrets, sent };
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
    expect(draft.inputs).toEqual(outputs);
    draft.rings.forEach(({ members, realIndex }, i) => {
      expect(new Set(members.map(({ globalIndex }) => globalIndex)).size).toBe(16);
      expect(members[realIndex]?.publicKey).toEqual(outputs[i]?.publicKey);
    });
  });

  it('of nothing is empty', async () => {
    expect(await builderOf(0).builder.draft([])).toEqual([]);
  });

  it('is refused above a fee of one coin, before the daemon is asked', async () => {
    const { builder, outputs, wallet } = builderOf(1);
    wallet.answers = {};
    await expect(builder.draft([funded(outputs, COIN, COIN + 1n)])).rejects.toMatchObject(
      fault({ kind: 'fee_too_high', fee: COIN + 1n, ceiling: COIN }),
    );
    expect(() => assertFee(amount(COIN))).not.toThrow();
  });

  it('is refused once a reorganisation has taken an input', async () => {
    const { builder, outputs, wallet } = builderOf(1);
    wallet.store.write((w) => w.applyPage(page(1, 1)));
    await expect(builder.draft([funded(outputs)])).rejects.toMatchObject(
      fault({
        kind: 'transfer_failed',
        reason: 'a reorganisation removed an output that it spends from the chain',
      }),
    );
  });

  it('is refused where the daemon sends another key for an output of the wallet', async () => {
    const { builder, outputs, wallet } = builderOf(1);
    altering(wallet, (one) => ({ ...one, publicKey: stranger.spendPublicKey }));
    await expect(builder.draft([funded(outputs)])).rejects.toMatchObject(
      fault({ kind: 'daemon_misbehaves' }),
    );
  });

  it('takes the distribution of outputs that its caller has requested', async () => {
    const { builder, outputs, wallet } = builderOf(1);
    const distribution = builder.outputDistribution();
    await distribution;
    const { getOutputs } = wallet.answers;
    wallet.answers = getOutputs === undefined ? {} : { getOutputs };
    const [draft] = await builder.draft([funded(outputs)], distribution);
    expect(draft?.rings).toHaveLength(1);
    await expect(builder.draft([funded(outputs)])).rejects.toMatchObject({
      message: 'no answer to getOutputDistribution',
    });
  });

  it('fails with the error of the daemon', async () => {
    const { builder, outputs, wallet } = builderOf(1);
    const error = new DaemonError('busy', 'the daemon is syncing');
    wallet.answers = { ...wallet.answers, getOutputs: () => Promise.reject(error) };
    await expect(builder.draft([funded(outputs)])).rejects.toBe(error);
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
    const [draft] = await builder.draft([funded(outputs)]);
    if (draft === undefined) throw new Error('a draft');
    const membersOf = ({ rings }: typeof draft) =>
      rings.flatMap(({ members }) => members.map(({ globalIndex }) => globalIndex));
    expect(Math.max(...membersOf(draft))).toBeGreaterThan(70);
    const { signing } = wallet.workers;
    const run = jest.spyOn(signing, 'run');
    const built = [await builder.sign(draft), await builder.buildUnsigned(draft)];
    // Of each: the decoys are checked, then their other candidates; more than four inputs are built once in vain.
    expect(run.mock.calls.map(([job]) => job).sort()).toEqual([
      ...Array<string>(count > 4 ? 2 : 1).fill('build'),
      ...Array<string>(count > 4 ? 2 : 1).fill('buildUnsigned'),
      ...Array<string>(4).fill('unusableDecoys'),
    ]);
    for (const { draft: usable } of built) expect(Math.max(...membersOf(usable))).toBeLessThanOrEqual(70);
    expect(calls()).toBe(1);
    const [signed] = built as [Built<SignedTx>, unknown];
    const { inputs } = parseTransaction(signed.tx.blob).prefix;
    const offsets = inputs.flatMap((input) => (input.type === 'key' ? [input.keyOffsets] : []));
    const ends = offsets.map((each) => each.reduce((sum, offset) => sum + offset, 0n));
    expect(ends).toHaveLength(count);
    for (const end of ends) expect(end).toBeLessThanOrEqual(70n);
  });

  test.each([1, 6])('of %i inputs replaces a single decoy that is no usable point', async (count) => {
    const { builder, draft } = await drafted(count);
    const [first, ...others] = draft.rings;
    const decoy = first?.members.find((_, i) => i !== first.realIndex)?.globalIndex ?? 0;
    const members = first?.members.map((member) =>
      member.globalIndex === decoy ? { ...member, publicKey: noPoint(decoy) } : member,
    );
    const rings = [{ members: members ?? [], realIndex: first?.realIndex ?? 0 }, ...others];
    const { draft: usable, tx } = await builder.buildUnsigned({ ...draft, rings });
    expect(usable.rings[0]?.members.map(({ globalIndex }) => globalIndex)).not.toContain(decoy);
    expect(parseTransaction(tx.blob).prefix.inputs).toHaveLength(count);
  });

  test.each([
    [1, 1],
    [4, 1],
    [5, 2],
  ])('of %i inputs occupies at most %i threads at once', async (count, threads) => {
    const { builder, draft, wallet } = await drafted(count);
    const { signing } = wallet.workers;
    const run = signing.run.bind(signing);
    let running = 0;
    let most = 0;
    jest.spyOn(signing, 'run').mockImplementation(async (...task) => {
      most = Math.max(most, ++running);
      try {
        return await run(...task);
      } finally {
        running--;
      }
    });
    await builder.buildUnsigned(draft);
    expect(most).toBe(threads);
  });

  test.each([1, 6])('of %i inputs fails where the decoys cannot be checked', async (count) => {
    const { builder, draft, wallet } = await drafted(count);
    const { signing } = wallet.workers;
    const run = signing.run.bind(signing);
    const error = new Error('a thread has ended');
    jest
      .spyOn(signing, 'run')
      .mockImplementation((...task) => (task[0] === 'unusableDecoys' ? Promise.reject(error) : run(...task)));
    await expect(builder.sign(draft)).rejects.toBe(error);
  });

  test.each([1, 6])('of %i inputs is refused where too few decoys are usable', async (count) => {
    const { builder, outputs, wallet } = builderOf(count);
    altering(wallet, (one, index) =>
      outputs.some(({ globalIndex }) => globalIndex === index) ? one : { ...one, publicKey: noPoint(index) },
    );
    const [draft] = await builder.draft([funded(outputs)]);
    if (draft === undefined) throw new Error('a draft');
    await expect(builder.sign(draft)).rejects.toMatchObject({ fault: { kind: 'not_enough_ring_members' } });
  });

  it('makes as many change outputs as the plan has', async () => {
    const { builder, draft } = await drafted(2);
    const share = { changeSplit: { outputs: 5, least: 1n } };
    const [signed, laidOut] = [
      await builder.sign({ ...draft, ...share }),
      await builder.buildUnsigned({ ...draft, ...share }),
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

  test.each([1, 6])('of %i inputs is refused in a view-only wallet', async (count) => {
    const { builder, draft } = await drafted(count, { viewOnly: true });
    await expect(builder.sign(draft)).rejects.toMatchObject(fault({ kind: 'view_only' }));
  });

  it('is refused for an input without its key image', async () => {
    const { builder, draft } = await drafted(2);
    const inputs = draft.inputs.map((input, i) => (i === 0 ? input : unnamed(input)));
    await expect(builder.sign({ ...draft, inputs })).rejects.toMatchObject(fault({ kind: 'view_only' }));
  });

  it('is refused for an input without a ring', async () => {
    const { builder, draft } = await drafted(2);
    const rings = draft.rings.slice(0, 1);
    await expect(builder.sign({ ...draft, rings })).rejects.toThrow('an input without a ring');
  });

  it('leaves no copy of the view key behind, whether it succeeds or not', async () => {
    const { builder, draft, wallet } = await drafted(1);
    const { secrets, sent } = plansSent(wallet);
    await builder.sign(draft);
    await builder.buildUnsigned(draft);
    const share = { payees: [payeeOf(stranger.address(), 2n * COIN)] };
    await expect(builder.sign({ ...draft, ...share })).rejects.toMatchObject({
      fault: { kind: 'transfer_failed' },
    });
    const ownViewKey = Uint8Array.from(owner.viewSecret);
    // A transaction that is laid out without a spend key has zeros for the secret key of its input.
    expect(sent).toEqual([ownViewKey, ownViewKey, new Uint8Array(32), ownViewKey]);
    for (const secret of secrets) expect(secret).toEqual(new Uint8Array(32));
  });

  it('is refused where the inputs do not cover the payment', async () => {
    const { builder, draft } = await drafted(1);
    const share = { payees: [payeeOf(stranger.address(), 2n * COIN)] };
    for (const made of [builder.sign({ ...draft, ...share }), builder.buildUnsigned({ ...draft, ...share })])
      await expect(made).rejects.toMatchObject({
        fault: { kind: 'transfer_failed', reason: expect.stringMatching(/./) },
        cause: { name: 'SigningProblem' },
      });
  });

  it('is refused above a fee of one coin, however the rates came to be', async () => {
    const { builder, draft } = await drafted(1);
    const share = { payees: [payeeOf(stranger.address(), 1n)] };
    const rates = { ...FEES, perByte: [900_000_000n, 0n, 0n, 0n] };
    await expect(builder.sign({ ...draft, ...share, prices: { rates, priority: 1 } })).rejects.toMatchObject({
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
    const [draft] = await builder.draft([funded([{ ...output, keyImage }])]);
    if (draft === undefined) throw new Error('a draft');
    await expect(builder.propose(draft)).rejects.toMatchObject(fault({ kind: 'multisig_import_needed' }));
  });

  it('leaves no copy of the shares of its secret keys behind', async () => {
    const { wallets } = groupWallets(2, 2, [2n * COIN], rng);
    const members = wallets.map((wallet) => new GroupMember(wallet));
    const [member] = members;
    if (member === undefined) throw new Error('a group');
    await exchangeInfo(members);
    const { secrets, sent } = plansSent(member.wallet);
    await member.propose({ ...payeeOf(stranger.address(), COIN), text: formatAddress(stranger.address()) });
    // The view key, and the share of the key of one input.
    expect(sent).toHaveLength(2);
    expect(sent[0]).toEqual(member.wallet.keystore.keys.viewSecret.expose());
    expect(sent[1]).not.toEqual(new Uint8Array(32));
    for (const secret of secrets) expect(secret).toEqual(new Uint8Array(32));
  });
});
