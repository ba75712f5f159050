import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { keccak } from '../../../../src/monero/crypto/keccak.js';
import { checkRing } from '../../../../src/monero/crypto/ring-signature.js';
import type { Hash, KeyImage, PublicKey } from '../../../../src/monero/crypto/types.js';
import { decodeBase58, encodeBase58 } from '../../../../src/monero/cryptonote/base58.js';
import { amount } from '../../../../src/util/amount.js';
import { concatBytes, fromHex, toHex, utf8 } from '../../../../src/util/bytes.js';
import { ProtocolError } from '../../../../src/monero/wallet/protocol-error.js';
import {
  assertProofOf,
  assertReserve,
  checkReserve,
  proveReserve,
  type ReserveVerdict,
} from '../../../../src/monero/wallet/proofs/reserve-proof.js';
import {
  formatReserveProof,
  readReserveProof,
  type ReserveProof,
} from '../../../../src/monero/wallet/proofs/reserve-proof-text.js';
import { NOT_CANONICAL, SMALL_ORDER } from '../../crypto/vectors.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { holder } from '../fixtures.js';
import {
  fetchedOf,
  outputsOf,
  payment,
  plusTorsion,
  proveSharedSecretV1,
  type HeldOutput,
} from '../payment-fixture.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';

const rng = seededRng('holdings');
const [owner, payer] = [holder(rng), holder(rng)];
const message = utf8('solvent');
const address = owner.address();

/** Outputs at the primary address and at subaddresses, opened by tx public keys and additional keys. */
const payments = [
  payment(payer, [{ address, amount: amount(5n) }], rng),
  payment(payer, [{ address: owner.address({ major: 1, minor: 1 }), amount: amount(70n) }], rng),
  payment(
    payer,
    [
      { address: owner.address({ major: 0, minor: 2 }), amount: amount(300n) },
      { address: payer.address({ major: 0, minor: 1 }), amount: amount(2n) },
      { address, amount: amount(11n) },
    ],
    rng,
  ),
];
const outputs = payments.flatMap((made) => outputsOf(owner, made));
const txOf = (hash: Hash) => {
  const found = payments.find(({ tx }) => toHex(tx.hash) === toHex(hash));
  if (found === undefined) throw new Error('not a payment of this test');
  return found.tx;
};

const prove = (of: readonly HeldOutput[] = outputs): string =>
  proveReserve({ message, address, outputs: of, keys: owner }, rng);

const check = (
  proof: ReserveProof,
  changes: Partial<Parameters<typeof checkReserve>[0]> = {},
): ReserveVerdict =>
  checkReserve({
    proof,
    message,
    address,
    txs: changes.txs ?? proof.entries.map(({ txHash }) => txOf(txHash)),
    spent: proof.entries.map(() => false),
    ...changes,
  });

const faultOf = (act: () => unknown): string | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof ProtocolError) return error.fault.kind;
    throw error;
  }
};

const proof = prove();
const read = readReserveProof(proof);
const BAD = { good: false };

