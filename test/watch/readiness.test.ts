import { beforeEach, describe, expect, it } from '@jest/globals';
import { DaemonHealth } from '../../src/watch/daemon-health.js';
import type { DaemonInfo } from '../../src/daemon/daemon.js';
import {
  Readiness,
  type NotReady,
  type StartProgress,
  type UnopenedWallet,
} from '../../src/watch/readiness.js';
import { FakeQuorum } from '../support/fakes/fake-cluster.js';
import type { FollowingWallet } from '../../src/watch/wallet-facts.js';
import { WalletError } from '../../src/model/wallet-error.js';

const TIP = 1000;

let now: number;
let health: DaemonHealth;
let wallets: FollowingWallet[];
let start: StartProgress;
let free: number;
let quorum: FakeQuorum | undefined;

const wallet = (height: number, isDamaged = false): FollowingWallet => ({
  store: {
    height: () => {
      if (isDamaged) throw new WalletError({ kind: 'wallet_corrupt', name: 'w', reason: 'damaged' });
      return height;
    },
    isDamaged,
  },
  sync: { daemonHeight: 0 },
});

const unopened = (name: string, cause: string): UnopenedWallet => ({
  name,
  cause,
  reason: `${name}: ${cause}`,
});

const reasons = (): Promise<NotReady[]> =>
  new Readiness({
    limits: { daemonSeconds: 60, blocksBehind: 10, diskBytes: 1000 },
    health,
    wallets: () => wallets,
    start: () => start,
    quorum,
    directory: '/',
    space: () => Promise.resolve({ free, total: 1e6 }),
  }).reasons();

beforeEach(() => {
  now = 0;
  const info = { height: TIP } as DaemonInfo;
  health = new DaemonHealth({ daemonAddress: 'a:1', daemonInfo: () => Promise.resolve(info) }, () => now);
  wallets = [wallet(TIP)];
  start = { waiting: 0, unopened: [] };
  free = 1000;
  quorum = undefined;
});

describe('a server is ready', () => {
  it('with wallets at most as far behind as the limit, and as much free space', async () => {
    wallets.push(wallet(TIP - 10), wallet(TIP + 3));
    expect(await reasons()).toEqual([]);
  });

  it('during an outage of the daemon that is no longer than the limit', async () => {
    await reasons();
    health.note({ call: 'x', seconds: 60, failure: 'unreachable' });
    expect(await reasons()).toEqual([]);
  });

  it('without a daemon when it is offline', async () => {
    health = new DaemonHealth({ daemonAddress: undefined, daemonInfo: () => Promise.reject(new Error()) });
    expect(await reasons()).toEqual([]);
  });
});

describe('clients that ask at the same time', () => {
  it('share one reading, and a later one reads again', async () => {
    let readings = 0;
    const readiness = new Readiness({
      limits: { daemonSeconds: 60, blocksBehind: 10, diskBytes: 1000 },
      ...{ health, wallets: () => wallets, start: () => start, directory: '/' },
      space: () => {
        readings += 1;
        return Promise.resolve(undefined);
      },
    });
    await Promise.all([readiness.reasons(), readiness.reasons()]);
    expect(readings).toBe(1);
    await readiness.reasons();
    expect(readings).toBe(2);
  });
});

describe('a server is not ready', () => {
  it('before the first answer of the daemon', async () => {
    health = new DaemonHealth({ daemonAddress: 'a:1', daemonInfo: () => Promise.reject(new Error()) });
    expect(await reasons()).toEqual([{ reason: 'daemon_unreachable' }]);
  });

  it('during a longer outage of the daemon', async () => {
    await reasons();
    health.note({ call: 'x', seconds: 61, failure: 'timeout' });
    expect(await reasons()).toEqual([{ reason: 'daemon_unreachable', seconds: 61 }]);
  });

  it('while a wallet is further behind, by the height of the daemon', async () => {
    wallets.push(wallet(TIP - 11), wallet(1));
    expect(await reasons()).toEqual([{ reason: 'wallets_behind', wallets: 2, blocks: TIP - 1 }]);
  });

  it('at a block of a newer version, with the lowest one', async () => {
    const at = (height: number): FollowingWallet => ({
      ...wallet(TIP),
      sync: { daemonHeight: TIP, newerBlock: { height, version: 17 } },
    });
    wallets.push(at(TIP), at(TIP - 2));
    expect(await reasons()).toEqual([{ reason: 'update_needed', wallets: 2, height: TIP - 2, version: 17 }]);
  });

  it('in a cluster without a quorum', async () => {
    quorum = new FakeQuorum();
    expect(await reasons()).toEqual([]);
    quorum.isLost = true;
    expect(await reasons()).toEqual([{ reason: 'no_quorum', seconds: 14 }]);
  });

  it('with too little free space', async () => {
    free = 999;
    expect(await reasons()).toEqual([{ reason: 'disk_nearly_full', free_bytes: 999 }]);
  });

  it('with a damaged store, of an open wallet or of one that could not be opened', async () => {
    wallets.push(wallet(0, true));
    start = { waiting: 0, unopened: [unopened('a', 'wallet_corrupt'), unopened('b', 'wallet_corrupt')] };
    expect(await reasons()).toEqual([
      { reason: 'wallets_not_opened', wallets: 2, causes: ['wallet_corrupt'] },
      { reason: 'store_damaged', wallets: 3 },
    ]);
  });

  it('while wallets of the start could not be opened, with the causes and without their names', async () => {
    const causes = ['wrong_password', 'wallet_missing', 'wrong_password'];
    start = { waiting: 0, unopened: causes.map((cause, i) => unopened(`secret shop ${i}`, cause)) };
    const found = await reasons();
    expect(found).toEqual([
      { reason: 'wallets_not_opened', wallets: 3, causes: ['wallet_missing', 'wrong_password'] },
    ]);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('until the wallets of the start are open', async () => {
    start = { waiting: 5, unopened: [] };
    expect(await reasons()).toEqual([{ reason: 'opening_wallets', wallets: 5 }]);
  });
});
