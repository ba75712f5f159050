import { PAYOUT_REASONS, type PayoutState } from '../../src/model/payout.js';
import type { Loose } from '../support/network/json-rpc.js';

/**
 * States that may follow a state. `none`: before the creation. Whatever paid a payout may be taken back by a
 * reorganisation, and a transaction that the node refused, or that was lost, may turn up after all. A failed payout
 * has no batch that could.
 */
export const NEXT: Readonly<Record<PayoutState | 'none', readonly PayoutState[]>> = {
  none: ['queued', 'awaiting_approval'],
  awaiting_approval: ['queued', 'rejected', 'cancelled', 'expired'],
  queued: [
    'awaiting_approval',
    'awaiting_signature',
    'failed',
    'sending',
    'sent',
    'mined',
    'confirmed',
    'cancelled',
    'expired',
  ],
  awaiting_signature: ['sending', 'sent', 'mined', 'confirmed', 'queued'],
  sending: ['sent', 'mined', 'confirmed', 'queued'],
  sent: ['mined', 'confirmed', 'queued'],
  mined: ['mined', 'confirmed', 'sent', 'queued'],
  confirmed: ['confirmed', 'mined', 'sent', 'queued'],
  failed: [],
  cancelled: [],
  rejected: [],
  expired: [],
};

/** States of a payout that has ended, if nothing is reorganised any more. */
export const ENDS: ReadonlySet<PayoutState> = new Set([
  'confirmed',
  'failed',
  'cancelled',
  'rejected',
  'expired',
]);

const IS_SENT: ReadonlySet<PayoutState> = new Set(['sending', 'sent', 'mined', 'confirmed']);
const IS_MINED: ReadonlySet<PayoutState> = new Set(['mined', 'confirmed']);

/** Everything that the events have said of a payout. */
interface Told {
  readonly states: PayoutState[];
  /** Number of returns because a set was not signed in time. */
  unsigned: number;
  /** Terms as the first event has them. */
  readonly terms: string;
  /** Hashes of the transactions that were to pay it, in their order. */
  readonly hashes: Set<string>;
  last: Loose;
}

/** Event of a payout, as `get_events` has it. */
export interface PayoutEvent {
  readonly id: number;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Loose;
}

/** Follows the events of payouts, and compares each with the states that may follow, and with what lists say. */
export class PayoutStates {
  readonly #told = new Map<string, Told>();
  readonly #events: PayoutEvent[] = [];
  readonly #violate: (text: string) => void;
  readonly #confirmations: number;
  /** Accounts whose pause was answered, and whose end was not asked for since; -1: the whole wallet. */
  readonly #paused = new Set<number>();
  /** Numbers of the events of a payout before the present look, by the id of the payout. */
  #before = new Map<string, number>();
  /** Ids of the payouts that a set was signed for, by the hash of its transaction; undefined: the wallet signs itself. */
  readonly #signed: Map<string, ReadonlySet<string>> | undefined;
  /** Hashes of transactions that a block has had at some time. */
  readonly #mined = new Set<string>();

  /**
   * @param confirmations number of confirmations of a confirmed payout.
   * @param isViewOnly true if another wallet signs all transactions.
   */
  constructor(confirmations: number, violate: (text: string) => void, isViewOnly = false) {
    this.#confirmations = confirmations;
    this.#violate = violate;
    this.#signed = isViewOnly ? new Map() : undefined;
  }

  /** Id of the latest event. */
  get cursor(): number {
    return this.#events.at(-1)?.id ?? 0;
  }

  /** Lists the events after an id. */
  since(id: number): PayoutEvent[] {
    return this.#events.filter((event) => event.id > id);
  }

