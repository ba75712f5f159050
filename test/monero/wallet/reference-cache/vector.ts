import { readFileSync } from 'node:fs';
import { publicKeyOf } from '../../../../src/monero/crypto/derivation.js';
import type { SecretKey } from '../../../../src/monero/crypto/types.js';
import { viewSecretFromSpend } from '../../../../src/monero/cryptonote/account-keys.js';
import { bytes32, fromHex } from '../../../../src/util/bytes.js';
import type { KeysFile } from '../../../../src/store/keys/keys-file.js';
import type { CacheOwner } from '../../../../src/monero/wallet/reference-cache/cache-import.js';

interface Payment {
  readonly txHash: string;
  /** The tx secret key, then the additional ones, contiguous. */
  readonly txKey: string;
  readonly fee: number;
}

/** Two caches written by the reference: of a wallet, and of its view-only copy. */
export const vector = JSON.parse(
  readFileSync(new URL('../../../../../test/vectors/wallet/reference-cache.json', import.meta.url), 'utf8'),
) as {
  readonly password: string;
  readonly kdfRounds: number;
  readonly spendSecret: string;
  readonly address: string;
  readonly payee: Record<'standard' | 'subaddress' | 'integrated', string>;
  readonly payments: Record<'several' | 'integrated' | 'pending', Payment>;
  readonly frozen: { readonly keyImage: string; readonly txHash: string };
  readonly keyImages: readonly string[];
  readonly full: string;
  readonly viewOnly: string;
};

export const spendSecret: SecretKey = bytes32(fromHex(vector.spendSecret), 'SecretKey');
const viewSecret = viewSecretFromSpend(spendSecret);

export const fullCache = Uint8Array.from(Buffer.from(vector.full, 'base64'));
export const viewOnlyCache = Uint8Array.from(Buffer.from(vector.viewOnly, 'base64'));

export const owner: CacheOwner = {
  network: 'mainnet',
  spendPublicKey: publicKeyOf(spendSecret),
  viewPublicKey: publicKeyOf(viewSecret),
  viewSecret,
  viewOnly: false,
  lookahead: { major: 2, minor: 3 },
};

/** Keys file of the first wallet. */
export const keysFile: KeysFile = {
  spendPublicKey: owner.spendPublicKey,
  viewPublicKey: owner.viewPublicKey,
  viewSecret: owner.viewSecret,
  spendSecret,
  watchOnly: false,
  seedLanguage: 'English',
  network: 'mainnet',
  refreshHeight: 0,
  creationTimestamp: 1_600_000_000,
  other: { subaddress_lookahead_major: 2n, subaddress_lookahead_minor: 3n },
};
