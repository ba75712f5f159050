import { killMoment } from '../support/processes/kill-moment.js';
import { seededRandom, type Random } from '../support/fakes/seeded-random.js';
import type { Loose, WalletCalls } from '../support/network/json-rpc.js';
import { PAYOUT_EVENTS } from '../../src/model/events.js';
import { CREATOR, type Access } from './access.js';
import type { ApprovalModel } from './approval-model.js';
import type { Payer } from './payer.js';
import type { PayoutEvent, PayoutStates } from './payout-states.js';
import type { RoundPlan } from './plan.js';
import { ownPayeeOf, type Request, type Requests } from './requests.js';
import type { Signer } from './signer.js';
import type { World } from './world.js';

const WHOLE_WALLET = -1;
const PAGE = 1000;
/** Number of events that are read again after a restart. */
const AGAIN = 300;
/** Largest length of the description of a violation. */
const LONGEST_TEXT = 1200;
/** Largest number of readings of events until they tell of a list, and the pause between them [ms]. */
const MOST_READINGS = 50;
const READING_MS = 100;

/** Parts of a {@link Round}. */
export interface RoundParts {
  readonly world: World;
  readonly plan: RoundPlan;
  readonly payer: Payer;
  readonly states: PayoutStates;
  readonly requests: Requests;
  /** Seed of the paying wallet. */
  readonly seed: string;
  readonly twin: WalletCalls;
  readonly addresses: readonly string[];
  /** Height of the chain before the round. */
  readonly begun: number;
  readonly violations: string[];
  readonly random: Random;
  /** Rules of approval; absent: the round has none. */
  readonly approval?: { readonly access: Access; readonly model: ApprovalModel };
  /** Cold wallet of a view-only payer; absent: the payer signs. */
  readonly signer?: Signer;
}

/** A paying wallet with its payees and its twin, and everything that is known of them, from the first payout to the last step. */
export class Round {
  readonly parts: RoundParts;
  /** Hashes of the transactions that the twin has made. */
  readonly elsewhere = new Set<string>();
  /** Steps so far, and what became of them. */
  readonly steps: string[] = [];
  /** Lies of the node so far. */
  readonly lies: string[] = [];
  /** Draws the payouts that are looked at. */
  readonly #looks: Random;

  constructor(parts: RoundParts) {
    this.parts = parts;
    this.#looks = seededRandom(`looks ${parts.plan.round}`);
  }

  get violations(): readonly string[] {
    return this.parts.violations;
  }

  violate(text: string): void {
    noting(this.parts.violations)(text);
  }

  /** Notes a step, or what became of it. */
  note(text: string): void {
    this.steps.push(text);
  }

  /** Asks for payouts of one account, new ones or known ones. */
  async ask(asked: readonly Request[]): Promise<void> {
    const [first] = asked;
    if (first === undefined) return;
    const reply = await this.parts.payer.ask(
      'create_payouts',
      { payouts: asked.map(({ terms }) => terms as object), account_index: first.account },
      first.creator,
    );
    if (reply === undefined) return;
    if (reply.error !== undefined)
      return this.violate(`create_payouts: ${reply.error.code} ${reply.error.message}`);
    for (const [i, request] of asked.entries()) {
      const answer = ((reply.result?.['results'] ?? []) as Loose[])[i];
      if (answer?.payout_id !== request.id)
        this.violate(`${request.id}: another id in the answer: ${JSON.stringify(answer)}`);
      else if (answer.error === undefined) request.answer = 'created';
      else if (request.answer === 'created')
        this.violate(`${request.id}: was created, and is refused: ${JSON.stringify(answer)}`);
      else request.answer = 'refused';
    }
  }

  /** Asks again for payouts that exist, or may exist. */
  async createAgain(known: readonly Request[]): Promise<void> {
    for (const account of new Set(known.map((request) => request.account)))
      await this.ask(known.filter((request) => request.account === account && request.answer !== 'refused'));
  }

  async resume(): Promise<void> {
    for (const account of [WHOLE_WALLET, 0, 1]) {
      this.parts.states.resume(account);
      await this.parts.payer.ask('resume_payouts', whichAccount(account));
    }
  }

  /** Ends payouts by a call. @returns the reasons of those that were not ended. */
  async end(
    requests: readonly Request[],
    ending: 'cancelled' | 'rejected' = 'cancelled',
    as?: string,
  ): Promise<Map<string, string>> {
    const refused = new Map<string, string>();
    if (requests.length === 0) return refused;
    const method = ending === 'cancelled' ? 'cancel_payouts' : 'reject_payouts';
    const reply = await this.parts.payer.ask(method, { payout_ids: requests.map(({ id }) => id) }, as);
    for (const [i, request] of requests.entries()) {
      const answer = ((reply?.result?.['results'] ?? []) as Loose[])[i];
      if (answer?.payout?.state === ending) request.ended = ending;
      else refused.set(request.id, String(answer?.error?.message));
    }
    return refused;
  }

  /** Starts the payer again, and compares the latest events with those of before. */
  async restart(): Promise<void> {
    const { payer, states } = this.parts;
    await payer.restart();
    const after = Math.max(0, states.cursor - AGAIN);
    const events = await this.#eventsAfter(after);
    if (events !== undefined) states.again(after, events);
  }

