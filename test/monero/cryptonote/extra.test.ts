import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, PublicKey } from '../../../src/monero/crypto/types.js';
import {
  additionalPublicKeys,
  parseExtra,
  paymentIdField,
  paymentIdOf,
  txPublicKeys,
  writeExtra,
  type ExtraField,
} from '../../../src/monero/cryptonote/extra.js';
import type { PaymentId } from '../../../src/monero/cryptonote/types.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';

const KEY = '11'.repeat(32);
const OTHER = '22'.repeat(32);

describe('reading an extra', () => {
  test.each([
    ['a public key', `01${KEY}`, ['publicKey'], true],
    ['a nonce', '020109', ['nonce'], true],
    ['a merge mining tag', `032100${KEY}`, ['mergeMining'], true],
    ['a depth of 64 bits', `032affffffffffffffffff01${KEY}`, ['mergeMining'], true],
    ['a depth of more', `032affffffffffffffffff02${KEY}`, [], false],
    ['bytes behind a merge mining tag, inside of it', `032200${KEY}77`, [], false],
    ['a nonce whose length takes 149 bytes', `02${'80'.repeat(148)}01${'00'.repeat(9)}`, [], false],
    ['a list whose length takes 149 bytes', `04${'80'.repeat(148)}01${KEY}`, [], false],
    ['additional keys', `0402${KEY}${OTHER}`, ['additionalKeys'], true],
    ['a minergate field', 'de0401020304', ['minergate'], true],
    ['padding', '000000', ['padding'], true],
    ['a key before something unknown', `01${KEY}99`, ['publicKey'], false],
    ['padding that is not zero', `01${KEY}0001`, ['publicKey'], false],
    ['a key that is cut', `01${KEY}01ff`, ['publicKey'], false],
    ['a nonce longer than allowed', `02ac02${'00'.repeat(300)}`, [], false],
    ['more keys than bytes', '04ffffff7f', [], false],
    ['nothing', '', [], true],
  ])('%s', (_, hex, types, complete) => {
    const parsed = parseExtra(fromHex(hex));
    expect([parsed.fields.map(({ type }) => type), parsed.complete]).toEqual([types, complete]);
  });

  it('never throws for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
        expect(parseExtra(bytes).fields).toBeInstanceOf(Array),
      ),
    );
  });

  it('finds keys and payment ids', () => {
    const { fields } = parseExtra(fromHex(`01${KEY}01${OTHER}0209011122334455667788`));
    expect(txPublicKeys(fields).map(toHex)).toEqual([KEY, OTHER]);
    expect(additionalPublicKeys(fields)).toEqual([]);
    expect(paymentIdOf(fields)).toEqual({ kind: 'short', id: fromHex('1122334455667788') });
    expect(paymentIdOf(parseExtra(fromHex(`022100${KEY}`)).fields)).toEqual({
      kind: 'long',
      id: fromHex(KEY),
    });
    expect(paymentIdOf(parseExtra(fromHex('0203010203')).fields)).toBeUndefined();
  });
});

describe('writing an extra', () => {
  it("puts fields into upstream's order and reads them back", () => {
    const fields: ExtraField[] = [
      { type: 'mergeMining', depth: 0n, root: fromHex(OTHER) as Hash },
      paymentIdField({ kind: 'short', id: fromHex('1122334455667788') as PaymentId }),
      { type: 'additionalKeys', keys: [fromHex(OTHER) as PublicKey] },
      { type: 'publicKey', key: fromHex(KEY) as PublicKey },
    ];
    const { fields: back, complete } = parseExtra(writeExtra(fields));
    expect(complete).toBe(true);
    expect(back.map(({ type }) => type)).toEqual(['publicKey', 'additionalKeys', 'nonce', 'mergeMining']);
    expect(back).toEqual(expect.arrayContaining(fields));
  });
});
