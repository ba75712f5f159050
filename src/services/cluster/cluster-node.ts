import type { Cluster, Member, Quorum } from '../../cluster/cluster.js';
import type { WalletEntry } from '../../cluster/lease.js';
import { faultOf, WalletError } from '../../model/wallet-error.js';
import type { Clock } from '../../util/clock.js';
import { SharedRun } from '../../util/concurrency.js';
import type { WalletLog } from '../context/wallet-context.js';
import { Custody } from './custody.js';
import { FailedTakeovers, assign, giverFor, takersOf } from './takeovers.js';
import type { HeldWallet } from './held-wallet.js';

/** Wallets of this process, as a {@link ClusterNode} opens and closes them. */
export interface NodeWallets {
  /** Opens a wallet under its path. @throws WalletError */
  open(name: string): Promise<void>;
  /** True if a wallet is open under its path. */
  isOpen(name: string): boolean;
  /** True while a wallet is about to be opened under its path, or is being opened. */
  isAwaited(name: string): boolean;
  /** Closes a wallet for all its holders. @param destination address of the next holder; absent: any process. */
  handOver(held: HeldWallet, destination: string | undefined): Promise<void>;
}

/** Parts of a {@link ClusterNode}. */
export interface ClusterNodeParts {
  readonly cluster: Cluster;
  /** Address of this process. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: WalletLog;
  /** Longest wait for the quorum [ms]; absent: the longest wait of the store. */
  readonly timeoutMs?: number;
  /** True if this process has the password of a wallet. */
  readonly hasPassword: (name: string) => boolean;
  /** Asks another process, and returns its answer. @throws Error if the process does not answer. */
  readonly ask: (
    member: string,
    action: string,
    body: { readonly [member: string]: string },
  ) => Promise<unknown>;
}

/** Process that has to answer a request for a wallet; `changing` while no process holds the wallet. */
export type Place =
  | 'here'
  /** This process holds the wallet until the request is answered. `release`: to be called after the answer. */
  | { readonly release: () => void }
  /** Another process holds the wallet. `url`: address of the process. */
  | { readonly url: string }
  | 'changing';

/** Longest interval between looks at the cluster [ms]. */
const LOOK_MS = 500;

/** Shortest interval between looks: the leases of several members may end one after the other [ms]. */
const SHORTEST_LOOK_MS = 50;

/** Time from the end of the leases of a member to the look that finds them ended [ms]. */
const AFTER_LAPSE_MS = 10;

/** Looks after which any process opens a wallet without a holder that the assigned process has not opened. */
const LOOKS_TO_OTHERS = 4;

/**
 * Number of looks after which a wallet without a holder counts as closed in a process that cannot open it, so that
 * clients can open it in this process.
 */
const LOOKS_TO_CLIENTS = 12;

/** Age of the list of wallets from which it is read again for a request for a wallet that has a holder [ms]. */
const MOST_AGE_MS = 250;

/** Number of wallets that move at the same time when this process stops. */
const MOVES_AT_ONCE = 8;

/** Number of looks between two requests of this process to another process for a wallet. */
const LOOKS_PER_SHARE = 2;

/**
 * This process as a member of a cluster: opens wallets whose holder has ended, spreads wallets over the members, gives
 * them away at the end, and knows which process answers requests for a wallet.
 */
export class ClusterNode {
  readonly custody: Custody;
  readonly #parts: ClusterNodeParts;
  #wallets: NodeWallets | undefined;
  #entries: readonly WalletEntry[] = [];
  #members: readonly Member[] = [];
  /** Number of looks at which a wallet had no holder, by name. */
  readonly #orphans = new Map<string, number>();
  /** Wallets that could not be opened, by name. */
  readonly #failures = new FailedTakeovers();
  /** Time of the last read of the wallets and members [Unix ms]. */
  #readAt = 0;
  #looks = 0;
  /** Reads the wallets and members after the call: an earlier read may miss changes confirmed to a client. */
  readonly #reading = new SharedRun(() => this.#read());
  #cancel: () => void = () => undefined;
  #look: Promise<void> = Promise.resolve();
  #isDraining = false;
  /** True once this process, which stops, has given its wallets away: from then on it takes and gives no wallet. */
  hasDrained = false;
  #isClosed = false;
  #isReachable = true;
  #takeovers = 0;

