import type { SigningWork } from './signing-thread.js';
import { workerClient } from './worker-client.js';

/** What a signer was given cannot be signed; the text says why. */
export class SigningProblem extends Error {
  override readonly name = 'SigningProblem';
}

/** Proves and signs. @throws SigningProblem, WalletError */
export const sign = workerClient<SigningWork>(
  new URL('./signing-thread.js', import.meta.url),
  (text) => new SigningProblem(text),
);
