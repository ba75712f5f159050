import { describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../../src/monero/crypto/types.js';
import type { FetchedTx } from '../../../../src/monero/wallet/scan/fetched-tx.js';
import { provableTx } from '../../../../src/monero/wallet/proofs/provable-tx.js';
import { proveReserve, signReserve } from '../../../../src/monero/wallet/proofs/reserve-proof.js';
import { checkTxKey } from '../../../../src/monero/wallet/proofs/tx-key.js';
import { checkTxProof, proveReceived, proveSent } from '../../../../src/monero/wallet/proofs/tx-proof.js';
import { amount } from '../../../../src/util/amount.js';
import { fromHex } from '../../../../src/util/bytes.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { forkOutput } from '../../../support/wallets/fork-outputs.js';
import { paidOutput } from '../../../support/wallets/paid-outputs.js';
import { allTxs } from '../../cryptonote/carrot-vectors.js';
import { holder } from '../fixtures.js';
import { fetchedOf, payment } from '../payment-fixture.js';

const rng = seededRng('provable transactions');
const owner = holder(rng);
const NOT_SETTLED = 'proofs about outputs and transactions in the form of the fork are not settled';
/** Transactions in the form of the fork: made ones, and real ones of its test network. */
const forkTxs = allTxs.map(({ note, hash, pruned, prunableHash }): [string, FetchedTx] => [
  note,
  { hash: fromHex(hash) as Hash, blob: fromHex(pruned), prunableHash: fromHex(prunableHash) as Hash },
]);

describe('a transaction in the form of the fork', () => {
  const subjectOf = (tx: FetchedTx) => ({ tx, address: owner.address(), message: new Uint8Array() });

  it.each(forkTxs)('can be read, and has no proof of either side: %s', (_, tx) => {
    const { viewSecret } = owner;
    const made = payment(holder(rng), [{ address: owner.address(), amount: amount(5n) }], rng);
    const proof = proveReceived({ ...subjectOf(fetchedOf(made.parsed, rng)), viewSecret }, rng);
    const attempts: (() => unknown)[] = [
      () => provableTx(tx),
      () => checkTxKey({ tx, address: owner.address(), keys: [viewSecret] }),
      () => proveReceived({ ...subjectOf(tx), viewSecret }, rng),
      () => proveSent({ ...subjectOf(tx), keys: [viewSecret] }, rng),
      () => checkTxProof({ ...subjectOf(tx), proof }),
    ];
    for (const attempt of attempts) expect(attempt).toThrow(NOT_SETTLED);
  });
});

describe('a reserve', () => {
  it('is not proven by an output in the form of the fork', () => {
    const outputs = [paidOutput(owner, 5n, 1, rng), forkOutput(owner, 7n, 2, rng)].map((one) => ({
      ...one,
      keyImage: one.keyImage ?? (one.publicKey as Uint8Array as NonNullable<typeof one.keyImage>),
    }));
    const claim = { message: new Uint8Array(), address: owner.address(), keys: owner };
    expect(proveReserve({ ...claim, outputs: outputs.slice(0, 1) }, rng)).toMatch(/^ReserveProofV2/);
    expect(() => signReserve({ ...claim, outputs }, rng)).toThrow(NOT_SETTLED);
  });
});
