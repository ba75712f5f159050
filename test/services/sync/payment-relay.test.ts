import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RelayOutcome } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { DaemonAccess } from '../../../src/services/context/daemon-access.js';
import { PaymentRelay, type SendOutcome } from '../../../src/services/sync/payment-relay.js';
import { toHex } from '../../../src/util/bytes.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { output, page, received } from '../../store/fixtures.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';
import { paymentHash, unminedPayment } from '../../support/wallets/unmined-payment.js';

const BLOB = Uint8Array.of(1, 2, 3);
const txid = toHex(paymentHash(1));

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
  wallet.store.write((w) => {
    w.applyPage(page(0, 3, { received: [received(1, 1)], outputs: [output(1, 1, 50n)] }));
    w.prepare(unminedPayment(1, { state: 'prepared' }), [output(1, 1, 50n)], []);
  });
});
afterEach(() => wallet.close());

const answer = (outcome: Partial<RelayOutcome> | Error): void => {
  wallet.answers.sendRawTransaction = () =>
    outcome instanceof Error
      ? Promise.reject(outcome)
      : Promise.resolve({ accepted: true, notRelayed: false, reason: '', ...outcome });
};
const send = (): Promise<SendOutcome> => wallet.relay.send(paymentHash(1), BLOB);
const state = () => wallet.store.read((r) => r.outgoing.byHash(paymentHash(1))?.state);

/** Makes every write to the store fail. */
const failWrites = (): void => {
  const fail = (): never => {
    throw new WalletError({ kind: 'wallet_io', file: 'w', reason: 'the disk is full' });
  };
  Object.assign(wallet.store, { write: fail, writeRecoverable: fail });
};

describe('a payment that is sent', () => {
  it('is pending once the daemon accepts it', async () => {
    answer({});
    expect([await send(), state()]).toEqual(['accepted', 'pending']);
  });

  it('is refused with the reason of the daemon, and its record stays', async () => {
    answer({ accepted: false, reason: 'double spend' });
    expect(await faultOf(send)).toEqual({ kind: 'tx_rejected', reason: 'double spend' });
    expect(state()).toBe('prepared');
  });

  it.each([
    ['the daemon is busy', new DaemonError('busy', 'syncing')],
    ['none of its bytes left', new DaemonError('unreachable', 'refused', { notTaken: true })],
    ['the wallet is closed', new WalletError({ kind: 'no_wallet' })],
  ])('fails where %s', async (_, error) => {
    answer(error);
    await expect(send()).rejects.toBe(error);
    expect([state(), wallet.lines]).toEqual(['prepared', []]);
  });

  it.each([
    [
      'a broken connection',
      new DaemonError('unreachable', 'broken', { code: 'ECONNRESET' }),
      { kind: 'unreachable', code: 'ECONNRESET' },
    ],
    ['an unreadable answer', new DaemonError('malformed', 'unreadable'), { kind: 'malformed' }],
    ['a bug', new TypeError('undefined'), { err: expect.anything() }],
  ])(
    'may have been relayed after %s: it is pending, and the lost answer is logged',
    async (_, error, facts) => {
      answer(error);
      expect([await send(), state()]).toEqual(['unanswered', 'pending']);
      expect(wallet.lines).toEqual([expect.objectContaining({ level: 40, txid, ...facts })]);
    },
  );

  it('counts as sent where the store cannot note that', async () => {
    wallet.store.write((w) => w.outgoing.setSentTo(paymentHash(1), 'daemon:18081'));
    answer({});
    failWrites();
    expect(await send()).toBe('accepted');
    expect(wallet.lines).toEqual([expect.objectContaining({ level: 50, txid })]);
  });
});

describe('the daemon of a payment', () => {
  const recorded = () => wallet.store.read((r) => r.outgoing.byHash(paymentHash(1))?.sentTo);

  it('is on record before the payment is sent', async () => {
    let before: string | undefined;
    wallet.answers.sendRawTransaction = () => {
      before = recorded();
      return Promise.reject(new DaemonError('timeout', 'no answer'));
    };
    await send();
    expect([before, recorded()]).toEqual(['daemon:18081', 'daemon:18081']);
  });

  it('must be on record: without it nothing is sent', async () => {
    let sent = 0;
    wallet.answers.sendRawTransaction = () => {
      sent += 1;
      return Promise.resolve({ accepted: true, notRelayed: false, reason: '' });
    };
    failWrites();
    expect([await faultOf(send), sent]).toEqual([expect.objectContaining({ kind: 'wallet_io' }), 0]);
  });
});

