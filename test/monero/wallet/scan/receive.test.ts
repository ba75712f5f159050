import { describe, expect, it } from '@jest/globals';
import { keyDerivation } from '../../../../src/monero/crypto/derivation.js';
import type { PublicKey } from '../../../../src/monero/crypto/types.js';
import { parseExtra, txPublicKeys } from '../../../../src/monero/cryptonote/extra.js';
import type { Transaction } from '../../../../src/monero/cryptonote/types.js';
import type { RctBase } from '../../../../src/monero/ringct/types.js';
import { claimOutput, openAmount } from '../../../../src/monero/wallet/scan/receive.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { COIN, holder, payeeOf } from '../fixtures.js';
import { outputsOf, payment } from '../payment-fixture.js';

const rng = seededRng('received outputs');
const shop = holder(rng);
const paid = payment(holder(rng), [payeeOf(shop.address(), COIN)], rng);
const { parsed } = paid;
const [output] = outputsOf(shop, paid);
const key = txPublicKeys(parseExtra(parsed.prefix.extra).fields)[0];
const base = parsed.rct?.base;
if (output === undefined || key === undefined || base === undefined) throw new Error('no payment');
const { outputIndex, publicKey } = output;
const derivation = keyDerivation(key, shop.viewSecret);
const count = parsed.prefix.outputs.length;

const withRct = (changes: Partial<RctBase>): Transaction => ({
  ...parsed,
  rct: { base: { ...base, ...changes } },
});

describe('a claim', () => {
  const match = {
    tx: 0,
    outputIndex,
    key,
    derivation,
    spendKey: shop.spendPublicKey,
    internal: false,
  };

  it('is what an output pays to a known address', () => {
    expect(claimOutput(shop.table, parsed, match)).toMatchObject({
      ...{ outputIndex, publicKey, derivationKey: key, derivation },
      ...{ subaddress: { major: 0, minor: 0 }, amount: COIN },
    });
  });

  it('is made neither for another address nor for an output that the transaction lacks', () => {
    const spendKey = rng(32) as PublicKey;
    for (const other of [{ spendKey }, { outputIndex: count }, { spendKey, outputIndex: count }])
      expect(claimOutput(shop.table, parsed, { ...match, ...other })).toBeUndefined();
  });
});

describe('an amount', () => {
  it('is opened by the derivation of the output', () => {
    expect(openAmount(parsed, outputIndex, derivation)).toMatchObject({ amount: COIN, mask: output.mask });
  });

  it('of a transaction without RingCT is opened by any derivation', () => {
    const plain: Transaction = { prefix: { ...parsed.prefix, version: 1 }, signatures: [] };
    expect(openAmount(plain, outputIndex, derivation)).toEqual({ amount: 0n, mask: 1n });
    expect(openAmount(plain, count, derivation)).toBeUndefined();
  });

  it.each<[string, Transaction, number]>([
    ['that the transaction lacks', parsed, count],
    ['of another index', parsed, 1 - outputIndex],
    ['with another commitment', withRct({ outPk: base.outPk.toReversed() }), outputIndex],
    ['without a commitment', withRct({ outPk: [] }), outputIndex],
    ['without an encrypted amount', withRct({ ecdhInfo: [] }), outputIndex],
    ['with an amount above 64 bits', withRct({ type: 2 }), outputIndex],
  ])('of an output %s is not opened', (_, tx, index) => {
    expect(openAmount(tx, index, derivation)).toBeUndefined();
  });
});
