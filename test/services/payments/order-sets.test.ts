import { beforeEach, describe, expect, it } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { ColdSigning, sealUnsigned } from '../../../src/services/cold/cold-signing.js';
import { sealMultisig } from '../../../src/services/multisig/multisig-signing.js';
import type { OrderState } from '../../../src/model/order.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import type { MadePayments } from '../../../src/model/made-payment.js';
import { faultOf as faultIn } from '../../../src/model/wallet-error.js';
import { ColdWallet } from '../../support/wallets/cold-pair.js';
import { exchangeInfo, GroupMember, groupWallets } from '../../support/wallets/group-wallets.js';
import { OrderHome, paymentRequest } from '../../support/wallets/order-home.js';
import { networkTx, OrderNetwork, type NetworkTx } from '../../support/wallets/order-network.js';
import { CHAIN_HEIGHT, paidOutput, ringAnswers } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { COIN, holder } from '../../monero/wallet/fixtures.js';

const rng = seededRng('order sets');
const owner = holder(rng);
const ADDRESS = formatAddress(holder(rng).address());
const OTHER = formatAddress(holder(rng).address());

let network: OrderNetwork;
let home: OrderHome;

const stateOf = (key: string): OrderState | undefined => home.orders.find(key)?.state;

interface Asked {
  readonly value?: bigint;
  readonly address?: string;
  readonly retryFailed?: boolean;
  /** Number of destinations. */
  readonly count?: number;
}

/** Places an order, or pays without a key. */
function place(
  key: string | undefined,
  { value = COIN, address = ADDRESS, retryFailed = false, count = 1 }: Asked = {},
): Promise<MadePayments> {
  const payees = Array.from({ length: count }, () => ({ address, amount: amount(value) }));
  const request = paymentRequest(address, value, { payees, split: count > 1 });
  const { orders, transfers } = home;
  const requestHash = new Uint8Array(32) as Hash;
  const terms = key && { key, method: 'transfer', requestHash, retryFailed, withBlobs: false };
  return orders.place(terms || undefined, {
    pay: (order) => transfers.pay({ ...request, ...(order && { order }) }),
    payAgain: (order, failed) => transfers.payAgain({ ...request, order }, failed),
  });
}

const faultOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => faultIn(error) ?? error,
  );

const recorded = () =>
  home.wallet.store.read((r) => r.outgoing.list({ states: ['prepared', 'pending', 'failed', 'confirmed'] }));

const mineBlocks = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) network.mine([]);
  await home.refresh();
};

