import { beforeEach, describe, expect, it } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { parseTransaction, transactionHash } from '../../../src/monero/cryptonote/transaction.js';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import type { RelayOutcome } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { Balances } from '../../../src/services/accounts/balances.js';
import { FeeEstimator } from '../../../src/services/payments/fee-estimator.js';
import { Orders, type OrderMaker, type OrderTerms } from '../../../src/services/payments/orders.js';
import { PaymentMaker } from '../../../src/services/payments/payment-maker.js';
import { Sweeps } from '../../../src/services/payments/sweeps.js';
import { Transfers } from '../../../src/services/payments/transfers.js';

/** Request of a payment to destinations. */
type PaymentRequest = Parameters<Transfers['pay']>[0];
import { MempoolTracker } from '../../../src/services/sync/mempool-tracker.js';
import type { OutputFreezing } from '../../../src/services/sync/output-freezing.js';
import { PaymentRelay } from '../../../src/services/sync/payment-relay.js';
import { amount } from '../../../src/util/amount.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { keyImagesOf } from '../../../src/monero/wallet/exchange/pending-tx.js';
import type { MadePayments } from '../../../src/model/made-payment.js';
import type { OrderState } from '../../../src/model/order.js';
import { faultOf as faultIn } from '../../../src/model/wallet-error.js';
import { page } from '../../store/fixtures.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { paymentRequest } from '../../support/wallets/order-home.js';
import { networkTx } from '../../support/wallets/order-network.js';
import { payingWallet } from '../../support/wallets/paid-outputs.js';
import { REFUSED, TAKEN } from '../../support/wallets/payment-home.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import type { ServiceWallet } from '../../support/wallets/service-wallet.js';
import { COIN, holder } from '../../monero/wallet/fixtures.js';

const rng = seededRng('orders');
const owner = holder(rng);
const ADDRESS = formatAddress(holder(rng).address());
const hashOf = (n: number): Hash => new Uint8Array(32).fill(n) as Hash;

let wallet: ServiceWallet;
let relay: PaymentRelay;
let mempool: MempoolTracker;
let orders: Orders;
let payments: PaymentMaker;
let transfers: Transfers;
let sweeps: Sweeps;
/** Transactions that the daemon was sent. */
let sent: Uint8Array[];
/** Answers to the next transactions; the last one repeats. */
let answers: (() => Promise<RelayOutcome>)[];
/** Transactions that the daemon has. */
let held: { readonly hash: Hash }[];

function build(values: readonly bigint[], viewOnly = false): void {
  ({ wallet } = payingWallet(owner, values, { viewOnly }));
  sent = [];
  held = [];
  answers = [() => Promise.resolve(TAKEN)];
  wallet.answers = {
    ...wallet.answers,
    sendRawTransaction: (blob) => {
      sent.push(blob);
      const [answer] = answers.length > 1 ? answers.splice(0, 1) : answers;
      return answer === undefined ? Promise.resolve(TAKEN) : answer();
    },
    getTransactions: () => Promise.resolve({ transactions: held, missing: [] } as never),
  };
  relay = new PaymentRelay(wallet);
  mempool = new MempoolTracker(wallet);
  const { accounts } = wallet;
  let sealed = 7;
  const sealUnsigned = () => Promise.resolve(new Uint8Array([sealed++]));
  payments = new PaymentMaker(wallet, {
    ...{ accounts, mempool, relay, sealUnsigned },
    feeEstimator: new FeeEstimator(wallet),
    sealMultisig: () => Promise.reject(new Error('nothing is proposed')),
  });
  transfers = new Transfers({ accounts, payments, balances: new Balances(wallet, { accounts }) });
  const outputFreezing = {} as OutputFreezing;
  sweeps = new Sweeps(wallet, { accounts, payments, outputFreezing });
  orders = new Orders(wallet, { relay });
}

const terms = (key: string, changes: Partial<OrderTerms> = {}): OrderTerms => ({
  ...{ key, method: 'transfer', requestHash: hashOf(1), retryFailed: false, withBlobs: false },
  ...changes,
});

/** The fault that a call fails with. */
const faultOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => faultIn(error) ?? error,
  );

const request = (value: bigint, changes?: Partial<PaymentRequest>): PaymentRequest =>
  paymentRequest(ADDRESS, value, changes);

