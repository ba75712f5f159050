import { beforeEach, describe, expect, it, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { PaymentId } from '../../../src/monero/cryptonote/types.js';
import type { Accounts } from '../../../src/services/accounts/accounts.js';
import { Balances } from '../../../src/services/accounts/balances.js';
import type { FailedPayment } from '../../../src/services/payments/failed-payment.js';
import { Transfers } from '../../../src/services/payments/transfers.js';

/** Request of a payment to destinations. */
type PaymentRequest = Parameters<Transfers['pay']>[0];
import { amount } from '../../../src/util/amount.js';
import type { Destination } from '../../../src/monero/wallet/build/outgoing-tx.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { faultOf, WalletError } from '../../../src/model/wallet-error.js';
import { CHAIN_HEIGHT } from '../../support/wallets/paid-outputs.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { numberedOutput, PlannedPayments } from '../../support/wallets/planned-payments.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { PlanError } from '../../../src/monero/wallet/select/transfer-request.js';
import { fault, ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { COIN, holder } from '../../monero/wallet/fixtures.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const rng = seededRng('transfers');
const owner = holder(rng);
const stranger = holder(rng);
const PLAIN = formatAddress(stranger.address());
const SUBADDRESS = formatAddress(stranger.address({ major: 1, minor: 2 }));
const INTEGRATED = formatAddress(stranger.address(undefined, rng(8) as PaymentId));

let wallet: ServiceWallet;
let planned: PlannedPayments;
let balances: Balances;
let transfers: Transfers;

function fund(values: readonly bigint[], minorOf: (place: number) => number = () => 0): void {
  wallet = new ServiceWallet(ownKeys(owner));
  planned = new PlannedPayments(wallet);
  wallet.receive(
    values.map((value, i) => numberedOutput(i + 1, value, { subaddress: { major: 0, minor: minorOf(i) } })),
    Math.max(CHAIN_HEIGHT, values.length + 20),
  );
  const { accounts } = wallet;
  balances = new Balances(wallet, { accounts });
  transfers = new Transfers({ accounts, balances, payments: planned.maker });
}

const order = (
  destinations: readonly (readonly [string, bigint])[],
  changes: Partial<PaymentRequest> = {},
): PaymentRequest => ({
  ...{ account: 0, unlockTime: 0n, priority: 1, doNotRelay: false, withMetadata: false, spender: undefined },
  ...{ minors: [], feeFrom: [], changeOutputs: 1, split: false },
  payees: destinations.map(([address, value]) => ({ address, amount: amount(value) })),
  ...changes,
});

beforeEach(() => fund([2n * COIN, 3n * COIN, 5n * COIN]));

describe('a transfer', () => {
  it('pays each destination, in the order of the request, under the address as it is recorded', async () => {
    await transfers.pay(
      order(
        [
          [SUBADDRESS, COIN],
          [PLAIN, 2n * COIN],
        ],
        { priority: 3, unlockTime: 7n },
      ),
    );
    expect(planned.options).toMatchObject([{ priority: 3, unlockTime: 7n, account: 0 }]);
    expect(planned.planned).toHaveLength(1);
    expect(planned.planned[0]?.payees).toMatchObject([
      { text: SUBADDRESS, amount: COIN },
      { text: PLAIN, amount: 2n * COIN },
    ]);
  });

  it('keeps the integrated form of an address', async () => {
    await transfers.pay(order([[INTEGRATED, COIN]]));
    expect(planned.planned[0]?.payees).toMatchObject([{ text: INTEGRATED }]);
  });

  it('is recorded under the address that a name resolves to', async () => {
    const resolve = () => Promise.resolve(stranger.address());
    const named = new Transfers({
      accounts: { resolve } as unknown as Accounts,
      balances: new Balances(wallet, wallet),
      payments: planned.maker,
    });
    await named.pay(order([['donate.example.org', COIN]]));
    expect(planned.planned[0]?.payees).toMatchObject([{ text: PLAIN }]);
  });

  it('takes the fee from the destinations that are named', async () => {
    await transfers.pay(order([[PLAIN, 10n * COIN]], { feeFrom: [0] }));
    expect(planned.planned[0]?.feeFrom).toEqual([0]);
    await expect(transfers.pay(order([[PLAIN, 10n * COIN]]))).rejects.toThrow(PlanError);
  });

  it('splits its change into the requested number of outputs', async () => {
    await transfers.pay(order([[PLAIN, COIN]], { changeOutputs: 5 }));
    await transfers.pay(order([[PLAIN, COIN]]));
    expect(planned.planned.map(({ changeSplit }) => changeSplit?.outputs)).toEqual([5, undefined]);
  });

  it('spends the outputs of the addresses that are named, and no others', async () => {
    fund([2n * COIN, 3n * COIN, 5n * COIN], (place) => place);
    await transfers.pay(order([[PLAIN, 4n * COIN]], { minors: [2] }));
    expect(planned.inputs).toEqual(['3']);
    await expect(transfers.pay(order([[PLAIN, 9n * COIN]], { minors: [0, 2] }))).rejects.toMatchObject({
      fault: { kind: 'not_enough_money' },
    });
  });

  it('of more destinations than one transaction holds needs leave to be split', async () => {
    const many = Array.from({ length: 16 }, (): [string, bigint] => [PLAIN, 1000n]);
    await expect(transfers.pay(order(many))).rejects.toMatchObject(
      fault({ kind: 'needs_split', transactions: 2 }),
    );
    await transfers.pay(order(many, { split: true }));
    expect(planned.planned).toHaveLength(2);
    expect(planned.planned.flatMap(({ payees }) => payees)).toHaveLength(16);
    // No output is spent twice.
    expect(new Set(planned.inputs).size).toBe(planned.inputs.length);
  });
});

describe('a transfer of a failed payment', () => {
  /** Failed payment to these destinations, of which a further attempt must spend an output. */
  const failed = (destinations: readonly Destination[], n: number, excludes = true): FailedPayment =>
    ({
      destinations,
      requiredInputs: () =>
        wallet.store.read((r) => r.outputs.inOrder()).filter(({ globalIndex }) => globalIndex === n),
      assertExcluded: (inputs: readonly OwnedOutput[]) => {
        expect(inputs.map(({ globalIndex }) => globalIndex)).toContain(n);
        if (!excludes) throw new WalletError({ kind: 'order_failed', reason: 'not excluded' });
      },
    }) as Partial<FailedPayment> as FailedPayment;
  const paid = (...amounts: readonly bigint[]): Destination[] =>
    amounts.map((value) => ({ address: PLAIN, amount: amount(value) }));

  it.each([1, 2, 3])('pays its destinations, and spends the output %d that it must', async (n) => {
    await transfers.payAgain(order([[SUBADDRESS, 1n]]), failed(paid(COIN, 5n), n));
    expect(planned.planned[0]?.payees).toMatchObject([
      { text: PLAIN, amount: COIN },
      { text: PLAIN, amount: 5n },
    ]);
    expect(planned.inputs).toContain(String(n));
  });

  it('pays the amounts of the request where the payees pay the fee', async () => {
    const asked = order([[PLAIN, COIN]], { feeFrom: [0] });
    await transfers.payAgain(asked, failed(paid(COIN - 9n), 1));
    await transfers.payAgain(asked, failed(paid(COIN - 9n, 3n), 1));
    expect(planned.planned.map(({ payees }) => payees.map((payee) => payee.amount))).toEqual([
      [COIN],
      [COIN, 3n],
    ]);
    expect(planned.planned[0]?.feeFrom).toEqual([0]);
  });

  it('is refused unless it excludes the failed transaction', async () => {
    await expect(transfers.payAgain(order([]), failed(paid(COIN), 1, false))).rejects.toMatchObject(
      fault({ kind: 'order_failed', reason: 'not excluded' }),
    );
  });

  it('is one transaction, whatever the request allows', async () => {
    const many = paid(...Array.from({ length: 16 }, () => 1000n));
    await expect(transfers.payAgain(order([], { split: true }), failed(many, 1))).rejects.toMatchObject(
      fault({ kind: 'needs_split', transactions: 2 }),
    );
  });
});

describe('a transfer to many addresses', () => {
  it('lets other work run before every sixteenth address', async () => {
    const turns = new EventLoopTurns();
    const readIn: number[] = [];
    const resolve = () => {
      readIn.push(turns.count);
      return Promise.resolve(stranger.address());
    };
    const counted = new Transfers({
      accounts: { resolve } as unknown as Accounts,
      balances: new Balances(wallet, wallet),
      payments: planned.maker,
    });
    await counted.pay(
      order(
        Array.from({ length: 40 }, () => [PLAIN, 1000n]),
        { split: true },
      ),
    );
    turns.stop();
    const changes = readIn.flatMap((one, i) => (i > 0 && one !== readIn[i - 1] ? [i] : []));
    expect(changes).toEqual([15, 31]);
  });
});

describe('a transfer is refused', () => {
  test.each<[string, PaymentRequest, object]>([
    ['without a destination', order([]), { kind: 'no_destination' }],
    ['of nothing', order([[PLAIN, 0n]]), { kind: 'zero_amount' }],
    [
      'of nothing to two integrated addresses: addresses are read before amounts',
      order([
        [INTEGRATED, 0n],
        [INTEGRATED, 0n],
      ]),
      { kind: 'wrong_payment_id' },
    ],
    ['to text that is no address', order([['nobody', 1n]]), { kind: 'wrong_address' }],
    [
      'to two integrated addresses',
      order([
        [INTEGRATED, 1n],
        [INTEGRATED, 1n],
      ]),
      { kind: 'wrong_payment_id', text: 'A single payment id is allowed per transaction' },
    ],
    [
      'to an address beside an integrated one',
      order([
        [INTEGRATED, 1n],
        [SUBADDRESS, 1n],
      ]),
      { kind: 'wrong_payment_id' },
    ],
    [
      'whose fee a destination is to pay that is not there',
      order([[PLAIN, 1n]], { feeFrom: [1] }),
      { kind: 'transfer_failed' },
    ],
    [
      'with more change outputs than are free beside its destinations',
      order([[PLAIN, 1n]], { changeOutputs: 15 }),
      { kind: 'transfer_failed' },
    ],
    [
      'from an account that holds nothing',
      order([[PLAIN, 1n]], { account: 1 }),
      { kind: 'not_enough_money' },
    ],
  ])('%s', async (_, asked, expected) => {
    await expect(transfers.pay(asked)).rejects.toMatchObject({ fault: expected });
    expect(planned.planned).toEqual([]);
  });

  it('for a lack of unlocked money where the outputs are locked', async () => {
    fund([]);
    wallet.receive([numberedOutput(119, 5n * COIN, { height: CHAIN_HEIGHT })], CHAIN_HEIGHT + 1);
    await expect(transfers.pay(order([[PLAIN, COIN]]))).rejects.toMatchObject({
      fault: { kind: 'not_enough_unlocked_money', available: 0n },
    });
    await expect(transfers.pay(order([[PLAIN, 6n * COIN]]))).rejects.toMatchObject({
      fault: { kind: 'not_enough_money' },
    });
  });

  it('for a lack of unlocked money with the blocks that unlock enough of it, of the addresses that pay', async () => {
    fund([]);
    const outputAt = (n: number, height: number, minor: number) =>
      numberedOutput(n, COIN, { height, subaddress: { major: 0, minor } });
    wallet.receive(
      [outputAt(119, CHAIN_HEIGHT - 1, 0), outputAt(120, CHAIN_HEIGHT, 0), outputAt(121, CHAIN_HEIGHT, 1)],
      CHAIN_HEIGHT + 1,
    );
    const unlocksOf = async (value: bigint, minors: number[]): Promise<unknown> => {
      const error: unknown = await transfers
        .pay(order([[PLAIN, value]], { minors }))
        .catch((caught: unknown) => caught);
      const found = faultOf(error);
      return found?.kind === 'not_enough_unlocked_money'
        ? found.unlocks?.map(({ height, amount: step }) => [height, step])
        : found;
    };
    expect(await unlocksOf(COIN / 2n, [])).toEqual([[CHAIN_HEIGHT + 9, COIN]]);
    expect(await unlocksOf(2n * COIN, [])).toEqual([
      [CHAIN_HEIGHT + 9, COIN],
      [CHAIN_HEIGHT + 10, 2n * COIN],
    ]);
    expect(await unlocksOf(COIN / 2n, [1])).toEqual([[CHAIN_HEIGHT + 10, COIN]]);
  });

  it('for a lack of unlocked money where unconfirmed amounts cover it, which are read only then', async () => {
    const unconfirmed = jest.spyOn(balances, 'unconfirmed').mockReturnValue(amount(4n * COIN));
    await transfers.pay(order([[PLAIN, COIN]], { minors: [0] }));
    expect(unconfirmed).not.toHaveBeenCalled();
    await expect(transfers.pay(order([[PLAIN, 12n * COIN]], { minors: [0] }))).rejects.toMatchObject({
      fault: { kind: 'not_enough_unlocked_money', available: 10n * COIN },
    });
    expect(unconfirmed.mock.calls).toEqual([[0, [0]]]);
  });

  it('for another reason without a read of unconfirmed amounts', async () => {
    const unconfirmed = jest.spyOn(balances, 'unconfirmed');
    await expect(transfers.pay(order([[PLAIN, 0n]]))).rejects.toMatchObject(fault({ kind: 'zero_amount' }));
    const broken = new Error('the planner ended');
    jest.spyOn(planned.maker.planner, 'plan').mockRejectedValue(broken);
    await expect(transfers.pay(order([[PLAIN, COIN]]))).rejects.toBe(broken);
    expect(unconfirmed).not.toHaveBeenCalled();
  });

  it('once the wallet is closed', async () => {
    wallet.store.close();
    await expect(transfers.pay(order([[PLAIN, COIN]]))).rejects.toMatchObject(fault({ kind: 'no_wallet' }));
  });
});

describe('the money of a transfer', () => {
  it('comes from outputs of the account that cover payees and fee, or is lacking', async () => {
    const values = fc.array(fc.bigInt({ min: 1n, max: 3n * COIN }), { maxLength: 12 });
    const wishes = fc.array(fc.bigInt({ min: 1n, max: 3n * COIN }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(values, wishes, async (held, wanted) => {
        fund(held);
        const total = held.reduce((sum, value) => sum + value, 0n);
        const needed = wanted.reduce((sum, value) => sum + value, 0n);
        try {
          await transfers.pay(order(wanted.map((value) => [PLAIN, value])));
        } catch (error) {
          const lack = faultOf(error);
          if (lack === undefined) throw error;
          // Nothing but the fee, and outputs that are not worth their own, stand between both.
          const { kind } = lack;
          expect(kind).toMatch(/^(not_enough_money|tx_not_possible)$/);
          expect(needed + BigInt(held.length + 2) * 100_000_000n).toBeGreaterThan(total);
          return;
        }
        const [only] = planned.planned;
        const spent = only?.inputs.reduce((sum, input) => sum + input.amount, 0n) ?? 0n;
        expect(only?.payees.map((payee) => payee.amount)).toEqual(wanted);
        expect(spent).toBeGreaterThanOrEqual(needed + (only?.fee ?? 0n));
        expect(new Set(planned.inputs).size).toBe(planned.inputs.length);
      }),
      { numRuns: randomRuns(40) },
    );
  });
});