  constructor(parts: ClusterNodeParts) {
    const { cluster, clock, log, timeoutMs } = parts;
    this.#parts = parts;
    const { leases, logs, quorum } = cluster;
    this.custody = new Custody({ leases, logs, quorum, clock, log, timeoutMs });
  }

  /** Address of this process. */
  get url(): string {
    return this.#parts.url;
  }

  /** Tells whether this process may answer for its wallets. */
  get quorum(): Quorum {
    return this.#parts.cluster.quorum;
  }

  /** True if the database answered the last look. */
  get isReachable(): boolean {
    return this.#isReachable;
  }

  /** Number of wallets that this process has opened because their holder had ended, or had given them away. */
  get takeovers(): number {
    return this.#takeovers;
  }

  /** Time by which the clock of this machine is ahead of the clock of the database [ms]. */
  get clockAheadMs(): number {
    return this.#parts.cluster.clock.aheadMs;
  }

  /** Members as of the last look. */
  get members(): readonly Member[] {
    return this.#members;
  }

  /** Wallets of the cluster as of the last look. */
  get entries(): readonly WalletEntry[] {
    return this.#entries;
  }

  /** Reads the wallets of the cluster. If the database does not answer, returns the wallets of the last look. */
  async currentEntries(): Promise<readonly WalletEntry[]> {
    await this.refresh();
    return this.#entries;
  }

  /** Begins to look at the cluster. To be called once. */
  start(wallets: NodeWallets): void {
    this.#wallets = wallets;
    this.#schedule(0);
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.#look = this.#lookAround()
        .catch((error: unknown) => this.#parts.log.error({ err: error }, 'bug: a look at the cluster failed'))
        .finally(() => this.#schedule(this.#pauseMs()));
    });
  }

  /** Returns the time until the next look: the end of leases that are no longer renewed is awaited exactly. */
  #pauseMs(): number {
    if (!this.#isReachable) return LOOK_MS;
    const ends = this.#members.filter(({ isAlive }) => isAlive).map(({ remainingMs }) => remainingMs);
    return Math.min(LOOK_MS, Math.max(SHORTEST_LOOK_MS, Math.min(...ends) + AFTER_LAPSE_MS));
  }