  /** Reads the events after an id; undefined without an answer. */
  async #eventsAfter(after: number): Promise<PayoutEvent[] | undefined> {
    const all: PayoutEvent[] = [];
    for (let cursor = after; ;) {
      const { payer } = this.parts;
      const reply = await payer.ask('get_events', { after: cursor, limit: PAGE, types: PAYOUT_EVENTS });
      if (reply?.error !== undefined) this.violate(`get_events: ${reply.error.message}`);
      if (reply?.result === undefined) return undefined;
      const events = (reply.result['events'] ?? []) as PayoutEvent[];
      const last = events.at(-1);
      if (last === undefined) return all;
      all.push(...events);
      cursor = last.id;
    }
  }

  /** Reads the events since the latest known one. @returns false without an answer. */
  readonly readEvents = async (): Promise<boolean> => {
    const { states, requests, approval } = this.parts;
    const events = await this.#eventsAfter(states.cursor);
    for (const event of events ?? []) {
      states.enter(event);
      const request = requests.all.get(String(event.data.payout_id));
      approval?.model.enter(event, request?.creator ?? '');
      this.#checkTime(event, request);
    }
    return events !== undefined;
  };

  /** Checks that a payout is sent, or laid out in a set, between its times. */
  #checkTime({ type, timestamp, data }: PayoutEvent, request: Request | undefined): void {
    if (type !== (this.parts.signer === undefined ? 'payout.sending' : 'payout.awaiting_signature')) return;
    const { not_before = 0, expires_at = Infinity } = request?.terms ?? {};
    const time = Date.parse(timestamp) / 1000;
    // The event is written within a second of the check.
    if (time < not_before || time >= Number(expires_at) + 1)
      this.violate(`${data.payout_id}: sent at ${timestamp}, before ${not_before} or after ${expires_at}`);
  }

  /** Notes which transactions of payouts the honest node has in blocks. */
  async noteMined(): Promise<void> {
    const { world, states } = this.parts;
    const known = await world.transactions(states.unmined);
    states.noteMined([...known].flatMap(([hash, { isMined }]) => (isMined ? [hash] : [])));
  }

  /** Reads lists and events, and compares them. @returns the listed payouts; undefined without an answer. */
  async observe(): Promise<Loose[] | undefined> {
    const { payer, states, requests, approval } = this.parts;
    states.look();
    const listed = await this.list();
    if (listed === undefined) return undefined;
    const single = await Promise.all(
      requests
        .some(3, ({ answer }) => answer === 'created', this.#looks)
        .map(async ({ id }) => (await payer.ask('get_payout', { payout_id: id }))?.result),
    );
    if (!(await this.readEvents())) return undefined;
    if (this.parts.plan.kind === 'cluster') await this.#awaitEvents(listed);
    for (const payout of [...listed, ...single]) if (payout !== undefined) states.compare(payout);
    await this.noteMined();
    states.compareMined();
    if (approval !== undefined) {
      for (const payout of listed) approval.model.compare(payout);
      approval.model.checkLimit(
        listed.filter(({ payout_id }) => !this.isOwn(String(payout_id))),
        CREATOR,
        approval.access.limit,
      );
    }
    this.#compareRequests(new Set(listed.map(({ payout_id }) => String(payout_id))));
    return listed;
  }

  /** Reads further events until they tell of a list: in a cluster they wait until the database has them, and lists do not. */
  async #awaitEvents(listed: readonly Loose[]): Promise<void> {
    const { states } = this.parts;
    for (let i = 0; i < MOST_READINGS && !listed.every((payout) => states.tells(payout)); i++) {
      await killMoment(READING_MS);
      await this.readEvents();
    }
  }

  /** Compares what clients have asked for with the ids that exist. */
  #compareRequests(ids: ReadonlySet<string>): void {
    const { states, requests } = this.parts;
    for (const request of requests.all.values()) {
      const { id, answer, ended, terms } = request;
      if (answer === 'created' && !ids.has(id)) this.violate(`${id}: was created, and is lost`);
      if (answer === 'refused' && ids.has(id)) this.violate(`${id}: was refused, and exists`);
      if (ended !== undefined && states.stateOf(id) !== ended)
        this.violate(`${id}: was ${ended}, and is ${states.stateOf(id)}`);
      if (ids.has(id) && this.isOwn(id) && terms.allow_own !== true)
        this.violate(`${id}: pays an own address without allow_own`);
    }
    for (const id of ids) if (!requests.all.has(id)) this.violate(`${id}: was never asked for`);
  }

  /** True for a payout to an address of the payer. */
  isOwn(id: string): boolean {
    const request = this.parts.requests.all.get(id);
    return request !== undefined && ownPayeeOf(request) !== undefined;
  }

  /** Lists all payouts; undefined without an answer. */
  async list(): Promise<Loose[] | undefined> {
    const all: Loose[] = [];
    for (let cursor: unknown; ;) {
      const reply = await this.parts.payer.ask('list_payouts', {
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (reply?.result === undefined) return undefined;
      all.push(...((reply.result['payouts'] ?? []) as Loose[]));
      cursor = reply.result['cursor'];
      if (cursor === undefined) return all;
    }
  }
}

/** Adds violations to a list, each once and not too long. */
export const noting =
  (list: string[]) =>
  (text: string): void => {
    const short = text.slice(0, LONGEST_TEXT);
    if (!list.includes(short)) list.push(short);
  };

/** Returns the parameter of a pause. @param account -1: the whole wallet. */
export const whichAccount = (account: number): object =>
  account === WHOLE_WALLET ? {} : { account_index: account };