const transfer = (of: PaymentRequest): OrderMaker => ({
  pay: (order) => transfers.pay({ ...of, ...(order && { order }) }),
  payAgain: (order, failed) => transfers.payAgain({ ...of, order }, failed),
});

const sweepTerms = {
  ...{
    unlockTime: 0n,
    priority: 1,
    doNotRelay: false,
    withMetadata: false,
    spender: undefined,
    address: ADDRESS,
    outputs: 1,
  },
};
const sweepAll: OrderMaker = {
  pay: (order) =>
    sweeps.all({
      ...{ ...sweepTerms, account: 0, minors: [], allAddresses: true, below: amount(0n) },
      ...(order && { order }),
    }),
  payAgain: (order, failed) => sweeps.again({ ...sweepTerms, order }, failed),
};

const place = (key: string, changes: Partial<OrderTerms> = {}, maker = transfer(request(COIN))) =>
  orders.place(terms(key, changes), maker);

const hashOfFirst = ({ payments }: MadePayments): Hash => payments[0]?.signed?.txHash ?? hashOf(0);

const hashesOf = ({ payments }: MadePayments): string[] =>
  payments.map(({ signed }) => toHex(signed?.txHash ?? new Uint8Array()));

const stateOf = (key: string): OrderState | undefined => orders.find(key)?.state;

const outgoing = () =>
  wallet.store.read((r) => r.outgoing.list({ states: ['prepared', 'pending', 'failed', 'confirmed'] }));

const fail = (made: MadePayments): void =>
  wallet.store.write((w) => {
    for (const { signed } of made.payments) if (signed !== undefined) w.fail(signed.txHash);
  });

const mine = (txHash: Hash, height: number): void =>
  wallet.store.write((w) => {
    const known = w.outgoing.byHash(txHash);
    if (known === undefined) throw new Error('it is not recorded');
    w.outgoing.confirm({ ...known, height });
    for (const { keyImage } of w.outputs.spentBy(txHash))
      if (keyImage !== undefined) w.outputs.markSpent({ keyImage, txHash, height });
  });

const imagesOf = (blob: Uint8Array | undefined): string[] =>
  keyImagesOf(parseTransaction(blob ?? new Uint8Array())).map(toHex);

const sharedImages = (a: Uint8Array | undefined, b: Uint8Array | undefined): string[] =>
  imagesOf(a).filter((image) => imagesOf(b).includes(image));

/** Records that a transaction in the next block, which this wallet did not make, spends some outputs. */
const spendElsewhere = (images: readonly string[], txHash: Hash): void =>
  wallet.store.write((w) => {
    const height = wallet.store.height();
    const spends = w.outputs
      .inOrder()
      .flatMap(({ keyImage }) =>
        keyImage !== undefined && images.includes(toHex(keyImage)) ? [{ keyImage, txHash, height }] : [],
      );
    w.applyPage(page(height, 1, { spends }));
  });

/** Adds empty blocks on top of the chain. */
const addBlocks = (count: number): void =>
  wallet.store.write((w) => w.applyPage(page(wallet.store.height(), count)));

beforeEach(() => build([2n * COIN, 2n * COIN, 2n * COIN]));

