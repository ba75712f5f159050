import { publicKeyOf, randomSecretKey } from '../../monero/crypto/derivation.js';
import type { PublicKey } from '../../monero/crypto/types.js';
import type { Address } from '../../monero/cryptonote/types.js';
import type { Rng } from '../../util/random.js';

/** Returns a point whose secret key is kept nowhere. */
export const randomPoint = (rng: Rng): PublicKey => publicKeyOf(randomSecretKey(rng));

/** Makes an address whose keys are not kept. */
export const nobody = (rng: Rng): Address => ({
  network: 'mainnet',
  kind: 'standard',
  spendPublicKey: randomPoint(rng),
  viewPublicKey: randomPoint(rng),
});