describe('a reserve proof', () => {
  it('counts its outputs, and those of them that were spent', () => {
    expect(outputs.map((output) => output.amount).sort()).toEqual([11n, 300n, 5n, 70n]);
    expect(check(read)).toEqual({ good: true, total: 386n, spent: 0n });
    const spent = outputs.map((output) => output.amount > 20n);
    expect(check(read, { spent })).toEqual({ good: true, total: 386n, spent: 370n });
  });
  it('is bad for another text, and for another address of the same spend key', () => {
    expect(check(read, { message: utf8('') })).toEqual(BAD);
    const { viewPublicKey } = payer.address();
    expect(check(read, { address: { ...address, viewPublicKey } })).toEqual(BAD);
  });
  it('is refused for another address', () => {
    expect(faultOf(() => assertProofOf(read, address))).toBeUndefined();
    expect(faultOf(() => check(read, { address: payer.address() }))).toBe('bad_proof');
  });
  it('is encoded as it was read', () => {
    expect(formatReserveProof(read)).toBe(proof);
    // Number of entries, and the version of the layout of the first one.
    expect([...decodeBase58(proof.slice('ReserveProofV2'.length)).subarray(0, 2)]).toEqual([4, 0]);
  });
  it('without entries has an amount of zero', () => {
    expect(check(readReserveProof(prove([])))).toEqual({ good: true, total: 0n, spent: 0n });
  });

  it('is bad once a byte of it changes', () => {
    const bytes = decodeBase58(proof.slice('ReserveProofV2'.length));
    // The version byte of an entry is ignored.
    const versions = new Set(outputs.map((_, i) => 1 + i * 226));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        fc.pre(!versions.has(at));
        const bent = Uint8Array.from(bytes);
        bent[at] = (bent[at] ?? 0) ^ flip;
        let verdict: ReserveVerdict = { good: false };
        const fault = faultOf(() => {
          const changed = readReserveProof(`ReserveProofV2${encodeBase58(bent)}`);
          const known = changed.entries.every(({ txHash }) =>
            payments.some(({ tx }) => toHex(tx.hash) === toHex(txHash)),
          );
          if (known) verdict = check(changed);
        });
        expect([undefined, 'bad_proof']).toContain(fault);
        expect(verdict).toEqual(BAD);
      }),
      { numRuns: randomRuns(60) },
    );
  });

  test.each<[string, (of: ReserveProof) => ReserveProof]>([
    [
      'an output twice',
      ({ entries, ...rest }) => ({ ...rest, entries: [...entries, ...entries.slice(0, 1)] }),
    ],
    [
      'an output under the key image of another',
      ({ entries: [first, second, ...others], ...rest }) => ({
        ...rest,
        entries: [first, second && first && { ...second, keyImage: first.keyImage }, ...others].flatMap(
          (one) => one ?? [],
        ),
      }),
    ],
    [
      'an output twice under another key image',
      ({ entries: [first, second, ...others], ...rest }) => ({
        ...rest,
        entries: [first, second && first && { ...first, keyImage: second.keyImage }, ...others].flatMap(
          (one) => one ?? [],
        ),
      }),
    ],
  ])('cannot count %s', (_, change) => {
    expect(faultOf(() => readReserveProof(formatReserveProof(change(read))))).toBe('bad_proof');
  });

  test.each([
    ['nothing', ''],
    ['a header alone', 'ReserveProofV2'],
    ['another version', proof.replace('V2', 'V3')],
    ['one cut short', proof.slice(0, -11)],
    ['one with more behind it', `${proof}111`],
    ['one that is not base58', 'ReserveProofV20OIl'],
    ['more entries than bytes', `ReserveProofV2${encodeBase58(Uint8Array.of(0xff, 0xff, 0xff, 0x7f))}`],
    [
      'a pair of three',
      `ReserveProofV2${encodeBase58(concatBytes(Uint8Array.of(0, 1, 3), new Uint8Array(96)))}`,
    ],
  ])('is refused when malformed: %s', (_, text) => {
    expect(faultOf(() => readReserveProof(text))).toBe('bad_proof');
  });
  it('is not decoded where it is longer than 16 MiB', () => {
    const ofLength = (size: number) => () => readReserveProof('ReserveProofV2'.padEnd(size, '0'));
    const most = 16 * 1024 * 1024;
    const refusal = (reason: string) =>
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'bad_proof', reason }) });
    expect(ofLength(most)).toThrow(refusal('the proof is not base58'));
    expect(ofLength(most + 1)).toThrow(refusal('the proof is too long'));
  });
  it('is refused for any other text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = `ReserveProofV2${encodeBase58(bytes)}`;
        const fault = faultOf(() => readReserveProof(text));
        expect([undefined, 'bad_proof']).toContain(fault);
        if (fault === undefined) expect(readReserveProof(text).entries).toEqual([]);
      }),
      { numRuns: randomRuns(100) },
    );
  });
});

describe('a proof of version 1', () => {
  it('is read, and does not verify as version 2', () => {
    const signed = keccak(
      message,
      address.spendPublicKey,
      address.viewPublicKey,
      ...read.entries.map(({ keyImage }) => keyImage),
    );
    const entries = read.entries.map((entry, i) => {
      const A = outputs[i]?.derivationKey ?? address.viewPublicKey;
      const claim = { message: signed, R: address.viewPublicKey, A, D: entry.sharedSecret };
      return { ...entry, sharedSecretSignature: proveSharedSecretV1(claim, owner.viewSecret, rng) };
    });
    const text = formatReserveProof({ ...read, entries });
    expect(check(readReserveProof(text.replace('V2', 'V1')))).toMatchObject({ good: true, total: 386n });
    expect(check(readReserveProof(text))).toEqual(BAD);
    expect(check(readReserveProof(proof.replace('V2', 'V1')))).toEqual(BAD);
  });
});

