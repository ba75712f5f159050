import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import * as z from 'zod';
import type { Call } from '../../src/http/calls/dispatcher.js';
import { ADDITION } from '../../src/rpc/method.js';
import { registry } from '../../src/rpc/registry.js';
import { createCall } from '../../src/rpc/service.js';
import { WalletManager } from '../../src/services/manager/wallet-manager.js';
import type { Json } from '../../src/util/json.js';
import { WORDS } from '../support/wallets/polyseed-wallets.js';
import { WalletServer } from '../support/processes/wallet-server.js';

const ADDRESS =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';

let parts: WalletServer;
let server: WalletManager;
let call: Call;
let stopped = false;

/** A call that must succeed. */
const done = (method: string, params?: Json): Promise<unknown> => call(method, params, {});

beforeAll(async () => {
  parts = new WalletServer({ stop: () => void (stopped = true) });
  server = new WalletManager(parts.settings);
  call = createCall(server, '1.3', parts.settings.log);
  await done('create_wallet', { filename: 'w', password: '', language: 'English' });
});

afterAll(async () => {
  await server.close();
  await parts.close();
});

describe('params that are no object', () => {
  const odd: readonly Json[] = [[{}], [{ index: 1n }], [0n], 'x', 5n, 0n, 1.5, true, false];

  test.each(registry.methods)(
    'are refused by $name, before anything is done',
    async ({ name, aliases = [] }) => {
      for (const method of [name, ...aliases])
        for (const params of odd)
          for (const origin of [{}, { target: 'w' }, { idempotencyKey: 'k' }])
            await expect(call(method, params, origin)).rejects.toMatchObject({ code: -32602 });
      expect(stopped).toBe(false);
      expect(server.scope().find()?.name).toBe('w');
    },
  );

  it('change nothing', async () => {
    await done('set_daemon', { address: '127.0.0.1:1' });
    await done('label_account', { account_index: 0n, label: 'till' });
    await done('add_address_book', { address: ADDRESS, description: 'first' });
    await done('set_attribute', { key: '', value: 'kept' });
    const before = await Promise.all(
      ['get_accounts', 'get_address_book', 'get_attribute'].map((method) => done(method)),
    );
    for (const method of ['set_daemon', 'delete_address_book', 'label_account', 'set_attribute'])
      for (const params of odd) await expect(call(method, params, {})).rejects.toThrow('Invalid params');
    const after = await Promise.all(
      ['get_accounts', 'get_address_book', 'get_attribute'].map((method) => done(method)),
    );
    expect(after).toEqual(before);
    expect(server.daemonAddress).toBe('127.0.0.1:1');
  });
});

describe('params of a client that has none', () => {
  it.each<[string, Json | undefined]>([
    ['absent', undefined],
    ['null', null],
    ['[]', []],
    ['""', ''],
    ['{}', {}],
  ])('are %s', async (_, params) => {
    expect(await done('get_version', params)).toMatchObject({ version: 65_539 });
    expect(await done('get_address', params)).toEqual(await done('get_address', { account_index: 0n }));
  });
});

describe('the mark of a wallet in a cluster, which is left over without its files,', () => {
  const doors: Readonly<Record<string, { readonly [name: string]: Json }>> = {
    create_wallet: { language: 'English' },
    restore_deterministic_wallet: { seed: WORDS },
    generate_from_keys: { spendkey: `01${'0'.repeat(62)}` },
    open_wallet: {},
  };
  const markOf = (name: string): string => join(parts.path, `${name}.cluster`);

  it('is met by every method that creates or opens a wallet by its name', () => {
    const opening = registry.methods.filter(
      ({ faults }) => faults.includes('wallet_locked') && faults.includes('bad_wallet_name'),
    );
    expect(opening.map(({ name }) => name).sort()).toEqual(Object.keys(doors).sort());
  });

  it.each(Object.entries(doors))('makes %s refuse the name, and say what to do', async (method, params) => {
    for (const mark of [
      '{"epoch":"3"}',
      '{"epoch":"0"}',
      '{"epoch":"5","released":"-","departure":"t"}',
      '{',
    ]) {
      writeFileSync(markOf('marked'), mark);
      await expect(call(method, { filename: 'marked', password: '', ...params }, {})).rejects.toMatchObject({
        code: -68,
        message: expect.stringMatching('start with --cluster'),
      });
      expect(readdirSync(parts.path).filter((name) => /^marked(\.keys)?$/.test(name))).toEqual([]);
      expect(readFileSync(markOf('marked'), 'utf8')).toBe(mark);
    }
  });
});

/** Schema of a parameter that is given. */
function givenSchema(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? givenSchema(schema.def.innerType)
    : schema;
}

/** Schema of the items of a parameter; undefined for one that is no list. */
const itemSchema = (schema: z.core.$ZodType): z.core.$ZodType | undefined => {
  const given = givenSchema(schema);
  if (given instanceof z.ZodArray) return given.element;
  return given instanceof z.ZodType ? (given.meta()?.['item'] as z.core.$ZodType | undefined) : undefined;
};

