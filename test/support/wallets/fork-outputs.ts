import { coinbaseContext, spendContext } from '../../../src/monero/carrot/enote.js';
import { openEnote, nominalAddress } from '../../../src/monero/carrot/opening.js';
import { payAddress, payOwnAddress, type MadeEnote } from '../../../src/monero/carrot/sending.js';
import { publicKeyOf, randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import { loadCurve } from '../../../src/monero/crypto/curve/load-curve.js';
import { scalarBytes } from '../../../src/monero/crypto/scalar.js';
import type { KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import type { PaymentId } from '../../../src/monero/cryptonote/types.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { keyImageOf } from '../../../src/monero/wallet/scan/key-images.js';
import { amount } from '../../../src/util/amount.js';
import type { Rng } from '../../../src/util/random.js';
import { ownedOutput, type Holder } from '../../monero/wallet/fixtures.js';

/** How an output of the fork was made: by a payer, with a payment id, in a miner transaction, or as change of the holder. */
export type ForkPayment = 'payment' | 'integrated' | 'coinbase' | 'change';

function madeEnote(
  owner: Holder,
  value: bigint,
  height: number,
  how: ForkPayment,
  rng: Rng,
  facts: Partial<OwnedOutput>,
): MadeEnote {
  const address = owner.address(facts.subaddress ?? { major: 0, minor: 0 });
  const context =
    how === 'coinbase'
      ? coinbaseContext(height)
      : spendContext(publicKeyOf(randomSecretKey(rng)) as Uint8Array as KeyImage);
  const paid = amount(value);
  if (how === 'change') {
    const ephemeralKey = rng(32);
    const sharedSecret = loadCurve().x25519(ephemeralKey, owner.viewSecret);
    const own = {
      spendPublicKey: address.spendPublicKey,
      amount: paid,
      type: 'change' as const,
      ephemeralKey,
    };
    return payOwnAddress(own, { viewSecret: owner.viewSecret, sharedSecret }, context);
  }
  const paymentId = how === 'integrated' ? { paymentId: rng(8) as PaymentId } : {};
  const payee = { ...address, ...paymentId };
  return payAddress({ address: payee, amount: paid, anchor: rng(16) }, context, {
    coinbase: how === 'coinbase',
  });
}

/** Facts of an output. `named`: false leaves the key image out. */
type ForkFacts = Partial<OwnedOutput> & { readonly how?: ForkPayment; readonly named?: boolean };

/** An output in the form of the fork that a holder owns, as the scan finds it: all its values are real. */
export function forkOutput(
  owner: Holder,
  value: bigint,
  globalIndex: number,
  rng: Rng,
  { how = 'payment', named = true, ...facts }: ForkFacts = {},
): OwnedOutput {
  const { subaddress = { major: 0, minor: 0 }, outputIndex = 0, height = globalIndex } = facts;
  const { enote, mask } = madeEnote(owner, value, height, how, rng, facts);
  const secret = loadCurve().x25519(enote.ephemeralKey, owner.viewSecret);
  const nominal = nominalAddress(enote, { secret, internal: false }, owner);
  if (nominal === undefined || openEnote(enote, nominal, owner) === undefined)
    throw new Error('the output does not belong to its holder');
  const { g, t } = nominal.extensions;
  const located = {
    ...{
      publicKey: enote.outputKey,
      derivationKey: enote.ephemeralKey as PublicKey,
      outputIndex,
      subaddress,
    },
    carrot: { extensionG: scalarBytes(g), extensionT: scalarBytes(t), context: enote.context },
  };
  return ownedOutput(value, {
    ...{
      globalIndex,
      height,
      mask,
      coinbase: how === 'coinbase',
      ...(named && { keyImage: keyImageOf(located, owner) }),
    },
    ...facts,
    ...located,
  });
}
