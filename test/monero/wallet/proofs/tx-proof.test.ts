import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  derivePublicKey,
  publicKeyOf,
  randomSecretKey,
  viewTag,
} from '../../../../src/monero/crypto/derivation.js';
import { keccak } from '../../../../src/monero/crypto/keccak.js';
import { derivationOf, sharedSecret } from '../../../../src/monero/crypto/tx-proof.js';
import type { KeyDerivation, PublicKey } from '../../../../src/monero/crypto/types.js';
import { encodeBase58 } from '../../../../src/monero/cryptonote/base58.js';
import { writeExtra } from '../../../../src/monero/cryptonote/extra.js';
import { transaction, transactionHash } from '../../../../src/monero/cryptonote/transaction.js';
import type { PaymentId, SubaddressIndex, Transaction } from '../../../../src/monero/cryptonote/types.js';
import { amount } from '../../../../src/util/amount.js';
import { concatBytes, utf8 } from '../../../../src/util/bytes.js';
import { encode } from '../../../../src/util/codec.js';
import { ProtocolError } from '../../../../src/monero/wallet/protocol-error.js';
import type { ProofFault } from '../../../../src/monero/wallet/proofs/proof-text.js';
import { checkTxKey } from '../../../../src/monero/wallet/proofs/tx-key.js';
import { checkTxProof, proveReceived, proveSent } from '../../../../src/monero/wallet/proofs/tx-proof.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { holder, type Holder } from '../fixtures.js';
import { fetchedOf, payment, proveSharedSecretV1, withPrefix } from '../payment-fixture.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';

const rng = seededRng('payments');
const [payer, alice, bob] = [holder(rng), holder(rng), holder(rng)];
const message = utf8('for the tea');
const ID = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) as PaymentId;
const SUBADDRESS: SubaddressIndex = { major: 1, minor: 2 };
const BAD = { good: false, received: 0n };

const to = (who: Holder, value: bigint, index?: SubaddressIndex, id?: PaymentId) => ({
  address: who.address(index, id),
  amount: amount(value),
});

const faultOf = (act: () => unknown): ProofFault['kind'] | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof ProtocolError) return error.fault.kind;
    throw error;
  }
};

const textOf = (act: () => unknown): string | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof ProtocolError && error.fault.kind === 'bad_proof') return error.fault.text;
    throw error;
  }
};

const mixed = payment(
  payer,
  [to(alice, 5n), to(alice, 7n, SUBADDRESS), to(bob, 11n, SUBADDRESS), to(alice, 2n)],
  rng,
);
const cases = [
  {
    note: 'a primary address',
    made: payment(payer, [to(alice, 5n)], rng),
    address: alice.address(),
    paid: 5n,
  },
  {
    note: 'an integrated address',
    made: payment(payer, [to(alice, 6n, undefined, ID)], rng),
    address: alice.address(undefined, ID),
    paid: 6n,
  },
  {
    note: 'a subaddress',
    made: payment(payer, [to(alice, 9n, SUBADDRESS)], rng),
    address: alice.address(SUBADDRESS),
    paid: 9n,
  },
  { note: 'a primary address twice, beside subaddresses', made: mixed, address: alice.address(), paid: 7n },
  { note: 'a subaddress beside others', made: mixed, address: alice.address(SUBADDRESS), paid: 7n },
];

