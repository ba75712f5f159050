import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { OrderMaker, OrderTerms } from '../../../src/services/payments/orders.js';
import { toHex } from '../../../src/util/bytes.js';
import type { MadePayments } from '../../../src/model/made-payment.js';
import { faultOf } from '../../../src/model/wallet-error.js';
import { OrderHome, paymentRequest } from '../../support/wallets/order-home.js';
import {
  networkTx,
  OrderNetwork,
  type Conduct,
  type NetworkTx,
} from '../../support/wallets/order-network.js';
import { CHAIN_HEIGHT, paidOutput, ringAnswers } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { COIN, holder } from '../../monero/wallet/fixtures.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const rng = seededRng('orders model');
const owner = holder(rng);
const ADDRESS = formatAddress(holder(rng).address());
const COINS = Array.from({ length: 10 }, (_, i) =>
  paidOutput(owner, (2n + BigInt(i % 2)) * COIN, i + 1, rng),
);
/** Blocks that must lie over a conflict before an attempt counts as dead; no reorganisation here is deeper. */
const PROMISED = 60;
const HOUR = 3600;

/** Orders of the model: their amounts decide how many inputs they have. */
const KINDS = {
  one: { value: COIN, doNotRelay: false },
  two: { value: 4n * COIN, doNotRelay: false },
  unrelayed: { value: 4n * COIN, doNotRelay: true },
} as const;
type Key = keyof typeof KINDS;
const KEYS = Object.keys(KINDS) as Key[];

/** Errors that a call may end with. */
const EXPECTED = new Set([
  ...['order_failed', 'tx_rejected', 'not_enough_money', 'not_enough_unlocked_money', 'tx_not_possible'],
]);

const isExpected = (error: unknown): boolean =>
  error instanceof DaemonError || EXPECTED.has(faultOf(error)?.kind ?? '');

/** One run of the model: a wallet with orders, and a node that does anything. */
class Run {
  readonly wallet = new ServiceWallet(ownKeys(owner));
  readonly network = new OrderNetwork(COINS, CHAIN_HEIGHT);
  /** Every transaction made for an order, by its hash in hex. */
  readonly #attempts = new Map<Key, Map<string, NetworkTx>>(KEYS.map((key) => [key, new Map()]));
  /** Metadata of transactions that were returned and not relayed. */
  readonly #returned: { readonly tx: NetworkTx; readonly metadata: string }[] = [];
  home: OrderHome;

  constructor() {
    this.wallet.answers = { ...ringAnswers(COINS, CHAIN_HEIGHT), ...this.network.answers() };
    this.home = this.restart();
  }

  restart(): OrderHome {
    return (this.home = new OrderHome(this.wallet, this.network));
  }

  /** Places an order, or repeats it. */
  async place(key: Key, retryFailed: boolean): Promise<MadePayments | undefined> {
    const { value, doNotRelay } = KINDS[key];
    const request = paymentRequest(ADDRESS, value, { doNotRelay, withMetadata: doNotRelay });
    const { transfers, orders } = this.home;
    const maker: OrderMaker = {
      pay: (order) => transfers.pay({ ...request, ...(order && { order }) }),
      payAgain: (order, failed) => transfers.payAgain({ ...request, order }, failed),
    };
    const hash = new Uint8Array(32) as Hash;
    const terms: OrderTerms = {
      key,
      method: 'transfer',
      requestHash: hash,
      retryFailed,
      withBlobs: doNotRelay,
    };
    const before = this.network.sent.length;
    const made = await this.#answered(() => orders.place(terms, maker));
    const sent = this.network.sent.slice(before);
    for (const tx of sent) this.#remember(key, tx);
    if (made === undefined) return undefined;
    for (const { signed } of made.payments) {
      if (signed === undefined) throw new Error('a signed payment');
      if (doNotRelay) this.#keep(key, signed);
      else this.#expectKnown(signed.txHash, sent);
    }
    return made;
  }

