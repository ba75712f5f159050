import type { PayoutState } from '../../src/model/payout.js';
import type { Loose } from '../support/network/json-rpc.js';
import { until } from '../support/fakes/until.js';
import { APPROVERS } from './access.js';
import { approveBy } from './approvers.js';
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

/** States of payouts whose transactions are given time. */
const NEEDS_TIME: ReadonlySet<PayoutState> = new Set(['sent', 'sending', 'awaiting_signature']);

const isOpen = ({ state }: Loose): boolean => !ENDS.has(state as PayoutState);

/** Ends the payouts of a round, once everything is honest again. */
export class Settlement {
  readonly #round: Round;

  constructor(round: Round) {
    this.#round = round;
  }

  /** Ends all payouts. @returns the list of all payouts; undefined: some have not ended. */
  async settle(): Promise<Loose[] | undefined> {
    const { world, payer, requests } = this.#round.parts;
    await world.beHonest();
    await payer.kill();
    await this.#round.restart();
    await this.#round.resume();
    await this.#round.createAgain([...requests.all.values()].filter(({ answer }) => answer === 'unknown'));
    const ended = await this.#end();
    return this.#round.violations.length > 0 ? undefined : ended;
  }

  /** Mines and waits until all payouts have ended. @returns the list of all payouts; undefined: some have not. */
  async #end(): Promise<Loose[] | undefined> {
    const { world, payer } = this.#round.parts;
    const { violations } = this.#round;
    let open: Loose[] = [];
    let [still, before] = [0, ''];
    for (let turn = 1; turn <= MOST_TURNS; turn++) {
      await this.#refreshed();
      await this.#round.parts.signer?.exchange();
      for (const account_index of [0, 1]) await payer.ask('send_payouts', { account_index });
      await this.#sign();
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
      if (still >= STILL_TURNS && listed !== undefined && isAtRest && open.every(mustWait)) {
        await this.#refreshed();
        return this.#round.observe();
      }
    }
    this.#round.violate(
      `after ${MOST_TURNS} turns some payouts have not ended: ${describe(open)}; the first: ${JSON.stringify(open[0])}`,
    );
    return undefined;
  }

  /** Has all sets signed that a view-only payer wants to be signed, and submits them. */
  async #sign(): Promise<void> {
    const { signer } = this.#round.parts;
    if (signer === undefined) return;
    signer.kept.length = 0;
    await signer.signSome();
    for (const set of [...signer.kept]) {
      const refusal = await signer.submit(set);
      if (refusal !== undefined) this.#round.note(`the set of ${set.batchId} is refused: ${refusal}`);
    }
  }

  /** Approves all payouts that wait for approvals. */
  async #approve(open: readonly Loose[]): Promise<void> {
    const waiting = open.filter(({ state }) => state === 'awaiting_approval');
    for (const by of APPROVERS) await approveBy(this.#round, by, waiting);
  }

  async #refreshed(): Promise<void> {
    const { payer } = this.#round.parts;
    await until('a refresh', async () => (await payer.ask('refresh'))?.error === undefined);
  }

  /** Brings about what open payouts wait for. @returns why payouts that can never be paid were not cancelled. */
  async #help(open: readonly Loose[], turn: number): Promise<ReadonlyMap<string, string>> {
    const { world, requests } = this.#round.parts;
    const reasons = open.map(({ waiting_for = {} }) => waiting_for as Loose);
    this.#round.note(`turn ${turn}: ${describe(open)}`);
    await this.#approve(open);
    const times = reasons.flatMap(({ not_before, delay }) => [not_before ?? delay ?? []].flat().map(Number));
    if (times.length > 0) await world.step(Math.max(1, Math.max(...times) - world.clock.now + 1));
    const isExpired = ({ state, expires_at }: Loose): boolean =>
      state === 'queued' && expires_at <= world.clock.now;
    // A limit below each fee, or an amount below its fee, is never paid; and an expired payout neither.
    const tooDear = open.filter((payout) => payout.waiting_for?.fee !== undefined || isExpired(payout));
    const refused = await this.#round.end(
      tooDear.flatMap(({ payout_id }) => requests.all.get(String(payout_id)) ?? []),
    );
    const isExcluded = reasons.some(({ earlier }) => earlier !== undefined) || refused.size > 0;
    if (isExcluded && turn > 2) await this.#exclude();
    if (turn > 2 && reasons.some(({ unlocked, behind }) => (unlocked ?? behind) !== undefined))
      await this.#fund(open);
    if (turn % PATIENT_TURNS === 0 && open.some(needsTime)) {
      // A transaction that is in no mempool is sent again, and fails if no node accepts it for a day. A set that the node
      // refuses, since a reorganisation has changed its rings, ends when it was not signed in time.
      await world.step(turn > PATIENT_TURNS ? UNSEEN_SECONDS : HOUR);
      await this.#round.parts.payer.kill();
      await this.#round.restart();
    }
    await world.mine(
      open.some(({ state }) => state === 'queued') ? UNLOCK_BLOCKS : this.#round.parts.plan.confirmations,
    );
    return refused;
  }

  /** Spends all outputs, and buries that, so that no earlier transaction can be mined. */
  async #exclude(): Promise<void> {
    const { payer, addresses, world, signer } = this.#round.parts;
    for (const [account_index, address] of addresses.entries()) {
      const reply = await payer.ask('sweep_all', { address, account_index });
      const unsigned = reply?.result?.['unsigned_txset'];
      if (unsigned !== undefined && unsigned !== '') await signer?.signPayment(String(unsigned));
    }
    await world.mine(DEAD_BLOCKS);
  }

  /** Pays the payer what its queue lacks. */
  async #fund(open: readonly Loose[]): Promise<void> {
    const { world, addresses } = this.#round.parts;
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
}

/** True for an open payout that time alone may bring on. */
const needsTime = ({ state, waiting_for = {} }: Loose): boolean =>
  NEEDS_TIME.has(state as PayoutState) || waiting_for.earlier !== undefined;

/** Describes open payouts by their states and what they wait for. */
function describe(open: readonly Loose[]): string {
  const kinds = new Map<string, number>();
  for (const { state, waiting_for = {} } of open) {
    const kind = [state, ...Object.keys(waiting_for as object)].join(' ');
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
}
