import { jest, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createCall } from '../../../src/rpc/service.js';
import { HOLD_MS } from '../../../src/rpc/calls/hold.js';
import { eventEndpoints } from '../../../src/rpc/event-endpoints.js';
import { Dispatcher, type Call, type CallOrigin } from '../../../src/http/calls/dispatcher.js';
import { START } from '../../../src/services/manager/openings.js';
import { WalletManager } from '../../../src/services/manager/wallet-manager.js';
import type { Json } from '../../../src/util/json.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { WalletServer } from '../../support/processes/wallet-server.js';

let parts: WalletServer;
let server: WalletManager;
let call: Call;

beforeEach(async () => {
  parts = new WalletServer();
  const maker = new WalletManager(parts.settings);
  await maker.scope('shop').createWallet({ filename: 'shop', password: '', language: 'English' });
  await maker.close();
  server = new WalletManager(parts.settings);
  call = createCall(server, '1.3', parts.settings.log);
});

afterEach(async () => {
  await server.close();
  await parts.close();
});

const SHOP = { target: 'shop' };
const OPENING = { code: -69, status: 503, retryAfter: 1 };
const open = (): Promise<void> => server.scope('shop').openWallet({ filename: '', password: '' });

/** Outcome of a call: `waits` while it has none, its error code, or `ok`. */
function outcomeOf(answer: Promise<unknown>): () => Promise<string | number> {
  let outcome: string | number = 'waits';
  answer.then(
    () => (outcome = 'ok'),
    (error: { code: number }) => (outcome = error.code),
  );
  return async () => {
    await turns(3);
    return outcome;
  };
}

describe('a call for a wallet of the start', () => {
  it.each<[method: string, params: Json, origin: CallOrigin]>([
    ['get_balance', {}, SHOP],
    ['get_events', {}, SHOP],
    ['get_events', {}, {}],
    ['add_webhook', { wallet: 'shop', url: 'https://127.0.0.1/' }, {}],
    ['auto_refresh', { enable: false }, SHOP],
    ['close_wallet', {}, SHOP],
  ])('waits until it is open: %s %j at %j', async (method, params, origin) => {
    server.openings.expect('shop');
    const answer = call(method, params, origin);
    const outcome = outcomeOf(answer);
    expect(await outcome()).toBe('waits');
    await open();
    await answer;
    expect(await outcome()).toBe('ok');
  });

  it('is answered with 503 once it has waited as long as calls do, and has not run', async () => {
    server.openings.expect('shop');
    await withFakeTimeouts(async () => {
      const answer = call('create_account', {}, SHOP);
      await turns(2);
      jest.advanceTimersByTime(HOLD_MS);
      await expect(answer).rejects.toMatchObject(OPENING);
    });
    await open();
    expect(server.scope('shop').find()?.accounts.count()).toBe(1);
  });

  it('is answered at once with the reason where the wallet could not be opened', async () => {
    server.openings.expect('shop');
    server.openings.fail('shop', 'invalid password');
    await expect(call('get_balance', {}, SHOP)).rejects.toMatchObject({
      code: -13,
      message: "No wallet file: the wallet 'shop' of --open could not be opened: invalid password",
    });
  });

  it('does not wait for another wallet, nor where the call needs none', async () => {
    server.openings.expect('till');
    await expect(call('get_balance', {}, SHOP)).rejects.toMatchObject({ code: -13 });
    await call('get_version', {}, { target: 'till' });
    await call('list_wallets', {}, {});
  });

  it('opens it before its turn, and a second open_wallet meanwhile waits for the first', async () => {
    server.openings.expect('shop');
    const end = server.openings.begin('shop');
    const second = outcomeOf(call('open_wallet', { filename: 'shop', password: '' }, SHOP));
    expect(await second()).toBe('waits');
    end(false);
    await call('open_wallet', { filename: 'shop', password: '' }, SHOP);
    await call('get_balance', {}, SHOP);
  });

  it('is refused when the server stops', async () => {
    server.openings.expect('shop');
    const answer = expect(call('get_balance', {}, SHOP)).rejects.toMatchObject(OPENING);
    await server.leaveCluster();
    await answer;
  });
});

describe('a batch', () => {
  it('waits once in all, whatever the number of its calls', async () => {
    server.openings.expect('shop');
    const dispatcher = new Dispatcher({ call, onBug: () => undefined });
    const batch = JSON.stringify([1, 2, 3].map((id) => ({ id, method: 'get_balance' })));
    jest.spyOn(performance, 'now').mockReturnValue(0);
    const answer = await withFakeTimeouts(async () => {
      const answering = dispatcher.answer(Promise.resolve(Buffer.from(batch)), SHOP);
      await turns(3);
      jest.mocked(performance.now).mockReturnValue(HOLD_MS);
      jest.advanceTimersByTime(HOLD_MS);
      return answering;
    });
    jest.mocked(performance.now).mockRestore();
    const text = Buffer.concat(answer?.body as Uint8Array[]).toString();
    const errors = (JSON.parse(text) as { error: { code: number } }[]).map(({ error }) => error.code);
    expect(errors).toEqual([-69, -69, -69]);
  });
});

describe('the current wallet', () => {
  it('is waited for while it is being opened, and not otherwise', async () => {
    await expect(call('get_balance', {}, {})).rejects.toMatchObject({ code: -13 });
    const opening = call('open_wallet', { filename: 'shop', password: '' }, {});
    await turns(1);
    await call('get_balance', {}, {});
    await opening;
  });

  it('of --wallet-file is waited for by every call, which is refused after the same time', async () => {
    const started = server.openings.begin(START);
    const version = outcomeOf(call('get_version', {}, {}));
    expect(await version()).toBe('waits');
    await withFakeTimeouts(async () => {
      const answer = call('get_version', {}, {});
      await turns(2);
      jest.advanceTimersByTime(HOLD_MS);
      await expect(answer).rejects.toMatchObject(OPENING);
    });
    started(true);
    expect(await version()).toBe('ok');
  });
});

describe('an event stream', () => {
  const streams = () => eventEndpoints(server);
  const request = { caller: { address: '' }, query: {} };

  it.each<Readonly<Record<string, string>>>([{ types: 'paid' }, { afterr: '1' }, { after: 'x' }])(
    'with %j is refused at once, while its wallet is being opened',
    async (query) => {
      server.openings.expect('shop');
      for (const { open: openStream } of streams())
        await expect(openStream({ ...request, query, target: 'shop' })).rejects.toMatchObject({
          status: 400,
        });
    },
  );

  it.each([
    ['of a wallet', 1, 'shop'],
    ['of all wallets', 0, undefined],
  ])(
    '%s waits for a wallet of the start, and is refused with 503 after the same time',
    async (_, at, target) => {
      server.openings.expect('shop');
      const path = streams()[at];
      const asked = { ...request, ...(target === undefined ? {} : { target }) };
      await withFakeTimeouts(async () => {
        const late = Promise.resolve(path?.open(asked));
        await turns(2);
        jest.advanceTimersByTime(HOLD_MS);
        await expect(late).rejects.toMatchObject({ status: 503, retryAfter: 1 });
      });
      const source = Promise.resolve(path?.open(asked));
      await open();
      expect((await source)?.isClosed).toBe(false);
    },
  );
});