  #keep(key: Key, { blob, metadata }: NonNullable<MadePayments['payments'][number]['signed']>): void {
    const tx = networkTx(blob);
    this.#remember(key, tx);
    this.#returned.push({ tx, metadata: toHex(metadata ?? new Uint8Array()) });
  }

  /** An answer means that the network has the transaction, or that it was sent now. */
  #expectKnown(txHash: Hash, sent: readonly NetworkTx[]): void {
    const name = toHex(txHash);
    const isMined = this.wallet.store.read((r) => r.outgoing.byHash(txHash)?.state === 'confirmed');
    const isKnown = this.network.pool.has(name) || this.network.minedAt(txHash) !== undefined;
    expect(isMined || isKnown || sent.some((tx) => toHex(tx.txHash) === name)).toBe(true);
  }

  /** A new transaction excludes every earlier one of its order, or a deep block does. */
  #remember(key: Key, tx: NetworkTx): void {
    const attempts = this.#attempts.get(key);
    if (attempts === undefined || attempts.has(toHex(tx.txHash))) return;
    const images = new Set(tx.keyImages.map(toHex));
    for (const earlier of attempts.values()) {
      const shared = earlier.keyImages.some((keyImage) => images.has(toHex(keyImage)));
      expect([key, shared || this.#isBuried(earlier)]).toEqual([key, true]);
    }
    attempts.set(toHex(tx.txHash), tx);
  }

  #isBuried({ keyImages, txHash }: NetworkTx): boolean {
    const images = new Set(keyImages.map(toHex));
    return this.network
      .mined()
      .some(
        ({ tx, height }) =>
          this.network.tip - height >= PROMISED &&
          toHex(tx.txHash) !== toHex(txHash) &&
          tx.keyImages.some((keyImage) => images.has(toHex(keyImage))),
      );
  }

  /** Ends with the answer of a call, or with an expected error, or with a crash of the process. */
  async #answered<T>(call: () => Promise<T>): Promise<T | undefined> {
    const crashes = this.network.conduct.startsWith('crash');
    const answer = call().catch((error: unknown) => {
      if (!isExpected(error)) throw error;
      return undefined;
    });
    if (!crashes) return answer;
    // A call that never reaches the node ends; any other one waits for ever.
    const reached = new Promise<undefined>((resolve) => (this.network.onCrash = () => resolve(undefined)));
    const made = await Promise.race([answer, reached]);
    this.restart();
    return made;
  }

  async refresh(): Promise<void> {
    await this.#answered(() => this.home.refresh());
  }

  async rescan(hard: boolean): Promise<void> {
    await this.#answered(() => this.home.rescan(hard));
  }

  /** Pays something else with the coins of the wallet. */
  async payElse(): Promise<void> {
    await this.#answered(() => this.home.transfers.pay(paymentRequest(ADDRESS, COIN / 2n)));
  }

  /** The caller relays a transaction that was returned to it, with this wallet or without. */
  async relay(pick: number, here: boolean): Promise<void> {
    const returned = this.#returned[pick % Math.max(1, this.#returned.length)];
    if (returned === undefined) return;
    if (!here) return void this.network.accept(returned.tx);
    const before = this.network.sent.length;
    const txHash = await this.#answered(() => this.home.payments.relay(returned.metadata, undefined));
    if (txHash !== undefined) this.#expectKnown(txHash, this.network.sent.slice(before));
  }

  #someAttempt(pick: number): NetworkTx | undefined {
    const all = [...this.#attempts.values()].flatMap((txs) => [...txs.values()]);
    return all[pick % Math.max(1, all.length)];
  }

  /** A transaction of a second instance spends inputs of an attempt. */
  #rival(pick: number, whole: boolean): NetworkTx[] {
    const attempt = this.#someAttempt(pick);
    if (attempt === undefined) return [];
    const images: readonly KeyImage[] = whole ? attempt.keyImages : attempt.keyImages.slice(0, 1);
    return [this.network.rivalOf(images)];
  }

  conflict(pick: number, whole: boolean, mined: boolean): void {
    for (const rival of this.#rival(pick, whole))
      if (mined) this.network.mine([rival]);
      else this.network.accept(rival);
  }

  /** A miner has a transaction that the node hides, or has forgotten. */
  mineHidden(pick: number): void {
    const attempt = this.#someAttempt(pick);
    if (attempt !== undefined && this.#left(attempt)) this.network.mine([attempt]);
  }

  /** Whether anybody but this wallet has a transaction. */
  #left(tx: NetworkTx): boolean {
    const name = toHex(tx.txHash);
    return (
      this.network.sent.some(({ txHash }) => toHex(txHash) === name) ||
      this.#returned.some((one) => toHex(one.tx.txHash) === name)
    );
  }

  reorganise(depth: number, fate: 'pool' | 'hidden', conflicts: boolean, pick: number): void {
    this.network.reorganise(depth, fate, conflicts ? this.#rival(pick, true) : []);
  }

  /** At most one attempt of each order is in the chain. */
  check(): void {
    for (const [key, attempts] of this.#attempts) {
      const mined = [...attempts.values()].filter(({ txHash }) => this.network.minedAt(txHash) !== undefined);
      expect([key, mined.length <= 1]).toEqual([key, true]);
    }
  }

  /** With an honest node every order ends, and the history agrees with the chain. */
  async finish(): Promise<void> {
    this.network.conduct = 'honest';
    for (let day = 0; day < 2; day++) {
      await this.home.refresh();
      this.network.minePool();
      await this.home.refresh();
      this.wallet.time += 25 * HOUR;
    }
    this.network.mine([]);
    await this.home.refresh();
    this.check();
    this.#expectAgreement();
    for (const key of KEYS) {
      const order = this.home.orders.find(key);
      if (order === undefined) continue;
      const isWaiting = KINDS[key].doNotRelay && order.state === 'prepared';
      expect([key, isWaiting || order.state === 'mined' || order.state === 'failed']).toEqual([key, true]);
    }
  }

  #expectAgreement(): void {
    const chain = this.network.mined().map(({ tx, height }) => `${toHex(tx.txHash)} ${height}`);
    const { outgoing, outputs } = this.wallet.store.read((r) => ({
      outgoing: r.outgoing.list({ states: ['prepared', 'pending', 'confirmed'] }),
      outputs: r.outputs.inOrder(),
    }));
    expect(outgoing.map(({ txHash, height }) => `${toHex(txHash)} ${height}`).sort()).toEqual(chain.sort());
    const spent = new Set(this.network.mined().flatMap(({ tx }) => tx.keyImages.map(toHex)));
    for (const { keyImage, spentBy } of outputs)
      expect(spentBy !== undefined).toBe(keyImage !== undefined && spent.has(toHex(keyImage)));
  }

  /** An order that failed can be paid anew, at the latest once every conflict is buried. */
  async payFailed(): Promise<void> {
    for (let i = 0; i <= PROMISED; i++) this.network.mine([]);
    await this.home.refresh();
    for (const key of KEYS) {
      const state = this.home.orders.find(key)?.state;
      if (state !== 'failed' || KINDS[key].doNotRelay) continue;
      const made = await this.place(key, true);
      // Unless the money is spent.
      if (made === undefined) continue;
      this.network.minePool();
      await this.home.refresh();
      expect([key, this.home.orders.find(key)?.state]).toEqual([key, 'mined']);
    }
    this.check();
  }

  close(): void {
    this.wallet.store.close();
  }
}

