import type { RequestListener } from 'node:http';
import type { Misbehaviour } from '../regtest/misbehaviour.js';
import { MISBEHAVE_PATH } from '../regtest/rpc/paths/misbehave.js';

/** Delays and cuts off requests as the daemon was told to; never the one that tells it. */
export function misbehaving(handler: RequestListener, misbehaviour: Misbehaviour): RequestListener {
  return (req, res) => {
    if (req.url === MISBEHAVE_PATH) return void handler(req, res);
    if (misbehaviour.dropsRequest()) return void req.socket.destroy();
    const { latencyMs } = misbehaviour;
    if (latencyMs === 0) return void handler(req, res);
    setTimeout(() => void handler(req, res), latencyMs);
  };
}
