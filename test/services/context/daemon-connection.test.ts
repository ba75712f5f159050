import { beforeEach, describe, expect, it } from '@jest/globals';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { DaemonConfig } from '../../../src/daemon/http-daemon.js';
import { DaemonAccess } from '../../../src/services/context/daemon-access.js';
import type { DaemonClient } from '../../../src/services/context/daemon-list.js';
import { DaemonConnection } from '../../../src/services/context/daemon-connection.js';
import { faultOf } from '../../support/wallets/test-wallet.js';

const configOf = (address: string): DaemonConfig => ({
  address,
  ssl: { mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: false },
});
const HOME = configOf('home:18081');

/** A client that names its daemon; a call ends with the reason of its signal, or when the client is closed. */
function clientOf(address: string, log: string[]): DaemonClient {
  const client = (signal?: AbortSignal) => ({
    getVersion: () =>
      new Promise<number>((_, reject) => {
        const fail = (): void => reject(signal?.reason as Error);
        if (signal?.aborted === true) fail();
        signal?.addEventListener('abort', fail);
      }),
    getPoolHashes: () => {
      log.push(`pool of ${address}`);
      return new Promise<never>(() => undefined);
    },
    until: client,
    close: () => void log.push(`close ${address}`),
  });
  return client() as unknown as DaemonClient;
}

let log: string[];
beforeEach(() => {
  log = [];
});

function connectionTo(config: DaemonConfig | undefined, trusted = false): DaemonConnection {
  return new DaemonConnection({
    daemons: config === undefined ? [] : [{ config, trusted }],
    connect: ({ address }) => {
      if (address === '') throw new DaemonError('unreachable', 'no address');
      log.push(`connect ${address}`);
      return clientOf(address, log);
    },
    refresher: {
      start: () => void log.push('start'),
      setDaemon: (given) => void log.push(`refresh from ${given?.address ?? 'none'}`),
      close: () => Promise.resolve(void log.push('close threads')),
    },
  });
}

describe('a connection to a daemon', () => {
  it('is made with the first call, once, and shared by all wallets', () => {
    const connection = connectionTo(HOME, true);
    expect([connection.address, connection.trusted, log]).toEqual(['home:18081', true, []]);
    const client = connection.client();
    expect(connection.client()).toBe(client);
    connection.client(new AbortController().signal);
    expect(log).toEqual(['connect home:18081']);
  });

  it('starts the threads of the refresh, unless it is offline', () => {
    connectionTo(undefined).start();
    expect(log).toEqual([]);
    connectionTo(HOME).start();
    expect(log).toEqual(['start']);
  });

  it('fails every call while it is offline, none of which was sent', () => {
    const connection = connectionTo(undefined);
    expect(connection.address).toBeUndefined();
    expect(() => connection.client()).toThrow(
      expect.objectContaining({ name: 'DaemonError', kind: 'unreachable', notTaken: true }),
    );
  });

  it('can be changed to another daemon: the calls to the one before end', () => {
    const connection = connectionTo(HOME);
    connection.client();
    connection.change(configOf('away:1'), true);
    expect([connection.address, connection.trusted]).toEqual(['away:1', true]);
    connection.client();
    expect(log).toEqual(['connect home:18081', 'connect away:1', 'refresh from away:1', 'close home:18081']);
  });

  it('has the trust of the settings while it is offline', () => {
    const log: string[] = [];
    for (const trustedOffline of [true, false]) {
      const connection = new DaemonConnection({
        connect: ({ address }) => clientOf(address, log),
        refresher: { start: () => undefined, setDaemon: () => undefined, close: () => Promise.resolve() },
        ...{ daemons: [], trustedOffline },
      });
      expect(connection.trusted).toBe(trustedOffline);
      connection.change(undefined, !trustedOffline);
      expect(connection.trusted).toBe(!trustedOffline);
    }
  });

  it('can be taken offline', () => {
    const connection = connectionTo(HOME, true);
    connection.client();
    connection.change(undefined, false);
    expect([connection.address, connection.trusted]).toEqual([undefined, false]);
    expect(() => connection.client()).toThrow(DaemonError);
    expect(log.slice(1)).toEqual(['refresh from none', 'close home:18081']);
  });

  it('stays as it was where the new address cannot be one', () => {
    const connection = connectionTo(HOME, true);
    const client = connection.client();
    expect(() => connection.change(configOf(''), false)).toThrow(DaemonError);
    expect([connection.address, connection.trusted, connection.client() === client]).toEqual([
      'home:18081',
      true,
      true,
    ]);
    expect(log).toEqual(['connect home:18081']);
  });

  it('ends its calls, and with them its threads when it is closed', async () => {
    const connection = connectionTo(HOME);
    connection.endCalls();
    connection.client();
    connection.endCalls();
    expect(log).toEqual(['connect home:18081', 'close home:18081']);
    await connection.close();
    expect(log.slice(2)).toEqual(['close threads', 'close home:18081']);
  });
});

