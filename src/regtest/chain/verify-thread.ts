import { parentPort } from 'node:worker_threads';
import { loadCurve } from '../../kernel/load-kernel.js';
import type { RingMember } from '../../ringct/types.js';
import { areAmountsProved, isSigned } from '../rules/proofs.js';
import { readPayment } from '../rules/tx-rules.js';

/** Request to the verification thread. */
export interface VerifyTask {
  readonly blob: Uint8Array;
  /** Rings whose signatures are verified; absent: amounts and the range proof are verified. */
  readonly rings?: readonly (readonly RingMember[])[];
}

const curve = loadCurve();
const port = parentPort;
if (port === null) throw new Error('verify-thread runs as a worker thread only');
port.on('message', ({ blob, rings }: VerifyTask) => {
  const payment = readPayment(blob);
  port.postMessage(rings === undefined ? areAmountsProved(payment, curve) : isSigned(payment, rings, curve));
});