describe('a repeated order', () => {
  it('returns the first result, makes nothing else, and sends the same bytes again', async () => {
    const first = await place('a');
    const again = await place('a');
    const [payment] = first.payments;
    expect(again.payments).toEqual([
      { ...payment, signed: { txHash: payment?.signed?.txHash, blob: new Uint8Array() } },
    ]);
    expect([sent.length, outgoing().length, stateOf('a')]).toEqual([2, 1, 'relayed']);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('returns blobs and metadata if the call returns them', async () => {
    const maker = transfer(request(COIN, { withMetadata: true }));
    const first = await place('a', { withBlobs: true }, maker);
    expect(first.payments[0]?.signed?.metadata?.length).toBeGreaterThan(0);
    expect(await place('a', { withBlobs: true }, maker)).toEqual(first);
  });

  it('is refused with other parameters or another method, without naming the key', async () => {
    await place('the secret key');
    for (const changes of [{ requestHash: hashOf(2) }, { method: 'sweep_all' }]) {
      const refused = await faultOf(place('the secret key', changes));
      expect(refused).toEqual({ kind: 'order_mismatch', method: 'transfer' });
    }
    expect(outgoing()).toHaveLength(1);
  });

  it('waits for the first call, and gets its result', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => place('a')));
    expect(new Set(all.flatMap(hashesOf)).size).toBe(1);
    expect([sent.length, outgoing().length]).toEqual([1, 1]);
  });

  it('of other keys pays once for each', async () => {
    build(Array.from({ length: 5 }, () => 2n * COIN));
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => place(`k${i % 4}`)));
    expect([new Set(all.flatMap(hashesOf)).size, outgoing().length]).toEqual([4, 4]);
  });

  it('sends the same bytes again if the first answer was lost', async () => {
    answers = [() => Promise.reject(new DaemonError('timeout', 'no answer')), () => Promise.resolve(TAKEN)];
    await place('a');
    expect(stateOf('a')).toBe('relayed');
    await place('a');
    expect([sent.length, stateOf('a')]).toEqual([2, 'relayed']);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('is an error while the daemon cannot be asked, and a refusal of a payment that it has is none', async () => {
    answers = [
      () => Promise.resolve(TAKEN),
      () => Promise.reject(new DaemonError('unreachable', 'no connection', { notTaken: true })),
      () => Promise.resolve(REFUSED),
    ];
    const made = await place('a');
    await expect(place('a')).rejects.toMatchObject({ kind: 'unreachable' });
    expect(await faultOf(place('a'))).toMatchObject({ kind: 'tx_rejected' });
    held = [{ hash: hashOfFirst(made) }];
    expect(hashesOf(await place('a'))).toEqual(hashesOf(made));
  });

  it('whose transaction another wallet relayed is an error once the daemon lacks it', async () => {
    const made = await place('a');
    const txHash = hashOfFirst(made);
    wallet.store.write((w) => {
      const known = w.outgoing.byHash(txHash);
      if (known === undefined) throw new Error('it is not recorded');
      const { blob, ...seen } = known;
      expect(blob?.length).toBeGreaterThan(0);
      w.outgoing.remove(txHash);
      w.addPending(seen);
    });
    expect(await faultOf(place('a'))).toMatchObject({ kind: 'order_failed' });
    held = [{ hash: txHash }];
    expect(hashesOf(await place('a'))).toEqual(hashesOf(made));
  });

  it('that the daemon refuses now is an error unless the daemon has it, and keeps its record', async () => {
    answers = [() => Promise.reject(new DaemonError('timeout', 'no answer')), () => Promise.resolve(REFUSED)];
    const made = await place('a');
    expect(await faultOf(place('a'))).toMatchObject({ kind: 'tx_rejected' });
    expect([stateOf('a'), outgoing().length]).toEqual(['relayed', 1]);
    held = [{ hash: made.payments[0]?.signed?.txHash ?? hashOf(0) }];
    expect(hashesOf(await place('a'))).toEqual(hashesOf(made));
  });

  it('is not sent once it is mined', async () => {
    const made = await place('a');
    const txHash = hashOfFirst(made);
    mine(txHash, 100);
    orders = new Orders(wallet, { relay: new PaymentRelay(wallet) });
    expect(hashesOf(await place('a'))).toEqual([toHex(txHash)]);
    expect([sent.length, stateOf('a'), orders.find('a')?.positions[0]?.current.height]).toEqual([
      1,
      'mined',
      100,
    ]);
  });

  it('without relaying returns the same transaction, and stays prepared until it is relayed', async () => {
    const maker = transfer(request(COIN, { doNotRelay: true, withMetadata: true }));
    const first = await place('a', { withBlobs: true }, maker);
    expect(await place('a', { withBlobs: true }, maker)).toEqual(first);
    expect([sent.length, outgoing().length, stateOf('a')]).toEqual([0, 0, 'prepared']);
  });

  it('of a view-only wallet returns the same unsigned set with the same transaction', async () => {
    build([2n * COIN, 2n * COIN], true);
    const maker = transfer(request(COIN, { withMetadata: true }));
    const first = await place('a', { withBlobs: true }, maker);
    expect(first.unsignedSet).toEqual(new Uint8Array([7]));
    expect(first.payments).toMatchObject([{ unsigned: { blob: expect.anything() } }]);
    expect(await place('a', { withBlobs: true }, maker)).toEqual(first);
    expect(stateOf('a')).toBe('prepared');
  });
});

