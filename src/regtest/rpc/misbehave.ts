import { params, text } from '../../http/methods/params.js';
import { parseFaults, type FaultInjector } from '../fault-injection.js';
import { refuse, defineMethod, type DaemonMethod } from './method.js';
import { replied } from './shapes.js';
import type { RequestListener } from 'node:http';

/** Path that sets the injected faults. It exists in this daemon only, not in `monerod`. */
const MISBEHAVE_PATH = '/misbehave';

export const misbehavePaths: readonly DaemonMethod[] = [
  defineMethod({
    name: MISBEHAVE_PATH,
    summary: 'Sets the faults that the daemon injects; needs --misbehave.',
    meta: { unrestricted: true },
    params: params({ what: text.default('') }),
    source: 'ours: fault-injection.ts',
    handle({ daemon: { faults } }, { what }) {
      if (!faults.isAllowed) throw refuse('wrongParam', 'the daemon was started without --misbehave');
      try {
        faults.set(parseFaults(what));
      } catch (error) {
        if (error instanceof RangeError) return replied({}, error.message);
        throw error;
      }
      return replied({});
    },
  }),
];

/**
 * Wraps a request handler so that it delays and drops requests as configured. Requests to `/misbehave`, which change
 * the configuration, are never affected.
 */
export function withFaults(handler: RequestListener, faults: FaultInjector): RequestListener {
  return (req, res) => {
    if (req.url === MISBEHAVE_PATH) return void handler(req, res);
    if (faults.dropsRequest()) return void req.socket.destroy();
    const { latencyMs } = faults;
    if (latencyMs === 0) return void handler(req, res);
    setTimeout(() => void handler(req, res), latencyMs);
  };
}
