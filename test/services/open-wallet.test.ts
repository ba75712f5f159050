import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DaemonAccess } from '../../src/services/context/daemon-access.js';
import type { Refresher } from '../../src/refresh/refresher.js';
import { OpenWallet } from '../../src/services/open-wallet.js';
import { turns } from '../support/fakes/event-loop-turns.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { fault, ownKeys, ServiceWallet } from '../support/wallets/service-wallet.js';
import { WalletServer } from '../support/processes/wallet-server.js';
import { collected } from '../support/values/collected.js';
import { paymentHash, unminedPayment } from '../support/wallets/unmined-payment.js';
import { keysFileVersion } from '../../src/store/keys/keys-file-disk.js';
import { output, page, received } from '../store/fixtures.js';
import { holder } from '../monero/wallet/fixtures.js';

let server: WalletServer;
let wallet: OpenWallet;

/** How often the lock of a {@link locked} wallet was released. */
let released: number;

/** A wallet in memory with a lock. */
function locked(): OpenWallet {
  const { store, keystore, openAlias, workers, clock, rng, log, exportFormat } = new ServiceWallet(
    ownKeys(holder(seededRng('open wallet'))),
  );
  return new OpenWallet({
    ...{ store, keystore, openAlias, workers, clock, rng, log, exportFormat, kdfRounds: 1 },
    daemon: new DaemonAccess(server.daemon),
    events: server.settings.events,
    eventRetentionMs: server.settings.eventRetentionMs,
    requestSettings: server.settings.requestSettings,
    payoutSettings: server.settings.payoutSettings,
    webhookSending: server.webhookSending,
    refresher: server.refresher as unknown as Refresher,
    lock: { release: () => void (released += 1) },
    rekey: () => Promise.resolve(),
  });
}

const create = (name?: string): Promise<OpenWallet> => server.opener.create(server.newWallet(name));

beforeEach(async () => {
  released = 0;
  server = new WalletServer({}, '127.0.0.1:18081');
  wallet = await create();
});

afterEach(async () => {
  await wallet.close();
  await server.close();
});

describe('an open wallet', () => {
  it('has services that share one context', async () => {
    const { major } = wallet.accounts.create('savings');
    await wallet.tags.assign([major], 't');
    expect((await collected(await wallet.tags.list())).flat()).toMatchObject([
      { tag: 't', accounts: [major] },
    ]);
    expect(wallet.balances.of(major, false).total).toBe(0n);
    expect(wallet.context.store).toBe(wallet.store);
    expect(server.refresher.calls).toContain('expand 1');
  });

  it('has locks and addresses of its own', async () => {
    const other = await create();
    expect(other.context.locks).not.toBe(wallet.context.locks);
    expect(other.accounts.address({ major: 0, minor: 0 })).not.toBe(
      wallet.accounts.address({ major: 0, minor: 0 }),
    );
    await other.close();
    expect(wallet.balances.of(undefined, false).total).toBe(0n);
  });

  it('is attached to the refresh threads once', () => {
    expect(server.refresher.calls.filter((call) => call.startsWith('attach'))).toEqual(['attach 1']);
  });

  it('of one owner never waits for multisig info', () => {
    expect([wallet.isMultisigImportNeeded, wallet.isViewOnly, wallet.name]).toEqual([false, false, '']);
  });
});

describe('opening a wallet', () => {
  it('marks a payment as pending whose sending has no recorded end', async () => {
    const made = await create('w');
    const input = output(1, 1, 50n);
    made.store.write((w) => {
      w.applyPage(page(0, 3, { received: [received(1, 1)], outputs: [input] }));
      w.prepare(unminedPayment(1, { state: 'prepared' }), [input], []);
    });
    await made.close();
    const keysFile = await server.opener.readKeys(server.paths('w'), 'p');
    const version = keysFileVersion(server.paths('w').keys);
    const opened = await server.opener.open(server.paths('w'), keysFile, 'p', version);
    const [state, events] = opened.store.read((r) => [
      r.outgoing.byHash(paymentHash(1))?.state,
      r.events.after(0, 100).map(({ type }) => type),
    ]);
    await opened.close();
    expect(state).toBe('pending');
    expect(events).toContain('transfer.relayed');
  });
});

