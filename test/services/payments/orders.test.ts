import { beforeEach, describe, expect, it } from '@jest/globals';
import { formatAddress } from '../../../src/cryptonote/address.js';
import { parseTransaction } from '../../../src/cryptonote/transaction.js';
import type { Hash } from '../../../src/crypto/types.js';
import type { RelayOutcome } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { Balances } from '../../../src/services/accounts/balances.js';
import { FeeEstimator } from '../../../src/services/payments/fee-estimator.js';
import { Orders, type OrderMaker, type OrderTerms } from '../../../src/services/payments/orders.js';
import { PaymentMaker } from '../../../src/services/payments/payment-maker.js';
import { Sweeps } from '../../../src/services/payments/sweeps.js';
import { Transfers, type PaymentRequest } from '../../../src/services/payments/transfers.js';
import { MempoolTracker } from '../../../src/services/sync/mempool-tracker.js';
import type { OutputFreezing } from '../../../src/services/sync/output-freezing.js';
import { PaymentRelay } from '../../../src/services/sync/payment-relay.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { keyImagesOf } from '../../../src/wallet/exchange/pending-tx.js';
import type { MadePayments } from '../../../src/wallet/model/made-payment.js';
import type { OrderState } from '../../../src/wallet/model/order.js';
import { WalletError } from '../../../src/wallet/model/wallet-error.js';
import { page } from '../../store/fixtures.js';
import { CHAIN_HEIGHT, payingWallet } from '../../support/paid-outputs.js';
import { REFUSED, TAKEN } from '../../support/payment-home.js';
import { seededRng } from '../../support/seeded-rng.js';
import type { ServiceWallet } from '../../support/service-wallet.js';
import { COIN, holder } from '../../wallet/fixtures.js';

const rng = seededRng('orders');
const owner = holder(rng);
const ADDRESS = formatAddress(holder(rng).address());
const hashOf = (n: number): Hash => new Uint8Array(32).fill(n) as Hash;

let wallet: ServiceWallet;
let relay: PaymentRelay;
let mempool: MempoolTracker;
let orders: Orders;
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
  const sealUnsigned = () => Promise.resolve(new Uint8Array([7]));
  const payments = new PaymentMaker(wallet, {
    ...{ accounts, mempool, relay, sealUnsigned },
    feeEstimator: new FeeEstimator(wallet),
    sealMultisig: () => Promise.reject(new Error('nothing is proposed')),
  });
  transfers = new Transfers(wallet, { accounts, payments, balances: new Balances(wallet, { accounts }) });
  const outputFreezing = {} as OutputFreezing;
  sweeps = new Sweeps(wallet, { accounts, payments, sealUnsigned, outputFreezing });
  orders = new Orders(wallet, { mempool, relay });
}

const terms = (key: string, changes: Partial<OrderTerms> = {}): OrderTerms => ({
  ...{ key, method: 'transfer', requestHash: hashOf(1), retryFailed: false, withBlobs: false },
  ...changes,
});

/** The fault that a call fails with. */
const faultOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => (error instanceof WalletError ? error.fault : error),
  );

const request = (value: bigint, changes: Partial<PaymentRequest> = {}): PaymentRequest => ({
  ...{ account: 0, unlockTime: 0n, priority: 1, doNotRelay: false, withMetadata: false, spender: undefined },
  ...{ minors: [], feeFrom: [], changeOutputs: 1, split: false },
  destinations: [{ address: ADDRESS, amount: amount(value) }],
  ...changes,
});

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

/** Adds empty blocks on top of the chain. */
const addBlocks = (count: number): void =>
  wallet.store.write((w) => w.applyPage(page(wallet.store.height(), count)));

beforeEach(() => build([2n * COIN, 2n * COIN, 2n * COIN]));