describe('an order of a view-only wallet', () => {
  let watch: ServiceWallet;
  let signer: ColdWallet;
  let cold: ColdSigning;

  function build(values: readonly bigint[], isBlind = false): void {
    const outputs = values.map((value, i) => paidOutput(owner, value, i + 1, rng));
    watch = new ServiceWallet(ownKeys(owner, true));
    network = new OrderNetwork(outputs, CHAIN_HEIGHT, isBlind);
    watch.answers = { ...ringAnswers(outputs, CHAIN_HEIGHT), ...network.answers() };
    const { outputTransfer, keyImageTransfer } = new ColdWallet(watch);
    home = new OrderHome(watch, network, {
      sealUnsigned: (txs) => sealUnsigned(watch, outputTransfer, txs),
      sealMultisig: () => Promise.reject(new Error('nothing is proposed')),
    });
    const { payments } = home;
    cold = new ColdSigning(watch, { accounts: watch.accounts, payments, outputTransfer, keyImageTransfer });
    signer = new ColdWallet(new ServiceWallet(ownKeys(owner)));
  }

  beforeEach(async () => {
    build([2n * COIN, 2n * COIN]);
    await home.refresh();
  });

  const setOf = ({ unsignedSet }: MadePayments): string => toHex(unsignedSet ?? new Uint8Array());

  const sign = async (made: MadePayments): Promise<{ readonly hex: string; readonly tx: NetworkTx }> => {
    const { blob, txs } = await signer.coldSigning.sign(setOf(made), undefined);
    return { hex: toHex(blob), tx: networkTx(txs[0]?.blob ?? new Uint8Array()) };
  };

  it('is relayed and mined with its set that was submitted here', async () => {
    const made = await place('a');
    const { hex, tx } = await sign(made);
    await cold.submit(hex, undefined);
    expect(stateOf('a')).toBe('relayed');
    expect((await place('a')).payments.map(({ signed }) => signed?.txHash)).toEqual([tx.txHash]);
    network.minePool();
    await home.refresh();
    expect(stateOf('a')).toBe('mined');
    await mineBlocks(61);
    expect([stateOf('a'), watch.store.read((r) => r.orders.unsettled())]).toEqual(['mined', []]);
  });

  it('is mined with its set that was submitted elsewhere, and its payment has the destinations', async () => {
    const { tx } = await sign(await place('a'));
    network.accept(tx);
    await home.refresh();
    expect(stateOf('a')).toBe('relayed');
    network.minePool();
    await home.refresh();
    expect([stateOf('a'), recorded()]).toEqual([
      'mined',
      [expect.objectContaining({ txHash: tx.txHash, destinations: [{ address: ADDRESS, amount: COIN }] })],
    ]);
  });

  it('is mined with its set that was submitted elsewhere, in a wallet that lacks the key images', async () => {
    build([2n * COIN, 2n * COIN], true);
    await home.refresh();
    const made = await place('a', { value: 3n * COIN });
    expect(made.payments.map(({ keyImages }) => keyImages)).toEqual([[]]);
    const { tx } = await sign(made);
    network.mine([tx]);
    const learned = await home.refresh();
    expect(learned.map(({ keyImage }) => toHex(keyImage)).sort()).toEqual(tx.keyImages.map(toHex).sort());
    expect(stateOf('a')).toBe('mined');
    expect(recorded()).toMatchObject([{ txHash: tx.txHash, destinations: [{ address: ADDRESS }] }]);
  });

  it('is mined by any signature of its set, also by another one than was submitted here', async () => {
    const made = await place('a');
    const first = await sign(made);
    const second = await sign(made);
    await cold.submit(first.hex, undefined);
    network.mine([second.tx]);
    await home.refresh();
    expect(stateOf('a')).toBe('mined');
    expect(recorded().map(({ txHash, state }) => [toHex(txHash), state])).toEqual([
      [toHex(second.tx.txHash), 'confirmed'],
      [toHex(first.tx.txHash), 'failed'],
    ]);
  });

  it('is failed by a payment of another set with its inputs, and returns a new set once that is buried', async () => {
    build([2n * COIN]);
    await home.refresh();
    const made = await place('a');
    const { tx } = await sign(await place(undefined, { address: OTHER }));
    network.accept(tx);
    await home.refresh();
    expect(stateOf('a')).toBe('failed');
    network.minePool();
    await mineBlocks(59);
    expect(await faultOf(place('a', { retryFailed: true }))).toMatchObject({
      kind: 'order_failed',
      reason: expect.stringContaining('60 blocks'),
    });
    // The wallet has no other money.
    await mineBlocks(1);
    expect(await faultOf(place('a', { retryFailed: true }))).toMatchObject({ kind: 'not_enough_money' });
    expect(setOf(made)).not.toBe('');
  });

  it('is failed by the payment of another order with its inputs, although amounts and fees are the same', async () => {
    build([2n * COIN]);
    await home.refresh();
    await place('a');
    const { tx } = await sign(await place('b', { address: OTHER }));
    network.mine([tx]);
    await home.refresh();
    expect([stateOf('a'), stateOf('b')]).toEqual(['failed', 'mined']);
  });

  it('stays open while the daemon hides, or alters, the transaction that spends its inputs', async () => {
    const { tx } = await sign(await place('a'));
    const { getTransactions } = network.answers();
    const rival = await sign(await place(undefined, { address: OTHER, value: 3n * COIN }));
    network.mine([tx]);
    for (const transactions of [[], [{ hash: tx.txHash, blob: rival.tx.blob }]]) {
      watch.answers = { ...watch.answers, getTransactions: () => Promise.resolve({ transactions } as never) };
      await home.refresh();
      expect(stateOf('a')).toBe('prepared');
      expect(await faultOf(place('a', { retryFailed: true }))).toBeUndefined();
    }
    watch.answers = { ...watch.answers, ...(getTransactions && { getTransactions }) };
    network.mine([]);
    await home.refresh();
    expect(stateOf('a')).toBe('mined');
  });

  it('with several failed transactions returns one set with all that are made anew', async () => {
    build([...Array.from({ length: 4 }, () => 10n * COIN), ...Array.from({ length: 4 }, () => 10n * COIN)]);
    await home.refresh();
    await place('a', { count: 17 });
    const attempts = home.orders.get('a').order.transactions;
    expect(attempts).toHaveLength(2);
    for (const attempt of attempts) {
      const [key] = attempt.made.keyImages;
      if (key === undefined) throw new Error('a key image');
      const rival = network.rivalOf([key]);
      network.mine([rival]);
      watch.store.write((w) => w.orders.setRival(attempt, rival.txHash));
    }
    await mineBlocks(60);
    expect(stateOf('a')).toBe('failed');
    const again = await place('a', { count: 17, retryFailed: true });
    const { descriptions, summary } = await signer.coldSigning.describe(setOf(again));
    expect([descriptions.length, summary.recipients]).toEqual([
      2,
      [{ address: ADDRESS, amount: 17n * COIN }],
    ]);
    expect(stateOf('a')).toBe('prepared');
  });
});

describe('an order of a multisig wallet', () => {
  it('is mined with its set that the other signers complete and submit elsewhere', async () => {
    const { wallets, outputs } = groupWallets(2, 2, [2n * COIN, 2n * COIN], rng);
    const members = wallets.map((wallet) => new GroupMember(wallet));
    await exchangeInfo(members);
    const [ours, theirs] = members;
    if (ours === undefined || theirs === undefined) throw new Error('two members');
    const named = outputs.map((output) => ({
      ...output,
      ...(ours.wallet.store.read((r) => r.outputs.byPublicKey(output.publicKey)) ?? {}),
    }));
    network = new OrderNetwork(named, CHAIN_HEIGHT);
    ours.wallet.answers = { ...ringAnswers(outputs, CHAIN_HEIGHT), ...network.answers() };
    home = new OrderHome(ours.wallet, network, {
      sealUnsigned: () => Promise.reject(new Error('nothing is unsigned')),
      sealMultisig: (txs) => sealMultisig(ours.wallet, txs),
    });
    await home.refresh();
    await exchangeInfo(members);
    const { multisigSet } = await place('a');
    expect(stateOf('a')).toBe('prepared');
    const { set } = await theirs.signing.sign(toHex(multisigSet ?? new Uint8Array()), undefined);
    theirs.wallet.answers = { ...theirs.wallet.answers, ...network.answers() };
    await theirs.signing.submit(toHex(set), undefined);
    await home.refresh();
    expect(stateOf('a')).toBe('relayed');
    network.minePool();
    await home.refresh();
    expect(stateOf('a')).toBe('mined');
  });
});