describe('the access of one wallet', () => {
  it('has the address and trust of the connection, as they are now', () => {
    const connection = connectionTo(HOME);
    const access = new DaemonAccess(connection);
    expect([access.address, access.trusted]).toEqual(['home:18081', false]);
    connection.change(configOf('away:1'), true);
    expect([access.address, access.trusted]).toEqual(['away:1', true]);
  });

  it('lists the pool by a request that wallets share, and waits for it until it is closed', async () => {
    const connection = connectionTo(HOME);
    const [closed, open] = [new DaemonAccess(connection), new DaemonAccess(connection)];
    const reading = [closed.poolHashes(), open.poolHashes()];
    let isOpenWaiting = true;
    void reading[1]?.then(() => (isOpenWaiting = false));
    closed.close();
    expect(await faultOf(() => reading[0])).toEqual({ kind: 'no_wallet' });
    expect([isOpenWaiting, log]).toEqual([true, ['connect home:18081', 'pool of home:18081']]);
    await expect(new DaemonAccess(connectionTo(undefined)).poolHashes()).rejects.toBeInstanceOf(DaemonError);
  });

  it('ends its own calls when it is closed, running ones and later ones, and no others', async () => {
    const connection = connectionTo(HOME);
    const [closed, open] = [new DaemonAccess(connection), new DaemonAccess(connection)];
    const running = closed.client().getVersion();
    let isOtherRunning = true;
    void open
      .client()
      .getVersion()
      .catch(() => (isOtherRunning = false));
    closed.close();
    expect(await faultOf(() => running)).toEqual({ kind: 'no_wallet' });
    expect(await faultOf(() => closed.client().getVersion())).toEqual({ kind: 'no_wallet' });
    expect([isOtherRunning, log]).toEqual([true, ['connect home:18081']]);
  });

  it('fails while the connection is offline', () => {
    expect(() => new DaemonAccess(connectionTo(undefined)).client()).toThrow(DaemonError);
  });
});

describe('a list of daemons', () => {
  const listOf = (...addresses: string[]): DaemonConnection =>
    new DaemonConnection({
      daemons: addresses.map((address, i) => ({ config: configOf(address), trusted: i === 0 })),
      connect: ({ address }) => {
        log.push(`connect ${address}`);
        return clientOf(address, log);
      },
      connectAside: ({ address }) => {
        log.push(`connect aside ${address}`);
        return clientOf(`aside ${address}`, log);
      },
      refresher: {
        start: () => undefined,
        setDaemon: (given) => void log.push(`refresh from ${given?.address ?? 'none'}`),
        close: () => Promise.resolve(),
      },
    });

  it('is served by the first one, then by another, with its own trust', () => {
    const connection = listOf('home:1', 'away:1');
    connection.client();
    expect([connection.address, connection.trusted, connection.serving]).toEqual(['home:1', true, 0]);
    const end = connection.serve(1);
    expect([connection.address, connection.trusted, connection.serving]).toEqual(['away:1', false, 1]);
    expect(log).toEqual(['connect home:1', 'connect away:1', 'refresh from away:1']);
    end();
    expect(log.slice(3)).toEqual(['close home:1']);
  });

  it('has clients for checks of their own, one for each daemon, closed with the list', () => {
    const connection = listOf('home:1', 'http://Away:1/');
    const access = new DaemonAccess(connection);
    access.other('away:1');
    access.other('away:1');
    expect(log).toEqual(['connect aside http://Away:1/']);
    connection.change(configOf('third:1'), true);
    expect(log.slice(1)).toEqual(['connect third:1', 'refresh from third:1', 'close aside http://Away:1/']);
  });

  it('gives a wallet the listed daemons that do not serve, and no others', () => {
    const connection = listOf('home:1', 'away:1');
    const access = new DaemonAccess(connection);
    expect([access.name, access.other('home:1'), access.other('third:1')]).toEqual([
      'home:1',
      undefined,
      undefined,
    ]);
    expect(access.other('away:1')?.trusted).toBe(false);
    connection.serve(1);
    expect([access.name, access.other('away:1')]).toEqual(['away:1', undefined]);
    expect(access.other('home:1')?.trusted).toBe(true);
  });

  it('serves the data for rings, compared with the word of another one if that is wanted', async () => {
    const calls: string[] = [];
    const client = {
      getOutputDistribution: () => Promise.resolve(void calls.push('distribution')),
      getOutputs: (indices: readonly number[]) =>
        Promise.resolve(void calls.push(`outputs ${indices.join()}`)),
      until: () => client,
    } as unknown as DaemonClient;
    const refresher = { start: () => undefined, setDaemon: () => undefined, close: () => Promise.resolve() };
    const parts = { daemons: [{ config: HOME, trusted: true }], connect: () => client, refresher };
    const read = async (access: DaemonAccess): Promise<string[]> => {
      await access.outputDistribution();
      await access.ringOutputs([7, 9]);
      return calls.splice(0);
    };
    expect(await read(new DaemonAccess(new DaemonConnection(parts)))).toEqual([
      'distribution',
      'outputs 7,9',
    ]);
    const rings = {
      outputDistribution: () => Promise.resolve(void calls.push('compared distribution')),
      outputs: (_: unknown, indices: readonly number[]) =>
        Promise.resolve(void calls.push(`compared outputs ${indices.join()}`)),
    } as never;
    expect(await read(new DaemonAccess(new DaemonConnection({ ...parts, rings })))).toEqual([
      'compared distribution',
      'compared outputs 7,9',
    ]);
  });

  it('has no daemon beyond its end', () => {
    expect(() => listOf('home:1').serve(1)).toThrow(RangeError);
  });
});
