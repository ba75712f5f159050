import { killMoment } from '../support/processes/kill-moment.js';
import type { Random } from '../support/fakes/seeded-random.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { ProxyAction } from '../support/network/daemon-proxy.js';
import { MOST_ATTEMPTS } from '../../src/model/payout.js';
import { CANCELLER } from './access.js';
import { ROOT } from './payer.js';
import type { CommonStep } from './plan.js';
import { whichAccount, type Round } from './round.js';
import { SENDER_LIES } from './sender-lies.js';
import { SENDING } from './world.js';

const XMR = 1_000_000_000_000;
const ACCOUNTS = [0, 0, 1] as const;
const WHOLE_WALLET = -1;
const MOST_PAYOUTS = 18;
const LARGE = 50;
/** More than one transaction of the store creates. */
const HUGE = 150;
const LONGEST_RETRY_SECONDS = 3601;
const DEEPEST = 15;
const LONGEST_LIFE_MS = 1200;
const LONGEST_RACE_MS = 300;
const MISMATCH = -73;

/** Troubles that a kill interrupts. */
const INTERRUPTED = ['create', 'send', 'send', 'send', 'mine', 'cancel', 'rescan'] as const;
const VERDICTS: readonly ['drop', 'forward-and-drop-the-answer'] = ['drop', 'forward-and-drop-the-answer'];
const LOST: readonly [ProxyAction, ...ProxyAction[]] = [...VERDICTS, 'forward-and-drop-the-answer', 500, 503];

/** Payment of the payer's money that another server of the same seed has prepared. */
interface Prepared {
  readonly metadata: string;
}

/** Steps of all rounds: calls of clients, kills, and troubles of the node and of the chain. */
export class QueueSteps {
  readonly #round: Round;
  readonly #random: Random;
  readonly #prepared: Prepared[] = [];

  constructor(round: Round) {
    this.#round = round;
    this.#random = round.parts.random;
  }

  /** Takes a step. */
  async take(step: CommonStep): Promise<void> {
    const { world, payer, requests } = this.#round.parts;
    const random = this.#random;
    switch (step) {
      case 'create':
        return this.create();
      case 'create again':
        return this.#round.createAgain(requests.some(8, () => true));
      case 'create otherwise':
        return this.#createOtherwise();
      case 'send':
        return this.send();
      case 'pause':
        return this.#pause();
      case 'pause while sending': {
        await this.#round.resume();
        await this.create(LARGE);
        const sending = this.send();
        await killMoment(random.below(LONGEST_RACE_MS));
        await this.#pause();
        return sending;
      }
      case 'resume':
        return this.#round.resume();
      case 'cancel':
        return this.cancel();
      case 'cancel while sending': {
        await this.create();
        const sending = this.send();
        await killMoment(random.below(LONGEST_RACE_MS));
        await this.cancel();
        return sending;
      }
      case 'kill':
        return this.#kill();
      case 'lose answers': {
        const verdict = random.pick(LOST);
        world.proxy.decide = (path) => (path === SENDING ? verdict : 'forward');
        this.#round.note(String(verdict));
        return this.create();
      }
      case 'refuse payments':
        return this.#lie('refused-payment=1');
      case 'refuse often':
        await this.#lie('refused-payment=1');
        for (let i = 0; i < MOST_ATTEMPTS + 1; i++) {
          for (const account_index of [0, 1]) await payer.ask('send_payouts', { account_index });
          await world.step(LONGEST_RETRY_SECONDS);
        }
        return world.lie('');
      case 'refuse and relay':
        return this.#lie('refused-and-relayed=1');
      case 'forget payments':
        return this.#lie('forgotten-payment=1');
      case 'lie otherwise':
        return this.#lieOtherwise();
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
        return this.spendElsewhere();
      case 'rescan': {
        const reply = await payer.ask('rescan_blockchain', { hard: random.chance(0.3) });
        return this.#round.note(reply?.error === undefined ? 'rescanned' : reply.error.message);
      }
      case 'step the clock':
        return this.stepClock();
    }
  }

  async stepClock(): Promise<void> {
    const seconds = this.#random.pick([3, 61, 61, 700, 700, 4000, 90_000]);
    this.#round.note(`by ${seconds} s`);
    await this.#round.parts.world.step(seconds);
  }

