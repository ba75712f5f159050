import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { LostPayments } from '../../../src/services/sync/lost-payments.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { payment, PaymentHome, REFUSED, TAKEN } from '../../support/wallets/payment-home.js';
import { blobSpending } from '../../support/wallets/unmined-payment.js';
import { bytes } from '../../store/fixtures.js';

const HOUR = 3600;
/** A transaction that spends the input of the first payment. */
const BLOB = blobSpending(payment(1).inputs.flatMap(({ keyImage }) => keyImage ?? []));
const NOTHING: ReadonlySet<string> = new Set();
const name = (n: number): string => toHex(bytes<Hash>(100 + n));
const refusing = () => Promise.resolve(REFUSED);
const unreachable = () => Promise.reject(new DaemonError('unreachable', 'no connection', { notTaken: true }));

let home: PaymentHome;
let lost: LostPayments;

/** A look into the pool, some seconds and blocks after the one before. */
const look = async (seconds: number, blocks: number, present = NOTHING): Promise<void> => {
  home.time += seconds;
  home.blocks += blocks;
  await lost.follow(present);
};

/** Recorded when it was seen in the pool: another wallet with the same keys made it. */
const madeElsewhere = (n: number): void =>
  home.store.write((w) => {
    const { txHash, fee, change, inputs } = payment(n);
    w.outgoing.insert({
      txHash,
      state: 'pending',
      account: 0,
      fromIndices: [0],
      amountIn: inputs[0]?.amount ?? fee,
      fee,
      change,
      unlockTime: 0n,
      timestamp: home.time,
      destinations: [],
    });
    w.outputs.reserveByKeyImages(
      inputs.flatMap(({ keyImage }) => keyImage ?? []),
      txHash,
      { seen: true },
    );
  });

beforeEach(() => {
  home = new PaymentHome();
  lost = home.lostPayments();
});

afterEach(() => home.close());

describe('a payment that the pool lacks', () => {
  it('fails at once when a block contains another spend of its input, and is not sent any more', async () => {
    await home.ledger().commit([{ ...payment(1), blob: BLOB }], { spender: undefined });
    const [input] = payment(1).inputs;
    const keyImage = input?.keyImage;
    if (keyImage === undefined) throw new Error('an input');
    await look(61, 0);
    expect([home.sent.length, home.state(1)]).toEqual([2, 'pending']);
    home.store.write((w) => w.outputs.markSpent({ keyImage, txHash: bytes<Hash>(250), height: 2 }));
    await look(61, 0);
    expect([home.sent.length, home.state(1)]).toEqual([2, 'failed']);
  });
});

describe('a payment that another wallet with the same keys made', () => {
  it('fails after two looks into the pool that miss it, with a block read between them', async () => {
    madeElsewhere(1);
    await look(HOUR, 1);
    expect([home.state(1), home.balance()]).toEqual(['pending', 450n]);
    await look(HOUR, 0);
    expect([home.state(1), home.balance()]).toEqual(['pending', 450n]);
    await look(HOUR, 1);
    expect([home.state(1), home.balance()]).toEqual(['failed', 500n]);
    expect(home.lines).toContainEqual(expect.objectContaining({ level: 40, txid: name(1) }));
  });

  it('is missed anew once it was seen again', async () => {
    madeElsewhere(1);
    await look(HOUR, 1);
    await look(HOUR, 1, new Set([name(1)]));
    await look(HOUR, 1);
    expect(home.state(1)).toBe('pending');
  });

  it('has 600 seconds to travel', async () => {
    madeElsewhere(1);
    for (let i = 0; i < 5; i++) await look(100, 1);
    expect(home.state(1)).toBe('pending');
    await look(101, 1);
    expect(home.state(1)).toBe('failed');
  });
});

describe('a payment whose sending has no recorded end', () => {
  /** Records a payment as a process does that is killed before the daemon answers. */
  const record = (): void => {
    const { txHash, inputs, fee, change, unlockTime, destinations } = payment(1);
    const facts = { txHash, fee, change, unlockTime, destinations, account: 0, fromIndices: [0] };
    home.store.write((w) =>
      w.prepare(
        { ...facts, state: 'prepared', amountIn: amount(50n), timestamp: home.time, blob: BLOB },
        inputs,
        [],
      ),
    );
  };
  const events = (): string[] => home.transferEvents().map(({ type }) => type);

  it('is pending, and has an event, once the wallet is open', () => {
    record();
    lost.adoptPrepared();
    expect([home.state(1), home.balance(), events()]).toEqual(['pending', 450n, ['transfer.relayed']]);
    lost.adoptPrepared();
    expect(events()).toHaveLength(1);
  });

  it.each([
    ['does not answer', unreachable],
    ['refuses it', refusing],
    ['takes it', () => Promise.resolve(TAKEN)],
  ])('is pending, and has one event, once the pool lacks it and the daemon %s', async (_, answer) => {
    record();
    home.answers = [answer];
    await look(1, 0);
    await look(61, 1);
    expect([home.state(1), home.balance(), events()]).toEqual(['pending', 450n, ['transfer.relayed']]);
  });

  it('fails with an event once the daemon refuses it ten minutes later', async () => {
    record();
    home.answers = [refusing];
    await look(1, 0);
    await look(601, 1);
    expect([home.state(1), home.balance(), events()]).toEqual([
      'failed',
      500n,
      ['transfer.relayed', 'transfer.failed'],
    ]);
  });

  it('is marked later if the store fails', async () => {
    record();
    home.answers = [unreachable];
    const lock = home.lockStore();
    lost.adoptPrepared();
    lock.close();
    expect([home.state(1), events()]).toEqual(['prepared', []]);
    await look(1, 0);
    expect([home.state(1), events()]).toEqual(['pending', ['transfer.relayed']]);
  });
});

