import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { Balances } from '../../../src/services/accounts/balances.js';
import { BalanceReader } from '../../../src/store/tables/balances.js';
import { amount } from '../../../src/util/amount.js';
import type { FoundOutgoing, PoolTx } from '../../../src/monero/wallet/scan/findings.js';
import type { ImportedOutput } from '../../../src/store/tables/imported-outputs.js';
import type { OutgoingTx } from '../../../src/monero/wallet/build/outgoing-tx.js';
import { collected } from '../../support/values/collected.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

let wallet: TestWallet;
let balances: Balances;
beforeEach(() => {
  wallet = new TestWallet();
  wallet.watch(2, 3);
  balances = new Balances(wallet, wallet);
});
afterEach(() => wallet.close());

/** Blocks 0 to 99, with an output of 50 in block 5. */
const receive = (more: Parameters<typeof output>[3] = {}): void =>
  wallet.store.write((w) =>
    w.applyPage(page(0, 100, { received: [received(1, 5)], outputs: [output(1, 5, 50n, more)] })),
  );

const outgoing = (more: Partial<OutgoingTx> = {}): OutgoingTx => ({
  txHash: bytes<Hash>(200),
  state: 'pending',
  account: 0,
  fromIndices: [0],
  amountIn: amount(50n),
  fee: amount(2n),
  change: amount(8n),
  unlockTime: 0n,
  timestamp: 1,
  destinations: [],
  ...more,
});

const pay = (more: Partial<OutgoingTx> = {}): void =>
  wallet.store.write((w) => w.prepare(outgoing(more), [output(1, 5, 50n)], []));

const pooled = (outputs: PoolTx['outputs']): void =>
  wallet.store.write((w) =>
    w.pool.add({
      txHash: bytes<Hash>(201),
      timestamp: 1,
      unlockTime: 0n,
      fee: amount(1n),
      doubleSpendSeen: false,
      outputs,
    }),
  );

/** An output of 10^n that an offline wallet imported. */
const imported = (n: number, more: Partial<ImportedOutput> = {}): ImportedOutput => ({
  publicKey: bytes<PublicKey>(n),
  derivationKey: bytes<PublicKey>(n),
  keyImage: bytes<KeyImage>(n),
  outputIndex: 0,
  globalIndex: n,
  amount: amount(BigInt(10 ** n)),
  rct: true,
  subaddress: { major: 0, minor: n % 2 },
  spent: false,
  frozen: false,
  requested: false,
  ...more,
});

