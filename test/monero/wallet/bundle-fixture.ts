import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import type { Hash, SecretKey } from '../../../src/monero/crypto/types.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { transaction, transactionHash } from '../../../src/monero/cryptonote/transaction.js';
import type { Transaction } from '../../../src/monero/cryptonote/types.js';
import {
  proveBundle,
  type BundleToProve,
  type HeldOutput,
} from '../../../src/monero/wallet/proofs/reserve-bundle-proof.js';
import type {
  BundleFacts,
  BundleTx,
  ReserveBundle,
} from '../../../src/monero/wallet/proofs/reserve-bundle.js';
import { amount } from '../../../src/util/amount.js';
import { concatBytes, toHex } from '../../../src/util/bytes.js';
import { encode } from '../../../src/util/codec.js';
import { scalarBytes } from '../../../src/monero/crypto/scalar.js';
import { outputTo } from '../../support/chain/coinbase.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { holder } from './fixtures.js';
import { outputsOf, payment, type PaymentFixture } from './payment-fixture.js';

const rng = seededRng('reserve bundles');
export const bundleOwner = holder(rng);
const payer = holder(rng);
const primary = bundleOwner.address();

/** Height of the bundles of this fixture. */
export const BUNDLE_HEIGHT = 100;

/** A miner transaction that pays the primary address. */
function reward(height: number, value: bigint): PaymentFixture {
  const secret = scalarBytes(1234n);
  const parsed: Transaction = {
    prefix: {
      version: 2,
      unlockTime: BigInt(height + 60),
      inputs: [{ type: 'gen', height }],
      outputs: [{ amount: amount(value), ...outputTo(formatAddress(primary), 0, 1234n) }],
      extra: concatBytes(Uint8Array.of(1), publicKeyOf(secret as SecretKey)),
    },
    rct: { base: { type: 0 } } as NonNullable<Transaction['rct']>,
  };
  const blob = encode(transaction, parsed);
  // A daemon gives such a hash although nothing was removed.
  const prunableHash = new Uint8Array(32) as Hash;
  return { tx: { hash: transactionHash(parsed), blob, prunableHash }, keys: [], parsed };
}

const payTo = (...targets: readonly (readonly [major: number, minor: number, value: bigint])[]) =>
  payment(
    payer,
    targets.map(([major, minor, value]) => ({
      address: bundleOwner.address({ major, minor }),
      amount: amount(value),
    })),
    rng,
  );

/** Payments with their heights: to the primary address, to subaddresses with additional keys, and a reward. */
const made: readonly (readonly [height: number, PaymentFixture])[] = [
  [10, payTo([0, 0, 5n])],
  [20, payTo([1, 1, 70n])],
  [95, payTo([0, 2, 300n], [0, 0, 11n], [1, 1, 4n])],
  [60, reward(60, 9n)],
];

export const bundleTxs: readonly BundleTx[] = made.map(([height, { tx }]) => ({ ...tx, height }));
export const bundleOutputs: readonly HeldOutput[] = made.flatMap(([height, one]) =>
  outputsOf(bundleOwner, one).map((found) => ({
    ...found,
    height,
    unlockTime: one.parsed.prefix.unlockTime,
  })),
);

const ofAccount = (account: number) => ({
  account,
  outputs: bundleOutputs.filter(({ subaddress }) => subaddress.major === account),
});

export const bundleFacts: BundleFacts = {
  address: primary,
  message: 'audit, ünïcode',
  height: BUNDLE_HEIGHT,
  blockHash: new Uint8Array(32).fill(3) as Hash,
  time: 1_767_400_000,
};

/** Data of a bundle of accounts, with the transactions of their outputs. */
export function bundleOf(accounts: readonly number[], changes: Partial<BundleToProve> = {}): BundleToProve {
  const listed = accounts.map(ofAccount);
  const hashes = new Set(listed.flatMap(({ outputs }) => outputs.map(({ txHash }) => toHex(txHash))));
  return {
    facts: bundleFacts,
    accounts: listed,
    transactions: bundleTxs.filter(({ hash }) => hashes.has(toHex(hash))),
    withReserveProof: false,
    keys: { viewSecret: bundleOwner.viewSecret, spendSecret: bundleOwner.spendSecret },
    ...changes,
  };
}

/** A bundle of accounts 0 and 1. */
export const twoAccounts: ReserveBundle = proveBundle(bundleOf([0, 1]), rng);

/** A bundle of account 0 with a reserve proof. */
export const oneAccount: ReserveBundle = proveBundle(bundleOf([0], { withReserveProof: true }), rng);
