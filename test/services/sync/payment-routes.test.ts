import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Daemon } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { LostPayments } from '../../../src/services/sync/lost-payments.js';
import { toHex } from '../../../src/util/bytes.js';
import { payment, PaymentHome, REFUSED, TAKEN } from '../../support/wallets/payment-home.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const MINUTE = 60;
const HOUR = 3600;
const { txHash } = payment(1);
const txid = toHex(txHash);

/** State of the daemon that a payment was sent to, after another one serves. */
type Former = 'silent' | 'holds it' | 'lacks it';

let home: PaymentHome;
let lost: LostPayments;
let former: Former;
/** Number of questions to the former daemon. */
let asked: number;

beforeEach(() => {
  home = new PaymentHome();
  lost = home.lostPayments();
  former = 'silent';
  asked = 0;
});
afterEach(() => home.close());

/** Makes the daemon `away:1` serve; `home:1` stays on the list. */
function switchAway(trusted: boolean): void {
  const getTransactions = () => {
    asked += 1;
    if (former === 'silent') return Promise.reject(new DaemonError('timeout', 'no answer'));
    return Promise.resolve({ transactions: former === 'holds it' ? [{ hash: txHash }] : [] });
  };
  home.others.set('home:1', { trusted, client: { getTransactions } as unknown as Daemon });
  home.daemonName = 'away:1';
  home.answers = [() => Promise.resolve(TAKEN)];
}

const pay = (n = 1): Promise<void> => home.ledger().commit([payment(n)], { spender: undefined });

/** Pays by `home:1`, whose answer is lost, then switches. */
async function payAndSwitch({ trusted = false } = {}): Promise<void> {
  home.answers = [() => Promise.reject(new DaemonError('timeout', 'no answer'))];
  await pay();
  switchAway(trusted);
}

/** A read of the pool, which lacks the payment, some seconds later. */
const look = async (seconds: number, blocks = 1): Promise<void> => {
  home.time += seconds;
  home.blocks += blocks;
  await lost.follow(new Set());
};
const sentTo = () => home.store.read((r) => r.outgoing.byHash(txHash)?.sentTo);
const warnings = (): unknown[] => home.lines.filter(({ level }) => level === 40).map(({ msg }) => msg);

describe('a payment whose answer was lost', () => {
  it('waits, with its inputs reserved, while the daemon that it was sent to is silent', async () => {
    await payAndSwitch();
    for (let i = 0; i < 60; i++) await look(HOUR);
    expect([home.sent, sentTo(), home.state(1), home.balance()]).toEqual([[1], 'home:1', 'pending', 450n]);
    expect(home.relay.routes.held).toBe(1);
    expect(warnings().filter((text) => String(text).includes('does not answer'))).toHaveLength(1);
  });

  it('is not sent to another daemon that the first one holds it, nor fails, and is pending', async () => {
    await payAndSwitch({ trusted: true });
    former = 'holds it';
    for (let i = 0; i < 60; i++) await look(HOUR);
    expect([home.sent, sentTo(), home.state(1), home.relay.routes.held]).toEqual([
      [1],
      'home:1',
      'pending',
      1,
    ]);
  });

  it('is sent to another daemon once a trusted first one lacks it', async () => {
    await payAndSwitch({ trusted: true });
    await look(MINUTE);
    expect(home.sent).toEqual([1]);
    former = 'lacks it';
    await look(MINUTE);
    expect([home.sent, sentTo(), home.state(1), home.relay.routes.held]).toEqual([
      [1, 1],
      'away:1',
      'pending',
      0,
    ]);
  });

  it('is sent to another daemon once an untrusted first one denied it twice, five minutes apart', async () => {
    await payAndSwitch();
    former = 'lacks it';
    await look(MINUTE);
    for (let i = 0; i < 4; i++) await look(MINUTE);
    expect(home.sent).toEqual([1]);
    await look(MINUTE);
    expect([home.sent, sentTo()]).toEqual([[1, 1], 'away:1']);
  });

  it('needs two new denials after the first daemon was seen to hold it', async () => {
    await payAndSwitch();
    former = 'lacks it';
    await look(MINUTE);
    former = 'holds it';
    await look(5 * MINUTE);
    former = 'lacks it';
    await look(5 * MINUTE);
    expect(home.sent).toEqual([1]);
    await look(5 * MINUTE);
    expect(home.sent).toEqual([1, 1]);
  });

  it('is sent to another daemon once the first one is no longer listed', async () => {
    await payAndSwitch();
    await look(MINUTE);
    home.others.clear();
    await look(MINUTE);
    expect([home.sent, sentTo(), home.relay.routes.held]).toEqual([[1, 1], 'away:1', 0]);
  });

  it('is sent to the first daemon again when that serves again, without a question', async () => {
    await payAndSwitch();
    await look(MINUTE);
    const questions = asked;
    home.daemonName = 'home:1';
    await look(MINUTE);
    expect([home.sent, sentTo(), asked]).toEqual([[1, 1], 'home:1', questions]);
  });

  it('waits no longer once it is mined', async () => {
    await payAndSwitch();
    await look(MINUTE);
    home.store.write((w) => {
      const known = w.outgoing.byHash(txHash);
      if (known !== undefined) w.outgoing.confirm({ ...known, height: 101 });
    });
    await look(MINUTE);
    expect([home.relay.routes.held, home.state(1)]).toEqual([0, 'confirmed']);
  });

  it('keeps the inputs of a rescan of spent outputs while the first daemon may hold it', async () => {
    await payAndSwitch({ trusted: true });
    await lost.failUnheld();
    expect([home.state(1), home.balance()]).toEqual(['pending', 450n]);
    home.time += HOUR;
    former = 'lacks it';
    await lost.failUnheld();
    expect([home.state(1), home.balance()]).toEqual(['failed', 500n]);
  });

  it('is not sent by a repeated call of its client either, which fails unless the first daemon has it', async () => {
    await payAndSwitch();
    await expect(pay()).rejects.toMatchObject({ kind: 'unreachable' });
    expect([home.sent, home.state(1)]).toEqual([[1], 'pending']);
    home.time += HOUR;
    former = 'holds it';
    await pay();
    expect([home.sent, home.state(1)]).toEqual([[1], 'pending']);
  });
});

