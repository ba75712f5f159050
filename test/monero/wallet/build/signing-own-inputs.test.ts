import { describe, expect, it } from '@jest/globals';
import { keyDerivation, keyImage, publicKeyOf, randomSecretKey } from '../../../../src/monero/crypto/derivation.js';
import type { SecretKey } from '../../../../src/monero/crypto/types.js';
import type { FeeRates } from '../../../../src/monero/wallet/select/fees.js';
import { commit } from '../../../../src/monero/ringct/commitment.js';
import { amount, ZERO } from '../../../../src/util/amount.js';
import type { SpendableInput } from '../../../../src/monero/wallet/build/construction.js';
import { buildFromOwn, buildTransaction, type OwnInput } from '../../../../src/monero/wallet/build/signing.js';
import { outputSecretKey } from '../../../../src/monero/cryptonote/own-outputs.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { COIN, holder, spendableInput } from '../fixtures.js';

const rng = seededRng('own inputs');
const payer = holder(rng);
const RATE = 20_000n;
const RATES: FeeRates = { perByte: [RATE], quantizationMask: 10_000n };

/** An output paid to an address of the payer, as an own input and as an input with its secret key. */
function ownOutput(major: number, minor: number): { own: OwnInput; whole: SpendableInput } {
  const derivationKey = publicKeyOf(randomSecretKey(rng));
  const subaddress = { major, minor };
  const derivation = keyDerivation(derivationKey, payer.viewSecret);
  const secretKey = outputSecretKey(payer, derivation, 3, subaddress);
  const publicKey = publicKeyOf(secretKey);
  const { ring, mask, amount: value } = spendableInput(amount(COIN), rng);
  const members = ring.members.map((member, i) =>
    i === ring.realIndex ? { ...member, publicKey, commitment: commit(value, mask) } : member,
  );
  const known = {
    ring: { ...ring, members },
    keyImage: keyImage(publicKey, secretKey),
    amount: value,
    mask,
  };
  return {
    own: { ...known, derivationKey, outputIndex: 3, subaddress },
    whole: { ...known, secretKey },
  };
}

describe("a payment from the wallet's own outputs", () => {
  const outputs = [ownOutput(0, 0), ownOutput(0, 3), ownOutput(2, 1)];
  const facts = {
    payees: [{ address: holder(rng).address(), amount: amount(COIN) }],
    changeAddress: payer.address(),
    fee: ZERO,
    unlockTime: 0n,
    viewSecret: payer.viewSecret,
  };

  it('equals the one made with their secret keys', () => {
    const plan = { ...facts, inputs: outputs.map(({ own }) => own), spendSecret: payer.spendSecret };
    const made = buildFromOwn(plan, RATE, RATES, seededRng('build'));
    const inputs = outputs.map(({ whole }) => whole);
    expect(made).toEqual(buildTransaction({ ...facts, inputs }, RATE, RATES, seededRng('build')));
  });

  it('cannot be made with another spend key', () => {
    const spendSecret: SecretKey = randomSecretKey(rng);
    const plan = { ...facts, inputs: outputs.map(({ own }) => own), spendSecret };
    expect(() => buildFromOwn(plan, RATE, RATES, seededRng('build'))).toThrow();
  });
});