  async #lie(what: string): Promise<void> {
    await this.#round.parts.world.lie(what);
    this.#round.lies.push(what);
    this.#round.note(what);
    await this.create();
  }

  /** Lets the node tell a lie that concerns a sender, and acts meanwhile. */
  async #lieOtherwise(): Promise<void> {
    const { world, payer, addresses } = this.#round.parts;
    const random = this.#random;
    const lie = SENDER_LIES[random.below(SENDER_LIES.length)];
    if (lie === undefined) throw new Error('there are lies');
    const payee = { address: addresses[0], amount: XMR };
    const { transfers = [] } =
      (await payer.ask('incoming_transfers', { transfer_type: 'available' }))?.result ?? {};
    const [unspent] = transfers as Loose[];
    const facts = {
      ...{ payee, 'paying block': payee, 'rewarding block': {} },
      'unspent output': { key_images: [String(unspent?.key_image ?? '')] },
    };
    if (lie.about === 'unspent output' && facts['unspent output'].key_images[0] === '')
      return this.#round.note('no output to lie about');
    await world.lie(lie, facts);
    this.#round.lies.push(lie.what);
    this.#round.note(lie.what);
    await this.create();
    await this.send();
    if (random.chance(0.5)) await world.mine(1 + random.below(3));
    await payer.ask('refresh');
    if (random.chance(0.5)) return;
    await this.#round.observe();
    await world.beHonest();
  }

  async #pause(): Promise<void> {
    const account = this.#random.pick([WHOLE_WALLET, ...ACCOUNTS]);
    const asked = await this.#round.parts.payer.ask('pause_payouts', {
      ...whichAccount(account),
      reason: 'test',
    });
    if (asked?.result === undefined) return;
    if (await this.#round.readEvents()) this.#round.parts.states.pause(account);
  }

  /** Creates some payouts. @param least number of them. */
  async create(least = 1): Promise<void> {
    const random = this.#random;
    const { world, requests } = this.#round.parts;
    const account = random.pick(ACCOUNTS);
    const now = world.clock.now;
    const count =
      least + random.below(random.chance(0.03) ? HUGE : random.chance(0.2) ? LARGE : MOST_PAYOUTS);
    await this.#round.ask(Array.from({ length: count }, () => requests.draw(now, account)));
  }

  /** Asks for payouts that exist with another amount. */
  async #createOtherwise(): Promise<void> {
    const { requests, payer } = this.#round.parts;
    for (const { terms, account, id, creator } of requests.some(3, ({ answer }) => answer === 'created')) {
      const payouts = [{ ...(terms as object), amount: Number(terms.amount) + 1 }];
      const reply = await payer.ask('create_payouts', { payouts, account_index: account }, creator);
      const [answer] = (reply?.result?.['results'] ?? []) as Loose[];
      if (answer !== undefined && answer.error?.code !== MISMATCH)
        this.#round.violate(`${id}: another amount is accepted: ${JSON.stringify(answer)}`);
    }
  }

  async send(): Promise<void> {
    const account_index = this.#random.pick(ACCOUNTS);
    const reply = await this.#round.parts.payer.ask('send_payouts', { account_index });
    if (reply?.error !== undefined) this.#round.note(reply.error.message);
  }

  async cancel(): Promise<void> {
    const { requests, approval } = this.#round.parts;
    const some = requests.some(6, ({ answer }) => answer === 'created');
    await this.#round.end(some, 'cancelled', approval === undefined ? ROOT : CANCELLER);
  }

  async #kill(): Promise<void> {
    const random = this.#random;
    const { payer, world } = this.#round.parts;
    const deed = random.pick(INTERRUPTED);
    const act = (): Promise<unknown> => this.#interrupted(deed);
    if ((deed === 'send' || deed === 'create') && random.chance(0.6)) {
      const verdict = random.pick(VERDICTS);
      if (deed === 'send') await this.create();
      const isStruck = await payer.killAtSending(verdict, act);
      this.#round.note(`${deed}: ${isStruck ? `at a payment: ${verdict}` : 'after the answer'}`);
    } else {
      const isAtOnce = deed === 'create' && random.chance(0.5);
      const done = act();
      await (isAtOnce ? done : killMoment(random.below(LONGEST_LIFE_MS)));
      await payer.kill();
      await done;
      this.#round.note(isAtOnce ? 'create: once answered' : deed);
    }
    if (random.chance(0.2)) await this.stepClock();
    if (random.chance(0.3)) await world.beHonest();
    await this.#round.restart();
  }

  async #interrupted(deed: (typeof INTERRUPTED)[number]): Promise<void> {
    const { payer, world } = this.#round.parts;
    switch (deed) {
      case 'create':
        return this.create();
      case 'send':
        return this.send();
      case 'mine':
        await world.mine(1 + this.#random.below(6));
        return void (await payer.ask('refresh'));
      case 'cancel':
        return this.cancel();
      case 'rescan':
        return void (await payer.ask('rescan_blockchain', { hard: false }));
    }
  }

  async #reorganise(): Promise<void> {
    const { world, payer } = this.#round.parts;
    const random = this.#random;
    const depth = 1 + random.below(DEEPEST);
    const how = random.pick(['returned', 'returned', 'lost', 'spent elsewhere', 'mined later'] as const);
    this.#round.note(`${depth} blocks, ${how}`);
    await this.#round.noteMined();
    await world.node.popBlocks(depth);
    if (how !== 'returned') await world.node.rpc('flush_txpool');
    if (how === 'spent elsewhere') await this.spendElsewhere();
    await world.mine(depth + 1);
    if (random.chance(0.6)) await payer.ask('refresh');
    if (how !== 'mined later') return;
    await world.mine(1);
    await payer.ask('refresh');
  }

  /** Spends outputs of the payer by another server with the same seed. */
  async spendElsewhere(): Promise<void> {
    const random = this.#random;
    const { twin, world, addresses } = this.#round.parts;
    const prepared = this.#prepared.pop();
    if (prepared !== undefined && random.chance(0.7)) {
      const reply = await twin.call('relay_tx', { hex: prepared.metadata });
      return this.#round.note(`relayed: ${reply.error?.message ?? 'accepted'}`);
    }
    await twin.call('refresh');
    const account_index = random.pick(ACCOUNTS);
    const { unlocked_balance = 0 } = (await twin.call('get_balance', { account_index })).result ?? {};
    const amount = Math.round(Number(unlocked_balance) * (0.1 + 0.1 * random.below(5)));
    if (amount < XMR / 100) return this.#round.note('nothing to spend');
    const address = random.chance(0.75) ? addresses[account_index] : world.otherAddress;
    const isHeld = random.chance(0.5);
    const reply = await twin.call('transfer', {
      ...{ destinations: [{ address, amount }], account_index },
      ...(isHeld ? { do_not_relay: true, get_tx_metadata: true } : {}),
    });
    if (reply.result === undefined) return this.#round.note(`refused: ${reply.error?.message}`);
    this.#round.elsewhere.add(String(reply.result['tx_hash']));
    this.#round.note(`${isHeld ? 'prepared' : 'spent'} ${amount / XMR} of account ${account_index}`);
    if (isHeld) this.#prepared.push({ metadata: String(reply.result['tx_metadata']) });
  }
}
