import type { PayoutState } from '../../src/model/payout.js';
import type { Loose, WalletCalls } from '../support/network/json-rpc.js';
import { difference } from '../support/wallets/wallet-books.js';
import { until } from '../support/fakes/until.js';
import { ENDS } from './payout-states.js';
import type { Round } from './round.js';

/** Largest number of attempts to end all payouts. */
const MOST_TURNS = 60;
/** Number of turns without any change after which what must wait is left as it is. */
const STILL_TURNS = 10;
/**
 * Reasons for which a payout may wait for ever. A reorganisation has removed all inputs of a batch with it, so that the
 * batch may be mined if another one brings them back, and no later batch can exclude it.
 */
const MUST_WAIT = /none of its inputs can be spent now|an earlier batch with the payout may still be mined/;
/** Turns after which payments that the pool lacks are given time until they fail. */
const PATIENT_TURNS = 6;
const UNLOCK_BLOCKS = 11;
/** Number of blocks after which an earlier transaction counts as dead. */
const DEAD_BLOCKS = 61;
const HOUR = 3600;
/** Time after which a payment fails that is in no block and in no mempool [s]. */
const UNSEEN_SECONDS = 25 * HOUR;
const NEW_OUTPUTS = 15;
const MARGIN = 1.2;

const rowsOf = (rows: unknown): Loose[] => (rows ?? []) as Loose[];
const isOpen = ({ state }: Loose): boolean => !ENDS.has(state as PayoutState);

/** Ends the payouts of a round, once everything is honest again, and compares everybody's books. */
export class Settlement {
  readonly #round: Round;
  readonly #checks: WalletCalls[] = [];

  constructor(round: Round) {
    this.#round = round;
  }

  /** Ends all payouts, and compares. */
  async settle(): Promise<void> {
    const { world, payer, violations } = this.#round;
    await world.beHonest();
    await payer.kill();
    await this.#round.restart();
    await this.#round.resume();
    await this.#round.createAgain(
      [...this.#round.requests.all.values()].filter(({ answer }) => answer === 'unknown'),
    );
    const ended = await this.#end();
    if (ended === undefined || violations.length > 0) return;
    await this.#compare(ended);
    await world.close([this.#round.twin, ...this.#checks]);
  }

  /** Mines and waits until all payouts have ended. @returns the list of all payouts; undefined: some have not. */
  async #end(): Promise<Loose[] | undefined> {
    const { world, payer, violations } = this.#round;
    let open: Loose[] = [];
    let [still, before] = [0, ''];
    for (let turn = 1; turn <= MOST_TURNS; turn++) {
      await this.#refreshed();
      for (const account_index of [0, 1]) await payer.ask('send_payouts', { account_index });
      await this.#refreshed();
      const listed = await this.#round.observe();
      if (violations.length > 0) return undefined;
      open = (listed ?? []).filter(isOpen);
      const isAtRest = (await world.pool()).length === 0;
      if (listed !== undefined && open.length === 0 && isAtRest) return listed;
      const refusals = await this.#help(open, turn);
      const now = describe(open);
      still = now === before ? still + 1 : 0;
      before = now;
      const mustWait = (payout: Loose): boolean =>
        payout.reason !== undefined &&
        MUST_WAIT.test(`${refusals.get(String(payout.payout_id))} ${payout.waiting_for?.earlier}`);
      if (still >= STILL_TURNS && listed !== undefined && isAtRest && open.every(mustWait)) return listed;
    }
    this.#round.violate(
      `after ${MOST_TURNS} turns some payouts have not ended: ${describe(open)}; the first: ${JSON.stringify(open[0])}`,
    );
    return undefined;
  }