describe.each(cases)('a payment to $note', ({ made: { tx, keys, parsed }, address, paid }) => {
  const subject = { tx, address, message };
  const proofs = [
    ['its payer', proveSent({ ...subject, keys }, rng)],
    ['its payee', proveReceived({ ...subject, viewSecret: alice.viewSecret }, rng)],
  ] as const;

  it('is proven by the tx secret keys, for its address only', () => {
    expect(checkTxKey({ tx, address, keys })).toBe(paid);
    expect(checkTxKey({ tx, address: bob.address(), keys })).toBe(0n);
    const strange = keys.map(() => randomSecretKey(rng));
    expect(checkTxKey({ tx, address, keys: strange })).toBe(0n);
    const count = parsed.prefix.outputs.length + 1;
    const surplus = Array.from({ length: count + 1 }, () => keys[0] ?? randomSecretKey(rng));
    expect(faultOf(() => checkTxKey({ tx, address, keys: surplus }))).toBe('invalid');
    expect(faultOf(() => checkTxKey({ tx, address, keys: surplus.slice(0, 2) }))).toBe('invalid');
    expect(checkTxKey({ tx, address, keys: [] })).toBe(0n);
  });

  describe.each(proofs)('proved by %s', (_, proof) => {
    it('verifies for this message, address and transaction only', () => {
      expect(checkTxProof({ ...subject, proof })).toEqual({ good: true, received: paid });
      expect(checkTxProof({ ...subject, proof, message: utf8('') })).toEqual(BAD);
      expect(checkTxProof({ ...subject, proof, address: bob.address() })).toEqual(BAD);
      const renamed = fetchedOf(parsed, rng);
      expect(checkTxProof({ ...subject, proof, tx: renamed })).toEqual(BAD);
    });

    it('never proves a larger amount after a change of a character', () => {
      fc.assert(
        fc.property(
          fc.nat(proof.length - 1),
          fc.constantFrom('1', '2', 'A', 'z', '0', '\u{1f600}'),
          (at, char) => {
            fc.pre(proof[at] !== char);
            const bent = proof.slice(0, at) + char + proof.slice(at + 1);
            const fault = faultOf(() => {
              const verdict = checkTxProof({ ...subject, proof: bent });
              expect(verdict.received).toBeLessThanOrEqual(paid);
              // With several keys the other entries may still verify.
              if (keys.length === 1) expect(verdict).toEqual(BAD);
            });
            expect([undefined, 'bad_proof']).toContain(fault);
          },
        ),
        { numRuns: 25 },
      );
    });
  });
});

describe('a proof of a payment that was not made', () => {
  const { tx, keys } = payment(payer, [to(alice, 5n)], rng);
  it('is made by neither side', () => {
    const subject = { tx, address: bob.address(), message };
    expect(faultOf(() => proveSent({ ...subject, keys }, rng))).toBe('invalid');
    expect(faultOf(() => proveReceived({ ...subject, viewSecret: bob.viewSecret }, rng))).toBe('invalid');
  });
  it('is not made with the keys of another transaction', () => {
    const strange = [randomSecretKey(rng)];
    expect(faultOf(() => proveSent({ tx, address: alice.address(), message, keys: strange }, rng))).toBe(
      'invalid',
    );
  });
});

describe('a malformed proof', () => {
  const { tx, keys } = payment(payer, [to(alice, 5n)], rng);
  const subject = { tx, address: alice.address(), message };
  const proof = proveSent({ ...subject, keys }, rng);
  test.each([
    ['nothing', ''],
    ['a header alone', 'OutProofV2'],
    ['another version', proof.replace('V2', 'V3')],
    ['one cut short', proof.slice(0, -1)],
    ['one with a part too many', proof + proof.slice('OutProofV2'.length)],
    ['one that is not base58', `OutProofV2${'l'.repeat(132)}`],
    ['one whose blocks overflow', `OutProofV2${'z'.repeat(132)}`],
  ])('is refused: %s', (_, text) => {
    expect(faultOf(() => checkTxProof({ ...subject, proof: text }))).toBe('bad_proof');
  });
  test.each([
    ['an empty one', '', 'basic_string'],
    ['one that ends before its version', 'InProo', 'basic_string'],
    ['a payer\u2019s that ends before its version', 'OutProo', 'basic_string'],
    ['a version without a body', 'InProof', 'Signature size mismatch with additional tx pubkeys'],
    [
      'a payer\u2019s version without a body',
      'OutProof',
      'Signature size mismatch with additional tx pubkeys',
    ],
    ['any longer text', 'wrong signature', 'Wrong signature size'],
    [
      'an unknown version of the length of a proof',
      `OutProofV3${'1'.repeat(132)}`,
      'Signature size mismatch with additional tx pubkeys',
    ],
    ['an unknown version of another length', `OutProofV3${'1'.repeat(131)}`, 'Wrong signature size'],
    ['one with a character too many', `${proof}1`, 'Wrong signature size'],
    [
      'one with a part too many',
      proof + proof.slice('OutProofV2'.length),
      'Signature size mismatch with additional tx pubkeys',
    ],
  ])('has the text that clients of monero-wallet-rpc compare: %s', (_, text, expected) => {
    expect(textOf(() => checkTxProof({ ...subject, proof: text }))).toBe(expected);
  });
  it('is refused for any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('', 'OutProofV2', 'InProofV1'), (text, header) => {
        expect(faultOf(() => checkTxProof({ ...subject, proof: header + text }))).toBe('bad_proof');
      }),
      { numRuns: randomRuns(100) },
    );
  });
});