describe('a call that fails', () => {
  it('before anything is recorded leaves its key free', async () => {
    await expect(place('a', {}, transfer(request(100n * COIN)))).rejects.toMatchObject({
      fault: { kind: 'not_enough_money' },
    });
    expect(stateOf('a')).toBeUndefined();
    await place('a');
    expect(stateOf('a')).toBe('relayed');
  });

  it('because no byte of its payment was sent leaves its key free', async () => {
    const unreachable = new DaemonError('unreachable', 'no connection', { notTaken: true });
    answers = [() => Promise.reject(unreachable), () => Promise.resolve(TAKEN)];
    await expect(place('a')).rejects.toBe(unreachable);
    expect([stateOf('a'), outgoing().length]).toEqual([undefined, 0]);
    await place('a', { requestHash: hashOf(2) });
    expect(stateOf('a')).toBe('relayed');
  });

  it('after its first transaction was relayed keeps the key, and pays only the others anew', async () => {
    build(Array.from({ length: 20 }, () => 2n * COIN));
    const destinations = Array.from({ length: 18 }, () => ({ address: ADDRESS, amount: amount(COIN) }));
    const maker = transfer(request(0n, { payees: destinations, split: true }));
    answers = [() => Promise.resolve(TAKEN), () => Promise.resolve(REFUSED), () => Promise.resolve(TAKEN)];
    expect(await faultOf(place('a', {}, maker))).toMatchObject({ kind: 'partly_relayed' });
    expect(stateOf('a')).toBe('failed');
    expect(await faultOf(place('a', {}, maker))).toMatchObject({ kind: 'order_failed' });
    const made = await place('a', { retryFailed: true }, maker);
    expect(stateOf('a')).toBe('relayed');
    const paid = made.payments.flatMap((payment) => payment.destinations.map((to) => to.amount));
    expect([made.payments.length, paid]).toEqual([2, destinations.map((to) => to.amount)]);
    // The first one, which is not mined, is sent again.
    expect([sent.length, sharedImages(sent[1], sent[2]).length > 0, sent[3]]).toEqual([4, true, sent[0]]);
  });
});

