import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import type { PaymentId } from '../../../src/monero/cryptonote/types.js';
import type { Daemon } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { PaymentLedger } from '../../../src/services/payments/payment-ledger.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import type { SpentTx } from '../../../src/monero/wallet/build/spent-tx.js';
import type { OutgoingState } from '../../../src/monero/wallet/build/outgoing-tx.js';
import type { OrderTx } from '../../../src/model/order.js';
import type { Spender } from '../../../src/model/spender.js';
import type { MadePayments } from '../../../src/model/made-payment.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import type { WalletWriter } from '../../../src/store/wallet-writer.js';
import { payment, PaymentHome, REFUSED, TAKEN } from '../../support/wallets/payment-home.js';
import { madePayment } from '../../support/wallets/made-payment.js';
import { blobSpending } from '../../support/wallets/unmined-payment.js';
import { bytes, output } from '../../store/fixtures.js';

const name = (n: number): string => toHex(bytes<Hash>(100 + n));
const failing = (error: Error) => () => Promise.reject(error);
const refusing = () => Promise.resolve(REFUSED);
const taking = () => Promise.resolve(TAKEN);

/** Records that a block contains the n-th payment, which is recorded. */
function mine(w: WalletWriter, n: number): void {
  const known = w.outgoing.byHash(payment(n).txHash);
  if (known === undefined) throw new Error('the payment is not recorded');
  w.outgoing.confirm({ ...known, height: 3 });
}

let home: PaymentHome;
let ledger: PaymentLedger;

beforeEach(() => {
  home = new PaymentHome();
  ledger = home.ledger();
});

afterEach(() => home.close());

