import { parentPort } from 'node:worker_threads';
import { loadCurve } from '../../kernel/load-kernel.js';
import type { RingMember } from '../../ringct/types.js';
import { areAmountsProved, isSigned } from '../rules/proofs.js';
import { readPayment } from '../rules/tx-rules.js';

/** What the verifying thread is asked for. */
export interface VerifyTask {
  readonly blob: Uint8Array;
  /** Absent: amounts and range proof. */
  readonly rings?: readonly (readonly RingMember[])[];
}

const curve = loadCurve();
const port = parentPort;
if (port === null) throw new Error('verify-thread runs as a worker thread only');
port.on('message', ({ blob, rings }: VerifyTask) => {
  const payment = readPayment(blob);
  port.postMessage(rings === undefined ? areAmountsProved(payment, curve) : isSigned(payment, rings, curve));
});
