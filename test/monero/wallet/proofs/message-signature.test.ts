import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf } from '../../../../src/monero/crypto/derivation.js';
import { keccak } from '../../../../src/monero/crypto/keccak.js';
import { checkSignature, signHash } from '../../../../src/monero/crypto/signature.js';
import { decodeBase58, encodeBase58 } from '../../../../src/monero/cryptonote/base58.js';
import type { SubaddressIndex } from '../../../../src/monero/cryptonote/types.js';
import { utf8 } from '../../../../src/util/bytes.js';
import {
  signMessage,
  verifyMessage,
  type SigningKey,
} from '../../../../src/monero/wallet/proofs/message-signature.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { holder } from '../fixtures.js';

const rng = seededRng('messages');
const signer = holder(rng);
const { viewSecret, spendSecret, spendPublicKey } = signer;
const message = utf8('a text, with ümlauts');

const sign = (index: SubaddressIndex, key: SigningKey, text = message): string =>
  signMessage({ message: text, keys: { viewSecret, spendSecret }, spendPublicKey, index, key }, rng);

const PRIMARY = { major: 0, minor: 0 };
const cases: readonly { index: SubaddressIndex; key: SigningKey }[] = [
  { index: PRIMARY, key: 'spend' },
  { index: PRIMARY, key: 'view' },
  { index: { major: 0, minor: 1 }, key: 'spend' },
  { index: { major: 2, minor: 3 }, key: 'view' },
];

describe.each(cases)('a signature by the $key key of $index.major/$index.minor', ({ index, key }) => {
  const address = signer.address(index);
  const signature = sign(index, key);

  it('is good, and the verdict has the key', () => {
    expect(signature).toMatch(/^SigV2[1-9A-Za-z]{88}$/);
    expect(verifyMessage({ message, address, signature })).toEqual({ good: true, version: 2, key });
  });
  it('signs the text, the address and the kind of the key, as other wallets do', () => {
    const { spendPublicKey: spend, viewPublicKey: view } = address;
    // The kind of the key, and the length of the text.
    const kind = Uint8Array.of(key === 'spend' ? 0 : 1, message.length);
    const hash = keccak(utf8('MoneroMessageSignature\0'), spend, view, kind, message);
    const signed = decodeBase58(signature.slice('SigV2'.length));
    expect(checkSignature(hash, key === 'spend' ? spend : view, signed)).toBe(true);
  });
  it('is bad for another message, and for another address', () => {
    expect(verifyMessage({ message: utf8('a text'), address, signature })).toEqual({ good: false });
    const other = signer.address({ major: 1, minor: 1 });
    expect(verifyMessage({ message, address: other, signature })).toEqual({ good: false });
    const mixed = { ...address, viewPublicKey: other.viewPublicKey };
    expect(verifyMessage({ message, address: mixed, signature })).toEqual({ good: false });
  });
  it('is bad once a character of it changes', () => {
    fc.assert(
      fc.property(fc.nat(signature.length - 1), fc.constantFrom('1', '2', 'z', '0', 'é'), (at, char) => {
        fc.pre(signature[at] !== char);
        const bent = signature.slice(0, at) + char + signature.slice(at + 1);
        expect(verifyMessage({ message, address, signature: bent })).toEqual({ good: false });
      }),
      { numRuns: 40 },
    );
  });
});

describe('a signature of version 1', () => {
  const signature = `SigV1${encodeBase58(signHash(keccak(message), { publicKey: spendPublicKey, secret: spendSecret }, rng))}`;
  it('is good, and the verdict has the version', () => {
    expect(verifyMessage({ message, address: signer.address(), signature })).toEqual({
      good: true,
      version: 1,
      key: 'spend',
    });
  });
  it('by the view key is found too', () => {
    const hash = keccak(message);
    const made = `SigV1${encodeBase58(signHash(hash, { publicKey: publicKeyOf(viewSecret), secret: viewSecret }, rng))}`;
    expect(verifyMessage({ message, address: signer.address(), signature: made })).toEqual({
      good: true,
      version: 1,
      key: 'view',
    });
  });
  it('is good under its own header only', () => {
    for (const header of ['SigV3', 'sigV1', 'SigV0']) {
      const other = signature.replace('SigV1', header);
      expect(verifyMessage({ message, address: signer.address(), signature: other })).toEqual({
        good: false,
      });
    }
  });
  it('does not verify as version 2, nor version 2 as version 1', () => {
    const newer = signature.replace('SigV1', 'SigV2');
    expect(verifyMessage({ message, address: signer.address(), signature: newer })).toEqual({ good: false });
    const older = sign(PRIMARY, 'spend').replace('SigV2', 'SigV1');
    expect(verifyMessage({ message, address: signer.address(), signature: older })).toEqual({ good: false });
  });
});

describe('a malformed signature', () => {
  test.each(['', 'SigV2', 'SigV3', `SigV2${'1'.repeat(88)}`, `SigV2${'z'.repeat(88)}`, 'x'.repeat(93)])(
    'is a bad one: %s',
    (signature) => {
      expect(verifyMessage({ message, address: signer.address(), signature })).toEqual({ good: false });
    },
  );
  it('is bad for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 120 }), fc.boolean(), (text, headed) => {
        const signature = headed ? `SigV2${text}` : text;
        expect(verifyMessage({ message, address: signer.address(), signature })).toEqual({ good: false });
      }),
    );
  });
});

describe('a view-only wallet', () => {
  const signViewOnly = (index: SubaddressIndex, key: SigningKey): string =>
    signMessage({ message, keys: { viewSecret }, spendPublicKey, index, key }, rng);
  it('signs by the view key of its primary address', () => {
    const signature = signViewOnly(PRIMARY, 'view');
    expect(verifyMessage({ message, address: signer.address(), signature })).toMatchObject({ good: true });
  });
  test.each(cases.filter(({ index, key }) => index.minor !== 0 || key === 'spend'))(
    'cannot by the $key key of $index.major/$index.minor',
    ({ index, key }) => {
      expect(() => signViewOnly(index, key)).toThrow(
        expect.objectContaining({ fault: { kind: 'view_only' } }),
      );
    },
  );
});