describe('saving a wallet', () => {
  it('writes a keys file again that was deleted, and says so', async () => {
    const saved = await create('w');
    rmSync(server.paths('w').keys);
    await saved.save();
    expect(server.files()).toContain('w.keys');
    expect(server.lines).toContainEqual(expect.objectContaining({ level: 40, name: 'w' }));
    expect(await server.opener.readKeys(server.paths('w'), 'p')).toMatchObject({
      spendPublicKey: saved.keys.spendPublicKey,
    });
    server.lines.length = 0;
    await saved.save();
    expect(server.lines).toEqual([]);
    await saved.close();
  });

  it('in memory does nothing', async () => {
    await wallet.save();
    expect(server.files()).toEqual([]);
  });
});

describe('closing a wallet', () => {
  it('wipes its keys, closes its store, detaches it from the refresh threads and is announced, once', async () => {
    const { keys, store } = wallet;
    await wallet.close();
    await wallet.close();
    expect(() => keys.viewSecret.expose()).toThrow();
    expect(() => keys.spendSecret?.expose()).toThrow();
    expect(() => store.height()).toThrow(fault({ kind: 'no_wallet' }));
    expect(() => wallet.assertOpen()).toThrow(fault({ kind: 'no_wallet' }));
    expect(server.closed).toEqual(['']);
    expect(server.refresher.calls.filter((call) => call.startsWith('detach'))).toEqual(['detach 1']);
  });

  it('ends its calls to the daemon, and no calls of other wallets', async () => {
    const other = await create();
    for (const { context } of [wallet, other]) context.daemon.client();
    await wallet.close();
    expect(server.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(server.signals[0]?.reason).toMatchObject(fault({ kind: 'no_wallet' }));
    await other.close();
  });

  it('refuses every service afterwards with no_wallet', async () => {
    await wallet.close();
    const closed = fault({ kind: 'no_wallet' });
    expect(() => wallet.accounts.count()).toThrow(closed);
    expect(() => wallet.accounts.address({ major: 0, minor: 1 })).toThrow(closed);
    expect(() => wallet.balances.of(0, false)).toThrow(closed);
    await expect(wallet.sync.refresh()).rejects.toEqual(closed);
    await expect(wallet.sweeps.unmixable()).rejects.toEqual(closed);
  });

  it('releases its lock, unless that is handed over', async () => {
    await locked().close();
    expect(released).toBe(1);
    const second = locked();
    const { lock } = second.detachLock();
    await second.close();
    expect(released).toBe(1);
    lock?.release();
    expect(released).toBe(2);
  });

  it('waits for the payment under way, and for tasks that hold its lock', async () => {
    let isDone = false;
    let end: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (end = resolve));
    const task = wallet.context.locks.payment.run(async () => {
      await waiting;
      // The store is open until the payment has ended.
      expect(wallet.store.height()).toBe(1);
      isDone = true;
    });
    const closing = wallet.close();
    await turns(10);
    expect(() => wallet.context.assertOpen()).toThrow(fault({ kind: 'no_wallet' }));
    end();
    await Promise.all([task, closing]);
    expect(isDone).toBe(true);
  });

  it('announces itself, releases the lock and wipes the keys also where the store cannot be closed', async () => {
    const broken = locked();
    const { keys, store } = broken;
    store.close = () => {
      throw new Error('damaged');
    };
    await expect(broken.close()).rejects.toThrow('damaged');
    expect(() => keys.viewSecret.expose()).toThrow();
    expect([released, server.closed]).toEqual([1, ['']]);
  });
});
