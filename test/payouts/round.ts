import { killMoment } from '../support/processes/kill-moment.js';
import { seededRandom, type Random } from '../support/fakes/seeded-random.js';
import type { Loose, WalletCalls } from '../support/network/json-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { ProxyAction } from '../support/network/daemon-proxy.js';
import { PAYOUT_EVENTS } from '../../src/model/events.js';
import { MOST_ATTEMPTS } from '../../src/model/payout.js';
import { Payer, SENDING } from './payer.js';
import { PayoutStates, type PayoutEvent } from './payout-states.js';
import type { RoundPlan, Step } from './plan.js';
import { Requests, type PayeeAddress, type Request } from './requests.js';
import type { World } from './world.js';

const XMR = 1_000_000_000_000;
const ACCOUNTS = [0, 0, 1] as const;
const WHOLE_WALLET = -1;
const SUBADDRESSES = 30;
const INTEGRATED = 4;
/** Amount of an output of the payer, on average. */
const OUTPUT = 2 * XMR;
const MOST_PAYOUTS = 18;
const LARGE = 50;
/** More than one transaction of the store creates. */
const HUGE = 150;
const LONGEST_RETRY_SECONDS = 3601;
const DEEPEST = 15;
const PAGE = 1000;
/** Number of events that are read again after a restart. */
const AGAIN = 300;
const LONGEST_LIFE_MS = 1200;
const LONGEST_RACE_MS = 300;
const MISMATCH = -73;
/** Largest length of the description of a violation. */
const LONGEST_TEXT = 1200;
const NO_PAYMENT_ID = '0'.repeat(16);

/** Troubles that a kill interrupts. */
const INTERRUPTED = ['create', 'send', 'send', 'send', 'mine', 'cancel', 'rescan'] as const;
const VERDICTS: readonly ['drop', 'forward-and-drop-the-answer'] = ['drop', 'forward-and-drop-the-answer'];
const LOST: readonly [ProxyAction, ...ProxyAction[]] = [...VERDICTS, 'forward-and-drop-the-answer', 500, 503];

/** Payment of the payer's money that another server of the same seed has prepared. */
interface Prepared {
  readonly metadata: string;
}

/** A paying wallet with its payees and its twin, from the first payout to the last step. */
export class Round {
  readonly world: World;
  readonly plan: RoundPlan;
  readonly payer: Payer;
  readonly states: PayoutStates;
  readonly requests: Requests;
  readonly seed: string;
  readonly twin: WalletCalls;
  readonly addresses: readonly string[];
  /** Height of the chain before the round. */
  readonly begun: number;
  /** Hashes of the transactions that the twin has made. */
  readonly elsewhere = new Set<string>();
  /** Steps so far, and what became of them. */
  readonly steps: string[] = [];
  readonly violations: string[];
  readonly #random: Random;
  /** Draws the payouts that are looked at. */
  readonly #looks: Random;
  readonly #prepared: Prepared[] = [];

  private constructor(parts: {
    readonly world: World;
    readonly plan: RoundPlan;
    readonly payer: Payer;
    readonly states: PayoutStates;
    readonly requests: Requests;
    readonly seed: string;
    readonly twin: WalletCalls;
    readonly addresses: readonly string[];
    readonly begun: number;
    readonly violations: string[];
    readonly random: Random;
  }) {
    this.world = parts.world;
    this.plan = parts.plan;
    this.payer = parts.payer;
    this.states = parts.states;
    this.requests = parts.requests;
    this.seed = parts.seed;
    this.twin = parts.twin;
    this.addresses = parts.addresses;
    this.begun = parts.begun;
    this.violations = parts.violations;
    this.#random = parts.random;
    this.#looks = seededRandom(`looks ${parts.plan.round}`);
  }

  /** Prepares the wallets of a round. */
  static async begin(world: World, seed: string, plan: RoundPlan): Promise<Round> {
    const random = seededRandom(`${seed}/deeds ${plan.round}`);
    const violations: string[] = [];
    const violate = noting(violations);
    const begun = await world.height();
    const name = `payer ${plan.round}`;
    const payer = await Payer.start(
      world,
      name,
      [
        `--payout-interval=${plan.interval}`,
        `--payout-confirmations=${plan.confirmations}`,
        `--payout-outputs=${plan.divides ? 0 : 1}`,
      ],
      violate,
    );
    await createWallet(payer.calls);
    const { address } = await payer.calls.rpc('get_address');
    const second = await payer.calls.rpc('create_account', {});
    const addresses = [String(address), String(second.address)];
    const { key } = await payer.calls.rpc('query_key', { key_type: 'mnemonic' });
    const payees = await payeesOf(world, `payees ${plan.round}`);
    await world.fund(addresses, plan.outputs, OUTPUT);
    const twin = await world.twin(`twin ${plan.round}`, String(key), begun);
    await payer.calls.rpc('refresh');
    return new Round({
      ...{ world, plan, payer, twin, addresses, begun, violations, random },
      states: new PayoutStates(plan.confirmations, violate),
      requests: new Requests(random, payees),
      seed: String(key),
    });
  }