  async #refreshed(): Promise<void> {
    const { payer } = this.#round;
    await until('a refresh', async () => (await payer.ask('refresh'))?.error === undefined);
  }

  /** Brings about what open payouts wait for. @returns why payouts that can never be paid were not cancelled. */
  async #help(open: readonly Loose[], turn: number): Promise<ReadonlyMap<string, string>> {
    const { world } = this.#round;
    const { requests } = this.#round;
    const reasons = open.map(({ waiting_for = {} }) => waiting_for as Loose);
    this.#round.note(`turn ${turn}: ${describe(open)}`);
    const times = reasons.flatMap(({ not_before }) => (not_before === undefined ? [] : [Number(not_before)]));
    if (times.length > 0) world.clock.step(Math.max(1, Math.max(...times) - world.clock.now + 1));
    const isExpired = ({ state, expires_at }: Loose): boolean =>
      state === 'queued' && expires_at <= world.clock.now;
    // A limit below each fee, or an amount below its fee, is never paid; and an expired payout neither.
    const tooDear = open.filter((payout) => payout.waiting_for?.fee !== undefined || isExpired(payout));
    const refused = await this.#round.cancel(
      tooDear.flatMap(({ payout_id }) => requests.all.get(String(payout_id)) ?? []),
    );
    const isExcluded = reasons.some(({ earlier }) => earlier !== undefined) || refused.size > 0;
    if (isExcluded && turn > 2) await this.#exclude();
    if (turn > 2 && reasons.some(({ unlocked, behind }) => (unlocked ?? behind) !== undefined))
      await this.#fund(open);
    if (turn % PATIENT_TURNS === 0 && open.some(({ state }) => state === 'sent' || state === 'sending')) {
      // A transaction that is in no mempool is sent again, and fails if no node accepts it for a day.
      world.clock.step(turn > PATIENT_TURNS ? UNSEEN_SECONDS : HOUR);
      await this.#round.payer.kill();
      await this.#round.restart();
    }
    await world.mine(
      open.some(({ state }) => state === 'queued') ? UNLOCK_BLOCKS : this.#round.plan.confirmations,
    );
    return refused;
  }

  /** Spends all outputs, and buries that, so that no earlier transaction can be mined. */
  async #exclude(): Promise<void> {
    const { payer, addresses, world } = this.#round;
    for (const [account_index, address] of addresses.entries())
      await payer.ask('sweep_all', { address, account_index });
    await world.mine(DEAD_BLOCKS);
  }

  /** Pays the payer what its queue lacks. */
  async #fund(open: readonly Loose[]): Promise<void> {
    const { world, addresses } = this.#round;
    for (const [account, address] of addresses.entries()) {
      const owed = open.flatMap(({ account_index, state, amount }) =>
        account_index === account && state === 'queued' ? [Number(amount)] : [],
      );
      if (owed.length === 0) continue;
      const sum = owed.reduce((total, amount) => total + amount, 0);
      const each = Math.max(
        Math.ceil((sum * MARGIN) / NEW_OUTPUTS),
        ...owed.map((amount) => Math.ceil(amount / 4)),
      );
      await world.fund([address], NEW_OUTPUTS, 2 * each);
    }
  }

  async #compare(ended: readonly Loose[]): Promise<void> {
    const { payer, requests, states, world, violations } = this.#round;
    const single: Loose[] = [];
    for (const { payout_id } of ended) single.push((await payer.ask('get_payout', { payout_id }))?.result);
    states.look();
    for (const payout of single) states.compare(payout);
    this.#assertSame(single, ended, 'get_payout and list_payouts differ');
    for (const { id, answer } of requests.all.values()) {
      if (answer === 'unknown') this.#violate(`${id}: create_payouts gives no answer`);
      if (answer === 'created' && states.stateOf(id) === undefined) this.#violate(`${id}: no event`);
    }
    await this.#compareChain(single);
    await this.#comparePayees(single);
    await this.#compareBalances();
    if (violations.length > 0) return;
    await payer.kill();
    await this.#round.restart();
    await world.beHonest();
    const reopened = await this.#round.observe();
    this.#assertSame(reopened, ended, 'the list differs after a restart');
  }

  #assertSame(told: unknown, right: unknown, text: string): void {
    const differing = difference(told, right);
    if (differing !== undefined) this.#violate(`${text}: ${differing}`);
  }

  #violate(text: string): void {
    this.#round.violate(text);
  }

  /** Compares payouts with the transactions of the chain: one for each that is paid, with its whole fee. */
  async #compareChain(payouts: readonly Loose[]): Promise<void> {
    const { states, world } = this.#round;
    const known = await world.transactions([...states.hashes]);
    const shares = new Map<string, number>();
    for (const { payout_id, state, tx_hash, fee_share } of payouts) {
      const mined = states.hashesOf(String(payout_id)).filter((hash) => known.get(hash)?.isMined === true);
      const right = state === 'confirmed' ? [String(tx_hash)] : [];
      if (mined.join() !== right.join())
        this.#violate(`${payout_id}: is ${state}, and blocks pay it by ${mined.join(', ') || 'none'}`);
      for (const hash of right) shares.set(hash, (shares.get(hash) ?? 0) + Number(fee_share));
    }
    for (const [hash, sum] of shares) {
      const fee = known.get(hash)?.fee;
      if (fee !== sum) this.#violate(`the shares of the fee of ${hash} sum to ${sum} in place of ${fee}`);
    }
  }

  /** Compares what the payees have received with what the payouts say. */
  async #comparePayees(payouts: readonly Loose[]): Promise<void> {
    const { requests, world } = this.#round;
    const { payees } = world;
    await payees.rpc('refresh');
    const { in: incoming } = await payees.rpc('get_transfers', { in: true, pool: true, account_index: 0 });
    const received = sums(
      rowsOf(incoming).map(({ txid, subaddr_index, payment_id, amount }) => [
        `${txid} to ${subaddr_index.minor} ${payment_id}`,
        Number(amount),
      ]),
    );
    const right = sums(
      payouts
        .filter(({ state }) => state === 'confirmed')
        .map((payout) => [
          `${payout.tx_hash} to ${requests.all.get(String(payout.payout_id))?.payee.key}`,
          Number(payout.received),
        ]),
    );
    for (const key of new Set([...received.keys(), ...right.keys()]))
      if (received.get(key) !== right.get(key))
        this.#violate(
          `the payees received ${received.get(key) ?? 0} by ${key}, and payouts say ${right.get(key) ?? 0}`,
        );
    const { balance } = await payees.rpc('get_balance', { account_index: 0 });
    const total = [...right.values()].reduce((sum, amount) => sum + amount, 0);
    if (balance !== total) this.#violate(`the balance of the payees is ${balance} in place of ${total}`);
  }

  /** Compares the balance of the payer with those after a rescan and of a restored wallet, and the payments of both. */
  async #compareBalances(): Promise<void> {
    const { payer, world, plan, seed, begun, states, elsewhere } = this.#round;
    const check = await world.twin(`check ${plan.round} ${this.#checks.length}`, seed, begun);
    this.#checks.push(check);
    await this.#refreshed();
    const before = await balanceOf(payer.calls);
    const right = await balanceOf(check);
    if (before !== right) this.#violate(`the balance is ${before} in place of ${right}`);
    const { out, pending } = await check.rpc('get_transfers', {
      out: true,
      pending: true,
      all_accounts: true,
    });
    const hashes = states.hashes;
    const swept = await this.#ownHashes();
    for (const { txid } of [...rowsOf(out), ...rowsOf(pending)])
      if (!hashes.has(String(txid)) && !elsewhere.has(String(txid)) && !swept.has(String(txid)))
        this.#violate(`nobody has asked for the payment ${txid}`);
    const listed = await this.#round.observe();
    const { cursor } = states;
    await payer.calls.rpc('rescan_blockchain', { hard: false });
    await this.#refreshed();
    const after = await balanceOf(payer.calls);
    if (after !== right) this.#violate(`the balance after a rescan is ${after} in place of ${right}`);
    const rescanned = await this.#round.observe();
    for (const event of states.since(cursor).slice(0, 4))
      this.#violate(`a rescan of the same chain reports ${JSON.stringify(event)}`);
    this.#assertSame(rescanned, listed, 'the list differs after a rescan');
  }

  /** Hashes of the payments to own addresses that excluded earlier transactions. */
  async #ownHashes(): Promise<Set<string>> {
    const { payer, addresses } = this.#round;
    const all = await payer.calls.rpc('get_transfers', { out: true, pending: true, all_accounts: true });
    return new Set(
      [...rowsOf(all.out), ...rowsOf(all.pending)].flatMap(({ txid, destinations }) => {
        const paid = rowsOf(destinations);
        return paid.length > 0 && paid.every(({ address }) => addresses.includes(String(address)))
          ? [String(txid)]
          : [];
      }),
    );
  }
}

/** Balance and unlocked balance of all accounts, as text. */
const balanceOf = async (wallet: WalletCalls): Promise<string> => {
  const { balance, unlocked_balance } = await wallet.rpc('get_balance', { all_accounts: true });
  return `${balance} (${unlocked_balance} unlocked)`;
};

function sums(rows: readonly (readonly [key: string, amount: number])[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const [key, amount] of rows) found.set(key, (found.get(key) ?? 0) + amount);
  return found;
}

/** Describes open payouts by their states and what they wait for. */
function describe(open: readonly Loose[]): string {
  const kinds = new Map<string, number>();
  for (const { state, waiting_for = {} } of open) {
    const kind = [state, ...Object.keys(waiting_for as object)].join(' ');
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
}
