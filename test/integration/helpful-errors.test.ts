import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import * as z from 'zod';
import { registry } from '../../src/rpc/registry.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { post, type Loose, type Reply } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* Errors that say what to do: a name in place of a misspelt one, the network of an address, the time of an unlock. */

const XMR = 1_000_000_000_000;
const STAGENET =
  '53teqCAESLxeJ1REzGMAat1ZeHvuajvDiXqboEocPaDRRmqWoVPzy46GLo866qRFjbNhfkNckyhST3WEvBviDwpUDd7DSzB';
const WHY = 'belongs to stagenet, not to mainnet';
const HASH = '0'.repeat(64);

let daemon: Monerod;
let wallet: WalletRpc;
let address: string;

beforeAll(async () => {
  daemon = await startMonerod();
  wallet = await startWalletRpc({ daemon: daemon.address });
  await createWallet(wallet, 'shop');
  ({ address } = (await wallet.rpc('get_address')) as { address: string });
  await wallet.rpc('create_payment_request', { amount: 1, reference: 'an order' });
});
afterAll(async () => {
  await wallet.stop();
  await daemon.stop();
});

type ErrorReply = NonNullable<Reply['error']>;

const errorOf = async (method: string, params?: object): Promise<ErrorReply> => {
  const { error } = await wallet.call(method, params);
  if (error === undefined) throw new Error(`${method} succeeded`);
  return error;
};

/** Returns the bytes of an answer to a client that asks for no details. */
const plain = async (method: string, params: object = {}): Promise<string> =>
  (await post(wallet.port, '/json_rpc', { jsonrpc: '2.0', id: '0', method, params })).text;

describe('a misspelt name', () => {
  it('of a method has the message of the reference, and a suggestion for who asks', async () => {
    expect(await plain('get_ballance')).toBe(
      '{"error":{"code":-32601,"message":"Method not found"},"id":"0","jsonrpc":"2.0"}',
    );
    expect(await errorOf('get_ballance')).toEqual({
      ...{ code: -32_601, message: 'Method not found' },
      data: { explanation: 'there is no such method, did you mean get_balance?' },
    });
    expect((await errorOf('quux')).data).toEqual({ explanation: 'there is no such method' });
  });

  it('of a parameter of a method of ours is refused with a suggestion', async () => {
    const { message } = await errorOf('add_webhook', {
      url: 'https://example.com/',
      evnts: ['payment.mined'],
    });
    expect(message).toMatch(/^Invalid params: evnts is unknown/);
  });

  it('of a parameter of a method of the reference is ignored, logged, and told with any error', async () => {
    const params = { destinations: [{ amount: XMR, address }], priorty: 3 };
    expect((await errorOf('transfer', params)).data?.explanation).toMatch(
      /; priorty is unknown, did you mean priority\?$/,
    );
    await wallet.rpc('get_balance', { account_indx: 0 });
    expect(wallet.process.output()).toContain(
      'Ignored a parameter of get_balance: account_indx is unknown, did you mean account_index?',
    );
  });

  it('of a word of a list is refused with a suggestion', async () => {
    const { data } = await errorOf('get_events', { types: ['payment.minned'] });
    expect(data?.explanation).toMatch(/^types\.0: .*, did you mean payment\.mined\?$/);
  });
});

/** Parameters with an address of another network, by the methods that take an address. */
const ADDRESSED: Readonly<Record<string, object>> = {
  generate_from_keys: { filename: 'x', address: STAGENET, viewkey: '01'.padEnd(64, '0'), password: '' },
  get_address_index: { address: STAGENET },
  make_integrated_address: { standard_address: STAGENET },
  split_integrated_address: { integrated_address: STAGENET },
  transfer: { destinations: [{ amount: 1, address: STAGENET }] },
  transfer_split: { destinations: [{ amount: 1, address: STAGENET }] },
  sweep_all: { address: STAGENET },
  sweep_single: { address: STAGENET, key_image: HASH },
  create_payment_request: { amount: 1, refund_address: STAGENET },
  refund_payment_request: { reference: 'an order', refund_id: 'r', amount: 1, address: STAGENET },
  get_payment_request: { address: STAGENET },
  cancel_payment_request: { address: STAGENET },
  extend_payment_request: { address: STAGENET, expires_in: 60 },
  create_payouts: { payouts: [{ payout_id: 'a', amount: 1, address: STAGENET }] },
  estimate_payouts: { payouts: [{ payout_id: 'a', amount: 1, address: STAGENET }] },
  verify: { address: STAGENET, data: '', signature: 'SigV2' },
  check_tx_key: { address: STAGENET, txid: HASH, tx_key: HASH },
  get_tx_proof: { address: STAGENET, txid: HASH },
  check_tx_proof: { address: STAGENET, txid: HASH, signature: '' },
  check_reserve_proof: { address: STAGENET, signature: '' },
  add_address_book: { address: STAGENET },
  edit_address_book: { index: 0, set_address: true, address: STAGENET },
  make_uri: { address: STAGENET },
  parse_uri: { uri: `monero:${STAGENET}` },
};

