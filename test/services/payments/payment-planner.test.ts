import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { PaymentPlanner } from '../../../src/services/payments/payment-planner.js';
import { WorkerPools } from '../../../src/services/workers/worker-pools.js';
import { amount } from '../../../src/util/amount.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import type { PlanRequest } from '../../../src/monero/wallet/select/payment-plan.js';
import { nameOf } from '../../../src/monero/wallet/select/spendable-outputs.js';
import { CHAIN_HEIGHT, FEES } from '../../support/wallets/paid-outputs.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { numberedOutput } from '../../support/wallets/planned-payments.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { faultOf } from '../../support/wallets/test-wallet.js';
import { COIN, holder } from '../../monero/wallet/fixtures.js';

const rng = seededRng('payment planner');
const owner = holder(rng);
const address = holder(rng).address();
const text = formatAddress(address);
const ADDRESSES = 40;
/** Addresses with money up to which the planners of these tests plan on the main thread. */
const FEW = 20;
const WHOLE = { account: 0, minors: [] };

const workers = new WorkerPools();
afterAll(() => workers.close());

let directory: string;
let wallet: ServiceWallet;
/** Kinds of the tasks of threads. */
let kinds: string[];
let planner: PaymentPlanner;

/** Outputs in the first block, one on each address. */
const onAddresses = (count: number): OwnedOutput[] =>
  Array.from({ length: count }, (_, minor) =>
    numberedOutput(minor + 1, COIN, { height: 1, subaddress: { major: 0, minor } }),
  );

/** Outputs in the first block, all on one address. */
const onOneAddress = (count: number): OwnedOutput[] =>
  Array.from({ length: count }, (_, i) => numberedOutput(i + 1, COIN, { height: 1 }));

/** Opens a wallet with outputs. @param fewAddresses limit of its planner; undefined: that of the server. */
function open(path: string, outputs = onAddresses(ADDRESSES), fewAddresses?: number): void {
  wallet = new ServiceWallet(ownKeys(owner), 'current', path);
  wallet.receive(outputs, CHAIN_HEIGHT);
  kinds = [];
  const run: typeof workers.signing.run = (kind, ...task) => {
    kinds.push(kind);
    return workers.signing.run(kind, ...task);
  };
  planner = new PaymentPlanner(
    {
      ...{ store: wallet.store, keystore: wallet.keystore, rng, clock: wallet.clock },
      assertOpen: wallet.assertOpen,
      workers: { signing: { run } } as unknown as WorkerPools,
    },
    fewAddresses,
  );
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'planner-'));
  open(join(directory, 'w'), onAddresses(ADDRESSES), FEW);
});
afterEach(() => {
  wallet.store.close();
  rmSync(directory, { recursive: true });
});

const sweep: PlanRequest = {
  kind: 'sweep',
  sweep: { account: 0, unlockTime: 0n, address, text, outputs: 1, priority: 1 },
  filter: { oneAddress: false, below: amount(0n) },
};

const transfer = (value: bigint, unconfirmed = 0n): PlanRequest => ({
  kind: 'transfer',
  transfer: {
    payees: [{ address, text, amount: amount(value) }],
    ...{ account: 0, priority: 1, unlockTime: 0n, unconfirmed: amount(unconfirmed) },
  },
});

