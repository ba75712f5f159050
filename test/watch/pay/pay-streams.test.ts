import { beforeEach, describe, expect, it } from '@jest/globals';
import { WalletError } from '../../../src/model/wallet-error.js';
import type { EventSource } from '../../../src/http/message/event-stream.js';
import type { EventJson } from '../../../src/services/events/event-json.js';
import { toHex } from '../../../src/util/bytes.js';
import { PayStreams } from '../../../src/watch/pay/pay-streams.js';
import type { PayTexts } from '../../../src/watch/pay/pay-texts.js';
import type { PayWallet } from '../../../src/watch/pay/token-lookup.js';
import { until } from '../../support/fakes/until.js';
import {
  NO_REFUNDS,
  COIN,
  ENGLISH,
  GERMAN,
  NOW,
  requestView,
  STATES,
  TIP,
  type RequestFixture,
} from './fixtures.js';

const tokenOf = (minor: number): Uint8Array => new Uint8Array(16).fill(minor);

let events: EventJson[];
/** Requests of the wallet by the minor index of their address; undefined: it is closed. */
let requests: Map<number, RequestFixture> | undefined;
/** Tokens whose requests were read. */
let read: string[];
let bugs: unknown[];
let streams: PayStreams;

const shop: PayWallet = {
  name: 'shop',
  paymentRequests: {
    byToken(token) {
      if (requests === undefined) throw new WalletError({ kind: 'no_wallet' });
      read.push(toHex(token));
      const minor = token[0] ?? 0;
      const fixture = requests.get(minor);
      return fixture && requestView({ ...fixture, token, minor });
    },
  },
  refunds: NO_REFUNDS,
  eventLog: {
    get lastId() {
      return events.at(-1)?.id ?? 0;
    },
    after: (id, limit) => events.filter((event) => event.id > id).slice(0, limit),
  },
};

const event = (minor?: number, type: EventJson['type'] = 'payment.seen'): void =>
  void events.push({
    ...{ id: events.length + 1, type, timestamp: '', wallet: 'shop' },
    data: minor === undefined ? {} : { subaddr_index: { major: 0, minor } },
  });

let isCutOff: boolean;

beforeEach(() => {
  isCutOff = false;
  [events, requests, read, bugs] = [[], new Map([1, 2, 3].map((minor) => [minor, {}])), [], []];
  streams = new PayStreams({
    wallets: () => [shop],
    network: 'mainnet',
    clock: { now: () => NOW * 1000 },
    isCutOff: () => isCutOff,
    onBug: (error) => bugs.push(error),
  });
});

interface Opened {
  readonly source: EventSource;
  end(): void;
  /** Returns the data of the next event; undefined if there is none now. */
  next(): Record<string, unknown> | undefined;
}

function open(minor: number, texts: PayTexts = ENGLISH): Opened {
  const view = shop.paymentRequests.byToken(tokenOf(minor));
  if (view === undefined) throw new Error('no request');
  const { source, end } = streams.open({ wallet: shop, view }, texts);
  return {
    ...{ source, end },
    next() {
      const [found] = source.next();
      return found && (JSON.parse(found.data) as Record<string, unknown>);
    },
  };
}

/** Waits until the requests of some tokens are read once more. */
async function untilRead(task: () => void, ...minors: number[]): Promise<void> {
  const expected = minors.map((minor) => toHex(tokenOf(minor)));
  read = [];
  task();
  await until('the requests', () =>
    Promise.resolve(expected.every((token) => read.includes(token)) ? true : undefined),
  );
}