describe('tasks that send payments', () => {
  it('run one after the other, also after one that failed', async () => {
    const steps: string[] = [];
    const task =
      (name: string, fails = false) =>
      async () => {
        steps.push(`${name} begins`);
        await turns();
        steps.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const [one, two] = [wallet.relay.exclusive(task('one', true)), wallet.relay.exclusive(task('two'))];
    await expect(one).rejects.toThrow('one');
    expect(await two).toBe('two');
    expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });
});

describe('the record of a refused payment', () => {
  it('is changed at once', () => {
    wallet.relay.withdraw([
      { txHash: paymentHash(1), change: () => wallet.store.write((w) => w.discard(paymentHash(1))) },
    ]);
    expect(state()).toBeUndefined();
  });

  it('that cannot be changed is changed before the next payment is sent, which waits for that', async () => {
    let isDiskFull = true;
    let changes = 0;
    const change = (): void => {
      if (isDiskFull) throw new Error('the disk is full');
      changes += 1;
    };
    wallet.relay.withdraw([{ txHash: paymentHash(1), change }]);
    expect(wallet.lines).toEqual([expect.objectContaining({ level: 50 })]);
    let sent = 0;
    const sending = () => Promise.resolve(void (sent += 1));
    await expect(wallet.relay.exclusive(sending)).rejects.toThrow('the disk is full');
    expect(sent).toBe(0);
    isDiskFull = false;
    await wallet.relay.exclusive(sending);
    await wallet.relay.exclusive(sending);
    expect([changes, sent]).toEqual([1, 2]);
  });
});

describe('a payment of a wallet of a cluster', () => {
  /** Names of the daemons that the payment was sent to. */
  let sent: string[];
  /** Name of the daemon that serves. */
  let serving: string;
  /** Ends of the waits for the quorum. */
  let waits: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[];

  const relay = (): PaymentRelay => {
    const { store, timeBounds, log, daemon } = wallet;
    const named = Object.defineProperties(Object.create(daemon) as DaemonAccess, {
      name: { get: () => serving },
      client: { value: () => wallet.answers },
    });
    const holding = {
      settled: () => new Promise<void>((resolve, reject) => void waits.push({ resolve, reject })),
      assertHeld: () => undefined,
      eventsUpTo: 0,
    };
    return new PaymentRelay({ ...{ store, timeBounds, log, holding }, daemon: named });
  };
  const sentTo = () => wallet.store.read((r) => r.outgoing.byHash(paymentHash(1))?.sentTo);

  beforeEach(() => {
    [sent, waits, serving] = [[], [], 'first:18081'];
    wallet.answers.sendRawTransaction = () => {
      sent.push(serving);
      return Promise.resolve({ accepted: true, notRelayed: false, reason: '' });
    };
  });

  it('is sent once the quorum has it and the name of its daemon', async () => {
    const sending = relay().send(paymentHash(1), BLOB);
    await turns(3);
    expect([sent, waits.length, sentTo()]).toEqual([[], 1, 'first:18081']);
    waits[0]?.resolve();
    expect([await sending, sent, state()]).toEqual(['accepted', ['first:18081'], 'pending']);
  });

  it.each(['not_replicated', 'wallet_elsewhere'] as const)('is not sent after %s', async (kind) => {
    const sending = relay().send(paymentHash(1), BLOB);
    const error = new WalletError(
      kind === 'not_replicated' ? { kind, reason: 'late' } : { kind, name: 'shop', holder: 'another' },
    );
    await turns(3);
    waits[0]?.reject(error);
    await expect(sending).rejects.toBe(error);
    expect([sent, state()]).toEqual([[], 'prepared']);
  });

  it('waits again if the daemon changes during the wait, and is sent to the one on record', async () => {
    const sending = relay().send(paymentHash(1), BLOB);
    await turns(3);
    serving = 'second:18081';
    waits[0]?.resolve();
    await turns(3);
    expect([sent, waits.length, sentTo()]).toEqual([[], 2, 'second:18081']);
    waits[1]?.resolve();
    expect([await sending, sent]).toEqual(['accepted', ['second:18081']]);
  });
});