  /** Ids of all payouts of which an event tells. */
  get ids(): string[] {
    return [...this.#told.keys()];
  }

  /** Hashes of all transactions that were to pay payouts, or were signed for that. */
  get hashes(): Set<string> {
    const told = [...this.#told.values()].flatMap(({ hashes }) => [...hashes]);
    return new Set([...told, ...(this.#signed?.keys() ?? [])]);
  }

  /** Returns the hashes of the transactions that were to pay a payout, or were signed for that. */
  hashesOf(id: string): string[] {
    const signed = [...(this.#signed ?? [])].flatMap(([hash, ids]) => (ids.has(id) ? [hash] : []));
    return [...new Set([...(this.#told.get(id)?.hashes ?? []), ...signed])];
  }

  /** Notes that another wallet has signed a transaction. @param ids payouts that it pays. */
  sign(hash: string, ids: readonly string[]): void {
    this.#signed?.set(hash, new Set(ids));
  }

  /** Returns the number of times that a payout has returned because its set was not signed in time. */
  unsignedOf(id: string): number {
    return this.#told.get(id)?.unsigned ?? 0;
  }

  /** Notes that a block has transactions, or has had them. */
  noteMined(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#mined.add(hash);
  }

  /** Hashes of the transactions of payouts of which no block is known. */
  get unmined(): string[] {
    return [...this.hashes].filter((hash) => !this.#mined.has(hash));
  }

  /** Checks that payouts which count as mined were in a block of the honest node at some time. */
  compareMined(): void {
    for (const [id, { states, last }] of this.#told) {
      const state = states.at(-1) ?? 'none';
      if (IS_MINED.has(state as PayoutState) && !this.#mined.has(String(last.tx_hash)))
        this.#violate(`${id}: is ${state}, and no block has had ${last.tx_hash}`);
    }
  }

  /** Returns the latest state of a payout; undefined without an event. */
  stateOf(id: string): PayoutState | undefined {
    return this.#told.get(id)?.states.at(-1);
  }

  /** Begins a look: states that events of the look report may be listed before or after it. */
  look(): void {
    this.#before = new Map([...this.#told].map(([id, { states }]) => [id, states.length]));
  }

  /** Notes that a pause was answered. @param account -1: of the whole wallet. */
  pause(account: number): void {
    this.#paused.add(account);
  }

  /** Notes that the end of a pause is asked for. */
  resume(account: number): void {
    this.#paused.delete(account);
  }

  /** Enters an event. */
  enter(event: PayoutEvent): void {
    const { id, type, data } = event;
    if (id <= this.cursor) return this.#violate(`the event ${id} follows the event ${this.cursor}`);
    this.#events.push(event);
    const name = String(data.payout_id);
    const state = type.slice('payout.'.length) as PayoutState;
    const known = this.#told.get(name);
    const say = (text: string): void =>
      this.#violate(
        `${name}: ${text}, in the event ${JSON.stringify(event)}; before: ${known?.states.join(', ')}`,
      );
    const was = known?.states.at(-1) ?? 'none';
    if (data.was !== known?.states.at(-1)) say(`was ${String(data.was)} in place of ${was}`);
    if (!NEXT[was].includes(state)) say(`${state} follows ${was}`);
    const terms = JSON.stringify([data.address, data.amount, data.account_index, data.reference]);
    if (known !== undefined && known.terms !== terms) say(`other terms than ${known.terms}`);
    this.#checkFacts(was, state, data, known, say);
    const told = known ?? { states: [], terms, hashes: new Set(), last: data, unsigned: 0 };
    told.states.push(state);
    if (data.reason === 'unsigned') told.unsigned += 1;
    told.last = data;
    if (data.tx_hash !== undefined) told.hashes.add(String(data.tx_hash));
    this.#told.set(name, told);
  }

  #checkFacts(
    was: PayoutState | 'none',
    state: PayoutState,
    data: Loose,
    known: Told | undefined,
    say: (text: string) => void,
  ): void {
    if (IS_SENT.has(state) !== (data.tx_hash !== undefined))
      say('a hash that is missing, or should not be there');
    const hasShare = IS_SENT.has(state) || state === 'awaiting_signature';
    if (hasShare !== (data.fee !== undefined)) say('a fee that is missing, or should not be there');
    if (IS_MINED.has(state) !== (data.height !== undefined))
      say('a height that is missing, or should not be there');
    const isNew = data.tx_hash !== undefined && known?.hashes.has(String(data.tx_hash)) !== true;
    if (state === 'sending' && !isNew) say('an earlier transaction is sent again as a new one');
    const isSigned = this.#signed?.get(String(data.tx_hash))?.has(String(data.payout_id)) === true;
    // Whoever has a signed set may relay it.
    if (state !== 'sending' && isNew && !isSigned) say('a transaction that was never about to be sent');
    if (this.#signed !== undefined && data.tx_hash !== undefined && !isSigned)
      say('a transaction that nobody has signed for it');
    if (this.#signed === undefined && (state === 'awaiting_signature' || data.reason === 'unsigned'))
      say('a set to sign of a wallet that signs itself');
    const isReturn = state === 'queued' && was !== 'none' && was !== 'awaiting_approval';
    if ((isReturn || state === 'failed') && !PAYOUT_REASONS.includes(data.reason)) say('no reason');
    if (
      IS_MINED.has(was as PayoutState) &&
      !(was === 'mined' && state === 'confirmed') &&
      data.reason === undefined
    )
      say('no reason for what was mined');
    // A signed set may be submitted during a pause.
    if (state !== (this.#signed === undefined ? 'sending' : 'awaiting_signature')) return;
    for (const account of [-1, Number(data.account_index)])
      if (this.#paused.has(account))
        say(`sent while ${account < 0 ? 'the wallet' : `account ${account}`} is paused`);
  }

  /** True if the events since the last look tell of the state of a listed payout. */
  tells({ payout_id, state }: Loose): boolean {
    return this.#recentOf(String(payout_id)).includes(state as PayoutState);
  }

  /** States of a payout since the last look, and the one before. */
  #recentOf(name: string): readonly PayoutState[] {
    return (this.#told.get(name)?.states ?? []).slice(Math.max(0, (this.#before.get(name) ?? 0) - 1));
  }

  /** Compares a payout of a list, or of `get_payout`, which was read during the look. */
  compare(payout: Loose): void {
    const name = String(payout.payout_id);
    const told = this.#told.get(name);
    const say = (text: string): void => this.#violate(`${name}: ${text}: ${JSON.stringify(payout)}`);
    if (told === undefined) return say('no event tells of it');
    const recent = this.#recentOf(name);
    const state = payout.state as PayoutState;
    if (!recent.includes(state)) say(`listed as ${state} while events say ${recent.join(', ')}`);
    if (state === 'mined' && payout.confirmations >= this.#confirmations)
      say('mined with all confirmations, and not confirmed');
    if (IS_SENT.has(state) && (payout.tx_hash === undefined || payout.received === undefined))
      say('no transaction');
    if (payout.max_fee !== undefined && payout.fee_share > payout.max_fee)
      say('the share of the fee is above the limit');
    const paid = payout.received + (payout.fee === 'payee' ? payout.fee_share : 0);
    if (payout.received !== undefined && IS_SENT.has(state) && paid !== payout.amount)
      say(`the payee gets ${paid} with the fee`);
    if (recent.length > 1 || !IS_SENT.has(state)) return;
    for (const [field, right] of [
      ['tx_hash', told.last.tx_hash],
      ['height', told.last.height],
      ['fee_share', told.last.fee],
    ] as const)
      if (payout[field] !== right) say(`${field} is not ${String(right)}, as the latest event says`);
  }

  /** Compares events that were read again with those of before. @param after id of the event before them. */
  again(after: number, events: readonly PayoutEvent[]): void {
    const before = this.#events.filter(({ id }) => id > after).map((event) => JSON.stringify(event));
    const now = events.slice(0, before.length).map((event) => JSON.stringify(event));
    const i = before.findIndex((text, at) => text !== now[at]);
    if (i >= 0) this.#violate(`the event ${before[i]} is now ${now[i]}`);
  }
}
