import { describe, expect, it } from '@jest/globals';
import { ExportCipher } from '../../../src/services/context/export-cipher.js';
import { utf8 } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';
import { wipeKeys } from '../../../src/monero/wallet/keys.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { namedKeys } from '../../support/wallets/keystores.js';

const cipherOf = (name: string, viewOnly = false): ExportCipher =>
  new ExportCipher(namedKeys(name, viewOnly), 1, seededRng(`rng of ${name}`));

const text = utf8('outputs of a wallet');

describe('an export', () => {
  it('is opened by every wallet with its view key, as often as it is asked to', async () => {
    const sealed = await cipherOf('a').seal('outputs', text);
    const reader = cipherOf('a', true);
    expect(await reader.open('outputs', sealed)).toEqual(text);
    expect(await reader.open('outputs', sealed)).toEqual(text);
    expect(Buffer.from(sealed).includes(Buffer.from(text))).toBe(false);
  });

  it('is another one each time', async () => {
    const cipher = cipherOf('a');
    expect(await cipher.seal('outputs', text)).not.toEqual(await cipher.seal('outputs', text));
  });

  it('is refused as one of another kind, of another wallet, or once a byte of it changes', async () => {
    const cipher = cipherOf('a');
    const sealed = await cipher.seal('outputs', text);
    await expect(cipher.open('signedTxs', sealed)).rejects.toThrow(CodecError);
    await expect(cipherOf('b').open('outputs', sealed)).rejects.toThrow(CodecError);
    await expect(cipher.open('outputs', sealed.subarray(0, 20))).rejects.toThrow(CodecError);
    for (const at of [0, 25, sealed.length - 1]) {
      const bent = sealed.map((byte, i) => (i === at ? byte ^ 1 : byte));
      await expect(cipher.open('outputs', bent)).rejects.toThrow(CodecError);
    }
  });

  it('is neither sealed nor opened once the wallet is closed', async () => {
    const keys = namedKeys('a');
    const cipher = new ExportCipher(keys, 1, seededRng('rng'));
    const sealed = await cipher.seal('outputs', text);
    cipher.wipe();
    wipeKeys(keys);
    await expect(cipher.seal('outputs', text)).rejects.toThrow('wipe');
    await expect(cipher.open('outputs', sealed)).rejects.toThrow('wipe');
    const unused = new ExportCipher(keys, 1, seededRng('rng'));
    unused.wipe();
    await expect(unused.seal('outputs', text)).rejects.toThrow('wipe');
  });
});
