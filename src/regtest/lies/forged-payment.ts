import { randomSecretKey } from '../../monero/crypto/derivation.js';
import type { KeyImage } from '../../monero/crypto/types.js';
import { RING_SIZE } from '../../monero/cryptonote/constants.js';
import type { Transaction } from '../../monero/cryptonote/types.js';
import { CARROT_FORK } from '../../monero/fork-rules.js';
import {
  constructTransaction,
  keyInputOf,
  type SpendableInput,
} from '../../monero/wallet/build/construction.js';
import { layOutOutputs } from '../../monero/wallet/build/output-layout.js';
import { placeholderTx } from '../../monero/wallet/build/placeholder-tx.js';
import { amount, ZERO } from '../../util/amount.js';
import type { Node } from '../chain/node.js';
import { readPayment, type Payment } from '../rules/tx-rules.js';
import { makeCarrotPayment } from './carrot-payment.js';
import type { LieContext, Target } from './lie-context.js';
import { nobody, randomPoint } from './nobody.js';

/** Fee of a fabricated transaction [atomic units]. */
const FEE = amount(100_000_000n);

const SIGNATURE_BYTES = 64;

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

/** Node that lies, and its source of random values. */
type Forger = Pick<LieContext, 'node' | 'rng'>;

/**
 * Fabricates a transaction that pays an amount to an address as any payment does: a scanner finds the output, decrypts
 * its amount, and the amount fits its commitment. Range proof and balance are right; ring signatures are random values,
 * membership proofs zeros, and key images random, unless they are given.
 * @param height height of the block that has the form of the transaction; absent: the next one.
 */
export function forgePayment(forger: Forger, target: Target, height = forger.node.chain.height): Payment {
  const { chain } = forger.node;
  if (chain.forks.versionAt(height) < CARROT_FORK) return forgeRingPayment(forger, target);
  const { address = nobody(forger.rng), amount: paid, keyImages } = target;
  const spend = { keyImages, referenceBlock: height - 1, feePerByte: chain.feeEstimates(0)[0] ?? 0n };
  return makeCarrotPayment([{ kind: 'payment', address, amount: paid }], spend, forger.rng).payment;
}

/** Fabricates a transaction with rings. */
export function forgeRingPayment(
  { node, rng }: Forger,
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

/**
 * Returns the fabricated payment of a lie in a form of blocks, which stays the same until the faults are set again.
 * @param height height of a block; absent: the next one.
 */
export const forgedPayment = (lie: LieContext, height = lie.node.chain.height): Payment =>
  lie.once(
    `forged payment, ${lie.node.chain.forks.versionAt(height) < CARROT_FORK ? 'old' : 'new'} form`,
    () => forgePayment(lie, lie.target, height),
  );

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
