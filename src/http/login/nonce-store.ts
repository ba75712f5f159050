import { monotonicMs, type TimeOfDay } from '../../util/clock.js';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Validity of a nonce [ms]; afterwards it is stale, and the client takes a new one. */
const LIFETIME_MS = 30 * 60_000;
/**
 * Distance below the highest counter up to which unused counters are accepted: parallel requests arrive in any order.
 */
const WINDOW = 1024;
/** Largest number of nonces whose counters are stored. */
const MAX_TRACKED = 4096;
const STAMP_BYTES = 6;
const SALT_BYTES = 10;
const MAC_BYTES = 16;

interface Counters {
  readonly issued: number;
  highest: number;
  /** Bit `n % WINDOW` is set if counter `n` was used, for the {@link WINDOW} counters up to the highest one. */
  readonly used: Uint32Array;
}

/**
 * Returns the time since an arbitrary moment [ms]: only this process uses its nonces. By the time of day, a step ahead
 * and back would make used counters usable again, and new nonces stale.
 */
const elapsed: TimeOfDay = { now: () => Math.floor(monotonicMs()) };

/** Result for a nonce: accepted, or to be replaced by the client because it is expired, unknown or used. */
export type NonceVerdict = 'fresh' | 'stale';

/**
 * Issues nonces that contain the time and a MAC, so that issuing a nonce takes no memory. Stores counters only for
 * nonces that were used with the right password. A nonce is valid on any connection.
 */
export class NonceStore {
  readonly #key = randomBytes(32);
  readonly #counters = new Map<string, Counters>();
  readonly #clock: TimeOfDay;
  /**
   * Latest issue time of a nonce whose counters were dropped. Nonces issued up to this time are refused unless their
   * counters are still stored.
   */
  #evictedUpTo = 0;

  constructor(clock: TimeOfDay = elapsed) {
    this.#clock = clock;
  }

  get tracked(): number {
    return this.#counters.size;
  }

  /** Returns a new nonce with the current time. */
  issue(): string {
    const body = Buffer.alloc(STAMP_BYTES + SALT_BYTES);
    body.writeUIntBE(this.#clock.now(), 0, STAMP_BYTES);
    randomBytes(SALT_BYTES).copy(body, STAMP_BYTES);
    return Buffer.concat([body, this.#mac(body)]).toString('base64');
  }

  /**
   * Uses one counter of a nonce. To be called only after the password was verified.
   * @param count counter; undefined for a client without counters, which may use a nonce once.
   */
  use(nonce: string, count: number | undefined): NonceVerdict {
    // The MAC of a nonce with stored counters was verified at its first use.
    const known = this.#counters.get(nonce);
    const issued = known?.issued ?? this.#issuedAt(nonce);
    const now = this.#clock.now();
    if (issued === undefined || issued > now || now - issued > LIFETIME_MS) return 'stale';
    const counters = known ?? (issued <= this.#evictedUpTo ? undefined : unused(issued));
    if (counters === undefined || !take(counters, count ?? 1)) return 'stale';
    if (count === undefined) counters.highest = Number.MAX_SAFE_INTEGER;
    this.#counters.delete(nonce);
    this.#counters.set(nonce, counters);
    this.#evict(now);
    return 'fresh';
  }

  #evict(now: number): void {
    for (const [nonce, { issued }] of this.#counters) {
      const expired = now - issued > LIFETIME_MS;
      if (!expired && this.#counters.size <= MAX_TRACKED) return;
      this.#counters.delete(nonce);
      if (!expired) this.#evictedUpTo = Math.max(this.#evictedUpTo, issued);
    }
  }

  #issuedAt(nonce: string): number | undefined {
    const bytes = Buffer.from(nonce, 'base64');
    if (bytes.length !== STAMP_BYTES + SALT_BYTES + MAC_BYTES) return undefined;
    const body = bytes.subarray(0, STAMP_BYTES + SALT_BYTES);
    return timingSafeEqual(this.#mac(body), bytes.subarray(body.length))
      ? body.readUIntBE(0, STAMP_BYTES)
      : undefined;
  }

  #mac(body: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(body).digest().subarray(0, MAC_BYTES);
  }
}

const unused = (issued: number): Counters => ({ issued, highest: 0, used: new Uint32Array(WINDOW / 32) });

/** Marks a counter as used. @returns false if it was used before, or lies too far below the highest counter. */
function take(counters: Counters, count: number): boolean {
  const { highest, used } = counters;
  if (count < 1 || highest - count >= WINDOW) return false;
  if (count > highest) {
    for (let n = Math.max(highest, count - WINDOW) + 1; n <= count; n++) setBit(used, n % WINDOW, false);
    counters.highest = count;
  } else if (getBit(used, count % WINDOW)) return false;
  setBit(used, count % WINDOW, true);
  return true;
}

const getBit = (bits: Uint32Array, i: number): boolean => (((bits[i >>> 5] ?? 0) >>> (i & 31)) & 1) === 1;

function setBit(bits: Uint32Array, i: number, isSet: boolean): void {
  const mask = 1 << (i & 31);
  bits[i >>> 5] = isSet ? (bits[i >>> 5] ?? 0) | mask : (bits[i >>> 5] ?? 0) & ~mask;
}
