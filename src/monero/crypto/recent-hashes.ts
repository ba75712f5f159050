import { createHmac, randomBytes } from 'node:crypto';

/** Hashes a preimage `rounds` times with a slow hash. */
export type Stretch = (preimage: Uint8Array, rounds: number) => Promise<Uint8Array>;

/**
 * A digest that is known or being computed, with the timer that removes it; no timer runs while the digest is computed.
 */
interface Entry {
  readonly digest: Promise<Uint8Array>;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Cache of recently requested digests of a slow hash: wallets that are created or opened one after the other often have
 * the same password. Instead of a preimage it stores the preimage's MAC under a key of this process. A digest is wiped
 * when it was not returned for some time.
 */
export class RecentHashes {
  readonly #stretch: Stretch;
  readonly #ms: number;
  readonly #key = randomBytes(32);
  readonly #entries = new Map<string, Entry>();

  /** @param stretch the slow hash. @param ms time for which a digest is kept after it was last returned [ms]. */
  constructor(stretch: Stretch, ms: number) {
    this.#stretch = stretch;
    this.#ms = ms;
  }

  /** Returns the digest of a preimage, in a buffer that no other caller has. @throws the errors of the slow hash. */
  readonly digest: Stretch = async (preimage, rounds) => {
    const name = createHmac('sha256', this.#key).update(`${rounds} `).update(preimage).digest('hex');
    const entry = this.#entries.get(name) ?? this.#compute(name, preimage, rounds);
    clearTimeout(entry.timer);
    const digest = Uint8Array.from(await entry.digest);
    if (this.#entries.get(name) === entry) this.#startTimer(name, entry);
    return digest;
  };

  /** Wipes all digests. */
  clear(): void {
    for (const name of [...this.#entries.keys()]) this.#end(name);
  }

  #compute(name: string, preimage: Uint8Array, rounds: number): Entry {
    const entry: Entry = { digest: this.#stretch(preimage, rounds) };
    this.#entries.set(name, entry);
    entry.digest.catch(() => this.#end(name));
    return entry;
  }

  #startTimer(name: string, entry: Entry): void {
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => this.#end(name), this.#ms).unref();
  }

  #end(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    clearTimeout(entry.timer);
    // The digest is wiped after the callers that wait for it have copied it.
    entry.digest.then(
      (digest) => digest.fill(0),
      () => undefined,
    );
  }
}