describe('proofs of version 1', () => {
  const { tx, keys } = payment(payer, [to(alice, 5n)], rng);
  const [key] = keys;
  if (key === undefined) throw new Error('no key');
  const address = alice.address();
  const signed = keccak(tx.hash, message);
  const D = sharedSecret(address.viewPublicKey, key);
  it.each([
    ['Out', { R: publicKeyOf(key), A: address.viewPublicKey }, key],
    ['In', { R: address.viewPublicKey, A: publicKeyOf(key) }, alice.viewSecret],
  ])('are read: %sProofV1', (direction, claim, secret) => {
    const signature = proveSharedSecretV1({ message: signed, ...claim, D }, secret, rng);
    const body = encodeBase58(D) + encodeBase58(signature);
    const check = (proof: string) => checkTxProof({ tx, address, message, proof });
    expect(check(`${direction}ProofV1${body}`)).toEqual({ good: true, received: 5n });
    expect(check(`${direction}ProofV2${body}`)).toEqual(BAD);
  });
});

describe('an amount', () => {
  const { parsed, keys } = payment(payer, [to(alice, 5n)], rng);
  const received = (tx: Transaction): bigint =>
    checkTxKey({ tx: fetchedOf(tx, rng), address: alice.address(), keys });
  const { outputs } = parsed.prefix;

  it('counts in an output without a view tag, as in older transactions', () => {
    const untagged = outputs.map(({ viewTag: tag, ...output }) => {
      expect(tag).toBeDefined();
      return output;
    });
    expect(received(withPrefix(parsed, { outputs: untagged }))).toBe(5n);
  });

  it('counts for nothing under a wrong view tag, with which its payee does not find it', () => {
    const mistagged = outputs.map((output) => ({ ...output, viewTag: (output.viewTag ?? 0) ^ 1 }));
    expect(received(withPrefix(parsed, { outputs: mistagged }))).toBe(0n);
  });

  it('counts for nothing where it does not match its commitment', () => {
    const base = parsed.rct?.base;
    if (base === undefined) throw new Error('no RingCT');
    expect(received({ ...parsed, rct: { base: { ...base, outPk: base.outPk.toReversed() } } })).toBe(0n);
  });
});

