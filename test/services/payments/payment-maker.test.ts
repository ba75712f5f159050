import { beforeEach, describe, expect, it, test } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { parseExtra } from '../../../src/monero/cryptonote/extra.js';
import {
  parseTransaction,
  transactionHash,
  transactionWeight,
} from '../../../src/monero/cryptonote/transaction.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { FeeEstimator } from '../../../src/services/payments/fee-estimator.js';
import type { OrderEntry } from '../../../src/services/payments/payment-ledger.js';
import { PaymentMaker, type PaymentOptions } from '../../../src/services/payments/payment-maker.js';
import type { Prices } from '../../../src/monero/wallet/select/fees.js';
import { MempoolTracker } from '../../../src/services/sync/mempool-tracker.js';
import { PaymentRelay } from '../../../src/services/sync/payment-relay.js';
import { amount, sum } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { systemRng } from '../../../src/util/random.js';
import { PLACEHOLDER_KEY_IMAGE } from '../../../src/monero/wallet/build/placeholder-tx.js';
import type { ConstructionData } from '../../../src/monero/wallet/exchange/construction-data.js';
import { keyImagesOf } from '../../../src/monero/wallet/exchange/pending-tx.js';
import type { Spender } from '../../../src/model/spender.js';
import { WalletError, type Fault } from '../../../src/model/wallet-error.js';
import { planTransfers } from '../../../src/monero/wallet/select/transfer-plan.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { until } from '../../support/fakes/until.js';
import { groupWallets } from '../../support/wallets/group-wallets.js';
import {
  CHAIN_HEIGHT,
  payingWallet,
  ringAnswers,
  type PayingWallet,
} from '../../support/wallets/paid-outputs.js';
import type { HardForkInfo } from '../../../src/daemon/daemon.js';
import { TAKEN, REFUSED } from '../../support/wallets/payment-home.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { PlanError } from '../../../src/monero/wallet/select/transfer-request.js';
import { fault, ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';

const rng = seededRng('payment maker');
const owner = holder(rng);
const stranger = holder(rng);
const ADDRESS = formatAddress(stranger.address());
const SEALED = new Uint8Array([1, 2, 3]);

const options: PaymentOptions = {
  ...{ account: 0, unlockTime: 0n, priority: 1, doNotRelay: false, withMetadata: false, spender: undefined },
};

/** The maker of a wallet, and the sets that it has sealed. @param sealMultisig seals the sets of a group. */
function makerOf(
  wallet: ServiceWallet,
  sealMultisig: () => Promise<Uint8Array> = () => Promise.reject(new Error('nothing is proposed')),
) {
  const unsigned: ConstructionData[] = [];
  const maker = new PaymentMaker(wallet, {
    accounts: wallet.accounts,
    feeEstimator: new FeeEstimator(wallet),
    mempool: new MempoolTracker(wallet),
    relay: new PaymentRelay(wallet),
    sealMultisig,
    sealUnsigned: (txs) => {
      unsigned.push(...txs);
      return Promise.resolve(SEALED);
    },
  });
  return { maker, unsigned };
}

let paying: PayingWallet;
let wallet: ServiceWallet;
let maker: PaymentMaker;
/** Transactions that the daemon was sent. */
let sent: Uint8Array[];

/** Pays one stranger. */
const planOf =
  (value: bigint, by = maker, more: { readonly feeFrom?: readonly number[] } = {}) =>
  ({ rates, priority }: Prices) =>
    planTransfers(
      {
        payees: [{ ...payeeOf(stranger.address(), value), text: ADDRESS }],
        account: 0,
        priority,
        unlockTime: 0n,
        ...more,
      },
      by.planner.spendableOutputs(0, []),
      rates,
      systemRng,
    );

/** Plans a payment whose payee pays the fee. */
const planWithFeeOf = (value: bigint) => planOf(value, maker, { feeFrom: [0] });

const outgoing = (of = wallet) =>
  of.store.read((r) => r.outgoing.list({ states: ['prepared', 'pending', 'failed', 'confirmed'] }));
const reserved = (of = wallet) =>
  of.store.read((r) => r.outputs.inOrder().filter(({ spentBy }) => spentBy !== undefined));

beforeEach(() => {
  paying = payingWallet(owner, [2n * COIN, 2n * COIN]);
  ({ wallet } = paying);
  sent = [];
  wallet.answers = {
    ...wallet.answers,
    sendRawTransaction: (blob) => {
      sent.push(blob);
      return Promise.resolve(TAKEN);
    },
  };
  ({ maker } = makerOf(wallet));
});

describe('a payment', () => {
  it('is recorded with keys and destinations, relayed, and shown to the caller', async () => {
    const { payments, ...rest } = await maker.make(options, planOf(COIN));
    const [made] = payments;
    if (made?.signed === undefined) throw new Error('a signed payment');
    const { txHash, blob, metadata } = made.signed;
    expect([rest, metadata, payments.length, sent]).toEqual([{}, undefined, 1, [blob]]);
    expect(made.destinations).toEqual([{ address: ADDRESS, amount: COIN }]);
    const amountIn = sum(reserved().map((output) => output.amount));
    expect(outgoing()).toMatchObject([
      { state: 'pending', amountIn, fee: made.fee, change: amountIn - COIN - made.fee },
    ]);
    expect(made.keyImages.map(toHex)).toEqual(reserved().map(({ keyImage }) => toHex(keyImage ?? SEALED)));
    expect(wallet.store.read((r) => r.txKeys.get(txHash))).toEqual(made.txSecretKeys);
  });

  it('is refused where the next block has rules that are not known, whether it is relayed or not', async () => {
    const asked: unknown[] = [];
    let fork: HardForkInfo = { version: 16, enabled: true, earliestHeight: 71 };
    wallet.answers = {
      ...wallet.answers,
      hardForkInfo: (version) => {
        asked.push(version);
        return Promise.resolve(fork);
      },
    };
    for (const doNotRelay of [true, false])
      await expect(maker.make({ ...options, doNotRelay }, planOf(COIN))).rejects.toMatchObject({
        fault: { kind: 'payments_ended', height: 71, version: 17 },
      });
    expect([outgoing(), reserved(), sent]).toEqual([[], [], []]);
    // A daemon that knows the fork, or not, before it is active.
    for (const upcoming of [{ earliestHeight: 900 }, {}]) {
      fork = { version: 16, enabled: false, ...upcoming };
      await maker.make({ ...options, doNotRelay: true }, planOf(COIN));
    }
    expect(asked).toEqual([17, 17, 17, 17]);
    for (const [version, kind] of [
      [18, 'payments_ended'],
      [19, 'fork_unsupported'],
    ] as const) {
      wallet.daemon.newerBlock = { height: 60, version };
      await expect(maker.make(options, planOf(COIN))).rejects.toMatchObject({
        fault: { kind, height: 60, version },
      });
    }
  });

  it('that is not to be relayed leaves no trace, and its metadata relay it later, once', async () => {
    const { version } = wallet.store;
    const { payments } = await maker.make({ ...options, doNotRelay: true, withMetadata: true }, planOf(COIN));
    expect([outgoing(), reserved(), sent]).toEqual([[], [], []]);
    expect(wallet.store.version).toBe(version);
    const { metadata = SEALED, txHash = SEALED, blob = SEALED } = payments[0]?.signed ?? {};
    expect(await maker.relay(toHex(metadata), undefined)).toEqual(txHash);
    expect(sent).toEqual([blob]);
    expect(outgoing()).toMatchObject([{ state: 'pending', destinations: [{ amount: COIN }] }]);
  });

  it('leaves nothing behind where the daemon refuses it', async () => {
    wallet.answers = { ...wallet.answers, sendRawTransaction: () => Promise.resolve(REFUSED) };
    await expect(maker.make(options, planOf(COIN))).rejects.toMatchObject(
      fault({ kind: 'tx_rejected', reason: 'double spend' }),
    );
    expect([outgoing(), reserved()]).toEqual([[], []]);
  });

  describe('under a credential', () => {
    /** Enough for one payment with its fee. */
    const spender: Spender = {
      name: 'shop',
      limits: { day: COIN + COIN / 2n },
      addresses: new Set([ADDRESS]),
    };
    const limited = { ...options, spender };
    const spent = (): bigint => wallet.store.read((r) => r.credentialSpends.sumAfter('shop', 0));

    it('counts with its fee, and the next one beyond the limit is refused before the daemon is asked', async () => {
      const { payments } = await maker.make(limited, planOf(COIN));
      expect(spent()).toBe(COIN + (payments[0]?.fee ?? 0n));
      const { answers } = wallet;
      wallet.answers = { ...answers, getOutputDistribution: () => Promise.reject(new Error('asked')) };
      await expect(maker.make(limited, planOf(COIN))).rejects.toMatchObject(fault({ kind: 'spend_limit' }));
      expect([sent.length, outgoing().length]).toEqual([1, 1]);
    });

    it('that takes its fee from a payee counts with its amount, and is refused beyond the limit before it is built', async () => {
      const upTo = (day: bigint) => ({ ...options, spender: { ...spender, limits: { day } } });
      const { answers } = wallet;
      wallet.answers = { ...answers, getOutputDistribution: () => Promise.reject(new Error('asked')) };
      await expect(maker.make(upTo(COIN - 1n), planWithFeeOf(COIN))).rejects.toMatchObject(
        fault({ kind: 'spend_limit' }),
      );
      await expect(maker.make(upTo(COIN), planWithFeeOf(COIN))).rejects.toThrow('asked');
      wallet.answers = answers;
      await maker.make(upTo(COIN), planWithFeeOf(COIN));
      expect([spent(), sent.length]).toEqual([COIN, 1]);
    });

    it('is given back where the daemon refuses it, and kept where its answer is lost', async () => {
      const { answers } = wallet;
      wallet.answers = { ...answers, sendRawTransaction: () => Promise.resolve(REFUSED) };
      await expect(maker.make(limited, planOf(COIN))).rejects.toMatchObject(fault({ kind: 'tx_rejected' }));
      expect([spent(), outgoing()]).toEqual([0n, []]);
      const lost = new DaemonError('timeout', 'no answer');
      wallet.answers = { ...answers, sendRawTransaction: () => Promise.reject(lost) };
      await maker.make(limited, planOf(COIN));
      expect(spent()).toBeGreaterThan(COIN);
      await expect(maker.make(limited, planOf(COIN))).rejects.toMatchObject(fault({ kind: 'spend_limit' }));
    });

    it('that is signed but not relayed counts, once, and stays counted where relaying is refused', async () => {
      const unsent = { ...limited, doNotRelay: true, withMetadata: true };
      const { payments } = await maker.make(unsent, planOf(COIN));
      const counted = spent();
      expect(counted).toBeGreaterThan(COIN);
      await expect(maker.make(unsent, planOf(COIN))).rejects.toMatchObject(fault({ kind: 'spend_limit' }));
      const hex = toHex(payments[0]?.signed?.metadata ?? SEALED);
      const { answers } = wallet;
      wallet.answers = { ...answers, sendRawTransaction: () => Promise.resolve(REFUSED) };
      await expect(maker.relay(hex, spender)).rejects.toMatchObject(fault({ kind: 'tx_rejected' }));
      expect(spent()).toBe(counted);
      wallet.answers = answers;
      await maker.relay(hex, spender);
      expect(spent()).toBe(counted);
    });

    it('counts for another credential that relays it', async () => {
      const { payments } = await maker.make(
        { ...limited, doNotRelay: true, withMetadata: true },
        planOf(COIN),
      );
      const hex = toHex(payments[0]?.signed?.metadata ?? SEALED);
      const till = { ...spender, name: 'till', limits: { day: COIN } };
      await expect(maker.relay(hex, till)).rejects.toMatchObject(
        fault({ kind: 'spend_limit', reason: expect.stringContaining('credential till: spend.day') }),
      );
      await expect(
        maker.relay(hex, { ...spender, name: 'till', addresses: new Set() }),
      ).rejects.toMatchObject(fault({ kind: 'credential_denied' }));
      expect(sent).toEqual([]);
    });

    it('to an address outside its list is refused', async () => {
      const narrow = {
        ...limited,
        spender: { ...spender, addresses: new Set([formatAddress(owner.address())]) },
      };
      await expect(maker.make(narrow, planOf(COIN))).rejects.toMatchObject(
        fault({
          kind: 'credential_denied',
          reason: `credential shop: addresses: payments to ${ADDRESS} are not allowed`,
        }),
      );
    });

    it('to the wallet itself costs its fee alone, and needs no entry in the list', async () => {
      const payee = { ...payeeOf(owner.address(), COIN), text: formatAddress(owner.address()) };
      const { payments } = await maker.make(limited, ({ rates, priority }) =>
        planTransfers(
          { payees: [payee], account: 0, priority, unlockTime: 0n },
          maker.planner.spendableOutputs(0, []),
          rates,
          systemRng,
        ),
      );
      expect(spent()).toBe(payments[0]?.fee);
    });
  });

  it('never picks an output that another payment, asked for at the same time, spends', async () => {
    await Promise.all([maker.make(options, planOf(COIN)), maker.make(options, planOf(COIN))]);
    const inputs = reserved().map(({ spentBy }) => toHex(spentBy ?? SEALED));
    expect(new Set(inputs).size).toBe(2);
    await expect(maker.make(options, planOf(COIN))).rejects.toMatchObject({
      fault: { kind: expect.stringMatching(/^not_enough/) },
    });
  });

  it('that holds its inputs is signed and sent while the next one is planned, which spends other outputs', async () => {
    const answer = Promise.withResolvers<typeof REFUSED>();
    wallet.answers = {
      ...wallet.answers,
      sendRawTransaction: (blob) => (
        sent.push(blob),
        sent.length === 1 ? answer.promise : Promise.resolve(TAKEN)
      ),
    };
    const order: string[] = [];
    const first = maker.make({ ...options, onHeld: () => order.push('held') }, planOf(COIN));
    const second = maker.make({ ...options, onHeld: () => order.push('held') }, (prices) => {
      order.push('planned');
      expect([reserved(), maker.planner.held(0)]).toEqual([[], [expect.anything()]]);
      return planOf(COIN)(prices);
    });
    await until('the first payment to be sent', () => sent.length === 1 || undefined);
    expect(order).toEqual(['held', 'planned', 'held']);
    // The store has one of the two held inputs as spent, because its payment is recorded.
    await until('the second payment to be recorded', () => reserved().length === 1 || undefined);
    let isClosed = false;
    const closing = maker.waitForPayment().then(() => (isClosed = true));
    await turns();
    expect(isClosed).toBe(false);
    answer.resolve(REFUSED);
    await expect(first).rejects.toMatchObject({ fault: { kind: 'tx_rejected' } });
    expect((await second).payments).toHaveLength(1);
    await closing;
    expect(outgoing().map(({ state }) => state)).toEqual(['pending']);
    expect(reserved()).toHaveLength(1);
  });

  describe('that lacks the inputs that a running payment holds', () => {
    /** Begins to send a payment of the only output. @returns it, and the way to answer it. */
    const running = async (paid: PayingWallet) => {
      const answer = Promise.withResolvers<typeof REFUSED>();
      paid.wallet.answers = {
        ...paid.wallet.answers,
        sendRawTransaction: (blob) => (
          sent.push(blob),
          sent.length === 1 ? answer.promise : Promise.resolve(TAKEN)
        ),
      };
      const { maker: payer } = makerOf(paid.wallet);
      const first = payer.make(options, planOf(COIN, payer));
      await until('the payment to be held', () => payer.planner.isHolding || undefined);
      return { payer, first, answer };
    };

    it('is planned again once that payment has ended, and spends them if it has failed', async () => {
      const paid = payingWallet(owner, [2n * COIN]);
      const { payer, first, answer } = await running(paid);
      let plans = 0;
      const second = payer.make(options, (prices) => (plans++, planOf(COIN, payer)(prices)));
      await until('the second payment to be planned', () => plans === 1 || undefined);
      answer.resolve(REFUSED);
      await expect(first).rejects.toMatchObject({ fault: { kind: 'tx_rejected' } });
      expect([(await second).payments.length, plans]).toEqual([1, 2]);
      expect(outgoing(paid.wallet).map(({ state }) => state)).toEqual(['pending']);
    });

    it('is refused once that payment has spent them', async () => {
      const { payer, first, answer } = await running(payingWallet(owner, [2n * COIN]));
      const second = payer.make(options, planOf(COIN, payer));
      second.catch(() => undefined);
      answer.resolve(TAKEN);
      expect((await first).payments).toHaveLength(1);
      await expect(second).rejects.toMatchObject({ fault: { kind: expect.stringMatching(/^not_enough/) } });
      expect(sent).toHaveLength(1);
    });
  });

  it('alone is planned once the running ones have ended, and ends before the next one is planned', async () => {
    const steps: string[] = [];
    const make = (name: string, isAlone: boolean) =>
      maker
        .make(
          { ...options, isAlone, doNotRelay: true, onHeld: () => steps.push(`${name} held`) },
          (prices) => {
            steps.push(`${name} planned`);
            return planOf(COIN)(prices);
          },
        )
        .finally(() => steps.push(`${name} ended`));
    await Promise.all([make('first', false), make('alone', true), make('last', false)]);
    expect(steps).toEqual([
      ...['first planned', 'first held', 'first ended', 'alone planned', 'alone ended'],
      ...['last planned', 'last held', 'last ended'],
    ]);
  });

  it('that is not relayed takes its inputs from no other one', async () => {
    const { wallet: single } = payingWallet(owner, [2n * COIN]);
    const { maker: payer } = makerOf(single);
    const plan = planOf(COIN, payer);
    const made = await Promise.all(
      [true, true, false].map((doNotRelay) => payer.make({ ...options, doNotRelay }, plan)),
    );
    expect(new Set(made.map(({ payments: [payment] }) => toHex(payment?.keyImages[0] ?? SEALED))).size).toBe(
      1,
    );
  });

  it('does not pick the inputs of an unmined payment that lost its hold on them', async () => {
    const { wallet: single } = payingWallet(owner, [2n * COIN]);
    single.answers = { ...single.answers, sendRawTransaction: () => Promise.resolve(TAKEN) };
    const { maker: paying } = makerOf(single);
    await paying.make(options, planOf(COIN, paying));
    const [{ txHash } = { txHash: undefined }] = outgoing(single);
    single.store.write((w) => txHash && w.outputs.release(txHash));
    expect(reserved(single)).toEqual([]);
    await expect(paying.make(options, planOf(COIN, paying))).rejects.toMatchObject({
      fault: { kind: expect.stringMatching(/^not_enough/) },
    });
    expect(reserved(single).map(({ spentBy }) => spentBy)).toEqual([txHash]);
  });

  it('that fails leaves the way free for the next one', async () => {
    await expect(maker.make(options, planOf(100n * COIN))).rejects.toThrow(PlanError);
    expect((await maker.make(options, planOf(COIN))).payments).toHaveLength(1);
  });

  it('is awaited by a wallet that closes', async () => {
    const paid = maker.make(options, planOf(COIN));
    await maker.waitForPayment();
    expect(sent).toHaveLength(1);
    await paid;
  });

  it('fails with no_wallet where the wallet is closed while the daemon is asked', async () => {
    const closed = new WalletError({ kind: 'no_wallet' });
    wallet.answers = {
      ...wallet.answers,
      getOutputs: () => {
        wallet.store.close();
        return Promise.reject(closed);
      },
    };
    await expect(maker.make(options, planOf(COIN))).rejects.toBe(closed);
    await expect(maker.make(options, planOf(COIN))).rejects.toMatchObject(fault({ kind: 'no_wallet' }));
    expect(sent).toEqual([]);
  });

  it('fails with the error of the daemon before anything is recorded', async () => {
    const error = new DaemonError('timeout', 'no answer in time');
    wallet.answers = { ...wallet.answers, getOutputDistribution: () => Promise.reject(error) };
    await expect(maker.make(options, planOf(COIN))).rejects.toBe(error);
    expect(outgoing()).toEqual([]);
  });
});

describe('a payment while the spend key is put away', () => {
  it('is refused as in a view-only wallet, and leaves no trace', async () => {
    wallet.keystore.dropSpendKey();
    await expect(maker.make(options, planOf(COIN))).rejects.toMatchObject(fault({ kind: 'view_only' }));
    expect([outgoing(), reserved(), sent]).toEqual([[], [], []]);
  });
});

describe('a payment of a view-only wallet', () => {
  it('is laid out for the wallet that signs; nothing is recorded, relayed or reserved', async () => {
    const cold = payingWallet(owner, [2n * COIN], { viewOnly: true }).wallet;
    const { maker: blind, unsigned } = makerOf(cold);
    const { payments, ...rest } = await blind.make(options, planOf(COIN, blind));
    expect(rest).toEqual({ unsignedSet: SEALED });
    expect(payments).toMatchObject([{ destinations: [{ address: ADDRESS, amount: COIN }], keyImages: [] }]);
    expect(payments[0]?.signed).toBeUndefined();
    const [data] = unsigned;
    expect(data?.sources).toHaveLength(1);
    expect(data?.change.amount).toBe(COIN - (payments[0]?.fee ?? 0n));
    expect([outgoing(cold), reserved(cold)]).toEqual([[], []]);
  });

  it('of a client is refused where its fee takes it beyond the limit, and changes no store within the limit', async () => {
    const cold = payingWallet(owner, [2n * COIN], { viewOnly: true }).wallet;
    const { maker: blind, unsigned } = makerOf(cold);
    const pay = (day: bigint) => {
      const spender: Spender = { name: 'shop', limits: { day }, addresses: undefined };
      return blind.make({ ...options, spender }, planOf(COIN, blind));
    };
    const { version } = cold.store;
    await expect(pay(COIN)).rejects.toMatchObject(fault({ kind: 'spend_limit' }));
    expect(unsigned).toEqual([]);
    expect(await pay(2n * COIN)).toMatchObject({ unsignedSet: SEALED });
    expect([unsigned.length, cold.store.version]).toEqual([1, version]);
  });

  it('has a transaction with its key and hash, whose key images are placeholders also where the real ones are known', async () => {
    const { outputs } = payingWallet(owner, [2n * COIN, 2n * COIN]);
    const cold = new ServiceWallet(ownKeys(owner, true));
    cold.receive(outputs, CHAIN_HEIGHT);
    cold.answers = ringAnswers(outputs, CHAIN_HEIGHT);
    const { maker: blind } = makerOf(cold);
    const asked = { ...options, withMetadata: true };
    const { payments } = await blind.make(asked, planOf(3n * COIN, blind));
    const [{ unsigned, txSecretKeys, keyImages, weight } = {}] = payments;
    const tx = parseTransaction(unsigned?.blob ?? SEALED);
    expect(transactionHash(tx)).toEqual(unsigned?.txHash);
    expect(transactionWeight(tx)).toBe(weight);
    const [field] = parseExtra(tx.prefix.extra).fields;
    expect(field).toMatchObject({ key: publicKeyOf(txSecretKeys?.[0] as SecretKey) });
    expect(keyImagesOf(tx)).toEqual([PLACEHOLDER_KEY_IMAGE, PLACEHOLDER_KEY_IMAGE]);
    expect(keyImages).toHaveLength(2);
    await expect(blind.relay(toHex(unsigned?.metadata ?? SEALED), undefined)).rejects.toMatchObject(
      fault({ kind: 'tx_rejected', reason: 'the transaction is not signed' }),
    );
    expect([outgoing(cold), reserved(cold)]).toEqual([[], []]);
  });
});

describe('no payment', () => {
  it('is an empty set of a wallet whose payments others sign, and nothing of another one', async () => {
    expect(await maker.makeNone()).toEqual({ payments: [] });
    const cold = makerOf(payingWallet(owner, [COIN], { viewOnly: true }).wallet);
    expect(await cold.maker.makeNone()).toEqual({ payments: [], unsignedSet: SEALED });
    expect(cold.unsigned).toEqual([]);
  });
});

/** A wallet of a group of two. */
const [group = never()] = groupWallets(2, 2, [2n * COIN], rng).wallets;

function never(): never {
  throw new Error('a wallet');
}

describe('no payment of an order', () => {
  const recorded: unknown[] = [];
  const order: OrderEntry = { record: (_, made, { sent: isSent }) => void recorded.push([made, isSent]) };

  it('is recorded with what its call returns, as not sent', async () => {
    const made = await makerOf(group, () => Promise.resolve(SEALED)).maker.makeNone(order);
    expect(made).toEqual({ payments: [], multisigSet: SEALED });
    expect(recorded).toEqual([[made, false]]);
  });
});

describe('a payment that another wallet signed', () => {
  it('is relayed and recorded with its order, and shown to the caller as it is', async () => {
    const { payments } = await maker.make({ ...options, doNotRelay: true }, planOf(3n * COIN));
    const [made = never()] = payments;
    const { signed = never(), fee, destinations, txSecretKeys } = made;
    const { outputs } = paying;
    const recorded: unknown[] = [];
    const relayed = await maker.relaySigned(
      [
        {
          ...{ blob: signed.blob, txHash: signed.txHash, account: 0, inputs: outputs, fee },
          ...{ change: amount(COIN - fee), unlockTime: 0n, destinations },
          ...{ txSecretKeys: txSecretKeys as SecretKey[], rings: signed.txHash },
        },
      ],
      undefined,
      { record: (_, result, { sent: isSent }) => void recorded.push([result, isSent]) },
    );
    expect(relayed.payments).toEqual([
      {
        ...made,
        keyImages: outputs.map(({ keyImage }) => keyImage),
        inputKeys: outputs.map(({ publicKey }) => publicKey),
        rings: signed.txHash,
      },
    ]);
    expect(recorded).toEqual([[relayed, true]]);
    expect([sent, outgoing().length]).toEqual([[signed.blob], 1]);
  });

  it('has no order where its call has none, and no digest of rings where it was signed at once', async () => {
    const { payments } = await maker.make({ ...options, doNotRelay: true }, planOf(3n * COIN));
    const [{ signed = never(), fee } = never()] = payments;
    const [first, ...rest] = paying.outputs;
    const { keyImage, ...unnamed } = first ?? never();
    expect(keyImage).toBeDefined();
    const { payments: relayed } = await maker.relaySigned(
      [
        {
          ...{ blob: signed.blob, txHash: signed.txHash, account: 0, inputs: [unnamed, ...rest], fee },
          ...{ change: amount(COIN - fee), unlockTime: 0n, destinations: [], txSecretKeys: [] },
        },
      ],
      undefined,
    );
    expect(relayed).toMatchObject([{ keyImages: rest.map((one) => one.keyImage) }]);
    expect(relayed[0]).not.toHaveProperty('rings');
  });
});

describe('a plan of a payment', () => {
  it('that fails is the error, whatever the daemon answers meanwhile', async () => {
    wallet.answers = {
      ...wallet.answers,
      getOutputDistribution: () => Promise.reject(new DaemonError('timeout', 'no answer')),
    };
    const failed = new WalletError({ kind: 'zero_amount' });
    await expect(
      maker.make(options, () => {
        throw failed;
      }),
    ).rejects.toBe(failed);
    // An error that nothing handles would fail this test by now.
    await turns(3);
  });

  it('that takes the fee from a payee pays it the rest', async () => {
    const { payments } = await maker.make(options, planWithFeeOf(COIN));
    const [{ destinations, fee } = never()] = payments;
    expect(destinations).toEqual([{ address: ADDRESS, amount: COIN - fee }]);
  });
});

describe('a payment of a multisig wallet whose outputs lack key images', () => {
  const failing = (found: Fault) => () => {
    throw new WalletError(found);
  };
  const reason = 'some outputs cannot be spent before multisig info of other signers is imported';

  test.each<[string, Fault]>([
    ['not_enough_money', { kind: 'not_enough_money', available: 0n as never, needed: 1n as never }],
    [
      'not_enough_unlocked_money',
      { kind: 'not_enough_unlocked_money', available: 0n as never, needed: 1n as never },
    ],
  ])('is not possible until info is imported, in place of %s', async (_, found) => {
    await expect(makerOf(group).maker.make(options, failing(found))).rejects.toMatchObject(
      fault({ kind: 'tx_not_possible', reason, text: 'No transaction created' }),
    );
  });

  it('that is a sweep keeps the message of its failure', async () => {
    const found: Fault = { kind: 'transfer_failed', reason: 'none', text: 'No unlocked balance' };
    await expect(makerOf(group).maker.make(options, failing(found))).rejects.toMatchObject(
      fault({ ...found, reason }),
    );
  });

  it('keeps every other failure, and one of an account without such outputs', async () => {
    const zero: Fault = { kind: 'zero_amount' };
    await expect(makerOf(group).maker.make(options, failing(zero))).rejects.toMatchObject(fault(zero));
    const poor: Fault = { kind: 'transfer_failed', reason: 'none' };
    const other = { ...options, account: 1 };
    await expect(makerOf(group).maker.make(other, failing(poor))).rejects.toMatchObject(fault(poor));
  });
});

test('a payment of a wallet of a cluster that the quorum does not get is not sent, and leaves its outputs', async () => {
  const lost = new WalletError({ kind: 'not_replicated', reason: 'late' });
  const holding = { settled: () => Promise.reject(lost), assertHeld: () => undefined, eventsUpTo: 0 };
  const held = makerOf(Object.assign(wallet, { holding })).maker;
  await expect(held.make(options, planOf(COIN, held))).rejects.toBe(lost);
  expect([sent, outgoing(), reserved()]).toEqual([[], [], []]);
});
