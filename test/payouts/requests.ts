import type { Loose } from '../support/network/json-rpc.js';
import type { Random } from '../support/fakes/seeded-random.js';

/** Address of the payees with what their wallet lists payments to it by. */
export interface PayeeAddress {
  readonly address: string;
  /** Number of the subaddress, and payment id; 16 zeros: none. */
  readonly key: string;
}

/** Address of the payer himself. */
export interface OwnAddress {
  readonly address: string;
  /** Account and number of the subaddress. */
  readonly index: { readonly major: number; readonly minor: number };
}

/** Payout that a client has asked for. */
export interface Request {
  readonly id: string;
  readonly account: number;
  readonly payee: PayeeAddress | OwnAddress;
  /** Credential that asks for it. */
  readonly creator: string;
  /** Terms of the call. */
  readonly terms: Loose;
  /** `unknown`: the answer was lost. */
  answer: 'unknown' | 'created' | 'refused';
  /** End that was answered; absent: none. */
  ended?: 'cancelled' | 'rejected';
}

/** Returns the own address that a payout pays; undefined: it pays a payee. */
export const ownPayeeOf = ({ payee }: Request): OwnAddress | undefined =>
  'index' in payee ? payee : undefined;

/** Parts of {@link Requests}. */
interface Parts {
  readonly payees: readonly PayeeAddress[];
  readonly own: readonly OwnAddress[];
  readonly creator: string;
}

const XMR = 1_000_000_000_000;
const MAX_FEES = [1, 3_000_000, 100_000_000, 10_000_000_000] as const;

/** Payouts that a client has asked for in a round, by their ids. */
export class Requests {
  readonly all = new Map<string, Request>();
  readonly #random: Random;
  readonly #parts: Parts;

  constructor(random: Random, parts: Parts) {
    this.#random = random;
    this.#parts = parts;
  }

  /** Draws a payout. @param now present time [Unix s]. @param account that pays. */
  draw(now: number, account: number): Request {
    const random = this.#random;
    const id = `w-${this.all.size} ${random.text().slice(0, 8)}`;
    const { payees, own, creator } = this.#parts;
    const isOwn = own.length > 0 && random.chance(0.08);
    const payee = isOwn ? own[random.below(own.length)] : payees[random.below(payees.length)];
    if (payee === undefined) throw new Error('there is no payee');
    // Without it an own address is refused.
    const allowsOwn = random.chance(isOwn ? 0.6 : 0.05);
    const terms = {
      payout_id: id,
      address: payee.address,
      amount: this.#amount(),
      ...(allowsOwn ? { allow_own: true } : {}),
      ...(random.chance(0.5) ? { fee: random.pick(['wallet', 'payee']) } : {}),
      ...(random.chance(0.2) ? { max_fee: random.pick(MAX_FEES) } : {}),
      ...(random.chance(0.3) ? { priority: random.below(5) } : {}),
      ...(random.chance(0.12) ? { not_before: now + random.pick([1, 5, 60, 3000]) } : {}),
      ...(random.chance(0.12) ? { expires_at: now + random.pick([2, 10, 120, 20_000]) } : {}),
      ...(random.chance(0.3) ? { reference: random.text() } : {}),
      ...(random.chance(0.3) ? { metadata: { text: random.text(), list: [1, null] } } : {}),
    };
    if ('expires_at' in terms && 'not_before' in terms) delete (terms as Loose).not_before;
    const request: Request = { id, account, payee, creator, terms, answer: 'unknown' };
    this.all.set(id, request);
    return request;
  }

  #amount(): number {
    const random = this.#random;
    if (random.chance(0.03)) return 1 + random.below(50_000_000);
    if (random.chance(0.06)) return 5 * XMR + random.below(1_000_000_000) * 20_000;
    return XMR / 100 + random.below(1_000_000_000) * 1500;
  }

  /** Draws some of the payouts that pass a test. */
  some(most: number, passes: (request: Request) => boolean, random = this.#random): Request[] {
    const left = [...this.all.values()].filter(passes);
    const count = Math.min(left.length, 1 + random.below(most));
    return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)).flat();
  }
}
