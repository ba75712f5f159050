/** Period over which the rate is measured [ms]. */
const WINDOW_MS = 15_000;
/** Shortest time between two samples [ms]. */
const SAMPLE_MS = 500;
/** Shortest period from which a rate is computed [ms]. */
const LEAST_MS = 1_000;

/** Time after the last step of a refresh at which its progress is not shown any more [ms]. */
const STALE_MS = 60_000;

/** Progress of a wallet's refresh. */
export interface WalletProgress {
  readonly name: string;
  /** Number of blocks that the wallet knows. */
  readonly height: number;
  /** Number of blocks that the daemon has. */
  readonly daemonHeight: number;
  /** Number of blocks scanned per second; undefined while it is unknown. */
  readonly rate: number | undefined;
  /** Estimated time until the wallet knows all blocks [s]; undefined while it is unknown. */
  readonly secondsLeft: number | undefined;
}

interface Sample {
  readonly time: number;
  /** Number of blocks scanned since the first sample. */
  readonly scanned: number;
}

interface Entry {
  height: number;
  daemonHeight: number;
  scanned: number;
  /** Time of the last step of the refresh [ms]. */
  noted: number;
  samples: Sample[];
}

/** Follows the refreshes of the wallets that are behind the daemon. */
export class SyncProgress {
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  /** @param now returns the monotonic time [ms]. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Records a step of a refresh. @param scanned number of blocks scanned in this step. */
  note(name: string, height: number, daemonHeight: number, scanned: number): void {
    if (height >= daemonHeight) return void this.#entries.delete(name);
    const now = this.#now();
    const entry = this.#entries.get(name) ?? { height, daemonHeight, scanned: 0, noted: now, samples: [] };
    // The blocks of the first step do not count, since it began before the first sample.
    if (entry.samples.length > 0) entry.scanned += scanned;
    Object.assign(entry, { height, daemonHeight, noted: now });
    const last = entry.samples.at(-1);
    if (last === undefined || now - last.time >= SAMPLE_MS)
      entry.samples.push({ time: now, scanned: entry.scanned });
    while (entry.samples.length > 2 && now - (entry.samples[1]?.time ?? now) >= WINDOW_MS)
      entry.samples.shift();
    this.#entries.set(name, entry);
  }

  /** Forgets the progress of a wallet that was closed. */
  forget(name: string): void {
    this.#entries.delete(name);
  }

  /** Returns the progress of a wallet; undefined if it was not behind the daemon at its last step. */
  of(name: string): WalletProgress | undefined {
    const entry = this.#entries.get(name);
    return entry && this.#progress(name, entry);
  }

  /** Returns the wallets that are behind the daemon, the wallet that lacks most blocks first. */
  behind(): WalletProgress[] {
    const lacking = ({ height, daemonHeight }: WalletProgress): number => daemonHeight - height;
    const since = this.#now() - STALE_MS;
    return [...this.#entries]
      .filter(([, { noted }]) => noted >= since)
      .map(([name, entry]) => this.#progress(name, entry))
      .sort((a, b) => lacking(b) - lacking(a));
  }

  #progress(name: string, { height, daemonHeight, scanned, samples }: Entry): WalletProgress {
    const [first] = samples;
    const ms = first === undefined ? 0 : this.#now() - first.time;
    const blocks = first === undefined ? 0 : scanned - first.scanned;
    const rate = ms < LEAST_MS || blocks === 0 ? undefined : (1000 * blocks) / ms;
    const secondsLeft = rate === undefined ? undefined : (daemonHeight - height) / rate;
    return { name, height, daemonHeight, rate, secondsLeft };
  }
}
