import type { DaemonBlockHeader, DaemonInfo } from '../../daemon/daemon.js';
import { toHex } from '../../util/bytes.js';
import type { ChainTip } from '../context/chain-tip.js';
import type { NamedDaemon } from '../context/daemon-list.js';

/** Number of consecutive healthy probes after which a preferred daemon serves again. */
const HEALTHY_PROBES = 6;
/** Number of departures up to which the required number of healthy probes doubles with each departure. */
const MAX_DOUBLINGS = 6;
/** Number of healthy probes of a serving daemon after which earlier departures are forgotten: an hour. */
const FORGETTING_PROBES = 360;

/** An answer of a daemon that was disproven. */
interface Disproof {
  /** Name of the call with this answer. */
  readonly call: string;
  readonly reason: string;
}

/** Answers that listed daemons give to the same question, and in which they are compared. */
export type VoteSubject = 'blocks' | 'rings';

/** Results of the probes of a listed daemon. */
export class DaemonStanding {
  readonly daemon: NamedDaemon;
  #info: DaemonInfo | undefined;
  #problem = 'it was not asked yet';
  #verifiedTip = '';
  #newest: readonly DaemonBlockHeader[] = [];
  #healthyProbes = 0;
  #departures = 0;
  #disproof: Disproof | undefined;
  readonly #contradictions = new Map<VoteSubject, string>();

  constructor(daemon: NamedDaemon) {
    this.daemon = daemon;
  }

  /** State by the last probe; undefined if the daemon cannot serve. */
  get info(): DaemonInfo | undefined {
    return this.isRefuted ? undefined : this.#info;
  }

  /** Reason why the daemon cannot serve; undefined if it can. */
  get problem(): string | undefined {
    return (
      this.#disproof?.reason ?? this.contradiction ?? (this.#info === undefined ? this.#problem : undefined)
    );
  }

  /** True if an earlier probe verified the newest block that the daemon claims. */
  hasVerified(info: DaemonInfo): boolean {
    return this.#verifiedTip === tipOf(info);
  }

  /** Headers of blocks of the daemon when it last could serve, newest first; empty if it never could serve. */
  get newest(): readonly DaemonBlockHeader[] {
    return this.#newest;
  }

  /** End of the verified chain of the daemon; undefined if the daemon cannot serve. */
  get tip(): ChainTip | undefined {
    const [newest] = this.#newest;
    if (this.info === undefined || newest === undefined) return undefined;
    return { blocks: newest.height + 1, timestamp: newest.timestamp };
  }

  /**
   * Records a probe after which the daemon can serve. @param newest verified blocks; absent: the blocks of an earlier
   * probe are still valid.
   */
  setInfo(info: DaemonInfo, newest: readonly DaemonBlockHeader[] = this.#newest): void {
    this.#info = info;
    this.#newest = newest;
    this.#verifiedTip = tipOf(info);
  }

  /** The answer because of which the daemon must never serve again; undefined if there is none. */
  get disproof(): Disproof | undefined {
    return this.#disproof;
  }

  /** Records that an answer of the daemon was disproven; later probes do not clear the daemon. */
  setDisproof(disproof: Disproof): void {
    this.#disproof = disproof;
  }

  /** Answer by which the daemon contradicts the others; undefined if it does not. */
  get contradiction(): string | undefined {
    const [first] = this.#contradictions.values();
    return first;
  }

  /** Returns the answer about one subject by which the daemon contradicts the others; undefined if there is none. */
  contradictionIn(subject: VoteSubject): string | undefined {
    return this.#contradictions.get(subject);
  }

  /** Records whether the daemon contradicts the others. @param answer undefined: it agrees with them. */
  setContradiction(subject: VoteSubject, answer: string | undefined): void {
    if (answer === undefined) this.#contradictions.delete(subject);
    else this.#contradictions.set(subject, answer);
  }

  /** True if proofs or other daemons contradict the daemon. */
  get isRefuted(): boolean {
    return this.#disproof !== undefined || this.contradiction !== undefined;
  }

  /** Records a probe after which the daemon cannot serve. */
  setProblem(problem: string): void {
    this.#info = undefined;
    this.#problem = problem;
    this.#healthyProbes = 0;
  }