  async #lookAround(): Promise<void> {
    const { log } = this.#parts;
    try {
      await this.#reading.run();
      if (!this.#isReachable) log.info({}, 'the database of the cluster answers again');
      this.#isReachable = true;
    } catch (error) {
      if (this.#isReachable) log.warn({ err: error }, 'the database of the cluster does not answer');
      this.#isReachable = false;
      return;
    }
    await this.custody.freeRest();
    if (this.#isDraining || this.#isClosed) return;
    this.#looks += 1;
    await this.#openOrphans();
    if (this.#looks % LOOKS_PER_SHARE === 0) await this.#share();
  }

  async #read(): Promise<void> {
    const { leases, members } = this.#parts.cluster;
    [this.#entries, this.#members] = await Promise.all([leases.list(), members.list()]);
    this.#readAt = this.#parts.clock.now();
  }

  /** Opens the wallets that were given to this process, and its part of the wallets whose holder has ended. */
  async #openOrphans(): Promise<void> {
    const { url } = this.#parts;
    const missing = this.#entries.filter(({ name }) => this.custody.find(name) === undefined);
    const given = missing.filter((entry) => this.#isGiven(entry));
    // A wallet that its holder has released was closed on purpose.
    const orphans = missing.filter(
      ({ holder, hasFalseHolder, isLapsed }) => isLapsed && (holder !== undefined || hasFalseHolder === true),
    );
    const names = new Set(orphans.map(({ name }) => name));
    for (const name of this.#orphans.keys()) if (!names.has(name)) this.#orphans.delete(name);
    for (const name of names) this.#orphans.set(name, (this.#orphans.get(name) ?? 0) + 1);
    const assigned = assign([...names], this.#members);
    const mine = orphans.filter(
      ({ name }) =>
        this.#parts.hasPassword(name) &&
        (assigned.get(name) === url || (this.#orphans.get(name) ?? 0) > LOOKS_TO_OTHERS),
    );
    const due = [...given, ...mine].filter(({ name }) => this.#failures.isDue(name, this.#looks));
    await Promise.all(due.map(({ name }) => this.#open(name)));
  }

  /**
   * True if the cluster names this process as the holder of a wallet that it does not hold, and has not released or lost.
   */
  #isGiven({ name, epoch, holder, isLapsed }: WalletEntry): boolean {
    const { custody } = this;
    const hasEnded = custody.hasReleased(name, epoch) || custody.hasLost(name, epoch);
    return holder === this.url && !isLapsed && !hasEnded;
  }

  /** True if this process has the password of a wallet, and has not failed to open it, except for lack of a quorum. */
  #canOpen(name: string): boolean {
    const reason = this.#failures.reasonOf(name);
    return this.#parts.hasPassword(name) && (reason === undefined || reason === 'not_replicated');
  }

  async #open(name: string): Promise<void> {
    const { log } = this.#parts;
    try {
      await this.#wallets?.open(name);
      this.#takeovers += 1;
      log.info({ name }, 'a wallet of the cluster was taken over');
      this.#failures.delete(name);
    } catch (error) {
      // After `wallet_elsewhere`, another process has opened the wallet first.
      const kind = faultOf(error)?.kind;
      if (kind === 'wallet_elsewhere') return;
      const reason = kind ?? String(error);
      if (this.#failures.add(name, reason, this.#looks))
        log.error({ err: error, name }, 'a wallet of the cluster cannot be taken over');
    }
  }

  /** Asks the most loaded member for a wallet, if this process has less than its share. */
  async #share(): Promise<void> {
    const giver = giverFor(this.#members);
    if (giver === undefined) return;
    const wanted = this.#entries.find(
      ({ name, holder, isLapsed }) => holder === giver.url && !isLapsed && this.#parts.hasPassword(name),
    );
    if (wanted === undefined) return;
    try {
      await this.#parts.ask(giver.url, 'give', { name: wanted.name, to: this.#parts.url });
    } catch (error) {
      this.#parts.log.warn(
        { err: error, name: wanted.name },
        'a member of the cluster did not give a wallet',
      );
    }
  }

  /**
   * Answers the request of another process.
   * @param action `give`: gives a wallet to a process. `accepts`: returns whether this process can open a wallet.
   * @throws WalletError
   */
  async answer(action: string, body: unknown): Promise<{ readonly [member: string]: boolean }> {
    const { name, to } = (body ?? {}) as { readonly name?: unknown; readonly to?: unknown };
    if (typeof name !== 'string') throw badRequest('the name of a wallet is missing');
    if (action === 'accepts') return { accepts: !this.#isDraining && this.#parts.hasPassword(name) };
    if (action !== 'give' || typeof to !== 'string') throw badRequest(`there is no action ${action}`);
    const held = this.custody.find(name);
    if (held === undefined || held.isMoving) throw badRequest(`the wallet '${name}' is not held here`);
    await this.#handOver(held, to);
    return {};
  }

  /**
   * Begins to give a wallet of this process to another process, and does not wait for the end.
   * @param to address of the other process; absent: the least loaded process that can open the wallet.
   * @returns the address of the next holder. @throws WalletError `bad_cluster_request`
   */
  async beginMove(held: HeldWallet, to?: string): Promise<string> {
    const url = await this.#destinationOf(held, to);
    if (url === this.url) return url;
    void this.#handOver(held, url).catch((error: unknown) =>
      this.#parts.log.error({ err: error, name: held.lease.name, to: url }, 'moving a wallet failed'),
    );
    return url;
  }

  /** Finds a process that can open a wallet. @throws WalletError `bad_cluster_request` */
  async #destinationOf(held: HeldWallet, to?: string): Promise<string> {
    const candidates = to === undefined ? takersOf(this.#members).map(({ url }) => url) : [to];
    for (const url of candidates) {
      if (url === this.url) {
        if (to === undefined) continue;
        return url;
      }
      if (!this.#members.some((member) => member.url === url && member.isAlive))
        throw badRequest(`no living process of the cluster has the address ${url}`);
      if (await this.#isAccepted(held.lease.name, url)) return url;
    }
    throw badRequest('no other process of the cluster has the password of the wallet');
  }

  async #isAccepted(name: string, url: string): Promise<boolean> {
    try {
      const answer = (await this.#parts.ask(url, 'accepts', { name })) as { readonly accepts?: unknown };
      return answer.accepts === true;
    } catch (error) {
      this.#parts.log.warn({ err: error, member: url }, 'a member of the cluster does not answer');
      return false;
    }
  }

  async #handOver(held: HeldWallet, destination: string | undefined): Promise<void> {
    await this.#wallets?.handOver(held, destination);
    await this.refresh();
  }

  /**
   * Finds the process that has to answer a request for a wallet.
   * @returns `changing` while the wallet moves, is being opened here, or waits for the next holder, or while it is
   * unknown whether the wallet has a holder, because the database does not answer.
   */
  async place(name: string): Promise<Place> {
    const place = await this.#placeOf(name);
    return place === 'here' && this.#wallets?.isAwaited(name) === true ? 'changing' : place;
  }

  async #placeOf(name: string): Promise<Place> {
    const held = this.custody.find(name);
    if (held !== undefined) {
      const isReady = !held.isMoving && !held.isLost && this.#wallets?.isOpen(name) === true;
      return isReady ? { release: held.begin() } : 'changing';
    }
    const find = (): WalletEntry | undefined => this.#entries.find((known) => known.name === name);
    // A wallet without a holder may have got a holder since the last read, here or in another process. A former holder
    // passes a request on. Without the database, the last known holder is asked at once.
    const isRecent = this.#parts.clock.now() - this.#readAt <= MOST_AGE_MS && find()?.holder !== undefined;
    const isKnown = isRecent || (this.#isReachable && (await this.refresh()));
    const entry = find();
    const { holder } = entry ?? {};
    if (entry?.hasFalseHolder === true && !entry.isLapsed) return 'changing';
    // The last holder has closed the wallet: this process can open it, or answer that it is closed.
    if (entry === undefined || (holder === undefined && entry.hasFalseHolder !== true))
      return isKnown ? 'here' : 'changing';
    if (!entry.isLapsed && holder !== undefined && holder !== this.url) return { url: holder };
    if (!entry.isLapsed) return isKnown ? this.#placeOfOwn(entry) : 'changing';
    // No process takes the wallet over: a client that has its password can open it.
    return (this.#orphans.get(name) ?? 0) > LOOKS_TO_CLIENTS && !this.#canOpen(name) ? 'here' : 'changing';
  }

  /**
   * Finds the place of a wallet that this process holds according to the list, but not in fact. The place is `changing`
   * if the wallet is about to be opened or to leave, or if this process has lost it. Otherwise a client can open the
   * wallet here, because the database did not store its release, or because this process cannot open it.
   */
  #placeOfOwn(entry: WalletEntry): Place {
    const { name, epoch } = entry;
    const { custody } = this;
    const isOpened = this.#isGiven(entry) && this.#canOpen(name);
    const isChanging =
      custody.isChanging(name) || custody.find(name) !== undefined || custody.hasLost(name, epoch);
    return isOpened || isChanging ? 'changing' : 'here';
  }

  /**
   * Looks at the cluster at once, because a wallet is not held by the process that the last look has shown.
   * @returns false if the database does not answer, and the last known holders stay.
   */
  async refresh(): Promise<boolean> {
    try {
      await this.#reading.run();
      return true;
    } catch {
      // The next look reports the failure.
      return false;
    }
  }

  /**
   * Gives all wallets of this process to other processes, because it stops. Any process can open the rest after its
   * end.
   */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.custody.beginStop();
    await this.refresh();
    const rest = this.custody.all();
    const workers = Array.from({ length: MOVES_AT_ONCE }, async () => {
      for (let held = rest.shift(); held !== undefined; held = rest.shift()) await this.#giveAway(held);
    });
    await Promise.all(workers);
    this.hasDrained = true;
  }

  async #giveAway(held: HeldWallet): Promise<void> {
    try {
      await this.#handOver(held, await this.#destinationOf(held));
    } catch (error) {
      const facts = { err: error, name: held.lease.name };
      this.#parts.log.warn(facts, 'a wallet was not given to another process: any process can open it');
    }
  }

  /** Ends the looks at the cluster. Resolves once no wallet is being opened. */
  async stop(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#look;
  }

  /** Leaves the cluster, after all wallets were closed. */
  async close(): Promise<void> {
    try {
      await this.#parts.cluster.members.leave();
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'this process did not leave the cluster');
    }
    await this.#parts.cluster.close();
  }
}

const badRequest = (reason: string): WalletError => new WalletError({ kind: 'bad_cluster_request', reason });
