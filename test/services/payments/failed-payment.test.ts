import { describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { transaction } from '../../../src/monero/cryptonote/transaction.js';
import type { Transaction } from '../../../src/monero/cryptonote/types.js';
import { assertReplaces, FailedPayment } from '../../../src/services/payments/failed-payment.js';
import type { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { equalBytes } from '../../../src/util/bytes.js';
import { encode } from '../../../src/util/codec.js';
import type { OrderTx, Withdrawal } from '../../../src/model/order.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import type { SpendableOutput } from '../../../src/monero/wallet/select/spendable-outputs.js';
import type { PaymentPlan } from '../../../src/monero/wallet/select/transfer-plan.js';
import { madePayment } from '../../support/wallets/made-payment.js';
import { faultOf } from '../../support/wallets/test-wallet.js';
import { bytes, output } from '../../store/fixtures.js';

/** Blocks of the chain. */
const HEIGHT = 200;

const contextOf = (outputs: readonly OwnedOutput[], outgoing: readonly object[] = []) => {
  const byPublicKey = (key: PublicKey) => outputs.find(({ publicKey }) => equalBytes(publicKey, key));
  const byKeyImage = (image: KeyImage) =>
    outputs.find(({ keyImage }) => keyImage !== undefined && equalBytes(keyImage, image));
  const reader = { outputs: { byPublicKey, byKeyImage }, outgoing: { list: () => outgoing } };
  const read = (task: (r: typeof reader) => unknown): unknown => task(reader);
  return {
    store: { read, height: () => HEIGHT } as unknown as WalletStore,
    clock: { now: () => 1_700_000_000_000 },
  };
};

const attempt = (n: number, inputs: readonly number[], withdrawn?: Withdrawal): OrderTx => ({
  ...{ sequence: 1, position: 0, attempt: n, sent: true, made: madePayment(n, inputs) },
  ...(withdrawn === undefined ? {} : { withdrawn }),
});

const free = (n: number, value: bigint, more: Partial<OwnedOutput> = {}): OwnedOutput =>
  output(n, 2, value, more);

/** Output that another transaction spends. */
const spent = (n: number, height?: number): OwnedOutput =>
  output(n, 2, 50n, { spentBy: bytes<Hash>(77), ...(height === undefined ? {} : { spentHeight: height }) });

/** Failed attempts, the last one last. */
function failed(outputs: readonly OwnedOutput[], ...attempts: readonly OrderTx[]): FailedPayment {
  const last = attempts.at(-1);
  if (last === undefined) throw new Error('an attempt');
  return new FailedPayment(contextOf(outputs), attempts.slice(0, -1), last);
}

/** First byte of the transaction of each output. */
const namesOf = (outputs: readonly OwnedOutput[]): (number | undefined)[] =>
  outputs.map(({ txHash }) => txHash[0]);

const REPLACEABLE = expect.stringContaining(
  'a failed transaction could still be mined, and none of its inputs',
);
const excludedAt = (depth: number) => ({
  kind: 'order_failed',
  reason: `a failed transaction could be mined after a reorganisation, and none of its inputs is left to exclude it: retry once 60 blocks lie over the transaction that spends them (now ${depth})`,
});

describe('the inputs that a further attempt must spend', () => {
  const outputs = [free(1, 10n), free(2, 30n), free(3, 20n), free(4, 5n)];

  it('are the largest one of each attempt', () => {
    expect(namesOf(failed(outputs, attempt(1, [1, 2, 3])).requiredInputs())).toEqual([2]);
    expect(namesOf(failed(outputs, attempt(1, [2, 3, 1])).requiredInputs())).toEqual([2]);
    expect(namesOf(failed(outputs, attempt(1, [1, 4]), attempt(2, [3])).requiredInputs())).toEqual([1, 3]);
  });

  it('are one where attempts share it', () => {
    expect(
      namesOf(failed(outputs, attempt(1, [2]), attempt(2, [2, 3]), attempt(3, [4, 2])).requiredInputs()),
    ).toEqual([2]);
  });

  it('are none of an attempt that spends one already, although another one is larger', () => {
    expect(namesOf(failed(outputs, attempt(1, [3]), attempt(2, [3, 2])).requiredInputs())).toEqual([3]);
  });

  it('are another one of the same transaction where the attempts spend different outputs of it', () => {
    const two = [free(1, 10n), free(1, 20n, { outputIndex: 1, publicKey: bytes<PublicKey>(102) })];
    expect(failed(two, attempt(1, [1]), attempt(2, [2])).requiredInputs()).toEqual(two);
  });

  it('are none of an attempt that was never sent', () => {
    expect(failed(outputs, attempt(1, [1], 'unsent')).requiredInputs()).toEqual([]);
    const earlier = [attempt(1, [1], 'unsent'), attempt(2, [2], 'refused')];
    expect(namesOf(failed(outputs, ...earlier, attempt(3, [3])).requiredInputs())).toEqual([2, 3]);
  });

  it.each<[string, Partial<OwnedOutput>]>([
    ['frozen', { frozen: true }],
    ['burnt', { burnt: true }],
    ['young', { height: HEIGHT - 9 }],
    ['locked', { unlockTime: BigInt(HEIGHT + 1) }],
    ['locked until a time', { unlockTime: 1_700_009_999n }],
    ['reserved', { spentBy: bytes<Hash>(77) }],
  ])('are no output that is %s', async (_, more) => {
    const [small, large] = [free(1, 10n), free(2, 90n, more)];
    expect(namesOf(failed([small, large], attempt(1, [1, 2])).requiredInputs())).toEqual([1]);
    expect(await faultOf(() => failed([large], attempt(1, [2])).requiredInputs())).toEqual({
      ...{ kind: 'order_failed', reason: REPLACEABLE },
    });
  });

  it('are as old as outputs must be', () => {
    expect(
      namesOf(failed([free(1, 10n, { height: HEIGHT - 10 })], attempt(1, [1])).requiredInputs()),
    ).toEqual([1]);
  });

  it('are none of an attempt once 60 blocks lie over another transaction that spends one of its inputs', async () => {
    const of = (height: number) => failed([spent(1, height), free(2, 5n)], attempt(1, [1]), attempt(2, [2]));
    for (const above of [0, 1, 59])
      expect(await faultOf(() => of(HEIGHT - 1 - above).requiredInputs())).toEqual(excludedAt(above));
    for (const above of [60, 61]) expect(namesOf(of(HEIGHT - 1 - above).requiredInputs())).toEqual([2]);
  });

  it('depend on the oldest of the spends, and on no unmined one', async () => {
    const both = [attempt(1, [1, 2])];
    expect(failed([spent(1, 139), spent(2, 190)], ...both).requiredInputs()).toEqual([]);
    expect(await faultOf(() => failed([spent(1, 190), spent(2)], ...both).requiredInputs())).toEqual(
      excludedAt(9),
    );
    expect(await faultOf(() => failed([spent(1), spent(2)], ...both).requiredInputs())).toEqual({
      ...{ kind: 'order_failed', reason: REPLACEABLE },
    });
  });
});

/** Unmined payment of the wallet with the n-th hash, which spends an output and makes another one. */
const unmined = (n: number, spends: number, makes: number): object => ({
  txHash: bytes<Hash>(n),
  state: 'failed',
  blob: encode(transaction, {
    prefix: {
      ...{ version: 1, unlockTime: 0n, extra: new Uint8Array() },
      inputs: [
        { type: 'key', amount: amount(1n), keyOffsets: [1n], keyImage: bytes<KeyImage>(100 + spends) },
      ],
      outputs: [{ amount: amount(1n), publicKey: bytes<PublicKey>(100 + makes) }],
    },
    signatures: [[new Uint8Array(64)]],
  } as Transaction),
});

describe('an attempt whose input a reorganisation has removed', () => {
  const of = (outputs: readonly OwnedOutput[], outgoing: readonly object[]): FailedPayment =>
    new FailedPayment(contextOf(outputs, outgoing), [], attempt(9, [5]));

  it('can be mined until 60 blocks lie over a transaction that excludes the payment which made the input', async () => {
    const made = [unmined(8, 3, 5)];
    for (const above of [0, 59])
      expect(await faultOf(() => of([spent(3, HEIGHT - 1 - above)], made).requiredInputs())).toEqual(
        excludedAt(above),
      );
    expect(of([spent(3, HEIGHT - 61)], made).requiredInputs()).toEqual([]);
    expect(of([spent(3, HEIGHT - 61)], made).mayBeMined).toBe(false);
  });

  it.each<[what: string, outputs: readonly OwnedOutput[], outgoing: readonly object[]]>([
    ['no payment is known to have made the input', [spent(3, 1)], []],
    ['the payment that made it has no rival', [free(3, 1n)], [unmined(8, 3, 5)]],
    ['the rival of that payment is unmined', [spent(3)], [unmined(8, 3, 5)]],
    ['only a payment that made another output is excluded', [spent(3, 1)], [unmined(8, 3, 6)]],
    [
      'the payment that made it spends the output itself',
      [{ ...spent(3, 1), spentBy: bytes<Hash>(8) }],
      [unmined(8, 3, 5)],
    ],
  ])('can be mined if %s', async (_, outputs, outgoing) => {
    expect(of(outputs, outgoing).mayBeMined).toBe(true);
    expect(await faultOf(() => of(outputs, outgoing).requiredInputs())).toEqual({
      ...{ kind: 'order_failed', reason: REPLACEABLE },
    });
  });
});

describe('the outputs that are swept again', () => {
  it('are those of the last attempt that can be spent, and one of each other attempt, each once', () => {
    const outputs = [free(1, 10n), free(2, 30n), free(3, 20n, { frozen: true }), free(4, 5n)];
    const swept = failed(outputs, attempt(1, [1]), attempt(2, [2, 3, 4])).sweptInputs();
    expect(namesOf(swept)).toEqual([2, 4, 1]);
  });

  it('are an error where there are none', async () => {
    const none = failed([spent(1, 10)], attempt(1, [1]));
    expect(await faultOf(() => none.sweptInputs())).toEqual({
      ...{ kind: 'order_failed', reason: 'none of its outputs can be spent: nothing is left to sweep' },
    });
  });

  it('need one of an attempt that can be mined', async () => {
    const none = failed([free(1, 10n, { frozen: true }), free(2, 5n)], attempt(1, [1]), attempt(2, [2]));
    expect(await faultOf(() => none.sweptInputs())).toMatchObject({ reason: REPLACEABLE });
  });
});

describe('a plan of a further attempt', () => {
  const plan = (...inputs: readonly OwnedOutput[]) => ({ inputs }) as unknown as PaymentPlan<SpendableOutput>;
  const [a, b, c] = [free(1, 10n), free(2, 30n), free(3, 30n)];
  const one = failed([a, b, c], attempt(1, [1, 2]), attempt(2, [2]));

  it('spends an input of each failed attempt', async () => {
    assertReplaces(one, [plan(c, b)]);
    for (const inputs of [[a], [c], []])
      expect(await faultOf(() => assertReplaces(one, [plan(...inputs)]))).toMatchObject({
        kind: 'order_failed',
      });
  });

  it('is one transaction', async () => {
    expect(await faultOf(() => assertReplaces(one, [plan(b), plan(c)]))).toEqual({
      ...{ kind: 'needs_split', transactions: 2 },
    });
  });

  it('needs no input of an attempt that can no longer be mined', () => {
    failed([spent(1, 139), b], attempt(1, [1])).assertExcluded([b]);
  });

  it('distinguishes the outputs of one transaction', async () => {
    const second = free(1, 10n, {
      outputIndex: 1,
      publicKey: bytes<PublicKey>(102),
      keyImage: bytes<KeyImage>(102),
    });
    const of = failed([a, second], attempt(1, [1]));
    of.assertExcluded([a]);
    expect(await faultOf(() => of.assertExcluded([second]))).toMatchObject({ kind: 'order_failed' });
  });
});

describe('the destinations of a failed payment', () => {
  it('are those of its last attempt', () => {
    const last = madePayment(2, [2], { destinations: [] });
    const of = failed([], attempt(1, [1]), { ...attempt(2, [2]), made: last });
    expect(of.destinations).toBe(last.destinations);
  });
});
