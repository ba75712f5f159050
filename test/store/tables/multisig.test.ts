import { describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { MultisigInfo } from '../../../src/monero/wallet/exchange/transfer-details.js';
import { bytes } from '../fixtures.js';

const open = (): WalletStore => WalletStore.create(':memory:', new Uint8Array(32));
const [outputA, outputB] = [bytes<PublicKey>(1), bytes<PublicKey>(2)];
const nonces = (...seeds: number[]): SecretKey[] => seeds.map((seed) => bytes<SecretKey>(seed));

const info = (signer: number): MultisigInfo => ({
  signer: bytes<PublicKey>(signer),
  nonces: [{ L: bytes<PublicKey>(signer + 1), R: bytes<PublicKey>(signer + 2) }],
  partialKeyImages: [bytes<KeyImage>(signer + 3)],
});

describe('the store of a signer', () => {
  it('keeps nonces until they are erased, and returns their number', () => {
    const file = open();
    file.write((w) => {
      w.multisig.replaceNonces([
        { publicKey: outputA, nonces: nonces(11, 12) },
        { publicKey: outputB, nonces: nonces(13) },
      ]);
    });
    expect(file.read((r) => r.multisig.nonces(outputA))).toEqual(nonces(11, 12));
    expect(file.write((w) => w.multisig.eraseNonces([outputA]))).toBe(2);
    expect(file.write((w) => w.multisig.eraseNonces([outputA]))).toBe(0);
    expect(file.read((r) => r.multisig.nonces(outputA))).toEqual([]);
    expect(file.read((r) => r.multisig.nonces(outputB))).toEqual(nonces(13));
  });

  it('has the nonces of the last export only, and no results signed with earlier ones', () => {
    const file = open();
    const answer = { set: Uint8Array.of(1, 2, 3), txHashes: [bytes<Hash>(8), bytes<Hash>(9)] };
    file.write((w) => {
      w.multisig.replaceNonces([{ publicKey: outputA, nonces: nonces(11, 12) }]);
      w.multisig.recordAnswer(bytes<Hash>(7), answer);
    });
    expect(file.read((r) => r.multisig.answerTo(bytes<Hash>(7)))).toEqual(answer);
    expect(file.read((r) => r.multisig.answerTo(bytes<Hash>(6)))).toBeUndefined();
    file.write((w) => {
      w.multisig.replaceNonces([{ publicKey: outputB, nonces: nonces(14) }]);
    });
    expect(file.read((r) => r.multisig.nonces(outputA))).toEqual([]);
    expect(file.read((r) => r.multisig.answerTo(bytes<Hash>(7)))).toBeUndefined();
  });

  it('never records a second result for one request', () => {
    const file = open();
    const record = (byte: number): void =>
      file.write((w) => {
        w.multisig.recordAnswer(bytes<Hash>(7), { set: Uint8Array.of(byte), txHashes: [] });
      });
    record(1);
    expect(() => {
      record(2);
    }).toThrow();
    expect(file.read((r) => r.multisig.answerTo(bytes<Hash>(7)))?.set).toEqual(Uint8Array.of(1));
  });

  it('has the latest info of the other signers, by output', () => {
    const file = open();
    file.write((w) => {
      w.multisig.replaceInfos([
        { publicKey: outputA, infos: [info(20), info(30)] },
        { publicKey: outputB, infos: [info(40)] },
      ]);
    });
    expect(file.read((r) => r.multisig.infos(outputA))).toEqual([info(20), info(30)]);
    file.write((w) => {
      w.multisig.replaceInfos([{ publicKey: outputA, infos: [info(50)] }]);
    });
    expect(file.read((r) => r.multisig.infos(outputA))).toEqual([info(50)]);
    expect(file.read((r) => r.multisig.infos(outputB))).toEqual([]);
  });

  it('detects a signer info that a later one superseded', () => {
    const file = open();
    const [first, second] = [bytes<Hash>(1), bytes<Hash>(2)];
    const isSuperseded = (word: Hash): boolean => file.read((r) => r.multisig.isSuperseded(word));
    file.write((w) => {
      w.multisig.setLatestInfo(bytes<PublicKey>(60), first);
    });
    expect([isSuperseded(first), isSuperseded(second)]).toEqual([false, false]);
    file.write((w) => {
      w.multisig.setLatestInfo(bytes<PublicKey>(61), bytes<Hash>(3));
      w.multisig.setLatestInfo(bytes<PublicKey>(60), second);
    });
    expect([isSuperseded(first), isSuperseded(second), isSuperseded(bytes<Hash>(3))]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
