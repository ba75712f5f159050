import { afterAll, beforeAll, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { walletCalls } from '../support/network/json-rpc.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* Parameters that a method does not have: refused where to ignore them does something else than they ask for. */

const SECRET = 'velvet lymph giddy number token physics';

let server: WalletRpc;
beforeAll(async () => {
  server = await startWalletRpc();
  await createWallet(walletCalls(server.port, 'shop'));
});
afterAll(() => server?.stop());

const refused = (explanation: string) => ({ code: -32602, message: `Invalid params: ${explanation}` });

test.each([
  ['create_payment_request', { expires: 60 }, 'expires is unknown, did you mean expires_in?'],
  ['get_events', { limt: 5 }, 'limt is unknown, did you mean limit?'],
  [
    'transfer',
    { destinations: [{ adress: 'x', amount: 1 }] },
    'destinations.0: adress is unknown, did you mean address?',
  ],
])('%s refuses %j with a suggestion', async (method, params, explanation) => {
  expect((await walletCalls(server.port, 'shop').call(method, params)).error).toMatchObject(
    refused(explanation),
  );
});

test.each([
  ['create_wallet', { seed: SECRET }, 'seed', 'restore_deterministic_wallet'],
  ['create_wallet', { seed_offset: SECRET }, 'seed_offset', 'restore_deterministic_wallet'],
  ['create_wallet', { spend_key: SECRET }, 'spendkey', 'generate_from_keys'],
  ['open_wallet', { viewkey: SECRET }, 'viewkey', 'generate_from_keys'],
  ['restore_deterministic_wallet', { spendkey: SECRET }, 'spendkey', 'generate_from_keys'],
  ['generate_from_keys', { seed: SECRET }, 'seed', 'restore_deterministic_wallet'],
])('%s refuses %j without its value, and makes no wallet', async (method, more, name, other) => {
  const params = { filename: 'refused', password: '', language: 'English', ...more };
  const { error } = await server.call(method, params);
  expect(error).toMatchObject(refused(`${name} is no parameter of this method, but of ${other}`));
  expect(JSON.stringify(error)).not.toContain(SECRET);
  expect(server.process.output()).not.toContain(SECRET);
  expect((await server.call('open_wallet', { filename: 'refused' })).error).toMatchObject({ code: -1 });
});

it('other unknown parameters of the methods of the reference are ignored', async () => {
  const { rpc } = walletCalls(server.port, 'shop');
  expect(await rpc('create_address', { colour: 'red', lable: 'x' })).toMatchObject({ address_index: 1 });
  await server.rpc('create_wallet', {
    filename: 'plain',
    language: 'English',
    seed: '',
    autosave_current: true,
  });
});

test.each([
  ['type=payment.seen', 400],
  ['afterr=1', 400],
  ['_=1&lastEventId=5', 200],
])('a stream of events with %s is answered with %i', async (query, status) => {
  const aborting = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${server.port}/wallet/shop/events?${query}`, {
    signal: aborting.signal,
  });
  expect(answer.status).toBe(status);
  aborting.abort();
});