describe('a balance', () => {
  it('of an empty wallet is zero, without addresses', () => {
    const nothing = { total: 0n, unlocked: 0n, blocksToUnlock: 0, secondsToUnlock: 0, addresses: [] };
    expect(balances.of(undefined, false)).toEqual(nothing);
    expect(balances.of(7, true)).toEqual(nothing);
    expect(balances.unconfirmed(0, [])).toBe(0n);
  });

  it.each([
    ['of payments', 10, false],
    ['of miner transactions', 60, true],
  ])(
    'contains the outputs %s as unlocked from the first block on that may spend them',
    (_name, age, coinbase) => {
      const newest = 99;
      // Two outputs on each side of the limit, and one far from it.
      const heights = [5, newest - age - 1, newest - age, newest - age + 1, newest - age + 2, newest];
      wallet.store.write((w) =>
        w.applyPage(
          page(0, newest + 1, {
            received: heights.map((height, i) => received(i + 1, height)),
            outputs: heights.map((height, i) => {
              const unlockTime = coinbase ? BigInt(height + age) : 0n;
              return output(i + 1, height, 10n ** BigInt(i), { coinbase, unlockTime });
            }),
          }),
        ),
      );
      // The next block, of height 100, may spend an output of height 90, or of a miner at height 40.
      expect(balances.of(0, true)).toMatchObject({
        ...{ total: 111_111n, unlocked: 1_111n },
        blocksToUnlock: age - 1,
      });
    },
  );

  it('is read from any page of its rows on, with the unconfirmed amounts of each page', async () => {
    const minors = Array.from({ length: 300 }, (_, i) => 2 * i);
    wallet.store.write((w) =>
      w.applyPage(
        page(0, 100, {
          received: [received(1, 5)],
          outputs: minors.map((minor, i) =>
            output(1, 5, 50n, {
              ...{ outputIndex: i, subaddress: { major: 0, minor } },
              ...{ publicKey: bytes<PublicKey>(1000 + i), keyImage: bytes<KeyImage>(5000 + i) },
            }),
          ),
        }),
      ),
    );
    pooled(
      [0, 3, 254, 255, 256, 257, 511, 512, 513, 700].map((minor, outputIndex) => ({
        ...{ outputIndex, amount: amount(7n), subaddress: { major: 0, minor } },
      })),
    );
    const inPages = new Balances(wallet, wallet, 0).paged(0, false);
    if (inPages === undefined) throw new Error('a balance with rows');
    const pagesFrom = (skipped?: number) => collected(inPages.rows(skipped).pages);
    const pages = await pagesFrom();
    expect(pages.flat()).toEqual(balances.of(0, false).addresses);
    expect(pages.length).toBeGreaterThan(2);
    for (let skipped = 0; skipped <= pages.length; skipped++)
      expect(await pagesFrom(skipped)).toEqual(pages.slice(skipped));
  });

  it('counts an input of an unmined payment as spent, and as ours still where it is strict', () => {
    receive();
    pay();
    expect(balances.of(0, true)).toMatchObject({ total: 50n, unlocked: 50n });
    expect(balances.of(0, false)).toMatchObject({ total: 8n, unlocked: 0n });
  });

  it('counts change and payments to own addresses of the account as unconfirmed', () => {
    receive();
    const to = (major: number, minor: number, value: bigint) => ({
      address: wallet.accounts.address({ major, minor }),
      amount: amount(value),
    });
    pay({ destinations: [to(0, 2, 5n), to(1, 1, 7n), to(0, 0, 1n)] });
    expect(balances.of(undefined, false).addresses).toEqual([
      expect.objectContaining({ account: 0, minor: 0, total: 9n, unconfirmed: 9n, unlocked: 0n }),
      expect.objectContaining({ account: 0, minor: 2, total: 5n, unconfirmed: 5n, unlocked: 0n }),
    ]);
    expect([[], [0], [2], [0, 2], [1]].map((minors) => balances.unconfirmed(0, minors))).toEqual([
      14n,
      9n,
      5n,
      14n,
      0n,
    ]);
  });

  it('lists the first address for a payment without change', () => {
    receive({ subaddress: { major: 0, minor: 1 } });
    pay({ change: amount(0n) });
    expect(balances.of(0, false).addresses).toEqual([
      expect.objectContaining({ account: 0, minor: 0, total: 0n }),
    ]);
  });

  it('leaves out what a failed payment, or one that a reorganisation took the inputs from, would bring', () => {
    receive();
    pay();
    wallet.store.write((w) => w.fail(bytes<Hash>(200)));
    expect(balances.of(0, false).total).toBe(50n);
    wallet.store.write((w) => w.outgoing.setState(bytes<Hash>(200), 'pending'));
    expect(balances.of(0, false)).toMatchObject({ total: 50n, unlocked: 50n });
  });

  it('counts the whole amount of a pool output, and what it adds to a key that holds less', () => {
    receive();
    const subaddress = { major: 0, minor: 1 };
    pooled([
      { outputIndex: 0, amount: amount(3n), subaddress },
      { outputIndex: 1, amount: amount(60n), subaddress, publicKey: bytes<PublicKey>(101) },
      { outputIndex: 2, amount: amount(4n), subaddress: { major: 1, minor: 0 } },
    ]);
    expect(balances.of(0, false)).toMatchObject({ total: 63n, unlocked: 50n });
    expect(balances.of(1, false)).toMatchObject({ total: 4n, unlocked: 0n });
    expect(balances.of(undefined, false)).toMatchObject({ total: 67n, unlocked: 50n });
    expect(balances.of(undefined, true)).toMatchObject({ total: 50n });
  });

  it('counts imported outputs of an offline wallet that are neither spent nor frozen, as unlocked', () => {
    const outputs = [
      imported(0),
      imported(1),
      imported(2),
      imported(3, { spent: true }),
      imported(4, { frozen: true }),
    ];
    wallet.store.write((w) => {
      w.chain.attach(0, [bytes<Hash>(1)]);
      w.imported.put(0, outputs, true);
    });
    expect(balances.of(undefined, false).total).toBe(111n);
    expect(balances.of(0, false).addresses).toEqual([
      expect.objectContaining({ minor: 0, total: 101n, unspentOutputs: 2 }),
      expect.objectContaining({ minor: 1, total: 10n, unspentOutputs: 1 }),
    ]);
  });

  // The total of the chain was replaced by the imported one before: subtracting the locked output failed.
  it('adds an output of a scanned transaction to imported ones', () => {
    wallet.store.write((w) => {
      w.imported.put(0, [imported(0)], true);
      const found = { received: [received(1, 5)], outputs: [output(1, 5, 50n)] };
      w.addFound({ ...found, spends: [], outgoing: [], subaddresses: [] });
    });
    expect(balances.of(undefined, false)).toMatchObject({ total: 51n, unlocked: 0n });
  });
});

