import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { HttpDaemon } from '../../src/daemon/http-daemon.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference } from '../support/processes/wallet-rpc.js';

/* Our daemon with a login, used by our client and the reference's wallet. */

const login = { user: 'node', password: 'pa:ss' };
const SSL = {
  mode: 'disabled',
  allowedFingerprints: [],
  allowChained: false,
  allowAnyCert: false,
} as const;
let daemon: Monerod;

beforeAll(async () => {
  daemon = await startRegtestDaemon([`--rpc-login=${login.user}:${login.password}`]);
});

afterAll(async () => {
  await daemon?.stop();
});

const connect = (password: string): HttpDaemon =>
  new HttpDaemon({ address: daemon.address, ssl: SSL, login: { ...login, password } });

describe('a daemon with a login', () => {
  test.each(['/json_rpc', '/get_height', '/getblocks.bin', '/no_such_path'])(
    'requires it at %s',
    async (path) => {
      const reply = await fetch(`http://127.0.0.1:${daemon.port}${path}`, { method: 'POST', body: '' });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toMatch(/^Digest .*nonce="[^"]+"/);
    },
  );

  it('accepts the right login only', async () => {
    const [right, wrong] = [connect(login.password), connect('pass')];
    expect(await right.getInfo()).toMatchObject({ height: 1, network: 'fakechain' });
    await expect(wrong.getInfo()).rejects.toThrow();
    await Promise.all([right.close(), wrong.close()]);
  });

  it("accepts the reference's wallet", async () => {
    const wallet = await startReference({
      daemon: daemon.address,
      args: [`--daemon-login=${login.user}:${login.password}`],
    });
    await createWallet(wallet, 'w');
    expect(await wallet.rpc('refresh')).toMatchObject({ blocks_fetched: expect.any(Number) });
    expect(await wallet.rpc('get_height')).toMatchObject({ height: 1 });
    await wallet.stop();
  });
});
