import { createHttpApp } from '../../../src/http/http-app.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { Dispatcher } from '../../../src/http/calls/dispatcher.js';
import { RpcError } from '../../../src/http/calls/errors.js';
import { eventEndpoints } from '../../../src/rpc/event-endpoints.js';
import { EventFeed } from '../../../src/services/manager/event-feed.js';
import type { WalletManager } from '../../../src/services/manager/wallet-manager.js';
import { healthPages } from '../../../src/watch/readiness.js';
import { DeskPages } from '../../../src/watch/desk/desk-pages.js';
import { FormTokens } from '../../../src/watch/desk/form-tokens.js';
import { statusPages } from '../../../src/watch/status/status-pages.js';
import { ALL_RIGHTS, quiet } from '../../watch/status/status-fixtures.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';
import { connectionParser, HTTP_WORDS, request } from '../http-connection.js';
import { HEADER_BYTES, HEADER_MS, type Parser, type Target } from '../target.js';

/** Id of the last event, and of the last one that was deleted. */
const [LAST, EXPIRED] = [9, 2];

/** A manager with one open wallet, `shop`, which has a few events. */
function manager(): WalletManager {
  const eventLog = {
    lastId: LAST,
    expiredUpTo: EXPIRED,
    hiddenAfter: () => Infinity,
    after(id: number, limit: number, types?: readonly string[]) {
      if (id < EXPIRED) throw new WalletError({ kind: 'events_expired', oldest: EXPIRED });
      const events = [3, 5, LAST].map((one) => ({ id: one, type: 'wallet.synced', data: { height: one } }));
      return events.filter((one) => one.id > id && types?.includes(one.type) !== false).slice(0, limit);
    },
  };
  const wallet = { name: 'shop', eventLog };
  let reads = 0;
  // A stream ends after its events.
  class EndingFeed extends EventFeed {
    override get isClosed(): boolean {
      return reads++ % 3 === 2;
    }

    override wait(): Promise<void> {
      return Promise.resolve();
    }
  }
  return {
    events: new EndingFeed((id) => id <= LAST),
    openWallets: () => [wallet],
    ...{ settings: {}, openings: { isAny: false } },
    scope: (name?: string) => ({
      ...{ name, isMoving: false, mayKnow: () => true },
      find: () => (name === undefined || name === wallet.name ? wallet : undefined),
      require(found: typeof wallet | undefined) {
        if (found === undefined) throw new WalletError({ kind: 'wallet_not_open', name: name ?? '' });
        return found;
      },
    }),
  } as unknown as WalletManager;
}

/** Parser of the queries of event streams, health and status pages, as their handlers read them. */
function pageParser(): Parser {
  const address = { wallet: 'shop', index: 3, address: '8', used: false };
  const receiving = {
    find: (wallet: string, index: number) =>
      Promise.resolve(wallet === 'shop' && index === 3 ? address : undefined),
    create: (wallet: string) =>
      Promise.resolve(wallet === 'shop' ? { index: 3 } : { error: 'This wallet is not open.' }),
  };
  const clock = new VirtualClock(0);
  const access = {
    ...{ rightsOf: () => ALL_RIGHTS, mayUse: () => true },
    tokens: new FormTokens((length) => new Uint8Array(length), clock),
  };
  const view = quiet({ names: ['shop'], lastId: LAST });
  const status = statusPages({ ...access, receiving, read: () => Promise.resolve(view) });
  const desk = new DeskPages({
    ...{ ...access, server: Object.assign(manager(), { openWallets: () => [] }) },
    call: () => Promise.reject(new RpcError(-32601, 'none')),
  });
  const form = (head: string, fields: string): Uint8Array =>
    request(
      `POST /status/address HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n${head}`,
      fields,
    );
  const act = (fields: string): Uint8Array =>
    request(
      'POST /status/act HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin',
      fields,
    );
  return connectionParser(
    [
      ...[
        'after=3&types=wallet.synced,payment.mined',
        'after=1',
        'after=10',
        'after=x',
        'types=none',
        '',
      ].map((query) => request(`GET /events?${query} HTTP/1.1`)),
      request('GET /wallet/shop/events?after=4 HTTP/1.1\r\nLast-Event-ID: 5'),
      request('GET /wallet/none/events HTTP/1.1'),
      request('GET /livez HTTP/1.1'),
      request('GET /readyz?verbose HTTP/1.1'),
      request('GET /status?wallet=shop&address=3 HTTP/1.1'),
      request('GET /status?wallet=%3Cb%3E&address=99999999999 HTTP/1.1'),
      request('GET /status?payout=w-4711%22%3E HTTP/1.1'),
      request('GET /status?payout=+&payout=x HTTP/1.1'),
      request('GET /status?wallets=%3Cb%3E&show=behind&sort=name&page=2 HTTP/1.1'),
      request('GET /status/find?q=monero:8abc%3Ftx_amount=1 HTTP/1.1'),
      request('GET /status/find?q=https://shop.example/pay/0123456789abcdef0123456789abcdef HTTP/1.1'),
      request('GET /status/item?kind=order&wallet=shop&id=%22 HTTP/1.1'),
      request('GET /status/action?do=extend_request&wallet=shop&id=7&until=1800000000 HTTP/1.1'),
      act('do=cancel_payout&wallet=shop&id=7&token=1.a.b'),
      act('do=__proto__&wallet=shop&account=99999999999'),
      request('HEAD /status HTTP/1.1'),
      form('Sec-Fetch-Site: same-origin', 'wallet=shop'),
      form('Origin: http://localhost', 'wallet=none'),
      form('Sec-Fetch-Site: same-origin', 'wallet=a&wallet=b&__proto__=c'),
    ],
    (onBug) =>
      createHttpApp({
        ...{ onBug, origins: [], hosts: [], streams: eventEndpoints(manager()) },
        ...{ pages: [...status.pages, ...desk.pages], forms: [...status.forms, desk.form] },
        dispatcher: new Dispatcher({
          call: () => Promise.reject(new RpcError(-32601, 'none')),
          onBug: (_method, error) => onBug(error),
        }),
        openPages: healthPages({ reasons: () => Promise.resolve([]) }, { statuses: [] }),
      }),
  );
}

export const targets: readonly Target[] = [
  {
    name: 'page-query',
    errors: [],
    modules: [
      'rpc/event-endpoints',
      'rpc/methods/events',
      'http/pages/pages',
      'http/message/event-stream',
      'watch/readiness',
      'watch/status/status-pages',
    ],
    words: [
      ...HTTP_WORDS,
      '/events?',
      'after=',
      'types=',
      'wallet.synced',
      '/status?',
      'wallet=',
      'address=',
      'payout=',
      '&',
    ],
    maxBytes: 2 * HEADER_BYTES,
    limitMs: HEADER_MS,
    prepare: pageParser,
  },
];