describe('an order whose payment failed', () => {
  it('says so, and is paid anew only on request, with an input of the failed transaction', async () => {
    const first = await place('a');
    fail(first);
    expect(stateOf('a')).toBe('failed');
    expect(await faultOf(place('a'))).toMatchObject({ kind: 'order_failed' });
    const second = await place('a', { retryFailed: true });
    expect(hashesOf(second)).not.toEqual(hashesOf(first));
    expect(sharedImages(sent[0], sent[1])).not.toEqual([]);
    expect([stateOf('a'), orders.find('a')?.order.transactions.length]).toEqual(['relayed', 2]);
    expect(hashesOf(await place('a', { retryFailed: true }))).toEqual(hashesOf(second));
    expect([sent.length, sent[2]]).toEqual([3, sent[1]]);
  });

  it('spends an input of every earlier attempt, however often it is retried', async () => {
    build([2n * COIN, 3n * COIN, 5n * COIN, 7n * COIN, 11n * COIN]);
    for (let attempt = 0; attempt < 5; attempt++) fail(await place('a', { retryFailed: true }));
    expect(sent).toHaveLength(5);
    for (const [i, blob] of sent.entries())
      for (const earlier of sent.slice(0, i)) expect(sharedImages(earlier, blob)).not.toEqual([]);
  });

  it('is mined if an earlier attempt is mined after all', async () => {
    const first = await place('a');
    fail(first);
    await place('a', { retryFailed: true });
    const txHash = first.payments[0]?.signed?.txHash ?? hashOf(0);
    mine(txHash, 100);
    expect(stateOf('a')).toBe('mined');
    expect(hashesOf(await place('a'))).toEqual([toHex(txHash)]);
  });

  it('is not paid anew while its inputs are spent by a payment that may fail', async () => {
    fail(await place('a'));
    const spent = imagesOf(sent[0]);
    wallet.store.write((w) => {
      for (const output of w.outputs.inOrder())
        if (output.keyImage && spent.includes(toHex(output.keyImage))) w.outputs.reserve([output], hashOf(9));
    });
    expect(await faultOf(place('a', { retryFailed: true }))).toMatchObject({ kind: 'order_failed' });
    expect(sent).toHaveLength(1);
  });

  it('is paid with other inputs only once 60 blocks lie over a transaction that spent its own', async () => {
    fail(await place('a'));
    spendElsewhere(imagesOf(sent[0]), hashOf(9));
    for (const [blocks, above] of [
      [0, 0],
      [10, 10],
      [49, 59],
    ] as const) {
      addBlocks(blocks);
      expect(await faultOf(place('a', { retryFailed: true }))).toEqual({
        kind: 'order_failed',
        reason: expect.stringContaining(
          `once 60 blocks lie over the transaction that spends them (now ${above})`,
        ),
      });
    }
    addBlocks(1);
    await place('a', { retryFailed: true });
    expect([sharedImages(sent[0], sent[1]), stateOf('a')]).toEqual([[], 'relayed']);
  });

  it('is paid with another of its inputs at once if one was spent elsewhere', async () => {
    build([2n * COIN, 2n * COIN, 2n * COIN]);
    const maker = transfer(request(3n * COIN));
    fail(await place('a', {}, maker));
    const [first = '', second = ''] = imagesOf(sent[0]);
    spendElsewhere([first], hashOf(9));
    await place('a', { retryFailed: true }, maker);
    expect(sharedImages(sent[0], sent[1])).toEqual([second]);
  });

  it('is not paid with other inputs because an unknown transaction spent its own: it may be its payment', async () => {
    fail(await place('a'));
    const spent = imagesOf(sent[0]);
    wallet.store.write((w) => {
      for (const output of w.outputs.inOrder())
        if (output.keyImage && spent.includes(toHex(output.keyImage)))
          w.outputs.markSpentByUnknown(output, true);
    });
    addBlocks(100);
    expect(await faultOf(place('a', { retryFailed: true }))).toMatchObject({ kind: 'order_failed' });
    expect(sent).toHaveLength(1);
  });

  it('with the fee taken from the destinations is paid anew for the requested amount', async () => {
    const maker = transfer(request(COIN, { feeFrom: [0] }));
    fail(await place('a', {}, maker));
    const { payments } = await place('a', { retryFailed: true }, maker);
    const [made] = payments;
    expect((made?.destinations[0]?.amount ?? 0n) + (made?.fee ?? 0n)).toBe(COIN);
  });

  it('in part is paid anew in that part only, and its mined transactions stay as they are', async () => {
    build(Array.from({ length: 20 }, () => 2n * COIN));
    const destinations = Array.from({ length: 18 }, () => ({ address: ADDRESS, amount: amount(COIN) }));
    const maker = transfer(request(0n, { payees: destinations, split: true }));
    const made = await place('a', {}, maker);
    expect(made.payments).toHaveLength(2);
    const [first, second] = made.payments;
    const height = wallet.store.height();
    wallet.store.write((w) => w.applyPage(page(height, 1)));
    mine(first?.signed?.txHash ?? hashOf(0), height);
    wallet.store.write((w) => w.fail(second?.signed?.txHash ?? hashOf(0)));
    expect(stateOf('a')).toBe('failed');
    const again = await place('a', { retryFailed: true }, maker);
    expect([hashesOf(again)[0], sent.length]).toEqual([hashesOf(made)[0], 3]);
    expect(hashesOf(again)[1]).not.toBe(hashesOf(made)[1]);
    expect(sharedImages(sent[1], sent[2])).not.toEqual([]);
    expect(sharedImages(sent[0], sent[2])).toEqual([]);
    const positions = orders.get('a').positions.map(({ current }) => current.state);
    expect([stateOf('a'), positions]).toEqual(['relayed', ['mined', 'relayed']]);
  });

  it('of a sweep sweeps the same outputs again', async () => {
    const first = await place('a', { method: 'sweep_all' }, sweepAll);
    fail(first);
    const second = await place('a', { method: 'sweep_all', retryFailed: true }, sweepAll);
    expect(imagesOf(sent[1]).sort()).toEqual(imagesOf(sent[0]).sort());
    expect(second.payments[0]?.destinations).toEqual(first.payments[0]?.destinations);
  });

  it('whose retry is refused stays failed, and a further one excludes that attempt too', async () => {
    fail(await place('a'));
    answers = [() => Promise.resolve(REFUSED), () => Promise.resolve(TAKEN)];
    expect(await faultOf(place('a', { retryFailed: true }))).toMatchObject({ kind: 'tx_rejected' });
    expect([stateOf('a'), orders.find('a')?.order.transactions.length]).toEqual(['failed', 2]);
    expect(await faultOf(place('a'))).toMatchObject({ kind: 'order_failed' });
    await place('a', { retryFailed: true });
    expect(stateOf('a')).toBe('relayed');
    for (const earlier of [sent[0], sent[1]]) expect(sharedImages(earlier, sent[2])).not.toEqual([]);
  });
});

