import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long a nonce serves; then the client is told that it is stale and takes a new one. */
const LIFETIME_MS = 30 * 60_000;
/** Counters that lie behind the highest one by less than this may still arrive: requests travel in parallel. */
const WINDOW = 1024;
/** Nonces in use at once that counters are kept for. */
const MAX_TRACKED = 4096;
const STAMP_BYTES = 6;
const SALT_BYTES = 10;
const MAC_BYTES = 16;

interface Counters {
  readonly issued: number;
  highest: number;
  /** Bit i: counter `highest - i` was used. */
  used: bigint;
}

export type NonceVerdict = 'fresh' | 'stale';

/**
 * Nonces that carry their own time and proof of origin, so that handing them out costs no memory. Counters are
 * kept only for nonces that a right password came with. Any connection may use any nonce.
 */
export class NonceStore {
  readonly #key = randomBytes(32);
  readonly #counters = new Map<string, Counters>();
  readonly #now: () => number;
  /** Nonces issued up to here whose counters are no longer kept are refused. */
  #forgotten = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get tracked(): number {
    return this.#counters.size;
  }

  issue(): string {
    const body = Buffer.alloc(STAMP_BYTES + SALT_BYTES);
    body.writeUIntBE(this.#now(), 0, STAMP_BYTES);
    randomBytes(SALT_BYTES).copy(body, STAMP_BYTES);
    return Buffer.concat([body, this.#mac(body)]).toString('base64');
  }

  /**
   * Uses one counter of a nonce, once the password that came with it proved right.
   * @param count undefined for a client without counters, which gets one use of a nonce.
   */
  use(nonce: string, count: number | undefined): NonceVerdict {
    const issued = this.#issuedAt(nonce);
    const now = this.#now();
    if (issued === undefined || issued > now || now - issued > LIFETIME_MS) return 'stale';
    const counters =
      this.#counters.get(nonce) ?? (issued <= this.#forgotten ? undefined : { issued, highest: 0, used: 0n });
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
      if (!expired) this.#forgotten = Math.max(this.#forgotten, issued);
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

/** Marks a counter as used; false when it was, or lies too far back. */
function take(counters: Counters, count: number): boolean {
  const behind = counters.highest - count;
  if (count < 1 || behind >= WINDOW) return false;
  if (behind < 0) {
    const shift = -behind >= WINDOW ? WINDOW : -behind;
    counters.used = ((counters.used << BigInt(shift)) | 1n) & ((1n << BigInt(WINDOW)) - 1n);
    counters.highest = count;
    return true;
  }
  const bit = 1n << BigInt(behind);
  if ((counters.used & bit) !== 0n) return false;
  counters.used |= bit;
  return true;
}