const PARAMS = registry.methods.flatMap((method) =>
  Object.entries((method.params as z.ZodObject).shape as z.core.$ZodShape).map(([name, schema]) => ({
    method,
    name,
    schema,
  })),
);
const LISTS = PARAMS.filter(({ schema }) => itemSchema(schema) !== undefined);

describe('a value in place of a list', () => {
  const own = LISTS.filter(({ method }) => method.source === ADDITION);

  it.each(own)('is refused by $method.name, which only this server has: $name', async ({ method, name }) => {
    for (const value of ['x', '', 5n, true, {}])
      await expect(call(method.name, { [name]: value }, { target: 'w' })).rejects.toMatchObject({
        code: -32602,
        data: { explanation: expect.stringContaining(`${name}: expected an array`) },
      });
  });

  it('counts as absent in the methods of the reference', async () => {
    const lists = { account_index: 0n, address_index: 'x' };
    expect(await done('get_address', lists)).toEqual(await done('get_address'));
    expect(await done('get_events', { types: null })).toEqual(await done('get_events', { types: [] }));
  });
});

describe('a misspelt member of an object among the parameters', () => {
  const isObject = (schema: z.core.$ZodType | undefined): boolean =>
    schema !== undefined && givenSchema(schema) instanceof z.ZodObject;
  const objects = PARAMS.filter(({ schema }) => isObject(schema) || isObject(itemSchema(schema))).map(
    ({ method, name }) => `${method.name} ${name}`,
  );

  it.each<[string, Json, code: number]>([
    ['import_key_images signed_key_images', [{ key_imag: 'ab'.repeat(32), signature: '' }], -10],
    ['label_address index', { major: 0n, minro: 1n }, -32602],
    ['transfer destinations', [{ adress: ADDRESS, amount: 1n }], -32602],
    ['transfer_split destinations', [{ address: ADDRESS, amuont: 1n }], -32602],
    ['create_payouts payouts', [{ payout_id: 'a', address: ADDRESS, amount: 1n, max_feee: 1n }], -32602],
    ['estimate_payouts payouts', [{ payout_id: 'a', address: ADDRESS, amount: 1n, expires: 1n }], -32602],
    ['create_payment_request zero_conf', { max_amount: 1n, min_second: 9n }, -32602],
    ['create_payment_request price', { currency: 'EUR', amount: '1', rate: '150', rate_tine: 1n }, -32602],
    ['approve_payouts payouts', [{ payout_id: 'a', aproval_hash: '00'.repeat(32) }], -32602],
  ])('fails a call, whose value would be lost: %s', async (place, value, code) => {
    await done('set_daemon', { address: '127.0.0.1:1', trusted: true });
    objects.splice(objects.indexOf(place), 1);
    const [method = '', name = ''] = place.split(' ');
    await expect(call(method, { [name]: value, label: 'x' }, {})).rejects.toMatchObject({ code });
  });

  it('is looked for in every such object', () => {
    expect(objects).toEqual([]);
  });

  it('is ignored beside all known ones, in the methods of the reference', async () => {
    await done('label_address', { index: { major: 0n, minor: 0n, miner: 1n }, label: 'till' });
  });
});

describe('set_daemon', () => {
  it.each<[string, { readonly address: string; readonly [name: string]: Json }]>([
    ['an onion name', { address: 'a.onion:1' }],
    ['an i2p name', { address: 'a.i2p:1' }],
    ['a fingerprint', { address: '127.0.0.1:2', ssl_allowed_fingerprints: ['ab'.repeat(32)] }],
    ['every certificate allowed', { address: '127.0.0.1:3', ssl_allow_any_cert: true }],
  ])('is accepted with TLS and %s', async (_, params) => {
    await done('set_daemon', { ...params, ssl_support: 'enabled' });
    expect(server.daemonAddress).toBe(params.address);
  });

  it.each(['127.0.0.1:1', 'onion:1', 'a.onion.example:1'])(
    'is refused with TLS if nothing verifies the certificate of %s',
    async (address) => {
      await expect(call('set_daemon', { address, ssl_support: 'enabled' }, {})).rejects.toMatchObject({
        code: -38,
        message: 'SSL is enabled but no user certificate or fingerprints were provided',
      });
    },
  );

  it.each<[string, Json | undefined]>([
    ['no params', undefined],
    ['no address', { trusted: true }],
    ['an empty address', { address: '' }],
    ['null in place of an address', { address: null }],
    ['white space', { address: ' ' }],
  ])('is refused with %s, and the daemon before it stays', async (_, params) => {
    await done('set_daemon', { address: '127.0.0.1:1', trusted: true });
    await expect(call('set_daemon', params, {})).rejects.toMatchObject({ code: -38 });
    expect(server.daemonAddress).toBe('127.0.0.1:1');
  });
});