describe('a payment that was refused at once', () => {
  /** Places an order that the daemon refuses. @returns the hash of its transaction. */
  const refused = async (): Promise<Hash> => {
    answers = [() => Promise.resolve(REFUSED), () => Promise.resolve(TAKEN)];
    expect(await faultOf(place('a'))).toMatchObject({ kind: 'tx_rejected' });
    return transactionHash(parseTransaction(sent[0] ?? new Uint8Array()));
  };

  /** A finding of the mempool. */
  const seen = (txHash: Hash) => {
    const keyImages = imagesOf(sent[0]).map((hex) => fromHex(hex) as KeyImage);
    const facts = { account: 0, fromIndices: [0], amountIn: amount(2n * COIN), fee: amount(1n) };
    return {
      outgoing: { ...facts, txHash, keyImages, timestamp: 1, change: amount(COIN - 1n), unlockTime: 0n },
    };
  };

  it('is in no list of payments, and the same call makes one that excludes it', async () => {
    await refused();
    expect([stateOf('a'), outgoing().length]).toEqual(['failed', 0]);
    const made = await place('a');
    expect([stateOf('a'), outgoing().length, sent.length]).toEqual(['relayed', 1, 2]);
    expect(hashesOf(made)).toEqual([toHex(transactionHash(parseTransaction(sent[1] ?? new Uint8Array())))]);
    expect(sharedImages(sent[0], sent[1])).not.toEqual([]);
  });

  it('keeps its key for its request', async () => {
    await refused();
    expect(await faultOf(place('a', { requestHash: hashOf(2) }))).toMatchObject({ kind: 'order_mismatch' });
  });

  it('is recognised in the mempool with its destinations and keys, and is not paid again', async () => {
    const txHash = await refused();
    mempool.commitPool([txHash], [seen(txHash)]);
    expect(stateOf('a')).toBe('relayed');
    expect(outgoing()).toMatchObject([
      { state: 'pending', destinations: [{ address: ADDRESS, amount: COIN }] },
    ]);
    expect(wallet.store.read((r) => r.txKeys.get(txHash))?.length).toBeGreaterThan(0);
    held = [{ hash: txHash }];
    expect(hashesOf(await place('a', { retryFailed: true }))).toEqual([toHex(txHash)]);
    expect(sent).toHaveLength(1);
  });

  it('is recognised in a block with its destinations and keys, and is not paid again', async () => {
    const txHash = await refused();
    const { outgoing: found } = seen(txHash);
    const height = wallet.store.height();
    const spends = found.keyImages.map((keyImage) => ({ keyImage, txHash, height }));
    wallet.store.write((w) => w.applyPage(page(height, 1, { spends, outgoing: [{ ...found, height }] })));
    expect(stateOf('a')).toBe('mined');
    expect(outgoing()).toMatchObject([
      { state: 'confirmed', height, destinations: [{ address: ADDRESS, amount: COIN }] },
    ]);
    expect(wallet.store.read((r) => r.txKeys.get(txHash))?.length).toBeGreaterThan(0);
    expect(hashesOf(await place('a'))).toEqual([toHex(txHash)]);
    expect(sent).toHaveLength(1);
  });

  it('is made nowhere else while its inputs are spent by another payment', async () => {
    await refused();
    spendElsewhere(imagesOf(sent[0]), hashOf(9));
    expect(await faultOf(place('a'))).toMatchObject({ kind: 'order_failed' });
    addBlocks(60);
    await place('a');
    expect(sharedImages(sent[0], sent[1])).toEqual([]);
  });
});

