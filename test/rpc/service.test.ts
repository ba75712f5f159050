import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import type { Call } from '../../src/http/dispatcher.js';
import { registry } from '../../src/rpc/registry.js';
import { createCall } from '../../src/rpc/service.js';
import { WalletManager } from '../../src/services/manager/wallet-manager.js';
import type { Json } from '../../src/util/json.js';
import { WalletServer } from '../support/wallet-server.js';

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