describe('a balance that is asked for again', () => {
  it('is the same value until the store changes', () => {
    receive();
    const asked = balances.of(0, false);
    expect(balances.of(0, false)).toBe(asked);
    expect(balances.of(0, true)).not.toBe(asked);
    pay();
    expect(balances.of(0, false).total).toBe(8n);
  });

  it('opens a lock by time 120 s early, without a change to the store', () => {
    receive({ unlockTime: BigInt(wallet.time + 1000) });
    expect(balances.of(0, false)).toMatchObject({ total: 50n, unlocked: 0n, secondsToUnlock: 1000 });
    wallet.time += 400;
    expect(balances.of(0, false)).toMatchObject({ unlocked: 0n, secondsToUnlock: 600 });
    wallet.time += 479;
    expect(balances.of(0, false)).toMatchObject({ unlocked: 0n, secondsToUnlock: 121 });
    wallet.time += 1;
    expect(balances.of(0, false)).toMatchObject({ unlocked: 50n, secondsToUnlock: 0 });
  });

  it('follows a reorganisation', () => {
    receive();
    expect(balances.of(0, false).total).toBe(50n);
    wallet.store.write((w) => w.applyPage(page(5, 3)));
    expect(balances.of(0, false).total).toBe(0n);
  });
});

describe('a payment whose input a reorganisation took out of its block', () => {
  const parent = 2;
  const change = { subaddress: { major: 0, minor: 0 }, change: true };
  const minedAt = (height: number): FoundOutgoing => {
    const { txHash, account, fromIndices, amountIn, fee, unlockTime } = outgoing({
      txHash: bytes<Hash>(parent),
    });
    return {
      txHash,
      account,
      fromIndices,
      amountIn,
      fee,
      unlockTime,
      timestamp: 1,
      change: amount(30n),
      height,
    };
  };

  /** Blocks 0 to 99: 50 in block 5, which a payment of block 6 spends with a change of 30; a pending one spends that. */
  const payTwice = (more: Partial<OutgoingTx> = {}): void => {
    receive();
    const first = outgoing({ txHash: bytes<Hash>(parent), change: amount(30n), blob: new Uint8Array(1) });
    wallet.store.write((w) => w.prepare(first, [output(1, 5, 50n)], []));
    wallet.store.write((w) =>
      w.applyPage(
        page(100, 6, {
          received: [received(parent, 100)],
          outputs: [output(parent, 100, 30n, change)],
          spends: [{ keyImage: keyImageOf(output(1, 5, 50n)), txHash: first.txHash, height: 100 }],
          outgoing: [minedAt(100)],
        }),
      ),
    );
    wallet.store.write((w) =>
      w.prepare(outgoing({ amountIn: amount(30n), ...more }), [output(parent, 100, 30n, change)], []),
    );
  };
  const stateOf = (n: number): string | undefined =>
    wallet.store.read((r) => r.outgoing.byHash(bytes<Hash>(n)))?.state;
  const keyImageOf = ({ keyImage }: { readonly keyImage?: KeyImage }): KeyImage => keyImage as KeyImage;

  it('takes that input from the change of the payment before it, which is pending again', () => {
    payTwice();
    expect(balances.of(0, false).total).toBe(8n);
    wallet.store.write((w) => w.applyPage(page(100, 3)));
    expect(wallet.store.read((r) => r.outgoing.byHash(bytes<Hash>(parent)))?.state).toBe('pending');
    expect(balances.of(0, false).total).toBe(8n);
    expect(balances.unconfirmed(0, [])).toBe(8n);
    expect(balances.of(0, true).total).toBe(50n);
  });

  it('counts as before when the block is found again, and has its input', () => {
    payTwice();
    wallet.store.write((w) => w.applyPage(page(100, 3)));
    wallet.store.write((w) =>
      w.applyPage(
        page(101, 2, {
          received: [received(parent, 101)],
          outputs: [output(parent, 101, 30n, change)],
          spends: [{ keyImage: keyImageOf(output(1, 5, 50n)), txHash: bytes<Hash>(parent), height: 101 }],
          outgoing: [minedAt(101)],
        }),
      ),
    );
    expect(balances.of(0, false).total).toBe(8n);
    expect(balances.of(0, true).total).toBe(30n);
    expect(wallet.store.read((r) => r.lostInputs.list())).toEqual([]);
  });

  it('has each of its inputs when their blocks are found again', () => {
    receive();
    const second = (height: number) =>
      page(height, 6, { received: [received(9, height)], outputs: [output(9, height, 20n)] });
    wallet.store.write((w) => w.applyPage(second(100)));
    const inputs = [output(1, 5, 50n), output(9, 100, 20n)];
    wallet.store.write((w) =>
      w.prepare(outgoing({ amountIn: amount(70n), change: amount(60n) }), inputs, []),
    );
    wallet.store.write((w) => w.applyPage(page(100, 3)));
    expect(wallet.store.read((r) => r.outputs.spentBy(bytes<Hash>(200)))).toHaveLength(1);
    wallet.store.write((w) => w.applyPage(second(101)));
    expect(wallet.store.read((r) => r.outputs.spentBy(bytes<Hash>(200)))).toHaveLength(2);
    expect(balances.of(0, false).total).toBe(60n);
  });

  it('fails with the payment before it, so that the sum of the events is the balance', () => {
    payTwice();
    wallet.store.write((w) => w.applyPage(page(100, 3)));
    const failed = wallet.store.write((w) => w.fail(bytes<Hash>(parent)));
    expect(failed).toEqual([bytes<Hash>(parent), bytes<Hash>(200)]);
    expect(stateOf(200)).toBe('failed');
    expect(balances.of(0, false).total).toBe(50n);
    expect(wallet.store.write((w) => w.fail(bytes<Hash>(parent)))).toEqual([]);
    const events = wallet.store
      .read((r) => r.events.after(0, 100))
      .filter(({ type }) => type === 'transfer.failed');
    expect(events).toHaveLength(2);
  });

  it('does not fail with a payment whose block is found again', () => {
    payTwice();
    expect(wallet.store.write((w) => w.fail(bytes<Hash>(parent)))).toEqual([]);
    expect(stateOf(200)).toBe('pending');
  });

  it('does not count where the payment before it had failed in an earlier version, and its other inputs are ours', () => {
    payTwice();
    wallet.store.write((w) => w.applyPage(page(100, 3)));
    wallet.store.write((w) => w.outgoing.setState(bytes<Hash>(parent), 'failed'));
    wallet.store.write((w) => w.outputs.release(bytes<Hash>(parent)));
    expect(balances.of(0, false).total).toBe(50n);
  });

  it('takes it from an incoming payment that is in the mempool again, and does not count without that', () => {
    receive();
    wallet.store.write((w) =>
      w.applyPage(page(100, 6, { received: [received(9, 100)], outputs: [output(9, 100, 20n)] })),
    );
    wallet.store.write((w) =>
      w.prepare(
        outgoing({ amountIn: amount(70n), change: amount(60n) }),
        [output(1, 5, 50n), output(9, 100, 20n)],
        [],
      ),
    );
    expect(balances.of(0, false).total).toBe(60n);
    wallet.store.write((w) => w.applyPage(page(100, 3)));
    expect(balances.of(0, false).total).toBe(50n);
    const { subaddress } = output(9, 100, 20n);
    wallet.store.write((w) =>
      w.pool.add({
        ...{ txHash: bytes<Hash>(9), timestamp: 1, unlockTime: 0n, fee: amount(1n), doubleSpendSeen: false },
        outputs: [{ outputIndex: 0, amount: amount(20n), subaddress }],
      }),
    );
    expect(balances.of(0, false).total).toBe(60n);
  });
});

describe('the balance of some addresses', () => {
  it('reads the sum of the account, not its addresses', () => {
    const reading = jest.spyOn(BalanceReader.prototype, 'ofAddresses');
    try {
      receive();
      expect(balances.ofAddresses(0, [1], false).total).toBe(50n);
      wallet.store.write((w) =>
        w.applyPage(page(100, 1, { received: [received(2, 100)], outputs: [output(2, 100, 7n)] })),
      );
      expect(balances.ofAddresses(0, [1], false).total).toBe(57n);
      expect(balances.ofAddresses(1, [0], false).total).toBe(0n);
      expect(balances.ofAddresses(0, [1], true).total).toBe(57n);
      expect(balances.ofAccounts(false).get(0)).toMatchObject({ total: 57n });
      expect(reading).not.toHaveBeenCalled();
    } finally {
      reading.mockRestore();
    }
  });
});