describe('a payment', () => {
  it('is pending once the daemon took it', async () => {
    await ledger.commit([payment(1)], { spender: undefined });
    expect([home.state(1), home.balance()]).toEqual(['pending', 450n]);
  });

  it.each([
    ['a refused connection', new DaemonError('unreachable', 'no connection', { notTaken: true })],
    ['a refused certificate', new DaemonError('tls', 'not trusted')],
    ['a wallet that is closed before it is sent', new WalletError({ kind: 'no_wallet' })],
  ])('leaves nothing behind after %s', async (_, error) => {
    home.answers = [failing(error)];
    await expect(ledger.commit([payment(1)], { spender: undefined })).rejects.toBe(error);
    expect([home.state(1), home.keysOf(1), home.balance()]).toEqual([undefined, undefined, 500n]);
  });

  it.each([
    ['a refusal', refusing],
    ['HTTP 403', failing(new DaemonError('rejected', 'forbidden', { status: 403, notTaken: true }))],
    ['a busy daemon', failing(new DaemonError('busy', 'the daemon is syncing'))],
    ['a refused login', failing(new DaemonError('unauthorized', 'the daemon wants other credentials'))],
  ])(
    'is in no list after %s, which may be a lie: it is complete where it is found later',
    async (_, answer) => {
      home.answers = [answer];
      await expect(ledger.commit([payment(1)], { spender: undefined })).rejects.toThrow();
      expect([home.state(1), home.keysOf(1), home.balance()]).toEqual([undefined, [bytes(1)], 500n]);
      const { txHash, destinations } = payment(1);
      const found = {
        account: 0,
        fromIndices: [0],
        amountIn: amount(50n),
        change: amount(7n),
        fee: amount(2n),
      };
      const facts = { ...found, txHash, timestamp: 9, unlockTime: 0n };
      home.store.write((w) => w.addPending({ ...facts, destinations: [] }));
      // The change that the wallet recorded when it made the payment.
      expect(home.store.read((r) => r.outgoing.byHash(txHash))).toMatchObject({ change: 8n, destinations });
      home.store.write((w) => w.outgoing.confirm({ ...facts, height: 3 }));
      expect([home.state(1), home.keysOf(1)]).toEqual(['confirmed', [bytes(1)]]);
    },
  );

  it('that was refused is not forgotten because it is not sent the next time', async () => {
    home.answers = [refusing, failing(new DaemonError('unreachable', 'no connection', { notTaken: true }))];
    for (let i = 0; i < 2; i++)
      await expect(ledger.commit([payment(1)], { spender: undefined })).rejects.toThrow();
    expect([home.state(1), home.keysOf(1), home.balance()]).toEqual([undefined, [bytes(1)], 500n]);
  });

  it('that the daemon refuses and has is made', async () => {
    home.answers = [refusing];
    home.held = new Set([name(1)]);
    await ledger.commit([payment(1)], { spender: undefined });
    expect([home.state(1), home.balance()]).toEqual(['pending', 450n]);
  });

  it.each([
    ['a connection that broke', new DaemonError('unreachable', 'no connection', { notTaken: false })],
    ['no answer in time', new DaemonError('timeout', 'the daemon does not answer')],
    ['an answer that cannot be read', new DaemonError('malformed', 'unreadable')],
    ['an answer beyond the limit', new DaemonError('too_large', 'too long')],
    ["a gateway's HTTP 502", new DaemonError('rejected', 'bad gateway', { status: 502 })],
    ['an error that nobody foresaw', new TypeError('undefined is not a function')],
  ])('counts as made after %s, keeps its record and key, and has an event', async (_, error) => {
    home.answers = [failing(error)];
    await ledger.commit([payment(1)], { spender: undefined });
    expect([home.state(1), home.keysOf(1), home.balance()]).toEqual(['pending', [bytes(1)], 450n]);
    expect(home.transferEvents()).toEqual([
      { type: 'transfer.relayed', data: expect.objectContaining({ amountIn: 50n, change: 8n, fee: 2n }) },
    ]);
    expect(home.sent).toEqual([1]);
  });

  it('that was mined while its answer was on the way stays mined', async () => {
    home.answers = [
      () => {
        home.store.write((w) => mine(w, 1));
        return taking();
      },
    ];
    await ledger.commit([payment(1)], { spender: undefined });
    expect(home.state(1)).toBe('confirmed');
    await ledger.commit([payment(1)], { spender: undefined });
    expect([home.state(1), home.sent]).toEqual(['confirmed', [1]]);
  });

  it.each<[string, () => unknown]>([
    ['frozen', () => home.store.write((w) => w.outputs.setFrozen(output(1, 2, 50n), true))],
    ['spent by another payment', () => ledger.commit([payment(1)], { spender: undefined })],
  ])('whose input is %s is refused, and not even recorded', async (_, take) => {
    await take();
    const before = [...home.sent];
    const second = { ...payment(2), inputs: payment(1).inputs };
    await expect(ledger.commit([second], { spender: undefined })).rejects.toMatchObject({
      fault: { kind: 'tx_rejected', reason: 'its inputs are frozen, or spent by another payment' },
    });
    expect([home.state(2), home.keysOf(2), home.sent]).toEqual([undefined, undefined, before]);
  });

  it('is recorded with its addresses in order, its payment id, and its daemon before that has it', async () => {
    const at = (n: number, minor: number) => output(n, 2, 50n, { subaddress: { major: 0, minor } });
    const paymentId = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) as PaymentId;
    const recorded = () => home.store.read((r) => r.outgoing.byHash(payment(1).txHash));
    let sent: unknown;
    home.answers = [
      () => {
        sent = recorded();
        return taking();
      },
    ];
    const inputs = [at(1, 10), at(2, 9), at(3, 10)];
    await ledger.commit([{ ...payment(1), inputs, paymentId }], { spender: undefined });
    expect(sent).toMatchObject({ state: 'prepared', sentTo: 'home:1', paymentId, amountIn: 150n });
    expect(recorded()).toMatchObject({ state: 'pending', fromIndices: [9, 10], paymentId });
    await ledger.commit([payment(4)], { spender: undefined });
    expect(home.store.read((r) => r.outgoing.byHash(payment(4).txHash))).not.toHaveProperty('paymentId');
  });

  it('is recorded after a search for payments that were lost, whose inputs it may not spend', async () => {
    await ledger.commit([payment(1)], { spender: undefined });
    expect(home.searches).toBe(1);
  });

  it('that failed keeps its record and key when it is refused again', async () => {
    home.answers = [taking, refusing];
    await ledger.commit([payment(1)], { spender: undefined });
    home.store.write((w) => w.fail(payment(1).txHash));
    await expect(
      ledger.commit([{ ...payment(1), txSecretKeys: [] }], { spender: undefined }),
    ).rejects.toMatchObject({
      fault: { kind: 'tx_rejected' },
    });
    expect([home.state(1), home.keysOf(1), home.balance()]).toEqual(['failed', [bytes(1)], 500n]);
    expect(home.store.read((r) => r.outgoing.byHash(payment(1).txHash))).toMatchObject({
      blob: new Uint8Array([1]),
      destinations: payment(1).destinations,
    });
  });

  it('that is pending stays so when it is refused again', async () => {
    home.answers = [taking, refusing];
    await ledger.commit([payment(1)], { spender: undefined });
    await expect(ledger.commit([payment(1)], { spender: undefined })).rejects.toMatchObject({
      fault: { reason: 'double spend' },
    });
    expect([home.state(1), home.balance()]).toEqual(['pending', 450n]);
  });

  it.each<[string, OutgoingState, (w: WalletWriter) => void]>([
    ['the pool', 'pending', (w) => w.outgoing.setState(payment(1).txHash, 'pending')],
    ['a block', 'confirmed', (w) => mine(w, 1)],
  ])('that turned up in %s is made, whatever the daemon answers', async (_, state, find) => {
    home.answers = [
      () => {
        home.store.write(find);
        return refusing();
      },
    ];
    await ledger.commit([payment(1)], { spender: undefined });
    expect([home.state(1), home.keysOf(1)]).toEqual([state, [bytes(1)]]);
  });

  it('whose record a rescan deletes before its refusal is refused, and the next one is made', async () => {
    home.answers = [
      () => {
        home.store.write((w) => w.outgoing.clear());
        return refusing();
      },
      taking,
    ];
    await expect(ledger.commit([payment(1)], { spender: undefined })).rejects.toMatchObject({
      fault: { kind: 'tx_rejected', reason: 'double spend' },
    });
    await ledger.commit([payment(2)], { spender: undefined });
    expect([home.state(1), home.state(2)]).toEqual([undefined, 'pending']);
    expect(home.lines.filter(({ level }) => level === 50)).toEqual([]);
  });
});

