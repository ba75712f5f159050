import type { DaemonStanding } from './daemon-standing.js';

/** Number of consecutive failures after which a daemon is replaced. */
export const MAX_FAILURES = 3;
/** Number of missing blocks from which a daemon is replaced. */
const MAX_BLOCKS_BEHIND = 3;

/** Reason for a switch: the daemon failed, it lacked blocks, or a preferred daemon is healthy again. */
export type SwitchReason = 'failed' | 'behind' | 'return';

/** A proposed switch from the serving daemon to another one. */
export interface SwitchProposal {
  readonly reason: SwitchReason;
  /** Explanation of the switch for the log. */
  readonly text: string;
  /** Daemons that may take over after a check of their chain, in the order of preference; empty if none can. */
  readonly candidates: readonly DaemonStanding[];
}

/** Listed daemons with the facts that decide which one should serve. */
export interface Choice {
  /** Results of the probes, in the order of preference of the daemons. */
  readonly standings: readonly DaemonStanding[];
  /** Index of the serving daemon in `standings`. */
  readonly serving: number;
  /** Number of consecutive failures of the serving daemon, and description of the last failure. */
  readonly failures: { readonly count: number; readonly last: string };
}

/** Largest number of blocks of all daemons; 0 while none is known. */
export const bestHeight = (standings: readonly DaemonStanding[]): number =>
  Math.max(0, ...standings.map(({ info }) => info?.height ?? 0));

/** True if a daemon lacks so many blocks that it must not serve. */
export const isBehind = ({ info }: DaemonStanding, best: number): boolean =>
  best - (info?.height ?? 0) >= MAX_BLOCKS_BEHIND;

/**
 * Proposes the switch that the last probes and failures require; undefined while the serving daemon is the best one.
 */
export function proposeSwitch({ standings, serving: at, failures }: Choice): SwitchProposal | undefined {
  const serving = standings[at];
  if (serving === undefined) return undefined;
  const others = standings.filter((standing) => standing !== serving && standing.info !== undefined);
  const upToDate = (best: number): DaemonStanding[] => others.filter((standing) => !isBehind(standing, best));
  if (failures.count >= MAX_FAILURES)
    return {
      ...{ reason: 'failed', text: `${failures.count} failures (${failures.last})` },
      // The failing daemon is left out: the height that it claims does not count.
      candidates: upToDate(bestHeight(others)),
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