describe('a payment of ours', () => {
  const pay = (): Promise<void> => home.ledger().commit([payment(1)], { spender: undefined });

  it('that the pool lacks is relayed again, once a minute at most', async () => {
    await pay();
    await look(1, 0);
    await look(30, 0);
    await look(31, 0);
    expect([home.sent, home.state(1)]).toEqual([[1, 1, 1], 'pending']);
  });

  it('that the daemon refuses fails after two such looks too, and not before', async () => {
    await pay();
    home.answers = [refusing];
    await look(HOUR, 1);
    await look(HOUR, 0);
    expect([home.state(1), home.balance()]).toEqual(['pending', 450n]);
    await look(HOUR, 1);
    expect([home.state(1), home.balance(), home.keysOf(1)]).toEqual(['failed', 500n, [bytes(1)]]);
  });

  it.each([
    ['says that it takes', () => Promise.resolve(TAKEN)],
    ['cannot be given', unreachable],
  ])('that no pool ever holds, and the daemon %s, fails after 24 hours', async (_, answer) => {
    home.answers = [() => Promise.reject(new DaemonError('timeout', 'no answer'))];
    await pay();
    home.answers = [answer];
    await look(HOUR, 1);
    await look(23 * HOUR, 1);
    expect([home.state(1) === 'failed', home.balance()]).toEqual([false, 450n]);
    await look(1, 1);
    expect([home.state(1), home.balance()]).toEqual(['failed', 500n]);
    expect(home.lines).toContainEqual(
      expect.objectContaining({ level: 40, txid: name(1), reason: expect.stringContaining('24 hours') }),
    );
    expect(home.store.read((r) => r.outgoing.byHash(payment(1).txHash)?.blob)).toEqual(new Uint8Array([1]));
  });

  it('is given 24 hours from when it was last seen, by this process or one before', async () => {
    await pay();
    home.answers = [unreachable];
    await look(20 * HOUR, 1, new Set([name(1)]));
    lost = home.lostPayments();
    await look(20 * HOUR, 1);
    await look(2 * HOUR, 1);
    expect(home.state(1)).toBe('pending');
    await look(3 * HOUR, 1);
    expect(home.state(1)).toBe('failed');
  });

  it.each([HOUR, 400 * 24 * HOUR])(
    'does not fail because the clock is stepped ahead by %d s',
    async (step) => {
      home.blockTime = home.time;
      await pay();
      home.answers = [refusing];
      home.clockError = step;
      lost = home.lostPayments();
      await look(300, 1);
      await look(300, 1);
      expect(home.state(1)).toBe('pending');
      home.clockError = 0;
      await look(60, 1);
      expect(home.state(1)).toBe('failed');
    },
  );

  it.each([1, -1])('fails on time if it was made while the clock was %d years wrong', async (years) => {
    home.blockTime = home.time;
    home.clockError = years * 365 * 24 * HOUR;
    await pay();
    home.clockError = 0;
    home.answers = [unreachable];
    await look(HOUR, 1);
    lost = home.lostPayments();
    await look(20 * HOUR, 1);
    expect(home.state(1)).toBe('pending');
    home.blockTime = home.time;
    await look(6 * HOUR, 1);
    expect(home.state(1)).toBe('failed');
  });

  it('that is mined after it failed is recognised', async () => {
    await pay();
    home.store.write((w) => w.fail(payment(1).txHash));
    home.store.write((w) => {
      const known = w.outgoing.byHash(payment(1).txHash);
      if (known !== undefined) w.outgoing.confirm({ ...known, height: 101 });
    });
    expect(home.store.read((r) => r.outgoing.byHash(payment(1).txHash))).toMatchObject({
      state: 'confirmed',
      destinations: payment(1).destinations,
    });
  });

  it('fails at once where the daemon is asked for it and holds it nowhere', async () => {
    await pay();
    await home.ledger().commit([payment(2)], { spender: undefined });
    home.held = new Set([name(2)]);
    await lost.failUnheld();
    expect([home.state(1), home.state(2), home.balance()]).toEqual(['failed', 'pending', 450n]);
    expect(home.lines).toContainEqual(expect.objectContaining({ level: 40, txid: name(1) }));
  });

  it('does not fail where the daemon that holds it nowhere lacks the newest scanned block, which is an error', async () => {
    await pay();
    home.daemonTip = { height: 1, hash: payment(1).txHash };
    await expect(lost.failUnheld()).rejects.toMatchObject({ fault: { kind: 'daemon_misbehaves' } });
    expect(home.state(1)).toBe('pending');
    home.held = new Set([name(1)]);
    await lost.failUnheld();
    expect(home.state(1)).toBe('pending');
  });
});
