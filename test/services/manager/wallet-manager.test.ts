import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import type { DaemonConfig } from '../../../src/daemon/http-daemon.js';
import { WalletManager } from '../../../src/services/manager/wallet-manager.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { WalletServer } from '../../support/processes/wallet-server.js';

const daemon = (address: string): DaemonConfig => ({
  address,
  ssl: { mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: false },
});

let server: WalletServer;
let manager: WalletManager;
let stopped: number;

beforeEach(() => {
  stopped = 0;
  server = new WalletServer({ stop: () => void (stopped += 1) });
  manager = new WalletManager(server.settings);
});

afterEach(async () => {
  await manager.close();
  await server.close();
});

const inMemory = { filename: '', password: '', language: 'English' };

describe('the scopes of a server', () => {
  it('are one for the current wallet, and one for each name', async () => {
    expect(manager.scope()).toBe(manager.scope());
    await manager.scope().createWallet(inMemory);
    expect(manager.scope().find()?.name).toBe('');
    expect(manager.scope('w').find()).toBeUndefined();
  });
});

describe('the wallets of a server', () => {
  it('are created, listed, closed and opened again from their files', async () => {
    await manager.scope('w').createWallet({ ...inMemory, filename: 'w', password: 'p' });
    const state = { height: 1, daemonHeight: 0, viewOnly: false, multisig: false, syncing: false };
    expect(await manager.listWallets()).toEqual([{ name: 'w', open: state }]);
    const wallet = manager.scope('w').find();
    if (wallet === undefined) throw new Error('a wallet');
    await manager.scope('w').closeWallet(wallet);
    expect(await manager.listWallets()).toEqual([{ name: 'w' }]);
    await expect(manager.openPaths(server.paths('w'), 'q', 'current')).rejects.toMatchObject(
      fault({ kind: 'wrong_password' }),
    );
    await manager.openPaths(server.paths('w'), 'p', 'current');
    manager.shrinkMemory();
    expect(manager.scope().find()?.keys.spendPublicKey).toEqual(wallet.keys.spendPublicKey);
  });

  it('are closed with the server, and their keys wiped', async () => {
    await manager.scope().createWallet(inMemory);
    const wallet = manager.scope().find();
    await manager.close();
    expect(manager.scope().find()).toBeUndefined();
    expect(() => wallet?.keys.viewSecret.expose()).toThrow();
    expect(() => wallet?.store.height()).toThrow(fault({ kind: 'no_wallet' }));
  });
});

describe('the daemon of a server', () => {
  it('may be absent, set and taken away', () => {
    expect(manager.daemonAddress).toBeUndefined();
    manager.setDaemon(daemon('127.0.0.1:18081'), false);
    expect(manager.daemonAddress).toBe('127.0.0.1:18081');
    manager.setDaemon(undefined, false);
    expect(manager.daemonAddress).toBeUndefined();
  });

  it('has the port of the network where its address names none', () => {
    manager.setDaemon(daemon('127.0.0.1'), true);
    expect(manager.daemonAddress).toBe('127.0.0.1');
  });

  test.each(['', 'ftp://host:1', '127.0.0.1:99999', 'host:port'])(
    'is refused for the address %j, and the one before stays',
    (address) => {
      manager.setDaemon(daemon('127.0.0.1:18081'), false);
      expect(() => manager.setDaemon(daemon(address), false)).toThrow(
        expect.objectContaining({ fault: expect.objectContaining({ kind: 'bad_daemon_settings' }) }),
      );
      expect(manager.daemonAddress).toBe('127.0.0.1:18081');
    },
  );
});

describe('stopping a server', () => {
  it('is asked of the process', () => {
    manager.requestStop();
    expect(stopped).toBe(1);
  });

  it('ends calls to the daemon, more than once without harm', async () => {
    manager.setDaemon(daemon('127.0.0.1:9'), false);
    manager.endDaemonCalls();
    await manager.close();
    await manager.close();
    expect(await manager.listWallets()).toEqual([]);
  });
});
