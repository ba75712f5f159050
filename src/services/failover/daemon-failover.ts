import type { Logger } from 'pino';
import type { DaemonCallReport } from '../../daemon/call-report.js';
import { DaemonError } from '../../daemon/errors.js';
import type { Clock } from '../../util/clock.js';
import type { ChainTip } from '../context/chain-tip.js';
import type { DaemonConnection } from '../context/daemon-connection.js';
import type { DaemonList, NamedDaemon } from '../context/daemon-list.js';
import {
  checkChain,
  checkHistory,
  checkState,
  checkTip,
  hashesOf,
  UnfitDaemon,
  type RequiredChain,
  withServedBlock,
} from './chain-check.js';
import {
  DaemonStanding,
  bestHeight,
  isBehind,
  MAX_FAILURES,
  proposeSwitch,
  type SwitchProposal,
  type SwitchReason,
  type VoteSubject,
} from './daemon-standing.js';
import { FailureCount } from './failure-count.js';

/** Time between the starts of two rounds of probes [ms]; `failing` while the serving daemon fails. */
const PROBE_MS = { usual: 10_000, failing: 2_000 };
/** Shortest pause between two rounds of probes [ms]. */
const MIN_PAUSE_MS = 1_000;
/** Longest time for one call of a probe [ms], directly and through a proxy. */
const CALL_MS = { direct: 5_000, proxy: 20_000 };
/** Longest time for the check of a daemon before it takes over [ms]. */
const CHECK_MS = 30_000;

/** State of a listed daemon by its last probe. */
export interface DaemonStatus {
  /** Address `host:port` of the daemon. */
  readonly name: string;
  readonly serves: boolean;
  /** Number of blocks of the daemon; absent if it cannot serve. */
  readonly height?: number;
  /** Reason why the daemon cannot serve; absent if it can. */
  readonly problem?: string;
  /** Listed daemons with which this one is one node, and why; absent without `--daemon-quorum`, and if there are none. */
  readonly twins?: string;
}

export interface FailoverParts {
  readonly connection: DaemonConnection;
  /** Returns the blocks of the open wallets; called for each check. */
  readonly chain: () => RequiredChain;
  readonly clock: Clock;
  /** Returns the monotonic time [ms]. */
  readonly elapsed: () => number;
  readonly log: Logger;
  /** Called after each switch to another daemon. */
  readonly onSwitch: () => void;
  /** Returns {@link DaemonStatus.twins}; absent without `--daemon-quorum`. */
  readonly twinsOf?: ((daemon: NamedDaemon) => string | undefined) | undefined;
}

/**
 * Chooses which listed daemon serves. Probes all listed daemons; replaces the serving daemon when it fails or is
 * behind, and returns to a preferred daemon when it is healthy again. A daemon takes over only after a check of its
 * chain. Sends no probe if only one daemon is listed.
 */
export class DaemonFailover {
  readonly #parts: FailoverParts;
  readonly #failures = new FailureCount();
  readonly #switches = new Map<SwitchReason, number>();
  readonly #retired: RetiredDaemons;
  #standings: readonly DaemonStanding[] = [];
  #list: DaemonList;
  #cancelTimer: () => void = () => undefined;
  #isProbing = false;
  #isStuck = false;
  #isRunning = false;

  constructor(parts: FailoverParts) {
    this.#parts = parts;
    this.#retired = new RetiredDaemons(parts.clock);
    this.#list = parts.connection.list;
    this.#reset();
  }

  /** Starts the first round of probes. */
  start(): void {
    this.#isRunning = true;
    this.#probeNow();
  }

  /** Starts again with the new list after the list of daemons was replaced. */
  restart(): void {
    this.#reset();
    this.#probeNow();
  }

  /** Ends the probes, and the calls to daemons that were replaced. */
  close(): void {
    this.#isRunning = false;
    this.#cancelTimer();
    this.#retired.close();
  }