describe('an order that was not relayed', () => {
  const unrelayed = transfer(request(COIN, { doNotRelay: true, withMetadata: true }));
  const placed = (retryFailed = false) => place('a', { withBlobs: true, retryFailed }, unrelayed);

  it('fails once another transaction spends an input of it, and is made anew then', async () => {
    build([2n * COIN, 2n * COIN, 2n * COIN]);
    const maker = transfer(request(3n * COIN, { doNotRelay: true, withMetadata: true }));
    const first = await place('a', { withBlobs: true }, maker);
    const images = imagesOf(first.payments[0]?.signed?.blob);
    spendElsewhere(images.slice(0, 1), hashOf(9));
    expect(stateOf('a')).toBe('failed');
    expect(await faultOf(place('a', { withBlobs: true }, maker))).toMatchObject({ kind: 'order_failed' });
    const second = await place('a', { withBlobs: true, retryFailed: true }, maker);
    expect(hashesOf(second)).not.toEqual(hashesOf(first));
    expect(imagesOf(second.payments[0]?.signed?.blob)).toContain(images[1]);
    expect([stateOf('a'), sent.length]).toEqual(['prepared', 0]);
  });

  it('is not made anew before 60 blocks lie over a transaction that spends all its inputs', async () => {
    const first = await placed();
    spendElsewhere(imagesOf(first.payments[0]?.signed?.blob), hashOf(9));
    expect(await faultOf(placed(true))).toMatchObject({ kind: 'order_failed' });
    addBlocks(60);
    expect(hashesOf(await placed(true))).not.toEqual(hashesOf(first));
  });

  it('is prepared again if a reorganisation removes the transaction that spent its input', async () => {
    const first = await placed();
    spendElsewhere(imagesOf(first.payments[0]?.signed?.blob), hashOf(9));
    expect(stateOf('a')).toBe('failed');
    wallet.store.write((w) => w.applyPage(page(wallet.store.height() - 1, 2)));
    expect(stateOf('a')).toBe('prepared');
    expect(await placed()).toEqual(first);
  });

  it('fails when the daemon refuses it, is made anew by the same call, and ends by whichever is mined', async () => {
    const first = await placed();
    const [metadata] = first.payments.map(({ signed }) => signed?.metadata ?? new Uint8Array());
    answers = [() => Promise.resolve(REFUSED), () => Promise.resolve(TAKEN)];
    expect(await faultOf(payments.relay(toHex(metadata ?? new Uint8Array()), undefined))).toMatchObject({
      kind: 'tx_rejected',
    });
    expect(stateOf('a')).toBe('failed');
    const second = await placed();
    expect(sharedImages(first.payments[0]?.signed?.blob, second.payments[0]?.signed?.blob)).not.toEqual([]);
    await payments.relay(toHex(metadata ?? new Uint8Array()), undefined);
    mine(hashOfFirst(first), 100);
    expect([stateOf('a'), hashesOf(await placed())]).toEqual(['mined', hashesOf(first)]);
  });
});

describe('an order of a set to be signed', () => {
  const inputsOfSet = (): string[] =>
    orders.find('a')?.positions.flatMap(({ current }) => current.made.inputKeys.map(toHex)) ?? [];
  const spendInputs = (height: number, txHash: Hash): void =>
    wallet.store.write((w) => {
      w.applyPage(page(height, 1));
      for (const output of w.outputs.inOrder())
        if (inputsOfSet().includes(toHex(output.publicKey))) {
          const keyImage = new Uint8Array(32).fill(output.globalIndex) as KeyImage;
          w.outputs.setKeyImage(output.publicKey, keyImage);
          w.outputs.markSpent({ keyImage, txHash, height });
        }
    });

  beforeEach(() => build([2n * COIN, 2n * COIN], true));

  it('is not failed by a transaction whose rings are unknown, and is by one with other rings', async () => {
    await place('a');
    const [attempt] = orders.get('a').order.transactions;
    spendInputs(wallet.store.height(), hashOf(9));
    addBlocks(100);
    expect(stateOf('a')).toBe('prepared');
    wallet.store.write((w) => w.orders.setRival(attempt ?? never(), hashOf(9)));
    expect(stateOf('a')).toBe('failed');
  });

  it('returns the new set once it is made anew', async () => {
    const first = await place('a');
    const [attempt] = orders.get('a').order.transactions;
    spendInputs(wallet.store.height(), hashOf(9));
    wallet.store.write((w) => w.orders.setRival(attempt ?? never(), hashOf(9)));
    expect(await faultOf(place('a', { retryFailed: true }))).toMatchObject({ kind: 'order_failed' });
    addBlocks(60);
    const second = await place('a', { retryFailed: true });
    expect(second.unsignedSet).not.toEqual(first.unsignedSet);
    expect([stateOf('a'), (await place('a')).unsignedSet]).toEqual(['prepared', second.unsignedSet]);
  });

  it('without transactions has ended', async () => {
    const { unmixable } = Sweeps.prototype;
    await place('a', { method: 'sweep_dust' }, { pay: (order) => unmixable.call(sweeps, order) });
    expect(stateOf('a')).toBe('mined');
  });
});

