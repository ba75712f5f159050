import { describe, expect, it, test } from '@jest/globals';
import { keyImage, publicKeyOf, randomSecretKey } from '../../../../src/monero/crypto/derivation.js';
import { hashToPoint } from '../../../../src/monero/crypto/curve/hash-to-point.js';
import { IDENTITY, multiply } from '../../../../src/monero/crypto/curve/point.js';
import { toScalar } from '../../../../src/monero/crypto/scalar.js';
import type { KeyImage } from '../../../../src/monero/crypto/types.js';
import {
  checkInfo,
  freshInfo,
  nonceCount,
  type SignerInfo,
} from '../../../../src/monero/wallet/multisig/info.js';
import { onEveryCurve } from '../../../support/values/curves.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { noPoint, torsionPoints, withTorsion } from '../../ringct/vectors.js';
import { groupOf, randomSigners } from './groups.js';

const rng = seededRng('multisig info');
const [account] = groupOf(randomSigners(3, rng), 2, rng);
if (account === undefined) throw new Error('a member');
const signer = publicKeyOf(account.signerSecret);
const keys = {
  spendPublicKey: account.spendPublicKey,
  viewPublicKey: publicKeyOf(account.commonSecret),
};
const outputKeys = [0, 1].map(() => publicKeyOf(randomSecretKey(rng)));
const fresh = outputKeys.map((outputKey) =>
  onEveryCurve(
    (curve, again) => freshInfo(outputKey, signer, account.shares, nonceCount(account), again, curve),
    rng,
  ),
);
const received: SignerInfo = { ...keys, signer, outputs: fresh.map(({ info }) => info) };

describe('fresh info', () => {
  it('has multiples of both bases by each nonce, and a partial key image by each share', () => {
    fresh.forEach(({ info, secrets }, i) => {
      const outputKey = outputKeys[i] ?? signer;
      expect(info.nonces).toHaveLength(nonceCount(account));
      expect(info.nonces).toEqual(
        secrets.map((secret) => ({
          L: publicKeyOf(secret),
          R: multiply(hashToPoint(outputKey), toScalar(secret)).toBytes(),
        })),
      );
      expect(info.partialKeyImages).toEqual(account.shares.map((share) => keyImage(outputKey, share)));
    });
  });
});

describe('received info', () => {
  const reasonOf = (info: SignerInfo): string =>
    onEveryCurve((curve) => {
      try {
        checkInfo(info, keys, account, curve);
        return 'none';
      } catch (error) {
        return (error as Error).message;
      }
    });
  /** Changes the info about the second output. */
  const changed = (change: Partial<SignerInfo['outputs'][number]>): SignerInfo => ({
    ...received,
    outputs: received.outputs.map((output, i) => (i === 1 ? { ...output, ...change } : output)),
  });
  const [earlier, own] = received.outputs;
  const [nonce] = own?.nonces ?? [];
  const [image] = own?.partialKeyImages ?? [];
  if (earlier === undefined || own === undefined || nonce === undefined || image === undefined)
    throw new Error('incomplete info');
  const rest = own.nonces.slice(1);

  it('is accepted as it was made', () => expect(reasonOf(received)).toBe('none'));

  test.each([
    ['the identity', IDENTITY.toBytes()],
    ['not a point', noPoint()],
    ['with torsion', withTorsion(nonce.R, torsionPoints[1] ?? IDENTITY)],
  ])('is refused with a key that is %s', (_, key) => {
    expect(reasonOf(changed({ nonces: [{ ...nonce, L: key }, ...rest] }))).toBe('it has an unusable nonce');
    expect(reasonOf(changed({ nonces: [{ ...nonce, R: key }, ...rest] }))).toBe('it has an unusable nonce');
    const images = [key as Uint8Array as KeyImage, ...own.partialKeyImages.slice(1)];
    expect(reasonOf(changed({ partialKeyImages: images }))).toBe('it has an unusable partial key image');
  });

  it('is refused with a nonce twice, of one output or of two', () => {
    expect(reasonOf(changed({ nonces: [nonce, nonce, ...rest.slice(1)] }))).toBe('it has an unusable nonce');
    expect(reasonOf(changed({ nonces: earlier.nonces }))).toBe('it has an unusable nonce');
  });
});
