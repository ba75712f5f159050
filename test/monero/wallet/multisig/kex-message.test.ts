import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf, randomSecretKey } from '../../../../src/monero/crypto/derivation.js';
import type { PublicKey } from '../../../../src/monero/crypto/types.js';
import { decodeBase58, encodeBase58 } from '../../../../src/monero/cryptonote/base58.js';
import { concatBytes, fromHex, toHex } from '../../../../src/util/bytes.js';
import { CodecError } from '../../../../src/util/codec.js';
import {
  firstKexMessage,
  KexMessageError,
  laterKexMessage,
  readKexMessage,
} from '../../../../src/monero/wallet/multisig/kex-message.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';

const rng = seededRng('key exchange messages');
const [signerSecret, commonSecret] = [randomSecretKey(rng), randomSecretKey(rng)];
const signer = publicKeyOf(signerSecret);
const keys = [1, 2, 3].map(() => publicKeyOf(randomSecretKey(rng)));

const first = firstKexMessage(signerSecret, commonSecret, rng);
const later = laterKexMessage(3, keys, signerSecret, rng);
const MAGIC_LENGTH = 'MultisigxV2R1'.length;

const refusalOf = (text: string): string => {
  try {
    readKexMessage(text);
  } catch (error) {
    if (error instanceof CodecError) return error.message;
    throw error;
  }
  return 'it was read';
};

const upstreamTextOf = (text: string): string => {
  try {
    readKexMessage(text);
  } catch (error) {
    if (error instanceof KexMessageError) return error.text;
    throw error;
  }
  return 'it was read';
};

describe('messages of a key exchange', () => {
  it('carry the secret of round 1', () => {
    expect(first.startsWith('MultisigxV2R1')).toBe(true);
    expect(readKexMessage(first)).toEqual({ round: 1, signer, keys: [], commonSecret });
  });

  it('carry the keys of later rounds', () => {
    expect(later.startsWith('MultisigxV2Rn')).toBe(true);
    expect(readKexMessage(later)).toEqual({ round: 3, signer, keys });
  });

  it('may carry no keys', () => {
    expect(readKexMessage(laterKexMessage(2, [], signerSecret, rng)).keys).toEqual([]);
  });
});

describe('a key exchange message parser refuses', () => {
  test.each([
    ['nothing', '', /too short/],
    ['a text shorter than a magic', 'MultisigV1', /too short/],
    ['another text', 'SpendProofV1a11', /not a message/],
    ['a magic alone', 'MultisigxV2R1', /end of input/],
    ['the first scheme', `MultisigV1${first.slice(MAGIC_LENGTH)}`, /old scheme/],
    ['the scheme after it', `MultisigxV1${first.slice(MAGIC_LENGTH)}`, /old scheme/],
    ['a message of round 1 with the magic of later rounds', `MultisigxV2Rn${first.slice(MAGIC_LENGTH)}`, /./],
    ['bytes behind the message', longer(first), /left over/],
    [
      'round 1 in the form of later ones',
      laterKexMessage(1, keys, signerSecret, rng),
      /impossible round number/,
    ],
  ] as const)('%s', (_, text, reason) => {
    expect(refusalOf(text)).toMatch(reason);
  });

  function longer(text: string): string {
    const body = decodeBase58(text.slice(MAGIC_LENGTH));
    return text.slice(0, MAGIC_LENGTH) + encodeBase58(concatBytes(body, Uint8Array.of(0)));
  }

  test.each([
    ['the identity', `01${'00'.repeat(31)}`],
    ['zeros', '00'.repeat(32)],
    ['a point of small order', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    ['no point', `02${'00'.repeat(31)}`],
  ])('a key that is %s', (_, hex) => {
    const text = laterKexMessage(2, [...keys, fromHex(hex) as PublicKey], signerSecret, rng);
    expect(refusalOf(text)).toBe('it has an unusable key');
  });

  it('a message signed by another key', () => {
    const body = decodeBase58(later.slice(MAGIC_LENGTH));
    const other = decodeBase58(laterKexMessage(3, keys, randomSecretKey(rng), rng).slice(MAGIC_LENGTH));
    body.set(other.subarray(-64), body.length - 64);
    expect(refusalOf('MultisigxV2Rn' + encodeBase58(body))).toBe('its signature is not by its sender');
  });

  it('every message with a changed byte or cut short', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(first, later),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (text, at, change) => {
          const body = decodeBase58(text.slice(MAGIC_LENGTH));
          const changed = Uint8Array.from(body);
          changed[at % body.length] = (changed[at % body.length] ?? 0) ^ change;
          expect(refusalOf(text.slice(0, MAGIC_LENGTH) + encodeBase58(changed))).not.toBe('it was read');
          const cut = body.subarray(0, at % body.length);
          expect(refusalOf(text.slice(0, MAGIC_LENGTH) + encodeBase58(cut))).not.toBe('it was read');
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a damaged message without quoting its secret', () => {
    const spoiled = first.slice(0, -1) + (first.endsWith('1') ? '2' : '1');
    expect(refusalOf(spoiled)).not.toContain(toHex(commonSecret));
  });
});

describe('a refused key exchange message has the text of monero-wallet-rpc', () => {
  test.each([
    ['nothing', '', 'Kex message unexpectedly small.'],
    ['a text of 12 bytes', 'MultisigxV2R', 'Kex message unexpectedly small.'],
    ['a short one of a retired scheme', 'MultisigV1', 'Kex message unexpectedly small.'],
    ['a retired scheme', 'MultisigV1abc', 'V1 multisig kex messages are deprecated (unsafe).'],
    ['another text in base58', 'SpendProofV1a11', 'Only v2 multisig kex messages are supported.'],
    ['another text', 'not a message 0OIl', 'Multisig kex msg decoding error.'],
    ['a magic alone', 'MultisigxV2R1', 'Deserializing kex msg failed.'],
    [
      'an early round in the form of later ones',
      laterKexMessage(1, keys, signerSecret, rng),
      'Invalid kex message round (must be > 1 for the general msg type).',
    ],
  ])('%s', (_, text, expected) => {
    expect(upstreamTextOf(text)).toBe(expected);
  });

  const IDENTITY = `01${'00'.repeat(31)}`;
  const ZEROS = '00'.repeat(32);
  const SMALL_ORDER = 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a';
  test.each([
    ['the identity as a key', IDENTITY, 'Pubkey from message was invalid.'],
    ['zeros as a key', ZEROS, 'Pubkey from message was invalid.'],
    ['a key of small order', SMALL_ORDER, 'Pubkey from message was not in prime subgroup.'],
  ])('%s', (_, hex, expected) => {
    const text = laterKexMessage(2, [...keys, fromHex(hex) as PublicKey], signerSecret, rng);
    expect(upstreamTextOf(text)).toBe(expected);
  });

  test.each([
    ['zeros as a signer', ZEROS, 'Message signing key was invalid.'],
    ['a signer of small order', SMALL_ORDER, 'Message signing key was not in prime subgroup.'],
  ])('%s', (_, hex, expected) => {
    const body = decodeBase58(later.slice(MAGIC_LENGTH));
    body.set(fromHex(hex), body.length - 64 - 32);
    expect(upstreamTextOf('MultisigxV2Rn' + encodeBase58(body))).toBe(expected);
  });
});