describe('a repeated order', () => {
  it('returns the first result, and makes and sends nothing else', async () => {
    const first = await place('a');
    const again = await place('a');
    const [payment] = first.payments;
    expect(again.payments).toEqual([
      { ...payment, signed: { txHash: payment?.signed?.txHash, blob: new Uint8Array() } },
    ]);
    expect([sent.length, outgoing().length, stateOf('a')]).toEqual([1, 1, 'relayed']);
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
    expect(stateOf('a')).toBe('prepared');
    await place('a');
    expect([sent.length, stateOf('a')]).toEqual([2, 'relayed']);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('of a payment that was accepted before a restart is sent again only if the pool lacks it', async () => {
    const [hash] = hashesOf(await place('a'));
    // A new process has seen no answer of the daemon.
    orders = new Orders(wallet, { mempool, relay: new PaymentRelay(wallet) });
    await place('a');
    expect([sent.length, toHex(sent[1] ?? new Uint8Array())]).toEqual([
      2,
      toHex(sent[0] ?? new Uint8Array()),
    ]);
    const inPool = { present: new Set([hash ?? '']) };
    orders = new Orders(wallet, { mempool: inPool, relay: new PaymentRelay(wallet) });
    await place('a');
    expect(sent).toHaveLength(2);
  });

  it('that the daemon refuses now is an error unless the daemon has it, and keeps its record', async () => {
    answers = [() => Promise.reject(new DaemonError('timeout', 'no answer')), () => Promise.resolve(REFUSED)];
    const made = await place('a');
    expect(await faultOf(place('a'))).toMatchObject({ kind: 'tx_rejected' });
    expect([stateOf('a'), outgoing().length]).toEqual(['prepared', 1]);
    held = [{ hash: made.payments[0]?.signed?.txHash ?? hashOf(0) }];
    expect(hashesOf(await place('a'))).toEqual(hashesOf(made));
  });

  it('is not sent once it is mined', async () => {
    const made = await place('a');
    const txHash = made.payments[0]?.signed?.txHash ?? hashOf(0);
    mine(txHash, 100);
    orders = new Orders(wallet, { mempool, relay: new PaymentRelay(wallet) });
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

  it('of a view-only wallet returns the same unsigned set', async () => {
    build([2n * COIN, 2n * COIN], true);
    const first = await place('a');
    expect(first.unsignedSet).toEqual(new Uint8Array([7]));
    expect(await place('a')).toEqual(first);
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

  it('because the daemon refuses its only transaction leaves its key free', async () => {
    answers = [() => Promise.resolve(REFUSED), () => Promise.resolve(TAKEN)];
    expect(await faultOf(place('a'))).toMatchObject({ kind: 'tx_rejected' });
    expect([stateOf('a'), outgoing().length]).toEqual([undefined, 0]);
    await place('a', { requestHash: hashOf(2) });
    expect(stateOf('a')).toBe('relayed');
  });

  it('after its first transaction was relayed keeps the key, and pays only the others anew', async () => {
    build(Array.from({ length: 20 }, () => 2n * COIN));
    const destinations = Array.from({ length: 18 }, () => ({ address: ADDRESS, amount: amount(COIN) }));
    const maker = transfer(request(0n, { destinations, split: true }));
    answers = [() => Promise.resolve(TAKEN), () => Promise.resolve(REFUSED), () => Promise.resolve(TAKEN)];
    expect(await faultOf(place('a', {}, maker))).toMatchObject({ kind: 'partly_relayed' });
    expect(stateOf('a')).toBe('failed');
    expect(await faultOf(place('a', {}, maker))).toMatchObject({ kind: 'order_failed' });
    const made = await place('a', { retryFailed: true }, maker);
    expect(stateOf('a')).toBe('relayed');
    const paid = made.payments.flatMap((payment) => payment.destinations.map((to) => to.amount));
    expect([made.payments.length, paid]).toEqual([2, destinations.map((to) => to.amount)]);
    expect([sent.length, sharedImages(sent[1], sent[2]).length > 0]).toEqual([3, true]);
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
    expect(sent).toHaveLength(2);
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

  it('is paid with other inputs once another transaction spent its own for good', async () => {
    fail(await place('a'));
    const spent = imagesOf(sent[0]);
    const [place1] = [wallet.store.height() - 1];
    wallet.store.write((w) => {
      for (const { keyImage } of w.outputs.inOrder())
        if (keyImage && spent.includes(toHex(keyImage)))
          w.outputs.markSpent({ keyImage, txHash: hashOf(9), height: place1 });
    });
    expect(await faultOf(place('a', { retryFailed: true }))).toMatchObject({ kind: 'order_failed' });
    addBlocks(10);
    await place('a', { retryFailed: true });
    expect([sharedImages(sent[0], sent[1]), stateOf('a')]).toEqual([[], 'relayed']);
  });

  it('with the fee taken from the destinations is paid anew for the requested amount', async () => {
    const maker = transfer(request(COIN, { feeFrom: [0] }));
    fail(await place('a', {}, maker));
    const { payments } = await place('a', { retryFailed: true }, maker);
    const [made] = payments;
    expect((made?.destinations[0]?.amount ?? 0n) + (made?.fee ?? 0n)).toBe(COIN);
  });

  it('of a sweep sweeps the same outputs again', async () => {
    const first = await place('a', { method: 'sweep_all' }, sweepAll);
    fail(first);
    const second = await place('a', { method: 'sweep_all', retryFailed: true }, sweepAll);
    expect(imagesOf(sent[1]).sort()).toEqual(imagesOf(sent[0]).sort());
    expect(second.payments[0]?.destinations).toEqual(first.payments[0]?.destinations);
  });

  it('whose retry is refused stays failed', async () => {
    fail(await place('a'));
    answers = [() => Promise.resolve(REFUSED), () => Promise.resolve(TAKEN)];
    expect(await faultOf(place('a', { retryFailed: true }))).toMatchObject({ kind: 'tx_rejected' });
    expect([stateOf('a'), orders.find('a')?.order.transactions.length]).toEqual(['failed', 1]);
    await place('a', { retryFailed: true });
    expect(stateOf('a')).toBe('relayed');
  });
});

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

it('an order survives a rescan that deletes payments, and is not paid again', async () => {
  await place('a');
  wallet.store.write((w) => w.clearChain({ hard: true }));
  expect(CHAIN_HEIGHT).toBeGreaterThan(0);
  await place('a');
  expect([sent.length, stateOf('a')]).toEqual([1, 'prepared']);
});
