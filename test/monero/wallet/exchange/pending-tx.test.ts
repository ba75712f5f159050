import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { transactionHash } from '../../../../src/monero/cryptonote/transaction.js';
import { amount, ZERO } from '../../../../src/util/amount.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { CodecError, decode, encode } from '../../../../src/util/codec.js';
import {
  struct,
  text,
  u64Number,
  flag,
  versioned,
} from '../../../../src/monero/wallet/exchange/binary-archive.js';
import {
  keyImagesOf,
  pendingTx,
  pendingTxOf,
  type MultisigSig,
} from '../../../../src/monero/wallet/exchange/pending-tx.js';
import { buildTransaction } from '../../../../src/monero/wallet/build/signing.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { COIN, holder, ownedOutput, spendableInput } from '../fixtures.js';
import { loadCurve } from '../../../../src/monero/crypto/curve/load-curve.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';

const { vectors } = JSON.parse(
  readFileSync(new URL('../../../../../test/vectors/wallet/pending-tx.json', import.meta.url), 'utf8'),
) as { vectors: { note: string; fee: number; txHash: string; txKeys: string; metadata: string }[] };

const [first] = vectors;
if (first === undefined) throw new Error('no vectors');
const bytes = fromHex(first.metadata);

describe('the metadata of the reference', () => {
  test.each(vectors)(
    'of a payment to $note is read and written back',
    ({ metadata, txHash, fee, txKeys }) => {
      const pending = decode(pendingTx, fromHex(metadata));
      expect(toHex(encode(pendingTx, pending))).toBe(metadata);
      expect(toHex(transactionHash(pending.tx))).toBe(txHash);
      expect(pending.fee).toBe(BigInt(fee));
      expect([pending.txSecretKey, ...pending.additionalSecretKeys].map(toHex).join('')).toBe(txKeys);
      expect(pending.construction.sources.length).toBe(pending.tx.prefix.inputs.length);
      expect(pending.construction.sources[0]?.ring).toHaveLength(16);
      expect(pending.construction.outputs.length).toBe(pending.tx.prefix.outputs.length);
      expect(pending.keyImages).toBe(
        keyImagesOf(pending.tx)
          .map((image) => `<${toHex(image)}> `)
          .join(''),
      );
    },
  );
});

describe('metadata is refused', () => {
  it('when it is cut anywhere', () => {
    for (let length = 0; length < bytes.length; length += 7)
      expect(() => decode(pendingTx, bytes.subarray(0, length))).toThrow();
  });

  it.each<[string, Uint8Array]>([
    ['that is empty', new Uint8Array()],
    ['with a byte behind', Uint8Array.of(...bytes, 0)],
    ['of a later version', Uint8Array.of(2, ...bytes.subarray(1))],
  ])('%s', (_, raw) => {
    expect(() => decode(pendingTx, raw)).toThrow(CodecError);
  });

  it('or read after any change, without another error', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const changed = Uint8Array.from(bytes);
        changed[place] = (changed[place] ?? 0) ^ change;
        try {
          decode(pendingTx, changed);
        } catch (error) {
          expect(error instanceof CodecError || error instanceof RangeError).toBe(true);
        }
      }),
      { numRuns: randomRuns(500) },
    );
  });

  it('or read for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (raw) => {
        expect(() => decode(pendingTx, raw)).toThrow();
      }),
      { numRuns: randomRuns(100) },
    );
  });
});

describe('version 0', () => {
  it('has no entropy', () => {
    const old = Uint8Array.of(0, ...bytes.subarray(1, -32));
    expect(decode(pendingTx, old).multisigEntropy).toEqual(new Uint8Array(32));
    expect(encode(pendingTx, decode(pendingTx, old))).toEqual(bytes);
  });
});

describe('partial signatures', () => {
  it('are read and written unchanged', () => {
    const some = (count: number): Uint8Array[] =>
      Array.from({ length: count }, (_, i) => new Uint8Array(32).fill(i + 1));
    const sig: MultisigSig = {
      sigs: {
        type: 0,
        message: new Uint8Array(32),
        mixRing: [],
        pseudoOuts: [],
        ecdhInfo: [],
        outPk: [],
        fee: 0n,
        rangeSigs: [],
        bulletproofs: [],
        bulletproofsPlus: [],
        mlsags: [],
        clsags: [],
        prunablePseudoOuts: [],
      },
      ignore: some(1),
      usedL: some(2),
      signingKeys: some(3),
      out: { c: [], muP: [] },
      totalAlphaG: [some(2), some(2)],
      totalAlphaH: [some(2), some(2)],
      c0: some(2),
      s: some(2),
    };
    const pending = {
      ...decode(pendingTx, bytes),
      multisigSigs: [sig, sig],
      multisigEntropy: new Uint8Array(32).fill(9),
    };
    expect(decode(pendingTx, encode(pendingTx, pending))).toEqual(pending);
  });
});

