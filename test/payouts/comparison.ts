import type { Loose, WalletCalls } from '../support/network/json-rpc.js';
import { until } from '../support/fakes/until.js';
import { difference } from '../support/wallets/wallet-books.js';
import { CREATOR } from './access.js';
import { ENDS } from './payout-states.js';
import { ownPayeeOf } from './requests.js';
import type { Round } from './round.js';

const XMR = 1_000_000_000_000;
/** More than the estimate of a fee that a payout counts with [atomic units]. */
const MOST_COUNTED = XMR / 100;
/** Time in which the settlement may go on [s]. */
const MARGIN_SECONDS = 600;
const LIMIT_ERROR = -61;
const DAY = 86_400;

const rowsOf = (rows: unknown): Loose[] => (rows ?? []) as Loose[];

/** Compares the books of everybody once all payouts of a round have ended. */
export class Comparison {
  readonly #round: Round;
  readonly #checks: WalletCalls[] = [];

  constructor(round: Round) {
    this.#round = round;
  }

  /** Compares everything. @param ended all payouts, as their list has them. */
  async compare(ended: readonly Loose[]): Promise<void> {
    const { payer, requests, states, world, twin } = this.#round.parts;
    const { violations } = this.#round;
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
    await this.#compareBalances(single);
    await this.#compareSent();
    if (violations.length > 0) return;
    await payer.kill();
    await this.#round.restart();
    await world.beHonest();
    const reopened = await this.#round.observe();
    this.#assertSame(reopened, ended, 'the list differs after a restart');
    await this.#tryLimit(ended);
    await world.close([twin, ...this.#checks]);
  }

  async #refreshed(): Promise<void> {
    const { payer } = this.#round.parts;
    await until('a refresh', async () => (await payer.ask('refresh'))?.error === undefined);
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
    const { states, world } = this.#round.parts;
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
    const { requests, world } = this.#round.parts;
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
        .flatMap((payout): [string, number][] => {
          const payee = requests.all.get(String(payout.payout_id))?.payee;
          return payee !== undefined && 'key' in payee
            ? [[`${payout.tx_hash} to ${payee.key}`, Number(payout.received)]]
            : [];
        }),
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
  async #compareBalances(payouts: readonly Loose[]): Promise<void> {
    const { payer, world, plan, seed, begun, states, signer } = this.#round.parts;
    const { elsewhere } = this.#round;
    const check = await world.twin(`check ${plan.round} ${this.#checks.length}`, seed, begun);
    this.#checks.push(check);
    await this.#refreshed();
    await signer?.exchange();
    const before = await balanceOf(payer.calls);
    const right = await balanceOf(check);
    if (before !== right) this.#violate(`the balance is ${before} in place of ${right}`);
    await this.#compareOwn(payouts, check);
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
    await signer?.exchange();
    const after = await balanceOf(payer.calls);
    if (after !== right) this.#violate(`the balance after a rescan is ${after} in place of ${right}`);
    const rescanned = await this.#round.observe();
    for (const event of states.since(cursor).slice(0, 4))
      this.#violate(`a rescan of the same chain reports ${JSON.stringify(event)}`);
    this.#assertSame(rescanned, listed, 'the list differs after a rescan');
  }

  /** Checks that payouts to own addresses are outputs of a wallet that was restored from the seed. */
  async #compareOwn(payouts: readonly Loose[], check: WalletCalls): Promise<void> {
    const { requests, addresses } = this.#round.parts;
    const found = new Map<string, number>();
    for (const account_index of addresses.keys()) {
      const { transfers } = await check.rpc('incoming_transfers', { transfer_type: 'all', account_index });
      for (const { tx_hash, amount, subaddr_index: at } of rowsOf(transfers)) {
        const key = `${amount} by ${tx_hash} to ${account_index}/${at}`;
        found.set(key, (found.get(key) ?? 0) + 1);
      }
    }
    for (const { payout_id: id, state, tx_hash, received } of payouts) {
      const request = requests.all.get(String(id));
      const own = request && ownPayeeOf(request);
      if (state !== 'confirmed' || own === undefined) continue;
      const key = `${received} by ${tx_hash} to ${own.index.major}/${own.index.minor}`;
      const left = found.get(key) ?? 0;
      if (left === 0) this.#violate(`${id}: the payer has no output of ${key}`);
      found.set(key, left - 1);
    }
  }

  /** Checks that the node has received no payment that no event tells of. */
  async #compareSent(): Promise<void> {
    const { states, world } = this.#round.parts;
    const known = states.hashes;
    const swept = await this.#ownHashes();
    for (const hash of world.sent)
      if (!known.has(hash) && !swept.has(hash)) this.#violate(`${hash} was sent, and no event tells of it`);
    world.sent.clear();
  }

  /**
   * Asks for a payout that exceeds the rest of the limit of the creator, which must be refused, and for one within it: what
   * ended unpaid was given back.
   */
  async #tryLimit(ended: readonly Loose[]): Promise<void> {
    const { approval, payer, world } = this.#round.parts;
    if (approval === undefined) return;
    const { limit } = approval.access;
    const paid = ended.filter(
      ({ state, created_by: by }) => (state === 'confirmed' || !ENDS.has(state)) && by === CREATOR,
    );
    // Of a payout to an own address the fee counts alone.
    const owedTo = ({ payout_id: id, amount }: Loose): number => (this.#round.isOwn(String(id)) ? 0 : amount);
    const sumOf = (rows: readonly Loose[], fees = 0): number =>
      rows.reduce((total, row) => total + owedTo(row) + (fees === 0 ? 0 : fees + (row.max_fee ?? 0)), 0);
    const recent = paid.filter(({ created_at: time }) => time > world.clock.now - DAY + MARGIN_SECONDS);
    await payer.ask('pause_payouts', { reason: 'the limit is tried' });
    const fault = async (payout_id: string, amount: number): Promise<Loose | undefined> => {
      const payouts = [{ payout_id, address: world.otherAddress, amount, fee: 'payee' }];
      const reply = await payer.ask('create_payouts', { payouts }, CREATOR);
      return ((reply?.result?.['results'] ?? []) as Loose[])[0]?.error;
    };
    const beyond = limit - sumOf(recent) + 1;
    const over = await fault('beyond the limit', beyond);
    if (over?.code !== LIMIT_ERROR)
      this.#violate(
        `a payout of ${beyond} beyond the limit of ${limit} is answered with ${JSON.stringify(over)}`,
      );
    // Without the clock, each payout of the round may count still.
    const rest = limit - sumOf(paid, MOST_COUNTED);
    const hasUsualFees = !this.#round.lies.some((lie) => lie.includes('fee'));
    const within = rest > XMR && hasUsualFees ? await fault('within the limit', rest) : undefined;
    if (within !== undefined)
      this.#violate(`a payout of ${rest} within the limit of ${limit} is refused: ${JSON.stringify(within)}`);
  }

  /** Hashes of the payments to own addresses that excluded earlier transactions. */
  async #ownHashes(): Promise<Set<string>> {
    const { payer, addresses } = this.#round.parts;
    const all = await payer.calls.rpc('get_transfers', {
      ...{ out: true, pending: true, failed: true, all_accounts: true },
    });
    return new Set(
      [...rowsOf(all.out), ...rowsOf(all.pending), ...rowsOf(all.failed)].flatMap(
        ({ txid, destinations }) => {
          const paid = rowsOf(destinations);
          return paid.length > 0 && paid.every(({ address }) => addresses.includes(String(address)))
            ? [String(txid)]
            : [];
        },
      ),
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
