import { concatBytes, fromHex } from '../../../src/util/bytes.js';
import { G, multiply, decompress } from '../../../src/monero/crypto/curve/point.js';
import {
  hashToScalar,
  randomScalar,
  reduce,
  scalarBytes,
  toScalar,
} from '../../../src/monero/crypto/scalar.js';
import type { SharedSecretClaim } from '../../../src/monero/crypto/tx-proof.js';
import type { Hash, KeyImage, SecretKey, Signature } from '../../../src/monero/crypto/types.js';
import {
  parsePrunedTransaction,
  prunedTransaction,
  transactionHashWith,
} from '../../../src/monero/cryptonote/transaction.js';
import type { Transaction, TxPrefix } from '../../../src/monero/cryptonote/types.js';
import { commit } from '../../../src/monero/ringct/commitment.js';
import type { Amount } from '../../../src/util/amount.js';
import { encode } from '../../../src/util/codec.js';
import type { Rng } from '../../../src/util/random.js';
import { constructTransaction } from '../../../src/monero/wallet/build/construction.js';
import type { OutputTarget } from '../../../src/monero/wallet/build/output-layout.js';
import type { FetchedTx } from '../../../src/monero/wallet/scan/fetched-tx.js';
import { ownOutputsIn } from '../../../src/monero/wallet/scan/block-scan.js';
import type { FoundOutput } from '../../../src/monero/wallet/scan/found-output.js';
import { spendableInput, type Holder } from './fixtures.js';

/** A transaction as sent by a pruning daemon, with its tx secret keys. */
export interface PaymentFixture {
  readonly tx: FetchedTx;
  readonly keys: readonly SecretKey[];
  readonly parsed: Transaction;
}

/** A transaction with the hash of its bytes. */
export function fetchedOf(tx: Transaction, rng: Rng): FetchedTx {
  const prunableHash = rng(32) as Hash;
  return { hash: transactionHashWith(tx, prunableHash), blob: encode(prunedTransaction, tx), prunableHash };
}

/** The same transaction with another prefix. */
export const withPrefix = (tx: Transaction, changes: Partial<TxPrefix>): Transaction => ({
  ...tx,
  prefix: { ...tx.prefix, ...changes },
});

/** Makes a payment without proofs and signatures, which no later check of a payment needs. */
export function payment(payer: Holder, payees: readonly OutputTarget[], rng: Rng): PaymentFixture {
  const total = payees.reduce((sum, { amount }) => sum + amount, 0n);
  const unsigned = constructTransaction(
    {
      inputs: [spendableInput((total + 1000n) as Amount, rng)],
      payees,
      changeAddress: payer.address(),
      fee: 10n as Amount,
      unlockTime: 0n,
      viewSecret: payer.viewSecret,
    },
    rng,
  );
  const base = {
    type: 6 as const,
    fee: unsigned.fee,
    pseudoOuts: [],
    ecdhInfo: unsigned.outputs.map(({ encryptedAmount }) => ({ amount: encryptedAmount })),
    outPk: unsigned.outputs.map(({ amount, mask }) => commit(amount, mask)),
  };
  const tx = fetchedOf({ prefix: unsigned.prefix, rct: { base } }, rng);
  return {
    tx,
    keys: [unsigned.txSecretKey, ...unsigned.additionalSecretKeys],
    parsed: parsePrunedTransaction(tx.blob),
  };
}

/** An output with the owner's data. */
export type HeldOutput = FoundOutput & { readonly txHash: Hash; readonly keyImage: KeyImage };

/** Outputs that a holder finds in a payment. */
export function outputsOf(owner: Holder, { tx, parsed }: PaymentFixture): HeldOutput[] {
  return ownOutputsIn(parsed, owner, owner.table).flatMap(({ keyImage, ...output }) =>
    keyImage === undefined ? [] : [{ ...output, keyImage, txHash: tx.hash }],
  );
}

/** A proof of version 1: of the same claim, bound to fewer values. */
export function proveSharedSecretV1(
  { message, A, B, D }: SharedSecretClaim,
  secret: SecretKey,
  rng: Rng,
): Signature {
  const nonce = randomScalar(rng);
  const X = multiply(B === undefined ? G : decompress(B), nonce).toBytes();
  const Y = multiply(decompress(A), nonce).toBytes();
  const c = hashToScalar(message, D, X, Y);
  return concatBytes(scalarBytes(c), scalarBytes(reduce(nonce - c * toScalar(secret)))) as Signature;
}

/** A key image with torsion: equal for a signature check, different as bytes. @param torsion a small-order point. */
export const plusTorsion = (image: KeyImage, torsion: string): KeyImage =>
  decompress(image)
    .add(decompress(fromHex(torsion)))
    .toBytes() as KeyImage;
