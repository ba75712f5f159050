import { parentPort } from 'node:worker_threads';
import type { RingMember } from '../../monero/ringct/types.js';
import { areAmountsProved, isSigned } from '../rules/proofs.js';
import { readPayment } from '../rules/tx-rules.js';

/** Message to a verification thread. */
export interface VerifyTask {
  readonly blob: Uint8Array;
  /** Rings whose signatures are to be verified; absent: the amounts and the range proof are to be verified. */
  readonly rings?: readonly (readonly RingMember[])[];
}

const port = parentPort;
if (port === null) throw new Error('verify-thread runs as a worker thread only');
port.on('message', ({ blob, rings }: VerifyTask) => {
  const payment = readPayment(blob);
  port.postMessage(rings === undefined ? areAmountsProved(payment) : isSigned(payment, rings));
});
