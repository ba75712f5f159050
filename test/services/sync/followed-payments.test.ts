import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { Daemon, DaemonTransaction } from '../../../src/daemon/daemon.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { ContestedPayments } from '../../../src/services/sync/followed-payments.js';
import { toHex } from '../../../src/util/bytes.js';
import { newRequest, StoredRequests } from '../../support/wallets/stored-requests.js';
import { bytes } from '../../store/fixtures.js';

let wallet: StoredRequests;
let asked: string[][];
/** Answer for each transaction. */
let answer: (hash: Hash) => Partial<DaemonTransaction>;
let contested: ContestedPayments;

beforeEach(() => {
  wallet = new StoredRequests();
  wallet.add(newRequest(1, { confirmations: 0 }), newRequest(2, { confirmations: 1 }));
  asked = [];
  answer = () => ({ inPool: true, doubleSpendSeen: true });
  const daemon: Partial<Daemon> = {
    getTransactions: (hashes) => {
      asked.push(hashes.map((hash) => toHex(hash)));
      const transactions = hashes.map((hash) => ({ hash, ...answer(hash) }));
      return Promise.resolve({ transactions } as Awaited<ReturnType<Daemon['getTransactions']>>);
    },
  };
  contested = new ContestedPayments({
    store: wallet.store,
    daemon: { client: () => daemon } as never,
    assertOpen: () => undefined,
  });
});

afterEach(() => wallet.close());

const types = (): string[] => wallet.types();

describe('a payment that paid a request in the mempool', () => {
  beforeEach(() => wallet.see(1, 1, 100n));

  it('is taken back once the daemon has seen a double spend of it, and not asked for again', async () => {
    answer = () => ({ inPool: true, doubleSpendSeen: false });
    await contested.follow();
    expect(types()).toEqual(['paid']);
    answer = () => ({ inPool: true, doubleSpendSeen: true });
    await contested.follow();
    await contested.follow();
    expect(asked).toEqual([[toHex(bytes<Hash>(1))], [toHex(bytes<Hash>(1))]]);
    expect(types()).toEqual(['paid', 'reversed']);
    expect(wallet.request(1).state).toBe('seen');
  });

  it('stays taken back when another daemon does not know of the double spend, until it is mined', async () => {
    await contested.follow();
    wallet.readPool();
    expect(wallet.request(1).state).toBe('seen');
    wallet.clear();
    wallet.readPool();
    expect(wallet.request(1).state).toBe('seen');
    wallet.mine([[1, 1, 100n]]);
    expect([types(), wallet.request(1).state]).toEqual([['paid', 'reversed', 'paid'], 'paid']);
  });

  it('stays taken back when the double spend replaces it', async () => {
    await contested.follow();
    wallet.drop(1);
    expect(wallet.request(1).state).toBe('seen');
    wallet.mine();
    wallet.readPool();
    wallet.readPool();
    expect([types(), wallet.request(1).state]).toEqual([['paid', 'reversed', 'reversed'], 'waiting']);
  });

  it.each([
    ['the daemon does not answer', new DaemonError('unreachable', 'no connection')],
    ['the daemon knows it from a block', undefined],
  ])('is not taken back where %s', async (_, error) => {
    answer = () => {
      if (error !== undefined) throw error;
      return { inPool: false, doubleSpendSeen: true };
    };
    await contested.follow();
    expect(types()).toEqual(['paid']);
  });
});

describe('the daemon', () => {
  it('is not asked without such payments', async () => {
    wallet.see(2, 2, 100n);
    wallet.see(3, 3, 100n);
    await contested.follow();
    expect(asked).toEqual([]);
  });

  it('is asked for a hundred of them at a time', async () => {
    for (let tx = 1; tx <= 120; tx++) wallet.see(tx, 1, 1n);
    await contested.follow();
    expect(asked.map(({ length }) => length)).toEqual([100, 20]);
    expect(wallet.request(1).state).toBe('seen');
  });
});