describe('a pending transaction of this wallet', () => {
  const rng = seededRng('pending');
  const [payer, alice] = [holder(rng), holder(rng)];
  const rates = { perByte: [20_000n], quantizationMask: 10_000n };
  const payee = {
    address: alice.address({ major: 0, minor: 1 }),
    text: 'as given',
    amount: amount(COIN / 2n),
  };
  const inputs = [spendableInput(amount(COIN), rng), spendableInput(amount(7n), rng)];
  const plan = {
    inputs,
    payees: [payee],
    changeAddress: payer.address(),
    fee: ZERO,
    unlockTime: 0n,
    viewSecret: payer.viewSecret,
  };
  const signed = buildTransaction(plan, 20_000n, rates, rng, loadCurve());
  const known = inputs.map(({ keyImage, ring, amount: value, mask }, place) => ({
    output: ownedOutput(value, { keyImage, mask, subaddress: { major: 0, minor: 4 - place } }),
    ring,
    place: 10 + place,
  }));
  const facts = { signed, inputs: known, payees: [payee], changeAddress: payer.address(), account: 0 };

  it('has all recorded data', () => {
    const pending = pendingTxOf(facts);
    const read = decode(pendingTx, encode(pendingTx, pending));
    expect(read).toEqual(pending);
    expect(read.fee).toBe(signed.fee);
    expect(read.change).toMatchObject({ amount: signed.change, isSubaddress: false });
    expect(read.destinations).toMatchObject([
      { original: 'as given', amount: COIN / 2n, isSubaddress: true },
    ]);
    expect(read.construction.minors).toEqual([3, 4]);
    expect([...read.selectedTransfers].sort()).toEqual([10, 11]);
    expect(read.construction.outputs).toHaveLength(2);
    read.construction.sources.forEach((source, i) => {
      const place = read.selectedTransfers[i] ?? -1;
      expect(source.amount).toBe(known[place - 10]?.output.amount);
    });
  });

  it('without change has the dummy or zero keys as change destination', () => {
    const all = buildTransaction(
      { ...plan, payees: [{ ...payee, amount: amount(COIN + 7n) }], feeFrom: [0] },
      20_000n,
      rates,
      rng,
      loadCurve(),
    );
    const { change } = pendingTxOf({ ...facts, signed: all });
    expect(change.amount).toBe(0n);
    expect(change.address.spendPublicKey).not.toEqual(new Uint8Array(32));
    const withoutTargets = pendingTxOf({ ...facts, signed: { ...all, targets: [] } }).change;
    expect(withoutTargets.address.spendPublicKey).toEqual(new Uint8Array(32));
  });

  it('is not built when an input is unknown', () => {
    expect(() => pendingTxOf({ ...facts, inputs: known.slice(1) })).toThrow(RangeError);
  });
});

describe('an archive', () => {
  it('concatenates fields', () => {
    const codec = struct<{ a: boolean; b: string; c: number }>({ a: flag, b: text, c: u64Number });
    const raw = encode(codec, { a: true, b: 'ü', c: 258 });
    expect(toHex(raw)).toBe('0102c3bc0201000000000000');
    expect(decode(codec, raw)).toEqual({ a: true, b: 'ü', c: 258 });
  });

  it.each<[string, () => unknown]>([
    ['a bool beyond 1', () => decode(flag, Uint8Array.of(2))],
    ['text that is not UTF-8', () => decode(text, Uint8Array.of(1, 0xff))],
    ['a number beyond 2^53', () => decode(u64Number, new Uint8Array(8).fill(0xff))],
    [
      'an unknown newer version',
      () =>
        decode(
          versioned(1, () => flag),
          Uint8Array.of(2, 0),
        ),
    ],
  ])('refuses %s', (_, read) => {
    expect(read).toThrow(CodecError);
  });
});
