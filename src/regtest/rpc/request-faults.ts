import type { RequestListener } from 'node:http';
import type { FaultInjector } from '../fault-injection.js';
import { MISBEHAVE_PATH } from './paths/misbehave.js';

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
