import type { Hash, KeyImage, PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { amount } from '../../../src/util/amount.js';
import type { MadePayment, MadeTx } from '../../../src/model/made-payment.js';
import { bytes } from '../../store/fixtures.js';

/** Signed transaction with the n-th hash, without its blob. */
export const madeTx = (n: number, more: Partial<MadeTx> = {}): MadeTx => ({
  txHash: bytes<Hash>(n),
  blob: new Uint8Array(),
  ...more,
});

/** Transaction of an order with the n-th hash. @param inputs numbers of outputs of the fixtures. */
export const madePayment = (
  n: number,
  inputs: readonly number[],
  more: Partial<MadePayment> = {},
): MadePayment => ({
  destinations: [{ address: 'an address', amount: amount(40n) }],
  fee: amount(2n),
  weight: 1500,
  keyImages: inputs.map((input) => bytes<KeyImage>(100 + input)),
  inputKeys: inputs.map((input) => bytes<PublicKey>(100 + input)),
  txSecretKeys: [bytes<SecretKey>(n)],
  signed: madeTx(n),
  ...more,
});

/** Transaction of an order that other wallets sign. @param rings number of the digest of its rings. */
export function unsignedPayment(inputs: readonly number[], rings: number): MadePayment {
  const { signed, ...made } = madePayment(rings, inputs, { rings: bytes<Hash>(rings) });
  return signed === undefined ? made : { ...made, unsigned: signed };
}