describe('a payment from many addresses', () => {
  it('is planned on another thread, and other work goes on meanwhile', async () => {
    const turns = new EventLoopTurns();
    const planned = await planner.plan(WHOLE, transfer(3n * COIN), FEES);
    expect(turns.stop()).toBeGreaterThan(0);
    expect(kinds).toEqual(['plan']);
    const inputs = planned.flatMap((plan) => plan.inputs);
    expect(inputs.length).toBeGreaterThan(3);
    expect(new Set(inputs.map(nameOf)).size).toBe(inputs.length);
  });

  it('sweeps the same outputs there as on the main thread', async () => {
    const names = async (): Promise<string[]> =>
      (await planner.plan(WHOLE, sweep, FEES)).flatMap(({ inputs }) => inputs.map(nameOf)).sort();
    const there = await names();
    expect(kinds).toEqual(['plan']);
    expect(there).toHaveLength(ADDRESSES);
    planner = new PaymentPlanner(wallet, ADDRESSES);
    expect(await names()).toEqual(there);
  });

  it.each([
    ['on another thread', FEW, ['plan', 'plan']],
    ['on the main thread', ADDRESSES, []],
  ])('selects no input of a payment that is being signed, %s', async (_, few, tasks) => {
    open(join(directory, 'held'), onAddresses(ADDRESSES), few);
    const all = onAddresses(ADDRESSES).map(nameOf);
    const first = await planner.plan(WHOLE, transfer(3n * COIN), FEES);
    const signed = Promise.withResolvers<string>();
    const holding = planner.holding(first, () => signed.promise);
    const held = first.flatMap(({ inputs }) => inputs.map(nameOf));
    const next = (await planner.plan(WHOLE, sweep, FEES)).flatMap(({ inputs }) => inputs.map(nameOf));
    expect([...held, ...next].sort()).toEqual(all.sort());
    expect(kinds).toEqual(tasks);
    expect([planner.held(0).map(nameOf), planner.held(1)]).toEqual([held, []]);
    // Once the payment is recorded, the store has the inputs as spent.
    const [one] = first[0]?.inputs ?? [];
    if (one !== undefined) wallet.store.write((w) => w.outputs.reserve([one], new Uint8Array(32) as Hash));
    expect(planner.held(0).map(nameOf)).toEqual(held.slice(1));
    signed.resolve('sent');
    expect(await holding).toBe('sent');
    expect(planner.held(0)).toEqual([]);
  });

  it('holds no input of a payment that failed', async () => {
    const first = await planner.plan(WHOLE, transfer(3n * COIN), FEES);
    await expect(planner.holding(first, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect((await planner.plan(WHOLE, sweep, FEES)).flatMap(({ inputs }) => inputs)).toHaveLength(ADDRESSES);
  });

  it('sees what was committed a moment before', async () => {
    wallet.store.write((w) => w.outputs.setFrozen(numberedOutput(1, COIN), true));
    const [planned] = await planner.plan(WHOLE, sweep, FEES);
    expect(planned?.inputs).toHaveLength(ADDRESSES - 1);
  });

  it('is refused with the same error as on the main thread', async () => {
    const tooMuch = transfer(BigInt(ADDRESSES + 1) * COIN, 5n * COIN);
    const there = await faultOf(() => planner.plan(WHOLE, tooMuch, FEES));
    expect(kinds).toEqual(['plan']);
    expect(there).toMatchObject({ kind: 'not_enough_unlocked_money' });
    planner = new PaymentPlanner(wallet, ADDRESSES);
    expect(await faultOf(() => planner.plan(WHOLE, tooMuch, FEES))).toEqual(there);
  });

  it.each(['on the main thread', 'on another thread'])(
    'is refused for an account without unlocked money before its addresses are looked at, %s',
    async (where) => {
      const minors = Array.from({ length: where === 'on another thread' ? FEW + 1 : 1 }, (_, i) => 1000 + i);
      const textOf = async (account: number): Promise<unknown> =>
        faultOf(() => planner.plan({ account, minors }, sweep, FEES));
      expect(await textOf(0)).toMatchObject({
        text: 'No unlocked balance in the specified subaddress(es)',
      });
      expect(await textOf(3)).toMatchObject({ text: 'No unlocked balance in the specified account' });
      expect(kinds).toEqual(where === 'on another thread' ? ['plan', 'plan'] : []);
    },
  );

  it('is planned on another thread also where the request names many addresses', async () => {
    const minors = Array.from({ length: FEW + 1 }, (_, i) => 1000 + i);
    expect(await faultOf(() => planner.plan({ account: 0, minors }, sweep, FEES))).toMatchObject({
      kind: 'transfer_failed',
    });
    expect(kinds).toEqual(['plan']);
  });

  it('ends with the wallet', async () => {
    const planning = planner.plan(WHOLE, sweep, FEES);
    wallet.isOpen = false;
    expect(await faultOf(() => planning)).toEqual({ kind: 'no_wallet' });
  });
});

describe('a payment from few addresses', () => {
  it('is planned on the main thread', async () => {
    const [planned] = await planner.plan({ account: 0, minors: [3, 4] }, sweep, FEES);
    expect(planned?.inputs).toHaveLength(2);
    expect(kinds).toEqual([]);
  });

  it('is planned on the main thread also where the request names as many as are few', async () => {
    const minors = Array.from({ length: FEW }, (_, minor) => minor);
    const [planned] = await planner.plan({ account: 0, minors }, sweep, FEES);
    expect(planned?.inputs).toHaveLength(FEW);
    expect(kinds).toEqual([]);
  });

  it.each<[string, (count: number) => OwnedOutput[], number]>([
    ['256 addresses', onAddresses, 256],
    ['1000 outputs', onOneAddress, 1000],
  ])('is planned on the main thread up to %s', async (_, outputs, most) => {
    for (const [count, expected] of [
      [most, []],
      [most + 1, ['plan']],
    ] as const) {
      wallet.store.close();
      open(join(directory, String(count)), outputs(count));
      const [planned] = await planner.plan(WHOLE, transfer(COIN), FEES);
      expect(planned?.payees).toHaveLength(1);
      expect(kinds).toEqual(expected);
    }
  });
});

describe('a wallet in memory', () => {
  it('plans every payment on the main thread', async () => {
    wallet.store.close();
    open(':memory:', onAddresses(ADDRESSES), FEW);
    const [planned] = await planner.plan(WHOLE, sweep, FEES);
    expect(planned?.inputs).toHaveLength(ADDRESSES);
    expect(kinds).toEqual([]);
  });
});