describe('a store that cannot be written', () => {
  type Answer = PaymentHome['answers'][number];

  /** Locks the store with the first answer of the daemon. @returns a function that unlocks it. */
  function lockWith(first: Answer, ...others: readonly Answer[]): () => void {
    let lock: ReturnType<PaymentHome['lockStore']> | undefined;
    const locking: Answer = (blob) => {
      lock = home.lockStore();
      return first(blob);
    };
    home.answers = [locking, ...others];
    return () => lock?.close();
  }

  it('does not turn a relayed payment into an error, and notes it later', async () => {
    const unlock = lockWith(taking, taking);
    await ledger.commit([payment(1)], { spender: undefined });
    unlock();
    expect([home.state(1), home.keysOf(1), home.balance()]).toEqual(['prepared', [bytes(1)], 450n]);
    expect(home.lines).toContainEqual(expect.objectContaining({ level: 50, txid: name(1) }));
    await ledger.commit([payment(1)], { spender: undefined });
    expect(home.state(1)).toBe('pending');
  });

  it('keeps a relayed payment to be noted later, also where it is refused the next time', async () => {
    const unlock = lockWith(taking, refusing);
    await ledger.commit([payment(1)], { spender: undefined });
    unlock();
    await expect(ledger.commit([payment(1)], { spender: undefined })).rejects.toMatchObject({
      fault: { kind: 'tx_rejected' },
    });
    expect([home.state(1), home.keysOf(1), home.balance()]).toEqual(['prepared', [bytes(1)], 450n]);
  });

  it('does not have a refused payment relayed later', async () => {
    const unlock = lockWith(refusing, taking);
    await expect(ledger.commit([payment(1)], { spender: undefined })).rejects.toMatchObject({
      fault: { kind: 'tx_rejected' },
    });
    unlock();
    expect(home.state(1)).toBe('prepared');
    await ledger.commit([payment(2)], { spender: undefined });
    expect([home.state(1), home.state(2), home.balance()]).toEqual([undefined, 'pending', 450n]);
  });
});

