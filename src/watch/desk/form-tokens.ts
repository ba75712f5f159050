import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TimeOfDay } from '../../util/clock.js';
import type { Rng } from '../../util/random.js';

/** Fields of a form, by name. */
export type FormFields = Readonly<Record<string, string>>;

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
/** Time for which a form may be sent [ms]. */
const LIFETIME_MS = 3_600_000;
/** Largest number of used tokens that are remembered; beyond it the oldest tokens are refused by their age. */
const MAX_USED = 10_000;

/**
 * Tokens that prove that a form comes from a page of this server, which showed it to the same login with the same fields.
 * Each token is valid once. The key of the tokens is in memory alone.
 */
export class FormTokens {
  readonly #key: Uint8Array;
  readonly #rng: Rng;
  readonly #clock: TimeOfDay;
  /** Ends of the lifetimes of used tokens [Unix ms], by token, the first used first. */
  readonly #used = new Map<string, number>();
  /** Tokens that end before this time are refused [Unix ms], since it is not known any more whether they were used. */
  #refusedUntil = 0;

  constructor(rng: Rng, clock: TimeOfDay) {
    this.#rng = rng;
    this.#clock = clock;
    this.#key = rng(KEY_BYTES);
  }

  /** Makes a token for a form. @param login name of the login that the page is shown to. */
  issue(login: string, fields: FormFields): string {
    const end = this.#clock.now() + LIFETIME_MS;
    const nonce = Buffer.from(this.#rng(NONCE_BYTES)).toString('base64url');
    return `${end}.${nonce}.${this.#mac(end, nonce, login, fields).toString('base64url')}`;
  }

  /** Uses a token. @returns false unless it was made for this login and these fields, is not too old, and was not used. */
  use(token: string, login: string, fields: FormFields): boolean {
    const [, endText = '', nonce = '', mac = ''] =
      /^(\d{1,15})\.([\w-]{1,32})\.([\w-]{43})$/.exec(token) ?? [];
    const end = Number(endText);
    const given = Buffer.from(mac, 'base64url');
    const right = this.#mac(end, nonce, login, fields);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return false;
    const now = this.#clock.now();
    if (end <= now || end <= this.#refusedUntil || this.#used.has(token)) return false;
    this.#remember(token, end, now);
    return true;
  }

  #remember(token: string, end: number, now: number): void {
    for (const [known, until] of this.#used) if (until <= now) this.#used.delete(known);
    if (this.#used.size >= MAX_USED) {
      for (const until of this.#used.values()) this.#refusedUntil = Math.max(this.#refusedUntil, until);
      this.#used.clear();
    }
    this.#used.set(token, end);
  }

  #mac(end: number, nonce: string, login: string, fields: FormFields): Buffer {
    const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
    const text = JSON.stringify([end, nonce, login, sorted]);
    return createHmac('sha256', this.#key).update(text, 'utf8').digest();
  }
}