describe('a dishonest prover', () => {
  test.each(SMALL_ORDER.slice(1))('cannot hide that an output is spent behind torsion %s', (torsion) => {
    const [first] = outputs;
    if (first === undefined) throw new Error('no output');
    // For some challenges the torsion vanishes: a check of the signature alone accepts every second or eighth attempt.
    const tries = Array.from({ length: 8 }, () => {
      const bent = { ...first, keyImage: plusTorsion(first.keyImage, torsion) };
      return check(readReserveProof(prove([bent])));
    });
    expect(tries.filter(({ good }) => good)).toEqual([]);
  });

  it('could hide a spend if only the signature were checked', () => {
    const [first] = outputs;
    const [, torsion] = SMALL_ORDER;
    if (first === undefined || torsion === undefined) throw new Error('no output');
    const keyImage = plusTorsion(first.keyImage, torsion);
    const signed = keccak(message, address.spendPublicKey, address.viewPublicKey, keyImage);
    const tries = Array.from({ length: 32 }, () => {
      const [one] = readReserveProof(prove([{ ...first, keyImage }])).entries;
      return one !== undefined && checkRing(signed, keyImage, [first.publicKey], [one.keyImageSignature]);
    });
    expect(tries).toContain(true);
  });

  it('gets nothing for keys that are no points', () => {
    const [noPoint] = NOT_CANONICAL.map(({ hex }) => fromHex(hex));
    if (noPoint === undefined) throw new Error('no encoding');
    for (const bytes of [noPoint, new Uint8Array(32).fill(7)]) {
      const withFirst = (change: Partial<ReserveProof['entries'][number]>): ReserveProof => ({
        ...read,
        entries: read.entries.map((one, i) => (i === 0 ? { ...one, ...change } : one)),
      });
      expect(check(withFirst({ sharedSecret: bytes as PublicKey }))).toEqual(BAD);
      expect(check(withFirst({ keyImage: bytes as KeyImage }))).toEqual(BAD);
      const [spendKey] = read.spendKeys;
      if (spendKey === undefined) throw new Error('no spend key');
      const spendKeys = [...read.spendKeys, { ...spendKey, publicKey: bytes as PublicKey }];
      expect(check({ ...read, spendKeys })).toEqual(BAD);
    }
  });

  it("cannot count another wallet's output", () => {
    const [theirs] = payments.flatMap((made) => outputsOf(payer, made));
    if (theirs === undefined) throw new Error('no output');
    expect(check(readReserveProof(prove([theirs])))).toEqual(BAD);
  });

  it('cannot count an output that does not exist, or under an address that did not sign', () => {
    const [first] = outputs;
    if (first === undefined) throw new Error('no output');
    expect(faultOf(() => check(readReserveProof(prove([{ ...first, outputIndex: 99 }]))))).toBe('bad_proof');
    const subaddressOutputs = outputs.filter(({ subaddress }) => subaddress.major === 1);
    const one = readReserveProof(prove(subaddressOutputs));
    const spendKeys = one.spendKeys.filter(
      ({ publicKey }) => toHex(publicKey) === toHex(address.spendPublicKey),
    );
    expect(faultOf(() => check({ ...one, spendKeys }))).toBe('bad_proof');
  });

  it('gets zero for an amount that does not match its commitment', () => {
    const [made] = payments;
    const base = made?.parsed.rct?.base;
    if (made === undefined || base === undefined) throw new Error('no payment');
    const ecdhInfo = base.ecdhInfo.map((info) => ({ amount: info.amount.map((byte) => byte ^ 1) }));
    const tx = fetchedOf({ ...made.parsed, rct: { base: { ...base, ecdhInfo } } }, rng);
    const lying = outputsOf(owner, made).map((output) => ({ ...output, txHash: tx.hash }));
    const one = readReserveProof(prove(lying));
    expect(check(one, { txs: [tx] })).toEqual({ good: true, total: 0n, spent: 0n });
  });
});

describe('an amount to prove', () => {
  const held = [4n, 3n].map((value) => ({ amount: amount(value) }));
  it('is refused if it is zero, or more than the outputs hold', () => {
    expect(() => assertReserve(held, amount(7n))).not.toThrow();
    expect(faultOf(() => assertReserve(held, amount(8n)))).toBe('invalid');
    expect(faultOf(() => assertReserve(held, amount(0n)))).toBe('invalid');
  });
});
