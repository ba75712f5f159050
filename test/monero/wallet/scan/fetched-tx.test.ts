import { describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../../src/monero/crypto/types.js';
import {
  parsePrunedTransaction,
  parseTransaction,
  transaction,
  transactionHash,
} from '../../../../src/monero/cryptonote/transaction.js';
import type { Transaction } from '../../../../src/monero/cryptonote/types.js';
import { readFetchedTx } from '../../../../src/monero/wallet/scan/fetched-tx.js';
import { amount } from '../../../../src/util/amount.js';
import { encode } from '../../../../src/util/codec.js';
import { strayOutputs } from '../../../support/chain/coinbase.js';
import { hashOf, looseTx, wholeTx } from '../../../support/chain/loose-tx.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { COIN, faultOf, holder, payeeOf } from '../fixtures.js';
import { payment } from '../payment-fixture.js';

const rng = seededRng('fetched transactions');
const customer = holder(rng);
const paid = payment(customer, [payeeOf(holder(rng).address(), COIN)], rng).tx;
const whole = wholeTx(2);

const minerTx: Transaction = {
  prefix: {
    version: 2,
    unlockTime: 160n,
    inputs: [{ type: 'gen', height: 100 }],
    outputs: strayOutputs(5n, 2).map((output) => ({ ...output, amount: amount(COIN) })),
    extra: new Uint8Array(),
  },
  rct: { base: { type: 0, fee: amount(0n), pseudoOuts: [], ecdhInfo: [], outPk: [] } },
};
const mined = { hash: transactionHash(minerTx), blob: encode(transaction, minerTx) };

describe('a fetched transaction', () => {
  it('is read if its hash is that of its bytes, pruned or not', () => {
    expect(readFetchedTx(paid)).toEqual(parsePrunedTransaction(paid.blob));
    expect(readFetchedTx(whole)).toEqual(parseTransaction(whole.blob));
    expect(readFetchedTx(mined)).toEqual(parseTransaction(mined.blob));
    for (const fetched of [paid, whole, mined])
      expect(faultOf(() => readFetchedTx({ ...fetched, hash: hashOf(1) }))).toEqual({
        kind: 'wrong_transaction',
        reason: 'another transaction than requested',
      });
  });

  it('may have any hash of a prunable part if it is a miner transaction, which has no such part', () => {
    for (const prunableHash of [new Uint8Array(32) as Hash, rng(32) as Hash])
      expect(readFetchedTx({ ...mined, prunableHash })).toEqual(minerTx);
    expect(faultOf(() => readFetchedTx({ ...paid, prunableHash: rng(32) as Hash }))).toMatchObject({
      kind: 'wrong_transaction',
    });
  });

  it('is refused if it cannot be parsed, or is a pruned one of version 1, which has no hash', () => {
    for (const fetched of [
      { ...paid, blob: paid.blob.slice(0, -1) },
      { ...whole, blob: new Uint8Array() },
      looseTx(hashOf(1), 1),
    ])
      expect(faultOf(() => readFetchedTx(fetched))).toEqual({
        kind: 'wrong_transaction',
        reason: 'a transaction that cannot be parsed',
      });
  });

  it('of a wrong type is a defect of the program, and not reported as one of the daemon', () => {
    const missing = undefined as unknown as Uint8Array;
    for (const fetched of [
      { ...paid, blob: missing },
      { ...whole, blob: missing },
    ])
      expect(() => readFetchedTx(fetched)).toThrow(TypeError);
  });
});