const never = (): never => {
  throw new Error('it is absent');
};

describe('the list of orders', () => {
  it('has the latest first, a state, and continues after a cursor', async () => {
    build(Array.from({ length: 8 }, () => 2n * COIN));
    for (const key of ['a', 'b', 'c', 'd']) await place(key);
    const listed = async (filter: Parameters<Orders['list']>[0]) =>
      (await orders.list(filter)).map(({ order: { key } }) => key);
    const all = { limit: 10, before: Number.MAX_SAFE_INTEGER };
    expect(await listed(all)).toEqual(['d', 'c', 'b', 'a']);
    fail(await place('b'));
    expect(await listed({ ...all, state: 'failed' })).toEqual(['b']);
    const [, second] = await orders.list({ ...all, limit: 2 });
    expect(await listed({ ...all, before: second?.order.sequence ?? 0 })).toEqual(['b', 'a']);
    expect(() => orders.get('z')).toThrow(
      expect.objectContaining({ fault: { kind: 'order_missing' } }) as never,
    );
  });
});

describe('a rescan', () => {
  it('leaves a mined order mined, whose payment it keeps as an unmined one, until it has passed its block', async () => {
    const made = await place('a');
    mine(hashOfFirst(made), 119);
    wallet.store.write((w) => clearChain(w, { hard: false }));
    expect([stateOf('a'), outgoing()]).toMatchObject(['mined', [{ state: 'pending' }]]);
    expect(orders.get('a').positions[0]?.current).toMatchObject({ isRecorded: true, height: 119 });
    wallet.store.write((w) => w.applyPage(page(0, 120)));
    expect(stateOf('a')).toBe('relayed');
  });
});

describe('a hard rescan', () => {
  const rescan = (): void => wallet.store.write((w) => clearChain(w, { hard: true }));

  it('keeps the unmined payment of an order, with its keys: the same call sends it again', async () => {
    const made = await place('a');
    rescan();
    expect(stateOf('a')).toBe('relayed');
    expect(outgoing()).toMatchObject([{ destinations: [{ address: ADDRESS, amount: COIN }] }]);
    expect(wallet.store.read((r) => r.txKeys.get(hashOfFirst(made)))?.length).toBeGreaterThan(0);
    expect(hashesOf(await place('a'))).toEqual(hashesOf(made));
    expect(sent[1]).toEqual(sent[0]);
  });

  it('deletes the unmined payment of no order', async () => {
    await transfers.pay(request(COIN));
    rescan();
    expect(outgoing()).toEqual([]);
  });

  it('keeps destinations and keys of a refused payment of an order, which may be mined later', async () => {
    answers = [() => Promise.resolve(REFUSED), () => Promise.resolve(TAKEN)];
    expect(await faultOf(place('a'))).toMatchObject({ kind: 'tx_rejected' });
    const { txHash } = networkTx(sent[0] ?? new Uint8Array());
    rescan();
    const facts = {
      account: 0,
      fromIndices: [0],
      amountIn: amount(2n * COIN),
      change: amount(0n),
      fee: amount(1n),
    };
    const spend = { ...facts, txHash, height: 5, timestamp: 5, unlockTime: 0n };
    wallet.store.write((w) => w.applyPage(page(0, 6, { outgoing: [spend] })));
    expect(outgoing()).toMatchObject([
      { state: 'confirmed', destinations: [{ address: ADDRESS, amount: COIN }] },
    ]);
    expect(wallet.store.read((r) => r.txKeys.get(txHash))?.length).toBeGreaterThan(0);
    expect(stateOf('a')).toBe('mined');
  });

  it('leaves a mined order mined until it has passed its block', async () => {
    const made = await place('a');
    const txHash = hashOfFirst(made);
    mine(txHash, 119);
    addBlocks(100);
    rescan();
    expect([stateOf('a'), outgoing()]).toEqual(['mined', []]);
    expect(hashesOf(await place('a'))).toEqual([toHex(txHash)]);
    expect(sent).toHaveLength(1);
    expect(wallet.store.read((r) => r.txKeys.get(txHash))?.length).toBeGreaterThan(0);
    wallet.store.write((w) => w.applyPage(page(0, 220)));
    expect(stateOf('a')).toBe('failed');
    expect(await faultOf(place('a'))).toMatchObject({ kind: 'order_failed' });
  });
});