  violate(text: string): void {
    noting(this.violations)(text);
  }

  /** Notes a step, or what became of it. */
  note(text: string): void {
    this.steps.push(text);
  }

  /** Takes the steps of the plan, up to the first violation. */
  async run(): Promise<void> {
    for (const step of this.plan.steps) {
      this.note(step);
      await this.#take(step);
      await this.observe();
      if (this.violations.length > 0) return;
    }
  }

  async #take(step: Step): Promise<void> {
    const { world, payer } = this;
    const random = this.#random;
    switch (step) {
      case 'create':
        return this.#create();
      case 'create again':
        return this.createAgain(this.requests.some(8, () => true));
      case 'create otherwise':
        return this.#createOtherwise();
      case 'send':
        return this.#send();
      case 'pause':
        return this.#pause();
      case 'pause while sending': {
        await this.resume();
        await this.#create(LARGE);
        const sending = this.#send();
        await killMoment(random.below(LONGEST_RACE_MS));
        await this.#pause();
        return sending;
      }
      case 'resume':
        return this.resume();
      case 'cancel':
        return this.#cancel();
      case 'cancel while sending': {
        await this.#create();
        const sending = this.#send();
        await killMoment(random.below(LONGEST_RACE_MS));
        await this.#cancel();
        return sending;
      }
      case 'kill':
        return this.#kill();
      case 'lose answers': {
        const verdict = random.pick(LOST);
        world.proxy.decide = (path) => (path === SENDING ? verdict : 'forward');
        this.note(String(verdict));
        return this.#create();
      }
      case 'refuse payments':
        return this.#lie('refused-payment=1');
      case 'refuse often':
        await this.#lie('refused-payment=1');
        for (let i = 0; i < MOST_ATTEMPTS + 1; i++) {
          for (const account_index of [0, 1]) await payer.ask('send_payouts', { account_index });
          world.clock.step(LONGEST_RETRY_SECONDS);
        }
        return world.lie('');
      case 'refuse and relay':
        return this.#lie('refused-and-relayed=1');
      case 'forget payments':
        return this.#lie('forgotten-payment=1');
      case 'raise fees':
        return this.#lie(`inflated-fee=${random.pick([3, 30, 300])}`);
      case 'node down':
        world.proxy.decide = () => 'drop';
        return;
      case 'tell the truth':
        return world.beHonest();
      case 'reorganise':
        return this.#reorganise();
      case 'mine':
        await world.mine(1 + random.below(12));
        return void (await payer.ask('refresh'));
      case 'spend elsewhere':
        return this.#spendElsewhere();
      case 'rescan': {
        const reply = await payer.ask('rescan_blockchain', { hard: random.chance(0.3) });
        return this.note(reply?.error === undefined ? 'rescanned' : reply.error.message);
      }
      case 'step the clock':
        return this.#stepClock();
    }
  }

  #stepClock(): void {
    const seconds = this.#random.pick([3, 61, 61, 700, 700, 4000, 90_000]);
    this.note(`by ${seconds} s`);
    this.world.clock.step(seconds);
  }

  async #lie(what: string): Promise<void> {
    await this.world.lie(what);
    this.note(what);
    await this.#create();
  }

  async #pause(): Promise<void> {
    const account = this.#random.pick([WHOLE_WALLET, ...ACCOUNTS]);
    const asked = await this.payer.ask('pause_payouts', { ...whichAccount(account), reason: 'test' });
    if (asked?.result === undefined) return;
    await this.#readEvents();
    this.states.pause(account);
  }

  /** Creates some payouts. @param least number of them. */
  async #create(least = 1): Promise<void> {
    const random = this.#random;
    const account = random.pick(ACCOUNTS);
    const now = this.world.clock.now;
    const count =
      least + random.below(random.chance(0.03) ? HUGE : random.chance(0.2) ? LARGE : MOST_PAYOUTS);
    const drawn = Array.from({ length: count }, () => this.requests.draw(now, account));
    await this.#ask(drawn);
  }

  /** Asks for payouts of one account, new ones or known ones. */
  async #ask(asked: readonly Request[]): Promise<void> {
    const [first] = asked;
    if (first === undefined) return;
    const reply = await this.payer.ask('create_payouts', {
      payouts: asked.map(({ terms }) => terms as object),
      account_index: first.account,
    });
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
      await this.#ask(known.filter((request) => request.account === account && request.answer !== 'refused'));
  }

  /** Asks for payouts that exist with another amount. */
  async #createOtherwise(): Promise<void> {
    for (const { terms, account, id } of this.requests.some(3, ({ answer }) => answer === 'created')) {
      const payouts = [{ ...(terms as object), amount: Number(terms.amount) + 1 }];
      const reply = await this.payer.ask('create_payouts', { payouts, account_index: account });
      const [answer] = (reply?.result?.['results'] ?? []) as Loose[];
      if (answer !== undefined && answer.error?.code !== MISMATCH)
        this.violate(`${id}: another amount is accepted: ${JSON.stringify(answer)}`);
    }
  }

  async #send(): Promise<void> {
    const account_index = this.#random.pick(ACCOUNTS);
    const reply = await this.payer.ask('send_payouts', { account_index });
    if (reply?.error !== undefined) this.note(reply.error.message);
  }

  async resume(): Promise<void> {
    for (const account of [WHOLE_WALLET, 0, 1]) {
      this.states.resume(account);
      await this.payer.ask('resume_payouts', whichAccount(account));
    }
  }

  async #cancel(): Promise<void> {
    await this.cancel(this.requests.some(6, ({ answer }) => answer === 'created'));
  }

  /** Cancels payouts. @returns the reasons of those that were not cancelled. */
  async cancel(requests: readonly Request[]): Promise<Map<string, string>> {
    const refused = new Map<string, string>();
    if (requests.length === 0) return refused;
    const reply = await this.payer.ask('cancel_payouts', { payout_ids: requests.map(({ id }) => id) });
    for (const [i, request] of requests.entries()) {
      const answer = ((reply?.result?.['results'] ?? []) as Loose[])[i];
      if (answer?.payout?.state === 'cancelled') request.isCancelled = true;
      else refused.set(request.id, String(answer?.error?.message));
    }
    return refused;
  }

  async #kill(): Promise<void> {
    const random = this.#random;
    const deed = random.pick(INTERRUPTED);
    const act = (): Promise<unknown> => this.#interrupted(deed);
    if ((deed === 'send' || deed === 'create') && random.chance(0.6)) {
      const verdict = random.pick(VERDICTS);
      if (deed === 'send') await this.#create();
      const isStruck = await this.payer.killAtSending(verdict, act);
      this.note(`${deed}: ${isStruck ? `at a payment: ${verdict}` : 'after the answer'}`);
    } else {
      const isAtOnce = deed === 'create' && random.chance(0.5);
      const done = act();
      await (isAtOnce ? done : killMoment(random.below(LONGEST_LIFE_MS)));
      await this.payer.kill();
      await done;
      this.note(isAtOnce ? 'create: once answered' : deed);
    }
    if (random.chance(0.2)) this.#stepClock();
    if (random.chance(0.3)) await this.world.beHonest();
    await this.restart();
  }

  async #interrupted(deed: (typeof INTERRUPTED)[number]): Promise<void> {
    switch (deed) {
      case 'create':
        return this.#create();
      case 'send':
        return this.#send();
      case 'mine':
        await this.world.mine(1 + this.#random.below(6));
        return void (await this.payer.ask('refresh'));
      case 'cancel':
        return this.#cancel();
      case 'rescan':
        return void (await this.payer.ask('rescan_blockchain', { hard: false }));
    }
  }

  /** Starts the payer again, and compares the latest events with those of before. */
  async restart(): Promise<void> {
    await this.payer.restart();
    const after = Math.max(0, this.states.cursor - AGAIN);
    this.states.again(after, await this.#eventsAfter(after));
  }

  async #reorganise(): Promise<void> {
    const { world, payer } = this;
    const random = this.#random;
    const depth = 1 + random.below(DEEPEST);
    const how = random.pick(['returned', 'returned', 'lost', 'spent elsewhere', 'mined later'] as const);
    this.note(`${depth} blocks, ${how}`);
    await world.node.popBlocks(depth);
    if (how !== 'returned') await world.node.rpc('flush_txpool');
    if (how === 'spent elsewhere') await this.#spendElsewhere();
    await world.mine(depth + 1);
    if (random.chance(0.6)) await payer.ask('refresh');
    if (how !== 'mined later') return;
    await world.mine(1);
    await payer.ask('refresh');
  }

  /** Spends outputs of the payer by another server with the same seed. */
  async #spendElsewhere(): Promise<void> {
    const random = this.#random;
    const { twin, world } = this;
    const prepared = this.#prepared.pop();
    if (prepared !== undefined && random.chance(0.7)) {
      const reply = await twin.call('relay_tx', { hex: prepared.metadata });
      return this.note(`relayed: ${reply.error?.message ?? 'accepted'}`);
    }
    await twin.call('refresh');
    const account_index = random.pick(ACCOUNTS);
    const { unlocked_balance = 0 } = (await twin.call('get_balance', { account_index })).result ?? {};
    const amount = Math.round(Number(unlocked_balance) * (0.1 + 0.1 * random.below(5)));
    if (amount < XMR / 100) return this.note('nothing to spend');
    const address = random.chance(0.75) ? this.addresses[account_index] : world.otherAddress;
    const isHeld = random.chance(0.5);
    const reply = await twin.call('transfer', {
      ...{ destinations: [{ address, amount }], account_index },
      ...(isHeld ? { do_not_relay: true, get_tx_metadata: true } : {}),
    });
    if (reply.result === undefined) return this.note(`refused: ${reply.error?.message}`);
    this.elsewhere.add(String(reply.result['tx_hash']));
    this.note(`${isHeld ? 'prepared' : 'spent'} ${amount / XMR} of account ${account_index}`);
    if (isHeld) this.#prepared.push({ metadata: String(reply.result['tx_metadata']) });
  }

  async #eventsAfter(after: number): Promise<PayoutEvent[]> {
    const all: PayoutEvent[] = [];
    for (let cursor = after; ;) {
      const reply = await this.payer.ask('get_events', { after: cursor, limit: PAGE, types: PAYOUT_EVENTS });
      if (reply?.error !== undefined) this.violate(`get_events: ${reply.error.message}`);
      const events = (reply?.result?.['events'] ?? []) as PayoutEvent[];
      const last = events.at(-1);
      if (last === undefined) return all;
      all.push(...events);
      cursor = last.id;
    }
  }

  async #readEvents(): Promise<void> {
    for (const event of await this.#eventsAfter(this.states.cursor)) {
      this.states.enter(event);
      if (event.type === 'payout.sending') this.#checkTime(event);
    }
  }

  /** Checks that a payout is sent between its times. */
  #checkTime({ timestamp, data }: PayoutEvent): void {
    const { not_before = 0, expires_at = Infinity } =
      this.requests.all.get(String(data.payout_id))?.terms ?? {};
    const time = Date.parse(timestamp) / 1000;
    // The event is written within a second of the check.
    if (time < not_before || time >= Number(expires_at) + 1)
      this.violate(`${data.payout_id}: sent at ${timestamp}, before ${not_before} or after ${expires_at}`);
  }

  /** Reads lists and events, and compares them. @returns the listed payouts; undefined without an answer. */
  async observe(): Promise<Loose[] | undefined> {
    this.states.look();
    const listed = await this.list();
    if (listed === undefined) return undefined;
    const single = await Promise.all(
      this.requests
        .some(3, ({ answer }) => answer === 'created', this.#looks)
        .map(async ({ id }) => (await this.payer.ask('get_payout', { payout_id: id }))?.result),
    );
    await this.#readEvents();
    for (const payout of [...listed, ...single]) if (payout !== undefined) this.states.compare(payout);
    const ids = new Set(listed.map(({ payout_id }) => String(payout_id)));
    for (const { id, answer, isCancelled } of this.requests.all.values()) {
      if (answer === 'created' && !ids.has(id)) this.violate(`${id}: was created, and is lost`);
      if (answer === 'refused' && ids.has(id)) this.violate(`${id}: was refused, and exists`);
      if (isCancelled && this.states.stateOf(id) !== 'cancelled')
        this.violate(`${id}: was cancelled, and is ${this.states.stateOf(id)}`);
    }
    for (const id of ids) if (!this.requests.all.has(id)) this.violate(`${id}: was never asked for`);
    return listed;
  }

  /** Lists all payouts; undefined without an answer. */
  async list(): Promise<Loose[] | undefined> {
    const all: Loose[] = [];
    for (let cursor: unknown; ;) {
      const reply = await this.payer.ask('list_payouts', {
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
const noting =
  (list: string[]) =>
  (text: string): void => {
    const short = text.slice(0, LONGEST_TEXT);
    if (!list.includes(short)) list.push(short);
  };

const whichAccount = (account: number): object =>
  account === WHOLE_WALLET ? {} : { account_index: account };

/** Creates the wallet of the payees of a round. */
async function payeesOf({ payees }: World, name: string): Promise<PayeeAddress[]> {
  await createWallet(payees, name);
  const { address } = await payees.rpc('get_address');
  const made = await payees.rpc('create_address', { account_index: 0, count: SUBADDRESSES });
  const all = [{ address: String(address), key: `0 ${NO_PAYMENT_ID}` }];
  for (const [i, one] of (made.addresses as string[]).entries())
    all.push({ address: one, key: `${i + 1} ${NO_PAYMENT_ID}` });
  for (let i = 1; i <= INTEGRATED; i++) {
    const payment_id = String(i).repeat(16);
    const { integrated_address } = await payees.rpc('make_integrated_address', { payment_id });
    all.push({ address: String(integrated_address), key: `0 ${payment_id}` });
  }
  return all;
}
