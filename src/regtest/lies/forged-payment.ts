import { publicKeyOf, randomSecretKey } from '../../monero/crypto/derivation.js';
import type { KeyImage, PublicKey } from '../../monero/crypto/types.js';
import { RING_SIZE } from '../../monero/cryptonote/constants.js';
import type { Address, Transaction } from '../../monero/cryptonote/types.js';
import {
  constructTransaction,
  keyInputOf,
  type SpendableInput,
} from '../../monero/wallet/build/construction.js';
import { layOutOutputs } from '../../monero/wallet/build/output-layout.js';
import { placeholderTx } from '../../monero/wallet/build/placeholder-tx.js';
import { amount, ZERO } from '../../util/amount.js';
import type { Rng } from '../../util/random.js';
import type { Node } from '../chain/node.js';
import { readPayment, type Payment } from '../rules/tx-rules.js';
import type { LieContext, Target } from './lie-context.js';

/** Fee of a fabricated transaction [atomic units]. */
const FEE = amount(100_000_000n);

const SIGNATURE_BYTES = 64;

/** Returns a point whose secret key is kept nowhere. */
export const randomPoint = (rng: Rng): PublicKey => publicKeyOf(randomSecretKey(rng));

/** Makes an address whose keys are not kept. */
const nobody = (rng: Rng): Address => ({
  network: 'mainnet',
  kind: 'standard',
  spendPublicKey: randomPoint(rng),
  viewPublicKey: randomPoint(rng),
});

/** Returns a ring of the oldest RingCT outputs of the chain. */
function oldRing({ store, chain }: Node): SpendableInput['ring'] {
  const { view } = chain;
  const count = Math.min(RING_SIZE, store.outputs.count(0n));
  const members = Array.from({ length: count }, (_, globalIndex) => globalIndex).flatMap((globalIndex) => {
    const output = view.output(0n, BigInt(globalIndex));
    return output === undefined ? [] : [{ globalIndex, ...output, unlocked: true }];
  });
  return { members, realIndex: 0 };
}

/**
 * Fabricates a transaction that pays an amount to an address as any payment does: a scanner finds the output, decrypts
 * its amount, and the amount fits its commitment. Range proof and balance are right; the ring signatures are random
 * values, and the key images are random, unless they are given.
 */
export function forgePayment(
  { node, rng }: Pick<LieContext, 'node' | 'rng'>,
  { address = nobody(rng), amount: paid, keyImages }: Target,
): Payment {
  const ring = oldRing(node);
  const spent = keyImages.length === 0 ? [randomPoint(rng) as Uint8Array as KeyImage] : keyImages;
  const unsigned = constructTransaction(
    {
      inputs: spent.map((keyImage, i) => ({
        ring,
        secretKey: randomSecretKey(rng),
        keyImage,
        amount: i === 0 ? amount(paid + FEE) : ZERO,
        mask: 1n,
      })),
      payees: [{ address, amount: paid }],
      changeAddress: nobody(rng),
      fee: FEE,
      unlockTime: 0n,
      viewSecret: randomSecretKey(rng),
    },
    rng,
  );
  return readPayment(placeholderTx(unsigned, rng).blob);
}

/** Returns the fabricated payment of a lie, which stays the same until the faults are set again. */
export const forgedPayment = (lie: LieContext): Payment =>
  lie.once('forged payment', () => forgePayment(lie, lie.target));

/**
 * Fabricates a transaction of version 1, with open amounts, that pays the target. Without its signatures, nothing
 * proves that such a transaction has a given identity.
 */
export function forgeFirstVersion({ node, rng, target }: LieContext): Transaction {
  const { address = nobody(rng), amount: paid } = target;
  const ring = oldRing(node);
  const { txOutputs, extra } = layOutOutputs(
    {
      targets: [{ address, amount: paid }],
      recipients: [address],
      changeAddress: nobody(rng),
      viewSecret: randomSecretKey(rng),
      paymentId: address.paymentId,
    },
    () => ({ txSecretKey: randomSecretKey(rng), additionalSecretKeys: [] }),
  );
  return {
    prefix: {
      version: 1,
      unlockTime: 0n,
      inputs: [keyInputOf({ ring, keyImage: randomPoint(rng) as Uint8Array as KeyImage })],
      outputs: txOutputs.map((output) => ({ ...output, amount: paid })),
      extra,
    },
    signatures: [ring.members.map(() => rng(SIGNATURE_BYTES))],
  };
}
