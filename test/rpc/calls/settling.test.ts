import { beforeEach, describe, expect, test } from '@jest/globals';
import { isRepeatable } from '../../../src/rpc/calls/admission.js';
import { registry } from '../../../src/rpc/registry.js';
import { settling } from '../../../src/rpc/calls/settling.js';
import type { WalletMethod } from '../../../src/rpc/method.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import type { WalletManager } from '../../../src/services/manager/wallet-manager.js';
import type { WalletScope } from '../../../src/services/manager/wallet-scope.js';
import { FakeQuorum } from '../../support/fakes/fake-cluster.js';

/** Holding of a wallet whose replication the test decides on. */
class FakeHolding {
  readonly calls: string[] = [];
  isEnded = false;
  settling: () => Promise<void> = () => Promise.resolve();

  begin(): () => void {
    this.calls.push('begin');
    return () => void this.calls.push('end');
  }

  async settled(): Promise<void> {
    this.calls.push('settled');
    await this.settling();
  }
}

const NOT_REPLICATED = new WalletError({ kind: 'not_replicated', reason: 'late' });

const methodOf = (name: string): WalletMethod => {
  const method = registry.find(name);
  if (method === undefined) throw new Error(`no method ${name}`);
  return method;
};

let shop: FakeHolding;
let till: FakeHolding;
let isClustered: boolean;
let quorum: FakeQuorum;
/** True if the client may know of all wallets. */
let mayKnow: boolean;
/** Wallet of the path; undefined while none is open. */
let found: FakeHolding | undefined;

beforeEach(() => {
  [shop, till] = [new FakeHolding(), new FakeHolding()];
  quorum = new FakeQuorum();
  [found, isClustered, mayKnow] = [shop, true, true];
});

/** Runs a call. @param path undefined: the path of all wallets. */
const callFor = <T>(path: string | undefined, name: string, task: () => Promise<T>): Promise<T> =>
  settling(
    {
      settings: isClustered ? { cluster: { place: async () => ({ url: 'http://b' }), quorum } } : {},
      openWallets: () => [{ held: shop }, { held: till }, { held: undefined }],
    } as unknown as WalletManager,
    { name: path, find: () => found && { held: found }, mayKnow: () => mayKnow } as unknown as WalletScope,
    methodOf(name),
    task,
  );

/** Runs a call for one wallet. */
const run = <T>(name: string, task: () => Promise<T>): Promise<T> => callFor('shop', name, task);

const noting = (text: string) => async (): Promise<string> => {
  shop.calls.push(text);
  return text;
};

