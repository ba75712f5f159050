import type { DaemonStanding } from './daemon-standing.js';

/** Failures in a row after which a daemon is replaced. */
export const MAX_FAILURES = 3;
/** Blocks that a daemon lacks from which it is replaced. */
const MAX_BLOCKS_BEHIND = 3;

/** Reason of a switch: the daemon failed, it lacked blocks, or one that is preferred is healthy again. */
export type SwitchReason = 'failed' | 'behind' | 'return';

/** A switch that is called for. */
export interface SwitchProposal {
  readonly reason: SwitchReason;
  /** Text for the log. */
  readonly text: string;
  /** Daemons that may take over once their chain was checked, in the order of preference; empty if none can. */
  readonly candidates: readonly DaemonStanding[];
}

/** Daemons to choose from. */
export interface Choice {
  /** In the order of preference. */
  readonly standings: readonly DaemonStanding[];
  /** Index of the daemon that serves. */
  readonly serving: number;
  /** Its failures in a row, and the last of them. */
  readonly failures: { readonly count: number; readonly last: string };
}

/** The largest number of blocks; 0 while none is known. */
export const bestHeight = (standings: readonly DaemonStanding[]): number =>
  Math.max(0, ...standings.map(({ info }) => info?.height ?? 0));

/** Whether a daemon lacks so many blocks that it must not serve. */
export const isBehind = ({ info }: DaemonStanding, best: number): boolean =>
  best - (info?.height ?? 0) >= MAX_BLOCKS_BEHIND;

/** Proposes the switch that the last probes and failures call for; undefined while the daemon that serves is the best. */
export function proposeSwitch({ standings, serving: at, failures }: Choice): SwitchProposal | undefined {
  const serving = standings[at];
  if (serving === undefined) return undefined;
  const others = standings.filter((standing) => standing !== serving && standing.info !== undefined);
  const upToDate = (best: number): DaemonStanding[] => others.filter((standing) => !isBehind(standing, best));
  if (failures.count >= MAX_FAILURES)
    return {
      ...{ reason: 'failed', text: `${failures.count} failures (${failures.last})` },
      // The height that a failing daemon claims does not count.
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