describe('a stream of a pay page', () => {
  it('begins with the state, and continues with each change of its request', async () => {
    const stream = open(1);
    expect(stream.next()).toMatchObject({ state: 'waiting', left: null });
    expect(stream.next()).toBeUndefined();
    await untilRead(() => undefined, 1);
    expect(stream.next()).toBeUndefined();
    requests?.set(1, STATES.seen);
    event(1);
    await untilRead(() => streams.onEvents('shop'), 1);
    expect(stream.next()).toMatchObject({ state: 'seen', uri: null, title: 'Payment detected – 2 XMR' });
    expect(stream.next()).toBeUndefined();
  });

  it('ends its wait at a change', async () => {
    const stream = open(1);
    await untilRead(() => undefined, 1);
    const waited = stream.source.wait(600_000, new AbortController().signal);
    event(1);
    streams.onEvents('shop');
    await waited;
  });

  it('has the language of its page', () => {
    expect([open(1, GERMAN).next()?.['title'], open(1).next()?.['title']]).toEqual([
      'Warten auf die Zahlung – 2 XMR',
      'Waiting for payment – 2 XMR',
    ]);
  });

  it('names the time left when it is sent', () => {
    requests?.set(1, { expires: NOW + 90 });
    expect(open(1).next()).toMatchObject({ left: 90 });
  });

  it('ends while another process may have the wallet', async () => {
    const { source } = open(1);
    let isAwake = false;
    const waiting = source.wait(60_000, new AbortController().signal).then(() => (isAwake = true));
    streams.onCutOff();
    await waiting;
    expect([isAwake, source.isClosed]).toEqual([true, false]);
    isCutOff = true;
    expect(source.isClosed).toBe(true);
  });

  it('shows what arrived for a request that is cancelled meanwhile, and the receipt of a paid one', async () => {
    const [cancelled, paid] = [open(1), open(2)];
    expect([cancelled.next()?.['receipt'], paid.next()?.['receipt']]).toEqual(['', '']);
    requests?.set(1, STATES.cancelled);
    requests?.set(2, STATES.paid);
    await untilRead(() => streams.onRequest('shop', tokenOf(1)), 1);
    await untilRead(() => streams.onRequest('shop', tokenOf(2)), 2);
    expect(cancelled.next()).toMatchObject({
      state: 'cancelled',
      status: expect.stringContaining('0.5 XMR'),
    });
    expect(paid.next()).toMatchObject({ receipt: expect.stringContaining('order 4711') });
  });

  it('stays as it is while its wallet is closed', async () => {
    const stream = open(1);
    await untilRead(() => stream.next(), 1);
    const kept = requests;
    requests = undefined;
    event(1);
    streams.onEvents('shop');
    requests = kept;
    requests?.set(1, STATES.paid);
    event(1);
    await untilRead(() => streams.onEvents('shop'), 1);
    expect(stream.next()).toMatchObject({ state: 'paid' });
    expect(bugs).toEqual([]);
  });

  it('ends when the server stops', async () => {
    const { source } = open(1);
    const waited = source.wait(600_000, new AbortController().signal);
    expect(source.isClosed).toBe(false);
    streams.close();
    await waited;
    expect(source.isClosed).toBe(true);
  });
});

describe('open pages of one wallet', () => {
  it('are read only if an event names their address, once for all of their streams', async () => {
    for (const minor of [1, 1, 1, 2, 3]) open(minor);
    await untilRead(() => undefined, 1, 2, 3);
    event(2);
    event(9);
    await untilRead(() => streams.onEvents('shop'), 2);
    expect(read).toEqual([toHex(tokenOf(2))]);
  });

  it('are all read after an event without an address, and after more events than are read at once', async () => {
    for (const minor of [1, 2, 3]) open(minor);
    await untilRead(() => undefined, 1, 2, 3);
    event(undefined, 'wallet.reorganised');
    await untilRead(() => streams.onEvents('shop'), 1, 2, 3);
    for (let i = 0; i < 300; i++) event(9);
    await untilRead(() => streams.onEvents('shop'), 1, 2, 3);
  });

  it('are read at a block if they wait for one, or their wallet lacks blocks', async () => {
    requests?.set(2, { paid: [[2n * COIN, TIP - 3]] });
    requests?.set(3, { isSynced: false });
    for (const minor of [1, 2, 3]) open(minor);
    await untilRead(() => undefined, 1, 2, 3);
    await untilRead(() => streams.onBlocks('shop'), 2, 3);
    expect(read).not.toContain(toHex(tokenOf(1)));
  });

  it('are forgotten after their last stream', async () => {
    const [first, second] = [open(1), open(1)];
    await untilRead(() => undefined, 1);
    first.end();
    event(1);
    await untilRead(() => streams.onEvents('shop'), 1);
    second.end();
    const third = open(2);
    await untilRead(() => undefined, 2);
    event(1);
    event(2);
    await untilRead(() => streams.onEvents('shop'), 2);
    expect(read).toEqual([toHex(tokenOf(2))]);
    third.end();
  });
});