interface Step {
  readonly name: string;
  apply(run: Run): Promise<void> | void;
}

const step = <T>(name: string, of: fc.Arbitrary<T>, apply: (run: Run, value: T) => Promise<void> | void) =>
  of.map((value): Step => ({
    name: `${name} ${JSON.stringify(value)}`,
    apply: (run) => apply(run, value),
  }));

const key = fc.constantFrom(...KEYS);
const pick = fc.nat(100);
const always = fc.constant(0);

const steps = [
  step(
    'place',
    fc.tuple(key, fc.boolean()),
    async (run, [name, retry]) => void (await run.place(name, retry)),
  ),
  step('retry', key, async (run, name) => void (await run.place(name, true))),
  step('pay else', always, (run) => run.payElse()),
  step('relay', fc.tuple(pick, fc.boolean()), (run, [which, here]) => run.relay(which, here)),
  step(
    'answer next',
    fc.constantFrom<Conduct>('no answer', 'gone', 'lie', 'lie', 'crash', 'crash before'),
    (run, conduct) => {
      run.network.conduct = conduct;
    },
  ),
  step('conflict', fc.tuple(pick, fc.boolean(), fc.boolean()), (run, [which, whole, mined]) =>
    run.conflict(which, whole, mined),
  ),
  step('lose the pool', always, (run) => run.network.pool.clear()),
  step('mine the pool', always, (run) => run.network.minePool()),
  step('mine what the node lacks', pick, (run, which) => run.mineHidden(which)),
  step('mine', fc.constantFrom(1, 2, 12, 61), (run, blocks) => {
    for (let i = 0; i < blocks; i++) run.network.mine([]);
  }),
  step(
    'reorganise',
    fc.tuple(fc.constantFrom(1, 2, 13, 18, PROMISED), fc.constantFrom('pool', 'hidden'), fc.boolean(), pick),
    (run, [depth, fate, conflicts, which]) => run.reorganise(depth, fate as 'pool', conflicts, which),
  ),
  step('refresh', always, (run) => run.refresh()),
  step('refresh', always, (run) => run.refresh()),
  step('rescan', fc.boolean(), (run, hard) => run.rescan(hard)),
  step('restart', always, (run) => void run.restart()),
  step('wait', fc.constantFrom(61, 660, 25 * HOUR), (run, seconds) => {
    run.wallet.time += seconds;
  }),
];

describe('an order, whatever happens to it', () => {
  it('ends, is mined once at most on every branch, and is answered only while the network has it', async () => {
    const runs = Number(process.env['ORDER_RUNS'] ?? randomRuns(40));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...steps), { minLength: 8, maxLength: 30 }), async (list) => {
        const run = new Run();
        try {
          await run.home.refresh();
          for (const one of list) {
            await one.apply(run);
            run.check();
          }
          await run.finish();
          await run.payFailed();
        } finally {
          run.close();
        }
      }),
      { numRuns: runs },
    );
  });
});