describe('a payment that failed', () => {
  it('and is made again is not sent to another daemon while the first one may hold it', async () => {
    await payAndSwitch({ trusted: true });
    home.store.write((w) => w.fail(txHash));
    await expect(pay()).rejects.toMatchObject({ kind: 'unreachable' });
    expect([home.sent, sentTo(), home.state(1)]).toEqual([[1], 'home:1', 'failed']);
    home.time += HOUR;
    former = 'lacks it';
    await pay();
    expect([home.sent, sentTo()]).toEqual([[1, 1], 'away:1']);
  });
});

describe('a new payment', () => {
  it('is sent to the daemon that serves, without a question to any other', async () => {
    switchAway(false);
    await pay();
    expect([home.sent, sentTo(), asked]).toEqual([[1], 'away:1', 0]);
  });

  it('of several goes to the daemon that serves when it is sent', async () => {
    home.answers = [
      () => {
        switchAway(false);
        return Promise.resolve(TAKEN);
      },
    ];
    await home.ledger().commit([payment(1), payment(2)], { spender: undefined });
    const second = home.store.read((r) => r.outgoing.byHash(payment(2).txHash)?.sentTo);
    expect([home.sent, sentTo(), second, asked]).toEqual([[1, 2], 'home:1', 'away:1', 0]);
  });

  it('that is refused leaves no daemon on record: made again, it goes to the one that serves', async () => {
    home.answers = [() => Promise.resolve(REFUSED)];
    await expect(pay()).rejects.toThrow();
    switchAway(false);
    await pay();
    expect([home.sent, sentTo(), asked]).toEqual([[1, 1], 'away:1', 0]);
  });
});

describe('a silent daemon', () => {
  it('is asked once, not once for each payment', async () => {
    home.answers = [() => Promise.reject(new DaemonError('timeout', 'no answer'))];
    for (let n = 1; n <= 8; n++) await pay(n);
    switchAway(false);
    await look(MINUTE);
    expect([asked, home.relay.routes.held]).toEqual([1, 8]);
  });
});

describe('any order of events', () => {
  it('never sends a payment to a second daemon that the first one holds or may hold', async () => {
    const event = fc.record({
      former: fc.constantFrom<Former>('silent', 'holds it', 'lacks it'),
      act: fc.constantFrom('look', 'pay again', 'fail', 'rescan'),
      seconds: fc.integer({ min: 1, max: 2 * HOUR }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 12 }), fc.boolean(), async (events, trusted) => {
        home.close();
        home = new PaymentHome();
        lost = home.lostPayments();
        await payAndSwitch({ trusted });
        for (const { former: state, act, seconds } of events) {
          former = state;
          const before = home.sent.length;
          const isMoved = sentTo() !== 'home:1';
          if (act === 'look') await look(seconds);
          else {
            home.time += seconds;
            if (act === 'pay again') await pay().catch(() => undefined);
            if (act === 'fail') home.store.write((w) => w.fail(txHash));
            if (act === 'rescan') await lost.failUnheld();
          }
          if (!isMoved && former !== 'lacks it') expect(home.sent).toHaveLength(before);
        }
      }),
      { numRuns: randomRuns(60) },
    );
  });
});

it('keeps the hash of a payment that waits in the log, with its daemon', async () => {
  await payAndSwitch();
  await look(MINUTE);
  expect(home.lines).toContainEqual(expect.objectContaining({ level: 40, txid, daemon: 'home:1' }));
});
