import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';

/* Bans of one loopback address, observed from another. */

/** True when requests from a local address are answered. */
const isServed = (port: number, localAddress: string): Promise<boolean> =>
  new Promise((resolve) => {
    const call = request(
      { port, localAddress, host: '127.0.0.1', path: '/get_height', agent: false },
      (reply) => {
        reply.resume();
        resolve(reply.statusCode === 200);
      },
    );
    call.on('error', () => resolve(false));
    call.end();
  });

describe.each([
  ['ours', () => startRegtestDaemon()],
  ['monerod', () => startMonerod()],
])('bans of %s', (_, start) => {
  let daemon: Monerod;
  const ban = (host: string, wanted: boolean): Promise<unknown> =>
    daemon.rpc('set_bans', { bans: [{ host, ban: wanted, seconds: 100 }] });

  beforeAll(async () => {
    daemon = await start();
  });

  afterAll(() => daemon?.stop());

  test('an address is banned, and unbanned', async () => {
    expect(await isServed(daemon.port, '127.0.0.2')).toBe(true);
    await ban('127.0.0.2', true);
    expect(await isServed(daemon.port, '127.0.0.2')).toBe(false);
    expect(await isServed(daemon.port, '127.0.0.3')).toBe(true);
    expect(await daemon.rpc('banned', { address: '127.0.0.2' })).toMatchObject({ banned: true });
    await ban('127.0.0.2', false);
    expect(await isServed(daemon.port, '127.0.0.2')).toBe(true);
  });

  test('a subnet is banned, and unbanned', async () => {
    await ban('127.9.0.0/16', true);
    expect(await isServed(daemon.port, '127.9.1.1')).toBe(false);
    expect(await isServed(daemon.port, '127.8.1.1')).toBe(true);
    await ban('127.9.0.0/16', false);
    expect(await isServed(daemon.port, '127.9.1.1')).toBe(true);
  });
});