/** Methods whose parameter of this name is the address of a node, an index, or may be of any network. */
const OTHERS = ['set_daemon', 'get_balance', 'get_address', 'sign', 'validate_address'];

/** Names of the parameters of a schema, those of objects and of items of lists included. */
function namesIn(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return namesIn(schema.def.innerType);
  const item = schema instanceof z.ZodType ? schema.meta()?.['item'] : undefined;
  if (item instanceof z.ZodType) return namesIn(item);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, member]) => [
    name,
    ...namesIn(member as z.core.$ZodType),
  ]);
}

describe('an address of another network', () => {
  test('is tried with each method that takes an address', () => {
    const takers = registry.methods.filter(({ params }) =>
      namesIn(params).some((name) => /address|uri/.test(name)),
    );
    expect(takers.map(({ name }) => name).sort()).toEqual([...Object.keys(ADDRESSED), ...OTHERS].sort());
  });

  test.each(Object.entries(ADDRESSED))('is named by %s', async (method, params) => {
    if (method === 'edit_address_book') await wallet.rpc('add_address_book', { address });
    const { result, error } = await wallet.call(method, params);
    expect(JSON.stringify(error?.data ?? result)).toContain(WHY);
    // The message is the one for any wrong address; payouts of a list have explanations in place of messages.
    if (result === undefined) expect(await plain(method, params)).not.toContain(WHY);
  });
});

describe('a lack of unlocked money', () => {
  it('says when money unlocks, and how much', async () => {
    await daemon.generate(address, 3);
    await wallet.rpc('refresh');
    const { height } = (await wallet.rpc('get_height')) as { height: number };
    const { balance } = (await wallet.rpc('get_balance')) as { balance: number };
    const reward = Math.floor(balance / 3);
    const destinations = [{ amount: reward + XMR, address }];
    const { code, message, data } = await errorOf('transfer', { destinations });
    expect([code, message]).toEqual([-37, 'not enough unlocked money']);
    const { unlocks, available, needed } = data as Loose;
    expect(available).toBe(0);
    expect(needed).toBeGreaterThan(reward + XMR);
    // The first reward is in the third block from the top.
    expect((unlocks as Loose[]).map((step) => step.height as number)).toEqual([height + 57, height + 58]);
    for (const step of unlocks as Loose[]) expect(step.amount).toBeGreaterThan(XMR);
    const seconds = (unlocks as Loose[]).map((step) => (step.time as number) - Date.now() / 1000);
    expect(seconds[0]).toBeGreaterThan(56 * 120);
    expect(seconds[0]).toBeLessThan(58 * 120);
    expect(data?.explanation).toMatch(
      new RegExp(
        `^not enough unlocked money: 0\\.0+ available, .* needed with the fee; [\\d.]+ more is unlocked at height ${height + 57} \\(about \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\dZ\\), enough at height ${height + 58} \\(about .*Z\\)$`,
      ),
    );
  });

  it('says that a part of it is not in a block yet', async () => {
    await daemon.generate(address, 80);
    await wallet.rpc('refresh');
    await wallet.rpc('sweep_all', { address });
    const { balance } = (await wallet.rpc('get_balance')) as { balance: number };
    const { code, data } = await errorOf('transfer', { destinations: [{ amount: balance - XMR, address }] });
    expect(code).toBe(-37);
    expect(data?.explanation).toMatch(
      /; [\d.]+ more is unlocked at height \d+ \(about .*Z\), and the rest is in transactions that no block has yet$/,
    );
    // The steps after the first ones are joined.
    expect((data as Loose).unlocks).toHaveLength(20);
  });
});

describe('a payment with too many outputs', () => {
  it('says the limit', async () => {
    const many = Array.from({ length: 16 }, () => ({ amount: 1, address }));
    await daemon.generate(address, 70);
    await wallet.rpc('refresh');
    const { message, data } = await errorOf('sweep_all', { address, outputs: 17 });
    expect([message, data?.explanation]).toEqual([
      'sv/gamma are too large',
      'a transaction has at most 16 outputs, not 17',
    ]);
    expect((await errorOf('transfer', { destinations: many })).data?.explanation).toContain(
      'at most 15 destinations',
    );
  });
});
