import type { SecretKey } from '../../../src/monero/crypto/types.js';
import {
  candidatesOfEach,
  type OutputCandidate,
  type OutputHint,
} from '../../../src/monero/wallet/scan/key-images.js';

/** Returns the candidates for the receiver of one output. */
export const candidatesOf = (hint: OutputHint, viewSecret: SecretKey): OutputCandidate[] =>
  candidatesOfEach([hint], viewSecret).flat();
