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

/** Results of the probes of a listed daemon. */
export class DaemonStanding {
  readonly daemon: NamedDaemon;
  #info: DaemonInfo | undefined;
  #problem = 'it was not asked yet';
  #verifiedTip = '';
  #newest: readonly DaemonBlockHeader[] = [];
  #healthyProbes = 0;
  /** Number of switches away from this daemon because it failed. */
  #departures = 0;

  constructor(daemon: NamedDaemon) {
    this.daemon = daemon;
  }

  /** State by the last probe; undefined if the daemon cannot serve. */
  get info(): DaemonInfo | undefined {
    return this.#info;
  }

  /** Reason why the daemon cannot serve; undefined if it can. */
  get problem(): string | undefined {
    return this.#info === undefined ? this.#problem : undefined;
  }

  /** True if an earlier probe verified the newest block that the daemon claims. */
  hasVerified(info: DaemonInfo): boolean {
    return this.#verifiedTip === tipOf(info);
  }

  /** Headers of blocks of the daemon when it last could serve, newest first; empty if it never could. */
  get newest(): readonly DaemonBlockHeader[] {
    return this.#newest;
  }

  /** End of the verified chain of the daemon; undefined if the daemon cannot serve. */
  get tip(): ChainTip | undefined {
    const [newest] = this.#newest;
    if (this.#info === undefined || newest === undefined) return undefined;
    return { blocks: newest.height + 1, timestamp: newest.timestamp };
  }

  /**
   * Records a probe after which the daemon can serve. @param newest verified blocks; absent: those of an earlier probe
   * are still valid.
   */
  setInfo(info: DaemonInfo, newest: readonly DaemonBlockHeader[] = this.#newest): void {
    this.#info = info;
    this.#newest = newest;
    this.#verifiedTip = tipOf(info);
  }

  /** Records a probe after which the daemon cannot serve. */
  setProblem(problem: string): void {
    this.#info = undefined;
    this.#problem = problem;
    this.#healthyProbes = 0;
  }

  /**
   * Counts a probe after which the daemon can serve. @param isBehind true if it lacks blocks that another daemon has.
   */
  countProbe(isBehind: boolean, isServing: boolean): void {
    this.#healthyProbes = isBehind ? 0 : this.#healthyProbes + 1;
    if (isServing && this.#healthyProbes >= FORGETTING_PROBES) this.#departures = 0;
  }

  /** True if the daemon was healthy long enough to replace a less preferred one. */
  get mayReturn(): boolean {
    const doublings = Math.min(MAX_DOUBLINGS, Math.max(0, this.#departures - 1));
    return this.#healthyProbes >= HEALTHY_PROBES * 2 ** doublings;
  }

  /** Records that another daemon replaced this one. @param hasFailed true if it failed while it served. */
  noteDeparture(hasFailed: boolean): void {
    this.#healthyProbes = 0;
    if (hasFailed) this.#departures += 1;
  }
}

const tipOf = ({ height, topBlockHash }: DaemonInfo): string => `${height} ${toHex(topBlockHash)}`;
