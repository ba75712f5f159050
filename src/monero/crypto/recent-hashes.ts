import { createHmac, randomBytes } from 'node:crypto';

/** A slow hash of a preimage. */
export type Stretch = (preimage: Uint8Array, rounds: number) => Promise<Uint8Array>;

/** A digest that is computed or known, with the timer that ends it. */
interface Entry {
  readonly digest: Promise<Uint8Array>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Digests of slow hashes that were asked for a moment ago: wallets that are created or opened one after the other often
 * have one password. Holds no preimage, but its MAC under a key of this process; a digest is wiped once it was not asked
 * for during the time.
 */
export class RecentHashes {
  readonly #stretch: Stretch;
  readonly #ms: number;
  readonly #key = randomBytes(32);
  readonly #entries = new Map<string, Entry>();

  /** @param ms time from the last call for a digest to its end. */
  constructor(stretch: Stretch, ms: number) {
    this.#stretch = stretch;
    this.#ms = ms;
  }

  /** @returns a digest that no other caller has. @throws as the slow hash. */
  readonly digest: Stretch = async (preimage, rounds) => {
    const name = createHmac('sha256', this.#key).update(`${rounds} `).update(preimage).digest('hex');
    const known = this.#entries.get(name);
    clearTimeout(known?.timer);
    const digest = known?.digest ?? this.#compute(name, preimage, rounds);
    this.#entries.set(name, { digest, timer: setTimeout(() => this.#end(name), this.#ms).unref() });
    return Uint8Array.from(await digest);
  };

  /** Wipes all digests. */
  clear(): void {
    for (const name of [...this.#entries.keys()]) this.#end(name);
  }

  #compute(name: string, preimage: Uint8Array, rounds: number): Promise<Uint8Array> {
    const digest = this.#stretch(preimage, rounds);
    digest.catch(() => this.#end(name));
    return digest;
  }

  #end(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    clearTimeout(entry.timer);
    // Callers that wait have their copies first.
    entry.digest.then(
      (digest) => digest.fill(0),
      () => undefined,
    );
  }
}