describe('several payments', () => {
  it('that end with a refusal leave one that may be with the daemon since an earlier call', async () => {
    home.answers = [failing(new DaemonError('timeout', 'no answer'))];
    await ledger.commit([payment(1)], { spender: undefined });
    home.answers = [refusing];
    await expect(ledger.commit([1, 2].map(payment), { spender: undefined })).rejects.toMatchObject({
      fault: { kind: 'tx_rejected' },
    });
    expect([home.state(1), home.state(2), home.keysOf(2)]).toEqual(['pending', undefined, undefined]);
  });

  it('that begin with a refusal leave a later one that turned up in the pool', async () => {
    home.answers = [
      () => {
        home.store.write((w) => w.markPending(payment(2).txHash));
        return refusing();
      },
    ];
    await expect(ledger.commit([1, 2, 3].map(payment), { spender: undefined })).rejects.toMatchObject({
      fault: { kind: 'tx_rejected' },
    });
    expect([1, 2, 3].map((n) => home.state(n))).toEqual([undefined, 'pending', undefined]);
    expect([home.keysOf(2), home.balance()]).toEqual([[bytes(2)], 450n]);
  });

  it('go to the daemon that serves when each is sent: the one that refused a payment before is not asked', async () => {
    home.answers = [refusing];
    await expect(ledger.commit([payment(2)], { spender: undefined })).rejects.toThrow('tx_rejected');
    const getTransactions = () => Promise.reject(new DaemonError('timeout', 'no answer'));
    home.answers = [
      () => {
        home.others.set('home:1', { trusted: false, client: { getTransactions } as unknown as Daemon });
        home.daemonName = 'away:1';
        return taking();
      },
      taking,
    ];
    await ledger.commit([1, 2].map(payment), { spender: undefined });
    const sentTo = (n: number) => home.store.read((r) => r.outgoing.byHash(payment(n).txHash)?.sentTo);
    expect([1, 2].map((n) => [home.state(n), sentTo(n)])).toEqual([
      ['pending', 'home:1'],
      ['pending', 'away:1'],
    ]);
  });

  it('name the relayed ones after a fault of the store', async () => {
    home.answers = [
      taking,
      () => {
        home.store.read = () => {
          throw new Error('a fault of the store');
        };
        return refusing();
      },
    ];
    await expect(ledger.commit([1, 2].map(payment), { spender: undefined })).rejects.toMatchObject({
      fault: { kind: 'partly_relayed', reason: `internal error; relayed before it: ${name(1)}` },
    });
    expect(home.lines).toContainEqual(expect.objectContaining({ level: 50 }));
  });

  it.each([
    ['a refusal', refusing, 'double spend'],
    ['a busy daemon', failing(new DaemonError('busy', 'the daemon is syncing')), 'the daemon is syncing'],
    ['a refused login', failing(new DaemonError('unauthorized', 'other credentials')), 'other credentials'],
    ['a refused certificate', failing(new DaemonError('tls', 'not trusted')), 'not trusted'],
    [
      'a refused connection',
      failing(new DaemonError('unreachable', 'no connection', { notTaken: true })),
      'no connection',
    ],
    ['a wallet that is closed', failing(new WalletError({ kind: 'no_wallet' })), 'no wallet'],
  ])('name the relayed ones after %s, and leave nothing of the others', async (_, answer, reason) => {
    home.answers = [taking, failing(new DaemonError('timeout', 'no answer')), answer];
    await expect(ledger.commit([1, 2, 3, 4].map(payment), { spender: undefined })).rejects.toMatchObject({
      fault: {
        kind: 'partly_relayed',
        reason: `${reason}; relayed before it: ${name(1)}, ${name(2)}`,
        text: expect.stringContaining(`; relayed before it: ${name(1)}, ${name(2)}`),
      },
    });
    expect([1, 2, 3, 4].map((n) => home.state(n))).toEqual(['pending', 'pending', undefined, undefined]);
    expect([home.balance(), home.sent]).toEqual([400n, [1, 2, 3]]);
    // The answer has it: it is no defect.
    expect(home.lines.filter(({ level }) => level === 50)).toEqual([]);
  });
});

describe('a payment of a client with limits', () => {
  const by: Spender = { name: 'shop', limits: { day: 100n }, addresses: undefined };
  /** Payment whose bytes are a transaction. */
  const own = (n: number) => ({ ...payment(n), blob: blobSpending([bytes<KeyImage>(n)]), destinations: [] });
  const counted = (): bigint => home.store.read((r) => r.credentialSpends.sumAfter('shop', 0));
  const commit = (numbers: readonly number[], spender: Spender | undefined = by) =>
    ledger.commit(numbers.map(own), { spender });
  const offline = new DaemonError('unreachable', 'no connection', { notTaken: true });

  beforeEach(() => {
    ledger = home.ledger(({ txHash = bytes<Hash>(0) }): SpentTx => {
      const facts = { payees: [], hasUnknownPayee: false, isLocked: false };
      return { signingHash: txHash, txHash, amount: amount(42n), ...facts };
    });
  });

  it('counts with its amount, and is not recorded beyond the limit', async () => {
    await commit([1, 2]);
    expect(counted()).toBe(84n);
    await expect(commit([3])).rejects.toMatchObject({ fault: { kind: 'spend_limit' } });
    expect([home.state(3), home.sent.length, counted()]).toEqual([undefined, 2, 84n]);
  });

  it('counts once however often it is relayed, and not where it was relayed with all rights', async () => {
    for (let i = 0; i < 2; i++) await commit([1]);
    expect(counted()).toBe(42n);
    await ledger.commit([own(2)], { spender: undefined });
    await commit([2, 3]);
    expect(counted()).toBe(84n);
  });

  it('counts where it failed since it was relayed with all rights', async () => {
    await ledger.commit([own(1)], { spender: undefined });
    home.store.write((w) => w.fail(own(1).txHash));
    await commit([1]);
    expect([counted(), home.state(1)]).toEqual([42n, 'pending']);
  });

  it.each([
    ['the daemon refuses it', refusing],
    ['it is not sent', failing(offline)],
  ])('does not count where %s, nor do those after it', async (_, answer) => {
    home.answers = [taking, answer];
    await expect(commit([1, 2])).rejects.toMatchObject({ fault: { kind: 'partly_relayed' } });
    expect([counted(), home.state(1), home.state(2)]).toEqual([42n, 'pending', undefined]);
    home.answers = [answer];
    await expect(commit([3])).rejects.toThrow();
    expect(counted()).toBe(42n);
  });

  it('counts on where it was counted before it was refused: the client may have its bytes', async () => {
    home.store.write((w) => home.spending().record(w, by, [spentOf(1)]));
    home.answers = [refusing];
    await expect(commit([1])).rejects.toThrow();
    expect(counted()).toBe(42n);
  });

  const spentOf = (n: number): SpentTx => ({
    ...{
      signingHash: own(n).txHash,
      amount: amount(42n),
      payees: [],
      hasUnknownPayee: false,
      isLocked: false,
    },
  });
});

