import type { Page, PageAnswer } from '../http/pages/pages.js';
import type { DaemonFailover } from '../services/failover/daemon-failover.js';
import { writeWholeJson } from '../util/json-writer.js';
import type { Readiness } from './readiness.js';

const OK = 200;
const UNAVAILABLE = 503;

const json = (status: number, value: Parameters<typeof writeWholeJson>[0]): PageAnswer => ({
  status,
  type: 'application/json',
  body: `${writeWholeJson(value)}\n`,
});

/**
 * Returns the position of the serving daemon in the list, from 1; an empty object for a single daemon. Its address is
 * left out: see `/metrics`.
 */
function servingDaemon({ statuses }: Pick<DaemonFailover, 'statuses'>): {
  readonly daemon?: { readonly serving: number; readonly listed: number; readonly preferred: boolean };
} {
  if (statuses.length < 2) return {};
  const index = statuses.findIndex(({ serves }) => serves);
  return { daemon: { serving: index + 1, listed: statuses.length, preferred: index === 0 } };
}

/**
 * Returns the pages for supervisors and load balancers. `/livez` depends on the event loop only, since a restart
 * repairs neither the daemon nor the disk; `/readyz` names every reason why requests may fail.
 */
export const healthPages = (
  readiness: Pick<Readiness, 'reasons'>,
  failover: Pick<DaemonFailover, 'statuses'>,
): readonly Page[] => [
  { path: '/livez', answer: () => json(OK, { alive: true }) },
  {
    path: '/readyz',
    async answer() {
      const reasons = await readiness.reasons();
      const ready = reasons.length === 0;
      return json(ready ? OK : UNAVAILABLE, {
        ...{ ready, reasons: reasons.map((reason) => ({ ...reason })) },
        ...servingDaemon(failover),
      });
    },
  },
];
