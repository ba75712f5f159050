import { beforeEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { SpendGuard } from '../../../src/services/payments/spend-guard.js';
import type { FailedPayment } from '../../../src/services/payments/failed-payment.js';
import { Sweeps, type SweepRequest } from '../../../src/services/payments/sweeps.js';
import type { LostPayments } from '../../../src/services/sync/lost-payments.js';
import { OutputFreezing } from '../../../src/services/sync/output-freezing.js';
import { amount } from '../../../src/util/amount.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { CHAIN_HEIGHT } from '../../support/wallets/paid-outputs.js';
import { numberedOutput, PlannedPayments } from '../../support/wallets/planned-payments.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { forkOutput } from '../../support/wallets/fork-outputs.js';
import { fault, ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { bytes } from '../../store/fixtures.js';
import { COIN, holder } from '../../monero/wallet/fixtures.js';

const rng = seededRng('sweeps');
const owner = holder(rng);
const ADDRESS = formatAddress(holder(rng).address());
const OTHER = formatAddress(holder(rng).address());
const keyImageOf = ({ keyImage }: OwnedOutput): KeyImage => keyImage ?? bytes<KeyImage>(0);

let wallet: ServiceWallet;
let planned: PlannedPayments;
let sweeps: Sweeps;

/** A wallet with these outputs, which age one block each. */
function fund(outputs: readonly OwnedOutput[], viewOnly = false): void {
  wallet = new ServiceWallet(ownKeys(owner, viewOnly));
  planned = new PlannedPayments(wallet);
  wallet.receive(outputs, CHAIN_HEIGHT);
  const { accounts, sync } = wallet;
  sweeps = new Sweeps(wallet, {
    accounts,
    outputFreezing: new OutputFreezing(wallet, {
      ...{ sync, lostPayments: {} as LostPayments },
      spending: new SpendGuard(wallet),
    }),
    payments: planned.maker,
  });
}

const terms = {
  ...{ unlockTime: 0n, priority: 1, doNotRelay: false, withMetadata: false, spender: undefined },
  ...{ address: ADDRESS, outputs: 1 },
};

const order = (changes: Partial<SweepRequest> = {}): SweepRequest => ({
  ...{ ...terms, account: 0, minors: [], allAddresses: false, below: amount(0n) },
  ...changes,
});

const at = (major: number, minor: number) => ({ subaddress: { major, minor } });

beforeEach(() =>
  fund([
    numberedOutput(1, COIN, at(0, 0)),
    numberedOutput(2, 2n * COIN, at(0, 1)),
    numberedOutput(3, 3n * COIN, at(0, 1)),
    numberedOutput(4, 4n * COIN, at(1, 0)),
    numberedOutput(115, 5n * COIN, { ...at(0, 0), height: 115 }),
  ]),
);

describe('a sweep of an account', () => {
  test.each<[string, Partial<SweepRequest>, string[]]>([
    ['takes one address, another than the primary one where there is one', {}, ['2', '3']],
    ['takes every address where all are asked for', { allAddresses: true }, ['1', '2', '3']],
    ['takes the addresses that are named', { minors: [0] }, ['1']],
    ['takes outputs below an amount alone', { allAddresses: true, below: amount(3n * COIN) }, ['1', '2']],
    ['takes another account', { account: 1 }, ['4']],
  ])('%s', async (_, changes, inputs) => {
    await sweeps.all(order(changes));
    expect(planned.inputs.sort()).toEqual(inputs);
    expect(planned.planned[0]?.payees).toMatchObject([{ text: ADDRESS }]);
  });

  it('splits its amount into as many outputs as are asked for, and they pay the fee', async () => {
    await sweeps.all(order({ outputs: 3 }));
    const [only] = planned.planned;
    const paid = only?.payees.map((payee) => payee.amount) ?? [];
    expect([paid.length, paid.reduce((sum, value) => sum + value, 0n)]).toEqual([3, 5n * COIN]);
    expect(only?.feeFrom).toEqual([0, 1, 2]);
  });

  test.each<[string, Partial<SweepRequest>, object]>([
    ['to text that is no address', { address: 'nobody' }, { kind: 'wrong_address' }],
    [
      'of an account that holds nothing',
      { account: 2 },
      { text: 'No unlocked balance in the specified account' },
    ],
    [
      'of addresses that hold nothing',
      { minors: [2] },
      { text: 'No unlocked balance in the specified subaddress(es)' },
    ],
    [
      'of outputs below less than all hold',
      { below: amount(1n) },
      { text: 'The smallest amount found is not below the specified threshold' },
    ],
    ['into no output', { outputs: 0 }, { kind: 'tx_not_possible' }],
    ['into more outputs than a transaction has', { outputs: 17 }, { kind: 'transfer_failed' }],
  ])('%s is refused', async (_, changes, expected) => {
    await expect(sweeps.all(order(changes))).rejects.toMatchObject({ fault: expected });
    expect(planned.planned).toEqual([]);
  });

  it.each<[string, bigint, string]>([
    ['dust alone', 1000n, 'No unlocked balance in the specified subaddress(es)'],
    ['less than the fee of its transaction', 20_000_000n, 'Transaction cannot pay for itself'],
  ])('of %s is refused, in the words of the reference', async (_, value, text) => {
    fund([numberedOutput(1, value), numberedOutput(2, value, at(0, 1))]);
    for (const changes of [{}, { allAddresses: true, ...(value > 1000n ? { minors: [0] } : {}) }])
      await expect(sweeps.all(order(changes))).rejects.toMatchObject({
        fault: { kind: 'transfer_failed', text },
      });
  });

  it('never fails for an address that holds only what cannot pay for itself, with or without an upper bound', async () => {
    for (let attempt = 0; attempt < 40; attempt++) {
      fund([
        numberedOutput(1, 1n, at(0, 1)),
        numberedOutput(2, 20_000_000n, at(0, 2)),
        numberedOutput(3, COIN, at(0, 3)),
        numberedOutput(4, 2n * COIN, at(0, 3)),
      ]);
      wallet.rng(attempt + 1);
      const below = attempt % 2 === 0 ? 0n : 2n * COIN;
      await sweeps.all(order({ below: amount(below) }));
      expect(planned.inputs.sort()).toEqual(below === 0n ? ['3', '4'] : ['3']);
    }
  });

  it('spends every output that is worth its fee exactly once, and pays out all that they hold', async () => {
    const values = fc.array(fc.bigInt({ min: 1n, max: 100_000_000n }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(values, async (held) => {
        // One output is worth any fee.
        fund([COIN, ...held].map((value, i) => numberedOutput(i + 1, value)));
        await sweeps.all(order());
        expect(new Set(planned.inputs).size).toBe(planned.inputs.length);
        for (const { payees, inputs, fee } of planned.planned) {
          const taken = inputs.reduce((sum, input) => sum + input.amount, 0n);
          expect(payees.reduce((sum, payee) => sum + payee.amount, 0n)).toBe(taken);
          expect(taken).toBeGreaterThan(fee);
        }
        // An input costs some 15 million atomic units at the lowest rate.
        const left = held.filter((_, i) => !planned.inputs.includes(String(i + 2)));
        expect(left.filter((value) => value > 30_000_000n)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a sweep of one output', () => {
  const [free, frozen, locked, spent, old] = [
    numberedOutput(1, COIN, at(1, 2)),
    numberedOutput(2, COIN),
    numberedOutput(118, COIN, { height: 118 }),
    numberedOutput(4, COIN),
    numberedOutput(5, COIN, { rct: false }),
  ] as const;

  beforeEach(() => {
    fund([free, frozen, locked, spent, old]);
    wallet.store.write((w) => {
      w.outputs.setFrozen(frozen, true);
      w.outputs.reserve([spent], bytes<Hash>(1));
    });
  });

  it('spends it from its own account', async () => {
    await sweeps.single(terms, () => keyImageOf(free));
    expect(planned.inputs).toEqual(['1']);
    expect(planned.options).toMatchObject([{ account: 1 }]);
  });

  test.each([
    ['frozen', frozen],
    ['locked', locked],
    ['spent', spent],
  ])('is refused while it is %s', async (_, output) => {
    await expect(sweeps.single(terms, () => keyImageOf(output))).rejects.toMatchObject({
      fault: { kind: 'invalid', text: 'No outputs found' },
    });
  });

  it('from before RingCT is refused', async () => {
    await expect(sweeps.single(terms, () => keyImageOf(old))).rejects.toMatchObject({
      fault: { kind: 'transfer_failed' },
    });
  });

  it('in the form of the fork is refused, as it needs a membership proof', async () => {
    const own = forkOutput(holder(seededRng('sweep of the fork')), COIN, 6, seededRng('output of the fork'));
    fund([own]);
    await expect(sweeps.single(terms, () => keyImageOf(own))).rejects.toMatchObject({
      fault: { kind: 'tx_not_possible', reason: expect.stringContaining('membership proof') },
    });
  });

  it('that is unknown is refused', async () => {
    await expect(sweeps.single(terms, () => bytes<KeyImage>(9))).rejects.toMatchObject(
      fault({ kind: 'key_image_unknown' }),
    );
  });

  it('reads the key image after the address, as a wrong address is refused first', async () => {
    let read = false;
    const swept = sweeps.single({ ...terms, address: 'nobody' }, () => {
      read = true;
      return keyImageOf(free);
    });
    await expect(swept).rejects.toMatchObject({ fault: { kind: 'wrong_address' } });
    expect(read).toBe(false);
  });
});

describe('a sweep that failed', () => {
  /** Failed sweep of these outputs. @param excludes false: a further attempt does not exclude it. */
  const failed = (inputs: readonly OwnedOutput[], outputs = 1, excludes = true): FailedPayment =>
    ({
      destinations: Array.from({ length: outputs }, () => ({ address: OTHER, amount: amount(COIN) })),
      sweptInputs: () => inputs,
      assertExcluded: () => {
        if (!excludes) throw new WalletError({ kind: 'order_failed', reason: 'not excluded' });
      },
    }) as Partial<FailedPayment> as FailedPayment;
  const input = numberedOutput(1, COIN, at(1, 2));

  it('sweeps the same outputs of their account again, to the same address and as many outputs', async () => {
    await sweeps.again({ ...terms, priority: 3 }, failed([input, numberedOutput(2, COIN, at(1, 0))], 2));
    expect(planned.inputs.sort()).toEqual(['1', '2']);
    expect(planned.planned[0]?.payees.map(({ text }) => text)).toEqual([OTHER, OTHER]);
    expect(planned.options).toMatchObject([{ account: 1, priority: 3, unlockTime: 0n }]);
  });

  it('is refused unless it excludes the failed transaction', async () => {
    await expect(sweeps.again(terms, failed([input], 1, false))).rejects.toMatchObject(
      fault({ kind: 'order_failed', reason: 'not excluded' }),
    );
  });

  it('is refused where its outputs are no longer worth the fee', async () => {
    await expect(sweeps.again(terms, failed([numberedOutput(1, 1000n)], 1, false))).rejects.toMatchObject({
      fault: { kind: 'transfer_failed', text: 'Transaction cannot pay for itself' },
    });
  });

  it.each([
    ['destination', failed([input], 0)],
    ['output', failed([])],
  ])('has at least one %s', async (_, none) => {
    await expect(sweeps.again(terms, none)).rejects.toThrow('a sweep without a destination');
  });
});

describe('a sweep of unmixable outputs', () => {
  it('finds nothing to do', async () => {
    expect(await sweeps.unmixable()).toEqual({ payments: [] });
  });

  it('is refused where there are outputs from before RingCT that could be spent', async () => {
    fund([numberedOutput(1, COIN, { rct: false })]);
    await expect(sweeps.unmixable()).rejects.toMatchObject(
      fault({
        ...{ kind: 'transfer_failed', reason: 'outputs from before RingCT cannot be spent with this server' },
      }),
    );
    fund([numberedOutput(118, COIN, { rct: false, height: 118 })]);
    expect(await sweeps.unmixable()).toEqual({ payments: [] });
  });
});