  /** Number of switches to another daemon since the start, by reason. */
  get switches(): ReadonlyMap<SwitchReason, number> {
    return this.#switches;
  }

  /** Listed daemons in the order of preference, with the results of their last probes. */
  get statuses(): readonly DaemonStatus[] {
    const { connection, twinsOf } = this.#parts;
    return this.#standings.map(({ daemon, info, problem }) => {
      const twins = twinsOf?.(daemon);
      return {
        name: daemon.name,
        serves: daemon === connection.current,
        ...(info === undefined ? {} : { height: info.height }),
        ...(problem === undefined ? {} : { problem }),
        ...(twins === undefined ? {} : { twins }),
      };
    });
  }

  /** Ends of the chains of the listed daemons that do not serve, by their last probes. */
  get otherTips(): readonly ChainTip[] {
    const { connection } = this.#parts;
    return this.#standings.flatMap(({ daemon, tip }) =>
      daemon === connection.current || tip === undefined ? [] : [tip],
    );
  }

  /**
   * Counts the result of a call to a daemon that serves or served. @param address address of the daemon, as configured.
   */
  note(report: DaemonCallReport, address: string): void {
    const { connection, elapsed } = this.#parts;
    const isDisproven = report.failure === 'forged' && this.#noteForgery(report, address);
    // Late failures of calls to a replaced daemon do not count.
    if (!this.#isActive || address !== connection.address) return;
    const before = this.#failures.count;
    if (report.failure !== 'forged') this.#failures.note(report, elapsed());
    if (isDisproven || (before < MAX_FAILURES && this.#failures.count >= MAX_FAILURES)) this.#probeNow();
  }

  /**
   * Lets a daemon whose answer was disproven serve no more until the list is replaced.
   * @returns true if no answer of the daemon was disproven before.
   */
  #noteForgery(
    { call, disproof: reason = `a forged answer to ${call}` }: DaemonCallReport,
    address: string,
  ): boolean {
    let isFirst = false;
    for (const standing of this.#standings) {
      const { daemon } = standing;
      if (daemon.config.address !== address) continue;
      isFirst ||= standing.disproof === undefined;
      standing.setDisproof({ call, reason });
      this.#parts.log.error(
        { daemon: daemon.name, reason },
        'the daemon has sent forged data, which is not used',
      );
    }
    return isFirst;
  }

  /**
   * Leaves a daemon out while it contradicts the blocks, or the data for rings, on which enough others agree: see
   * {@link BlockQuorum} and {@link RingWitness}. The serving daemon is replaced at once.
   */
  noteVote({ name }: NamedDaemon, contradiction: string | undefined, subject: VoteSubject = 'blocks'): void {
    const standing = this.#standings.find(({ daemon }) => daemon.name === name);
    if (standing === undefined || standing.contradictionIn(subject) === contradiction) return;
    const before = standing.contradiction;
    standing.setContradiction(subject, contradiction);
    if (contradiction === undefined) return;
    if (before === undefined)
      this.#parts.log.warn({ daemon: name, reason: contradiction }, 'a listed daemon contradicts the others');
    if (standing.daemon === this.#parts.connection.current) this.#probeNow();
  }

  get #isActive(): boolean {
    return this.#isRunning && this.#standings.length > 1;
  }

  #reset(): void {
    this.#list = this.#parts.connection.list;
    this.#standings = this.#list.entries.map((daemon) => new DaemonStanding(daemon));
    this.#failures.clear();
    this.#isStuck = false;
  }

  /** Starts a round of probes, unless one runs. */
  #probeNow(): void {
    if (this.#isProbing) return;
    this.#cancelTimer();
    if (this.#isActive) void this.#round();
  }

  async #round(): Promise<void> {
    const { clock, elapsed } = this.#parts;
    const list = this.#list;
    const start = elapsed();
    this.#isProbing = true;
    try {
      await Promise.all(this.#standings.map((standing) => this.#probe(standing)));
      if (this.#isCurrent(list)) await this.#decide();
    } catch (error) {
      this.#parts.log.error({ err: error }, 'probing the daemons failed');
    } finally {
      this.#isProbing = false;
    }
    if (!this.#isActive) return;
    if (list !== this.#list) return this.#probeNow();
    const serving = this.#standings[this.#parts.connection.serving];
    const isFailing = (this.#failures.count > 0 || serving?.isRefuted === true) && !this.#isStuck;
    const next = start + (isFailing ? PROBE_MS.failing : PROBE_MS.usual);
    this.#cancelTimer = clock.after(Math.max(MIN_PAUSE_MS, next - elapsed()), () => this.#probeNow());
  }

  /** True if the list with which a round of probes began is still in use. */
  #isCurrent(list: DaemonList): boolean {
    return this.#isActive && list === this.#list;
  }

  /** Probes a daemon and records the result, an error of the daemon included. */
  async #probe(standing: DaemonStanding): Promise<void> {
    const { connection, chain, elapsed } = this.#parts;
    const list = this.#list;
    const { daemon } = standing;
    const start = elapsed();
    const options = { deadline: callTime(daemon) };
    const isServing = daemon === connection.current;
    try {
      const client = list.client(daemon);
      const { network, histories } = chain();
      const info = await checkState(client, network, options);
      const newest = standing.hasVerified(info) ? undefined : await checkTip(client, info, options);
      if (isServing) {
        const held = withServedBlock(newestOf(histories), standing.newest);
        await checkHistory(hashesOf(client, options), info.height, held);
      }
      standing.setInfo(info, newest);
      if (isServing && this.#isCurrent(list)) this.#failures.noteAnswer('probe');
    } catch (error) {
      const problem = problemOf(error);
      standing.setProblem(problem);
      if (isServing && this.#isCurrent(list))
        this.#failures.noteFailure('probe', problem, { start, end: elapsed() });
    }
  }

  /** Switches to another daemon if a switch is proposed and a candidate passes its check. */
  async #decide(): Promise<void> {
    const list = this.#list;
    let wanted = this.#propose();
    this.#isStuck &&= wanted !== undefined;
    for (let proposal = wanted; proposal !== undefined; proposal = this.#propose()) {
      wanted = proposal;
      const [candidate] = proposal.candidates;
      if (candidate === undefined) break;
      const problem = await this.#check(candidate);
      if (!this.#isCurrent(list)) return;
      if (problem === undefined) {
        this.#countProbes();
        return this.#switchTo(candidate, proposal);
      }
      candidate.setProblem(problem);
    }
    // The probes are counted after the checks, so that the other daemons are not compared with the height of a daemon
    // that failed its check.
    this.#countProbes();
    if (wanted !== undefined && this.#propose() !== undefined) this.#reportStuck(wanted);
  }

  #countProbes(): void {
    const best = bestHeight(this.#standings);
    for (const standing of this.#standings)
      if (standing.info !== undefined)
        standing.countProbe(isBehind(standing, best), standing.daemon === this.#parts.connection.current);
  }

  #propose(): SwitchProposal | undefined {
    const { serving } = this.#parts.connection;
    return proposeSwitch({ standings: this.#standings, serving, failures: this.#failures });
  }

  /** Checks that a daemon can take over. @returns the reason if it cannot. */
  async #check(candidate: DaemonStanding): Promise<string | undefined> {
    const { daemon, info } = candidate;
    if (info === undefined) return 'it does not answer';
    const { clock } = this.#parts;
    const chain = this.#requiredChain(candidate);
    const end = new AbortController();
    const cancel = clock.after(CHECK_MS, () =>
      end.abort(new UnfitDaemon(`the check of its chain took more than ${CHECK_MS / 1000} s`)),
    );
    try {
      const options = { deadline: callTime(daemon), signal: end.signal };
      await checkChain(this.#list.client(daemon), info, chain, options);
      return undefined;
    } catch (error) {
      return problemOf(error);
    } finally {
      cancel();
    }
  }

  /**
   * Returns the blocks that a daemon must have to take over. While no wallet has blocks, these are the blocks of the
   * serving daemon; if the serving daemon never answered, the blocks of all other daemons, which must agree.
   */
  #requiredChain(candidate: DaemonStanding): RequiredChain {
    const { chain, connection } = this.#parts;
    const required = chain();
    const serving = this.#standings[connection.serving];
    if (required.histories.some((history) => history.length > 0)) {
      const served = serving?.newest ?? [];
      return { ...required, histories: required.histories.map((held) => withServedBlock(held, served)) };
    }
    const known = serving === undefined || serving.newest.length === 0 ? this.#standings : [serving];
    const others = known.filter((standing) => standing !== candidate);
    return { ...required, histories: others.map(({ newest }) => newest) };
  }

  #switchTo({ daemon }: DaemonStanding, { reason, text }: SwitchProposal): void {
    const { connection, log, onSwitch } = this.#parts;
    const before = this.#standings[connection.serving];
    const end = connection.serve(this.#list.entries.indexOf(daemon));
    if (reason === 'failed') end();
    else this.#retired.add(end);
    before?.noteDeparture(reason === 'failed');
    this.#failures.clear();
    this.#isStuck = false;
    this.#switches.set(reason, (this.#switches.get(reason) ?? 0) + 1);
    const line = `daemon: switched from ${before?.daemon.name ?? 'none'} to ${daemon.name}: ${text}`;
    if (reason === 'return') log.info(line);
    else log.warn(line);
    onSwitch();
  }

  /** Logs once that no other daemon can serve, although a switch is proposed. */
  #reportStuck({ text }: SwitchProposal): void {
    if (this.#isStuck) return;
    this.#isStuck = true;
    const { connection, log } = this.#parts;
    const others = this.#standings
      .filter(({ daemon }) => daemon !== connection.current)
      .map(({ daemon, problem = 'it is behind too' }) => `${daemon.name}: ${problem}`);
    log.warn(
      `daemon: ${nameOf(connection.current)} stays in use despite ${text}: no other can serve (${others.join('; ')})`,
    );
  }
}

/** Returns the longest time for one call of a probe [ms]. */
export const callTime = ({ config }: NamedDaemon): number =>
  config.proxy === undefined ? CALL_MS.direct : CALL_MS.proxy;

const nameOf = (daemon: NamedDaemon | undefined): string => daemon?.name ?? 'none';

/** Returns the history whose newest block is the highest of all wallets. */
const newestOf = (histories: RequiredChain['histories']): RequiredChain['histories'][number] =>
  histories.reduce(
    (newest, history) => ((history[0]?.height ?? -1) > (newest[0]?.height ?? -1) ? history : newest),
    [],
  );

/** Describes why a daemon cannot serve. @throws the error itself if it is neither a DaemonError nor an UnfitDaemon. */
function problemOf(error: unknown): string {
  if (error instanceof UnfitDaemon) return error.message;
  if (error instanceof DaemonError)
    return `${error.kind}: ${error.message}${error.code === undefined ? '' : ` (${error.code})`}`;
  throw error;
}

/** Time after which calls to a replaced, healthy daemon are aborted [ms]; longer than the sending of a payment. */
const RETIRE_MS = 60_000;

/** Daemons that were replaced, and whose running calls may still end. */
class RetiredDaemons {
  readonly #clock: Clock;
  /** Functions that abort the calls of one daemon, each with the function that cancels its timer. */
  readonly #ends = new Map<() => void, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Lets the running calls to a healthy daemon end before its connections are closed. @param end aborts the calls at
   * once.
   */
  add(end: () => void): void {
    const cancel = this.#clock.after(RETIRE_MS, () => {
      this.#ends.delete(end);
      end();
    });
    this.#ends.set(end, cancel);
  }

  /** Aborts all calls. */
  close(): void {
    for (const [end, cancel] of this.#ends) {
      cancel();
      end();
    }
    this.#ends.clear();
  }
}
