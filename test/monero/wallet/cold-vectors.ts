import { readFileSync } from 'node:fs';
import { exportKey } from '../../../src/monero/crypto/kdf.js';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { bytes32, fromHex } from '../../../src/util/bytes.js';
import type { ExportKeys } from '../../../src/monero/wallet/exchange/export-blob.js';

interface Vectors {
  readonly spendSecret: string;
  readonly viewSecret: string;
  readonly address: string;
  /** Exports before any key image was known, and after. */
  readonly outputs: string;
  readonly outputsOnceKnown: string;
  readonly known: readonly {
    readonly publicKey: string;
    readonly keyImage: string;
    readonly amount: number;
    readonly globalIndex: number;
  }[];
  readonly signedKeyImages: readonly { readonly keyImage: string; readonly signature: string }[];
  readonly unsignedTxs: string;
  readonly fee: number;
  readonly signedTxs: string;
  readonly txHash: string;
  readonly description: {
    readonly desc: readonly Record<string, unknown>[];
    readonly summary: Record<string, unknown>;
  };
}

/** Exports exchanged between wallets of the reference. */
export const vectors = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/wallet/cold-signing.json', import.meta.url), 'utf8'),
) as Vectors;

export const viewSecret = bytes32<'SecretKey'>(fromHex(vectors.viewSecret), 'SecretKey');
export const spendSecret = bytes32<'SecretKey'>(fromHex(vectors.spendSecret), 'SecretKey');
export const spendPublicKey = publicKeyOf(spendSecret);

export const exportKeys: ExportKeys = { cipherKey: await exportKey(viewSecret), viewSecret };