describe('a fraudulent transaction', () => {
  /** Outputs that a freely chosen derivation makes look paid to an address. */
  const forged = (derivation: KeyDerivation, extra: Uint8Array, value = 50n): Transaction => {
    const { parsed } = payment(payer, [to(alice, 5n)], rng);
    const outputs = parsed.prefix.outputs.map((output, i) => ({
      ...output,
      publicKey: derivePublicKey(derivation, i, bob.spendPublicKey),
      viewTag: viewTag(derivation, i),
    }));
    return {
      prefix: {
        ...parsed.prefix,
        version: 1,
        outputs: outputs.map((o) => ({ ...o, amount: amount(value) })),
        extra,
      },
      signatures: [],
    };
  };
  const nameOf = (tx: Transaction) => {
    const signatures = tx.prefix.inputs.map((input) =>
      input.type === 'key' ? input.keyOffsets.map(() => new Uint8Array(64)) : [],
    );
    const whole = { ...tx, signatures };
    return { hash: transactionHash(whole), blob: encode(transaction, whole) };
  };

  it('proves nothing by a key that it does not publish', () => {
    const key = randomSecretKey(rng);
    const derivation = derivationOf(sharedSecret(bob.address().viewPublicKey, key));
    const honest = nameOf(forged(derivation, writeExtra([{ type: 'publicKey', key: publicKeyOf(key) }])));
    expect(checkTxKey({ tx: honest, address: bob.address(), keys: [key] })).toBe(100n);
    const other = publicKeyOf(randomSecretKey(rng));
    const lying = nameOf(forged(derivation, writeExtra([{ type: 'publicKey', key: other }])));
    expect(checkTxKey({ tx: lying, address: bob.address(), keys: [key] })).toBe(0n);
    const subject = { tx: lying, address: bob.address(), message };
    expect(faultOf(() => proveSent({ ...subject, keys: [key] }, rng))).toBe('invalid');
  });

  it('of more coins than there can be is a fault of the daemon', () => {
    const key = randomSecretKey(rng);
    const derivation = derivationOf(sharedSecret(bob.address().viewPublicKey, key));
    const extra = writeExtra([{ type: 'publicKey', key: publicKeyOf(key) }]);
    const tx = nameOf(forged(derivation, extra, 2n ** 63n));
    expect(faultOf(() => checkTxKey({ tx, address: bob.address(), keys: [key] }))).toBe('wrong_transaction');
  });

  it('proves nothing by an invalid entry of a proof', () => {
    // A verifier that skipped the check would derive with zeros.
    const zeros = new Uint8Array(32) as KeyDerivation;
    const key = randomSecretKey(rng);
    const keyOfPayer = publicKeyOf(key);
    const extra = writeExtra([
      { type: 'publicKey', key: keyOfPayer },
      { type: 'additionalKeys', keys: [keyOfPayer, keyOfPayer] },
    ]);
    const tx = nameOf(forged(zeros, extra));
    const A = bob.address().viewPublicKey;
    const D = sharedSecret(A, key);
    const claim = { message: keccak(tx.hash, message), R: keyOfPayer, A, D };
    const good = encodeBase58(D) + encodeBase58(proveSharedSecretV1(claim, key, rng));
    const nothing = encodeBase58(D) + encodeBase58(new Uint8Array(64));
    const check = (...parts: string[]) =>
      checkTxProof({ tx, address: bob.address(), message, proof: `OutProofV1${parts.join('')}` });
    expect(check(good, nothing, nothing)).toEqual({ good: true, received: 0n });
    expect(check(nothing, good, nothing)).toEqual({ good: true, received: 0n });
    expect(check(nothing, nothing, nothing)).toEqual(BAD);
  });

  it('with invalid public keys can still be proven by its payee', () => {
    const { parsed } = payment(payer, [to(alice, 5n)], rng);
    const noPoint = new Uint8Array(32).fill(0xff) as PublicKey;
    const keys = parsed.prefix.outputs.map(() => noPoint);
    const extra = Uint8Array.of(...parsed.prefix.extra, ...writeExtra([{ type: 'additionalKeys', keys }]));
    const tx = fetchedOf(withPrefix(parsed, { extra }), rng);
    const subject = { tx, address: alice.address(), message };
    const proof = proveReceived({ ...subject, viewSecret: alice.viewSecret }, rng);
    expect(checkTxProof({ ...subject, proof })).toEqual({ good: true, received: 5n });
    // In place of their entries stands the identity, which is a point, with a signature of zeros.
    const identity = Uint8Array.of(1, ...new Uint8Array(31));
    expect(proof.endsWith(encodeBase58(identity) + encodeBase58(new Uint8Array(64)))).toBe(true);
  });

  it('with several public keys is proven by the secret key of any', () => {
    const { parsed, keys } = payment(payer, [to(alice, 5n)], rng);
    const other = writeExtra([{ type: 'publicKey', key: publicKeyOf(randomSecretKey(rng)) }]);
    for (const parts of [
      [other, parsed.prefix.extra],
      [parsed.prefix.extra, other],
    ]) {
      const tx = fetchedOf(withPrefix(parsed, { extra: concatBytes(...parts) }), rng);
      expect(checkTxKey({ tx, address: alice.address(), keys })).toBe(5n);
    }
  });

  it('without a public key has no proof', () => {
    const { parsed } = payment(payer, [to(alice, 5n)], rng);
    const tx = fetchedOf(withPrefix(parsed, { extra: new Uint8Array() }), rng);
    const subject = { tx, address: alice.address(), message };
    expect(faultOf(() => proveReceived({ ...subject, viewSecret: alice.viewSecret }, rng))).toBe('invalid');
  });
});

describe('a daemon that sends a wrong transaction', () => {
  const { tx } = payment(payer, [to(alice, 5n)], rng);
  const { tx: other } = payment(payer, [to(alice, 5n)], rng);
  const check = (given: typeof tx) => () =>
    checkTxKey({ tx: given, address: alice.address(), keys: [randomSecretKey(rng)] });
  test.each([
    ['under its name', { ...other, hash: tx.hash }],
    ['cut short', { ...tx, blob: tx.blob.slice(0, -1) }],
    [
      'with another prunable hash',
      { ...tx, ...(other.prunableHash && { prunableHash: other.prunableHash }) },
    ],
    ['as if it were whole', { hash: tx.hash, blob: tx.blob }],
    ['as an empty blob', { hash: tx.hash, blob: new Uint8Array() }],
  ])('is detected: %s', (_, given) => {
    expect(faultOf(check(given))).toBe('wrong_transaction');
  });
});
