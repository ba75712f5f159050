import { beforeAll, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { chacha20 } from '../../../../src/monero/crypto/chacha.js';
import { cacheKey } from '../../../../src/monero/crypto/kdf.js';
import { subaddressSpendPublicKey } from '../../../../src/monero/cryptonote/subaddress-keys.js';
import { bytes32, toHex } from '../../../../src/util/bytes.js';
import { CodecError, decode } from '../../../../src/util/codec.js';
import { referenceCache, type ReferenceCache } from '../../../../src/monero/wallet/reference-cache/cache.js';
import { importCache, openCache } from '../../../../src/monero/wallet/reference-cache/cache-import.js';
import { sealedFile } from '../../../../src/monero/wallet/exchange/sealed-file.js';
import type { ImportedWallet } from '../../../../src/monero/wallet/reference-cache/imported-wallet.js';
import { fullCache, owner, vector, viewOnlyCache } from './vector.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';

let cache: ReferenceCache;
let viewOnly: ReferenceCache;
let memory: ImportedWallet;
let plain: Uint8Array;

beforeAll(async () => {
  const key = await cacheKey(vector.password, vector.kdfRounds);
  const open = (bytes: Uint8Array): ReferenceCache => {
    const opened = openCache(bytes, key);
    if (opened === undefined) throw new Error('the key does not fit');
    return opened;
  };
  cache = open(fullCache);
  viewOnly = open(viewOnlyCache);
  memory = importCache(cache, owner);
  const { iv, ciphertext } = decode(sealedFile, fullCache);
  plain = chacha20(key, iv, ciphertext);
});

const { several, integrated, pending } = vector.payments;
const XMR = 1_000_000_000_000n;

describe('the import of a cache', () => {
  it('has accounts with labels and tags', () => {
    expect(memory.accounts).toEqual([
      { labels: ['Primary account', 'Zoë', 'Zoë'], tag: '' },
      { labels: ['second'], tag: 't' },
    ]);
    expect(memory.tagDescriptions).toEqual([{ tag: 't', description: 'a tag' }]);
  });

  it('has the address book, attributes and notes', () => {
    expect(memory.addressBook).toEqual([
      { address: vector.payee.standard, description: 'plain' },
      { address: vector.payee.subaddress, description: 'sub' },
      { address: vector.payee.integrated, description: 'integrated' },
    ]);
    expect(memory.attributes).toEqual([{ name: 'k', value: 'v' }]);
    expect(memory.notes.map(({ txHash, note }) => [toHex(txHash), note])).toEqual([
      [several.txHash, 'a note'],
    ]);
  });

  it('has the tx secret keys, additional ones after the first', () => {
    const keys = new Map(memory.txKeys.map((one) => [toHex(one.txHash), one.keys.map(toHex).join('')]));
    expect(keys).toEqual(new Map([several, integrated, pending].map((one) => [one.txHash, one.txKey])));
    expect(several.txKey.length).toBeGreaterThan(64);
  });

  it('has destinations, change and payment ids of sent payments', () => {
    const paid = new Map(memory.paid.map((facts) => [toHex(facts.txHash), facts]));
    expect(paid.get(several.txHash)?.destinations).toEqual([
      { amount: 2n * XMR, address: vector.payee.subaddress },
      { amount: 3n * XMR, address: vector.payee.standard },
    ]);
    expect(paid.get(several.txHash)?.paymentId).toBeUndefined();
    expect(paid.get(integrated.txHash)).toMatchObject({
      paymentId: Uint8Array.from([0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]),
      destinations: [{ amount: 6n * XMR, address: vector.payee.integrated }],
    });
  });

  it('has pending payments', () => {
    expect(memory.unmined).toHaveLength(1);
    const [waiting] = memory.unmined;
    expect(waiting).toMatchObject({
      state: 'pending',
      account: 0,
      fee: BigInt(pending.fee),
      destinations: [{ amount: XMR, address: vector.payee.standard }],
    });
    expect(waiting && toHex(waiting.txHash)).toBe(pending.txHash);
    expect(waiting && waiting.amountIn).toBe(XMR + BigInt(pending.fee) + (waiting?.change ?? 0n));
  });

  it('has frozen outputs', () => {
    expect(memory.frozen.map(({ txHash }) => toHex(txHash))).toEqual([vector.frozen.txHash]);
  });

  it('has created addresses, their keys computed again', () => {
    expect(memory.subaddresses.map(({ index }) => index)).toEqual([
      { major: 0, minor: 0 },
      { major: 0, minor: 1 },
      { major: 0, minor: 2 },
      { major: 1, minor: 0 },
    ]);
    for (const { index, spendPublicKey } of memory.subaddresses)
      expect(spendPublicKey).toEqual(subaddressSpendPublicKey(owner.spendPublicKey, owner.viewSecret, index));
  });

  it('has addresses beyond the lookahead of the keys file', () => {
    const { subaddresses } = importCache(cache, { ...owner, lookahead: { major: 1, minor: 1 } });
    const counts = [0, 1, 2].map((major) => subaddresses.filter(({ index }) => index.major === major).length);
    expect(counts).toEqual([5, 3, 3]);
    expect(subaddresses).toHaveLength(cache.subaddresses.length);
  });

  it('has key images if the wallet cannot compute them', () => {
    expect(memory.keyImages).toEqual([]);
    const { keyImages } = importCache(viewOnly, { ...owner, viewOnly: true });
    expect(keyImages.map(({ keyImage }) => toHex(keyImage))).toEqual(vector.keyImages);
    expect(keyImages.some(({ proven }) => proven)).toBe(false);
    // The reference takes them from signed sets by the places of the outputs.
    expect(keyImages.every(({ placed }) => placed === true)).toBe(true);
  });

  it('has one account for a cache older than accounts', () => {
    const old = { ...cache, labels: [], subaddresses: [], accountTags: [[], []] } satisfies ReferenceCache;
    expect(importCache(old, owner).accounts).toEqual([{ labels: ['Primary account'], tag: '' }]);
  });
});

describe('a cache is refused', () => {
  test('that belongs to another wallet', () => {
    expect(() => importCache(cache, { ...owner, spendPublicKey: owner.viewPublicKey })).toThrow(
      /another wallet/,
    );
  });

  test('whose subaddress table lacks created addresses', () => {
    expect(() => importCache({ ...cache, subaddresses: cache.subaddresses.slice(0, 1) }, owner)).toThrow(
      CodecError,
    );
  });

  test('whose address book has invalid addresses', () => {
    const [row] = cache.addressBook;
    if (row === undefined) throw new Error('no entry');
    const nowhere = bytes32<'PublicKey'>(new Uint8Array(32).fill(0xff), 'PublicKey');
    const bad = { ...row, address: { ...row.address, spendPublicKey: nowhere } };
    expect(() => importCache({ ...cache, addressBook: [bad] }, owner)).toThrow(CodecError);
  });

  test('whose payments pay more than they spend', () => {
    const [[hash, payment] = []] = cache.unconfirmed;
    if (hash === undefined || payment === undefined) throw new Error('no payment');
    const bad = { ...payment, amountIn: 1n };
    expect(() => importCache({ ...cache, unconfirmed: [[hash, bad]] }, owner)).toThrow(CodecError);
  });

  test('or imported after any change of its bytes, without another error', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: plain.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, difference) => {
          const bytes = Uint8Array.from(plain);
          bytes[at] = (bytes[at] ?? 0) ^ difference;
          try {
            importCache(decode(referenceCache, bytes), owner);
          } catch (error) {
            expect(error).toBeInstanceOf(CodecError);
          }
        },
      ),
      { numRuns: randomRuns(500) },
    );
  });
});
