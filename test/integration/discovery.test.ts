import { afterEach, describe, expect, it } from '@jest/globals';
import { registry } from '../../src/rpc/registry.js';
import { post, type Loose } from '../support/network/json-rpc.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* A server that describes itself. */

const namesOf = (document: Loose): string[] =>
  (document.methods as readonly { readonly name: string }[]).map(({ name }) => name);

describe('rpc.discover', () => {
  let server: WalletRpc | undefined;

  const discover = async (...args: string[]): Promise<Loose> => {
    server = await startWalletRpc({ args });
    return server.rpc('rpc.discover');
  };

  afterEach(async () => {
    await server?.stop();
  });

  it('needs no wallet, and lists every method with its digits', async () => {
    const document = await discover();
    expect(document).toMatchObject({
      openrpc: '1.4.1',
      info: { title: 'wallet-rpc', license: { name: 'MIT' }, 'x-api-version': '1.3' },
    });
    expect(namesOf(document)).toEqual(registry.methods.map(({ name }) => name).sort());
    const request = { jsonrpc: '2.0', id: 0, method: 'rpc.discover' };
    const { text } = await post(server?.port ?? 0, '/json_rpc', request);
    expect(text).toContain('"maximum":18446744073709551615');
    expect(text).toContain('"params":[]');
  });

  it('lists only methods that restricted mode serves, for the API version of the server', async () => {
    const document = await discover('--restricted-rpc', '--api-version=1.32');
    const served = registry.methods.filter(({ meta }) => !meta.restricted).map(({ name }) => name);
    expect(namesOf(document)).toEqual(served.sort());
    expect(document.info['x-api-version']).toBe('1.32');
  });
});