describe('a payment of an order', () => {
  const order = (...numbers: number[]) => ({
    entry: {
      record: (w: WalletWriter, made: MadePayments, { sent }: { sent: boolean }) =>
        w.orders.add({ key: 'a', method: 'transfer', requestHash: bytes<Hash>(7), created: 1, made, sent }),
    },
    made: { payments: numbers.map((n) => madePayment(100 + n, [n])) },
  });
  const attempts = (): unknown[] | undefined =>
    home.store
      .read((r) => r.orders.byKey('a'))
      ?.transactions.map(({ sent, withdrawn }: OrderTx) => [sent, withdrawn]);
  const commit = (...numbers: number[]) =>
    ledger.commit(numbers.map(payment), { spender: undefined, order: order(...numbers) });

  it('is recorded with its order, as sent', async () => {
    await commit(1, 2);
    expect(attempts()).toEqual([
      [true, undefined],
      [true, undefined],
    ]);
  });

  it('is refused in its order too, where those after it were never sent', async () => {
    home.answers = [taking, refusing];
    await expect(commit(1, 2, 3)).rejects.toMatchObject({ fault: { kind: 'partly_relayed' } });
    expect(attempts()).toEqual([
      [true, undefined],
      [true, 'refused'],
      [true, 'unsent'],
    ]);
  });

  it('leaves no order where nothing was sent', async () => {
    home.answers = [failing(new DaemonError('unreachable', 'no connection', { notTaken: true }))];
    await expect(commit(1, 2)).rejects.toThrow('no connection');
    expect(attempts()).toBeUndefined();
  });

  it('stays in the order where the wallet has paid without it', async () => {
    await ledger.commit([payment(1)], { spender: undefined });
    home.answers = [refusing];
    await expect(commit(1)).rejects.toMatchObject({ fault: { kind: 'tx_rejected' } });
    expect([attempts(), home.state(1)]).toEqual([[[true, undefined]], 'pending']);
  });

  it.each([
    ['refused', refusing],
    ['not sent', failing(new DaemonError('unreachable', 'no connection', { notTaken: true }))],
  ])('that failed stays as it is in its order where a relay without the order is %s', async (_, answer) => {
    await commit(1);
    home.store.write((w) => w.fail(payment(1).txHash));
    home.answers = [answer];
    await expect(ledger.commit([payment(1)], { spender: undefined })).rejects.toThrow();
    expect([attempts(), home.state(1)]).toEqual([[[true, undefined]], 'failed']);
  });

  it('that other wallets signed is the signed form of its set', async () => {
    const rings = bytes<Hash>(9);
    const { signed, ...made } = madePayment(1, [1], { rings });
    expect(signed).toBeDefined();
    home.store.write((w) => order().entry.record(w, { payments: [made] }, { sent: false }));
    await ledger.commit([{ ...payment(1), rings }, payment(2)], { spender: undefined });
    const [attempt] = home.store.read((r) => r.orders.byKey('a'))?.transactions ?? [];
    expect(attempt?.made.signed?.txHash).toEqual(payment(1).txHash);
  });
});