describe('a call in a cluster', () => {
  test.each(['label_address', 'get_balance'])('of %s answers once its wallet is settled', async (name) => {
    let resolve = (): void => undefined;
    shop.settling = () => new Promise((done) => (resolve = done));
    let isAnswered = false;
    const answer = run(name, noting('run')).then(() => (isAnswered = true));
    await new Promise(setImmediate);
    expect([isAnswered, shop.calls]).toEqual([false, ['begin', 'run', 'settled']]);
    resolve();
    await answer;
    expect(shop.calls).toEqual(['begin', 'run', 'settled', 'end']);
    expect(till.calls).toEqual([]);
  });

  test.each(['label_address', 'get_balance', 'get_events', 'list_wallets', 'open_wallet'])(
    'of %s does not run without a quorum',
    async (name) => {
      quorum.isLost = true;
      await expect(run(name, noting('run'))).rejects.toMatchObject({ fault: { kind: 'not_replicated' } });
      expect(shop.calls).toEqual([]);
    },
  );

  test('runs without a quorum if it uses no wallet', async () => {
    quorum.isLost = true;
    expect(await run('set_daemon', noting('run'))).toBe('run');
    expect(await run('get_version', noting('run'))).toBe('run');
  });

  test('fails if its wallet is not settled, and has ended then', async () => {
    shop.settling = () => Promise.reject(NOT_REPLICATED);
    await expect(run('label_address', noting('run'))).rejects.toBe(NOT_REPLICATED);
    expect(shop.calls).toEqual(['begin', 'run', 'settled', 'end']);
  });

  test('has its own error only once its wallet is settled', async () => {
    const error = new WalletError({ kind: 'no_wallet' });
    const failing = () => run('label_address', () => Promise.reject(error));
    await expect(failing()).rejects.toBe(error);
    shop.settling = () => Promise.reject(NOT_REPLICATED);
    await expect(failing()).rejects.toBe(NOT_REPLICATED);
  });

  describe('whose wallet leaves the process meanwhile', () => {
    const elsewhere = new WalletError({ kind: 'wallet_elsewhere', name: 'shop', holder: 'another process' });
    const codeOf = (name: string, task: () => Promise<unknown>): Promise<unknown> =>
      run(name, task).catch((error: unknown) => (error as WalletError).fault.kind);

    // The next holder may have its change: it was sent, and the answer came after the end of the lease.
    test.each(['label_address', 'transfer', 'create_payment_request'])(
      'has an unknown outcome if it may have changed the wallet: %s',
      async (name) => {
        expect(await codeOf(name, () => Promise.reject(elsewhere))).toBe('not_replicated');
        shop.settling = () => Promise.reject(elsewhere);
        expect(await codeOf(name, noting('run'))).toBe('not_replicated');
        const closed = new WalletError({ kind: 'no_wallet' });
        expect(await codeOf(name, () => Promise.reject(closed))).toBe('not_replicated');
      },
    );

    test('is sent to the next holder if it only reads', async () => {
      shop.settling = () => Promise.reject(elsewhere);
      expect(await codeOf('get_balance', noting('run'))).toBe('wallet_elsewhere');
    });

    test('has not run if the wallet was not here when it came', async () => {
      found = undefined;
      expect(await codeOf('open_wallet', () => Promise.reject(elsewhere))).toBe('wallet_elsewhere');
    });
  });

  test('that closes its wallet does not wait for it', async () => {
    shop.settling = () => Promise.reject(NOT_REPLICATED);
    const close = async (): Promise<string> => {
      shop.isEnded = true;
      found = undefined;
      return 'closed';
    };
    expect(await run('close_wallet', close)).toBe('closed');
    expect(shop.calls).toEqual(['begin', 'end']);
  });

  test('waits for a wallet that was closed incompletely', async () => {
    shop.settling = () => Promise.reject(NOT_REPLICATED);
    const close = async (): Promise<void> => void (found = undefined);
    await expect(run('close_wallet', close)).rejects.toBe(NOT_REPLICATED);
  });

  test('for a wallet of another process names its holder, unless the client may not know of the wallet', async () => {
    found = undefined;
    const closed = new WalletError({ kind: 'wallet_not_open', name: 'shop' });
    const failing = () => run('get_balance', () => Promise.reject(closed));
    await expect(failing()).rejects.toMatchObject({
      fault: { kind: 'wallet_elsewhere', holder: 'http://b' },
    });
    mayKnow = false;
    await expect(failing()).rejects.toBe(closed);
  });

  test('that opens a wallet waits for it', async () => {
    found = undefined;
    await run('open_wallet', async () => void (found = till));
    expect([shop.calls, till.calls]).toEqual([[], ['settled']]);
  });

  test.each(['get_version', 'get_languages'])('of %s uses no wallet, and waits for none', async (name) => {
    shop.settling = till.settling = () => Promise.reject(NOT_REPLICATED);
    expect(await run(name, async () => 'answer')).toBe('answer');
    expect([shop.calls, till.calls]).toEqual([[], []]);
  });

  test('of get_events waits for all open wallets, or for that of its path', async () => {
    const all = () => callFor(undefined, 'get_events', async () => 'events');
    await all();
    expect([shop.calls, till.calls]).toEqual([
      ['begin', 'settled', 'end'],
      ['begin', 'settled', 'end'],
    ]);
    till.settling = () => Promise.reject(NOT_REPLICATED);
    await expect(all()).rejects.toBe(NOT_REPLICATED);
    await run('get_events', async () => 'events');
    expect(till.calls.filter((call) => call === 'begin')).toHaveLength(2);
  });
});

test('a call without a cluster waits for nothing', async () => {
  isClustered = false;
  expect(await run('label_address', noting('run'))).toBe('run');
  expect(shop.calls).toEqual(['run']);
});

describe('a second run of a method', () => {
  test.each([
    ['get_balance', false],
    ['getbalance', false],
    ['get_events', false],
    ['transfer', true],
    ['transfer_split', true],
    ['no_such_method', false],
  ])('of %s changes nothing; with an idempotency key: %s', (name, hasKey) => {
    expect(isRepeatable(name, hasKey)).toBe(true);
  });

  test.each([
    ['transfer', false],
    ['create_address', false],
    ['create_address', true],
    ['relay_tx', true],
    ['close_wallet', true],
    ['move_wallet', true],
  ])('of %s may change something; with an idempotency key: %s', (name, hasKey) => {
    expect(isRepeatable(name, hasKey)).toBe(false);
  });
});
