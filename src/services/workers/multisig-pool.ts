import type { MultisigWork } from './multisig-thread.js';
import { workerClient } from './worker-client.js';

/** What came from another participant cannot be used; the text is a predicate of it. */
export class MultisigProblem extends Error {
  override readonly name = 'MultisigProblem';
}

/** What several wallets do together. @throws WalletError, MultisigProblem */
export const together = workerClient<MultisigWork>(
  new URL('./multisig-thread.js', import.meta.url),
  (text) => new MultisigProblem(text),
);