  /**
   * Counts a probe after which the daemon can serve. @param isBehind true if the daemon lacks blocks that another
   * daemon has.
   */
  countProbe(isBehind: boolean, isServing: boolean): void {
    this.#healthyProbes = isBehind ? 0 : this.#healthyProbes + 1;
    if (isServing && this.#healthyProbes >= FORGETTING_PROBES) this.#departures = 0;
  }

  /** Number of switches away from this daemon because it failed, since it last served for an hour. */
  get departures(): number {
    return this.#departures;
  }

  /** True if the daemon was healthy long enough to replace a less preferred daemon. */
  get mayReturn(): boolean {
    const doublings = Math.min(MAX_DOUBLINGS, Math.max(0, this.#departures - 1));
    return this.#healthyProbes >= HEALTHY_PROBES * 2 ** doublings;
  }

  /** Records that another daemon replaced this daemon. @param hasFailed true if this daemon failed while it served. */
  noteDeparture(hasFailed: boolean): void {
    this.#healthyProbes = 0;
    if (hasFailed) this.#departures += 1;
  }
}

const tipOf = ({ height, topBlockHash }: DaemonInfo): string => `${height} ${toHex(topBlockHash)}`;

/** Number of consecutive failures after which a daemon is replaced. */
export const MAX_FAILURES = 3;
/** Number of missing blocks from which a daemon is replaced. */
const MAX_BLOCKS_BEHIND = 3;

/** Reason for a switch: the daemon failed, it lacked blocks, or a preferred daemon is healthy again. */
export type SwitchReason = 'failed' | 'behind' | 'return';

/** A proposed switch from the serving daemon to another daemon. */
export interface SwitchProposal {
  readonly reason: SwitchReason;
  /** Explanation of the switch for the log. */
  readonly text: string;
  /** Daemons that may take over after a check of their chain, in the order of preference; empty if no daemon can. */
  readonly candidates: readonly DaemonStanding[];
}

/** Listed daemons, with the facts that decide which daemon should serve. */
export interface Choice {
  /** Results of the probes, in the order of preference of the daemons. */
  readonly standings: readonly DaemonStanding[];
  /** Index of the serving daemon in `standings`. */
  readonly serving: number;
  /** Number of consecutive failures of the serving daemon, and description of the last failure. */
  readonly failures: { readonly count: number; readonly last: string };
}

/** Largest number of blocks of all daemons; 0 while no number is known. */
export const bestHeight = (standings: readonly DaemonStanding[]): number =>
  Math.max(0, ...standings.map(({ info }) => info?.height ?? 0));

/** True if a daemon lacks so many blocks that it must not serve. */
export const isBehind = ({ info }: DaemonStanding, best: number): boolean =>
  best - (info?.height ?? 0) >= MAX_BLOCKS_BEHIND;

/** Describes how proofs or other daemons contradict a daemon; undefined if they do not. */
const refutationOf = ({ disproof, contradiction }: DaemonStanding): string | undefined =>
  disproof === undefined ? contradiction : `forged data in ${disproof.call}`;

/**
 * Proposes the switch that the last probes and failures require; undefined while the serving daemon is the best daemon.
 */
export function proposeSwitch({ standings, serving: at, failures }: Choice): SwitchProposal | undefined {
  const serving = standings[at];
  if (serving === undefined) return undefined;
  const others = standings.filter((standing) => standing !== serving && standing.info !== undefined);
  const upToDate = (best: number): DaemonStanding[] => others.filter((standing) => !isBehind(standing, best));
  if (serving.isRefuted || failures.count >= MAX_FAILURES)
    return {
      reason: 'failed',
      text: refutationOf(serving) ?? `${failures.count} failures (${failures.last})`,
      // The failing daemon is left out, so that the height that it claims has no effect. A daemon that only probes find healthy,
      // because its blocks cannot be read, must not take turns with another one while a third could serve.
      candidates: upToDate(bestHeight(others)).sort((a, b) => a.departures - b.departures),
    };
  const best = bestHeight([serving, ...others]);
  if (serving.info !== undefined && isBehind(serving, best))
    return {
      ...{ reason: 'behind', text: `${best - serving.info.height} blocks behind` },
      candidates: upToDate(best),
    };
  const preferred = upToDate(best).filter(
    (standing) => standings.indexOf(standing) < at && standing.mayReturn,
  );
  return preferred.length === 0
    ? undefined
    : { reason: 'return', text: 'it is preferred and healthy again', candidates: preferred };
}
