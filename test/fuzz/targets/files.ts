import { chacha20, chacha8 } from '../../../src/monero/crypto/chacha.js';
import { cacheKey, keepRecentKeys, passwordKey, secretKeysKey } from '../../../src/monero/crypto/kdf.js';
import { storePolyseed } from '../../../src/monero/cryptonote/polyseed-storage.js';
import { decodePolyseed } from '../../../src/monero/cryptonote/polyseed-words.js';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { sealedFile } from '../../../src/monero/wallet/exchange/sealed-file.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { importCache, openCache } from '../../../src/monero/wallet/reference-cache/cache-import.js';
import {
  lookaheadOf,
  backgroundKeyIn,
  backgroundSyncOf,
  readKeysFile,
  writeKeysFile,
  type KeysFile,
} from '../../../src/store/keys/keys-file.js';
import { concatBytes, utf8 } from '../../../src/util/bytes.js';
import { CodecError, decode, encode } from '../../../src/util/codec.js';
import { parseJson, type Json } from '../../../src/util/json.js';
import { writeJson } from '../../../src/util/json-writer.js';
import {
  fullCache,
  keysFile,
  owner,
  vector,
  viewOnlyCache,
} from '../../monero/wallet/reference-cache/vector.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import type { Parser, Target } from '../target.js';
import { fromBase64, readVectors } from '../vectors.js';

const PASSWORD = 'vector';
/** Time for which derived keys are kept [ms]: a derivation takes longer than thousands of cases. */
const KEEP_MS = 3_600_000;
const IV = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

let made: Promise<Uint8Array[]> | undefined;

/** Keys files of all kinds of wallets; made once, since each needs a slow hash. */
function keysFiles(): Promise<Uint8Array[]> {
  if (made === undefined) keepRecentKeys(true, KEEP_MS);
  return (made ??= makeKeysFiles());
}

/** Keys files of a wallet with its spend key, of a view-only one, of a group and of one with a Polyseed. */
async function makeKeysFiles(): Promise<Uint8Array[]> {
  const { groupOf, randomSigners } = await import('../../monero/wallet/multisig/groups.js');
  const rng = seededRng('keys files');
  const [words = ''] = readVectors<{ readonly languages: readonly { readonly words: string }[] }>(
    'cryptonote/polyseed.json',
  ).languages.map((one) => one.words);
  const [account] = groupOf(randomSigners(3, rng), 2, rng);
  if (account === undefined) throw new Error('no member');
  const { spendSecret: _, ...watching } = keysFile;
  const group: KeysFile = {
    ...keysFile,
    spendPublicKey: account.spendPublicKey,
    viewPublicKey: publicKeyOf(account.commonSecret),
    viewSecret: account.commonSecret,
    spendSecret: account.signerSecret,
    multisig: account,
  };
  const seed = storePolyseed(decodePolyseed(words).seed);
  const background = {
    ...watching,
    other: { ...keysFile.other, background_sync_type: 2n, custom_background_key: 'k'.repeat(32) },
  };
  const files: KeysFile[] = [
    keysFile,
    { ...watching, watchOnly: true },
    group,
    { ...keysFile, polyseed: seed },
    { ...keysFile, polyseed: concatBytes(seed, utf8('passphrase')) },
    { ...background, watchOnly: true },
  ];
  return Promise.all(files.map((file) => writeKeysFile(file, PASSWORD, 1, rng)));
}

async function readKeys(bytes: Uint8Array): Promise<void> {
  const file = await readKeysFile(bytes, PASSWORD, 1, 'w');
  lookaheadOf(file);
  backgroundSyncOf(file);
  backgroundKeyIn(file);
}

/** Decrypts the fields of keys files, which are JSON with one byte for each character. */
async function keysFields(): Promise<Uint8Array[]> {
  const files = await keysFiles();
  const key = await passwordKey(PASSWORD, 1);
  return files.map((bytes) => {
    const { iv, ciphertext } = decode(sealedFile, bytes);
    return chacha20(key, iv, ciphertext);
  });
}

/** Parser of the decrypted fields of a keys file. */
async function fieldsParser(): Promise<Parser> {
  const seeds = await keysFields();
  const key = await passwordKey(PASSWORD, 1);
  return {
    seeds,
    run: (plain) => readKeys(encode(sealedFile, { iv: IV, ciphertext: chacha20(key, IV, plain) })),
  };
}

/** Parser of the account in a keys file, which is portable storage in a JSON string. */
async function accountParser(): Promise<Parser> {
  const files = await keysFields();
  const key = await passwordKey(PASSWORD, 1);
  const fieldsOf = (plain: Uint8Array): Record<string, Json> =>
    parseJson(Buffer.from(plain).toString('latin1')) as Record<string, Json>;
  const all = files.map(fieldsOf);
  // Fields of other kinds of wallets with the same account.
  const others: Record<string, Json>[] = all.flatMap((fields) => [
    { ...fields, encrypted_secret_keys: 0n },
    { ...fields, watch_only: 1n, nettype: 9n },
    { ...fields, multisig: 0n, polyseed: 1n },
    { ...fields, key_on_device: 1n },
  ]);
  const kinds = [...all, ...others];
  return {
    // The first byte chooses the other fields of the file.
    seeds: kinds.map((fields, i) =>
      concatBytes(Uint8Array.of(i), Uint8Array.from(Buffer.from(String(fields['key_data']), 'latin1'))),
    ),
    run(input) {
      const fields = kinds[(input[0] ?? 0) % kinds.length] ?? {};
      const json = writeJson({ ...fields, key_data: Buffer.from(input.subarray(1)).toString('latin1') });
      const ciphertext = chacha20(key, IV, Uint8Array.from(Buffer.from(json, 'latin1')));
      return readKeys(encode(sealedFile, { iv: IV, ciphertext }));
    },
  };
}

const KEY = utf8('0123456789abcdef0123456789abcdef');

/** Parser of decrypted caches. */
const cacheParser = (seeds: readonly Uint8Array[]): Parser => ({
  seeds,
  run(plain) {
    const cache = openCache(encode(sealedFile, { iv: IV, ciphertext: chacha20(KEY, IV, plain) }), KEY);
    if (cache !== undefined) importCache(cache, owner);
  },
});

async function archiveParser(): Promise<Parser> {
  const key = await cacheKey(vector.password, vector.kdfRounds);
  const made = readVectors<{ readonly made: Readonly<Record<string, string>> }>(
    'wallet/boost-cache.json',
  ).made;
  return cacheParser([
    ...[fullCache, viewOnlyCache].map((bytes) => {
      const { iv, ciphertext } = decode(sealedFile, bytes);
      return chacha20(key, iv, ciphertext);
    }),
    fromBase64(made['archive']),
    fromBase64(made['archiveWithBackgroundSync']),
  ]);
}

async function boostParser(): Promise<Parser> {
  const { made, release2017 } =
    readVectors<Readonly<Record<'made' | 'release2017', Readonly<Record<string, string>>>>>(
      'wallet/boost-cache.json',
    );
  const { keys, password = '', cache } = release2017;
  const { viewSecret, spendSecret } = await readKeysFile(fromBase64(keys), password, 1, 'old');
  if (spendSecret === undefined) throw new Error('no spend key');
  const { iv, ciphertext } = decode(sealedFile, fromBase64(cache));
  return cacheParser([
    fromBase64(made['boost29']),
    fromBase64(made['boost30']),
    chacha8(await secretKeysKey(viewSecret, spendSecret), iv, ciphertext),
  ]);
}

export const targets: readonly Target[] = [
  {
    name: 'keys-file',
    errors: [WalletError],
    modules: ['store/keys/keys-file', 'store/keys/keys-file-multisig', 'store/keys/latin1-json'],
    words: [
      '"key_data":"',
      '"multisig":1',
      '"nettype":2',
      '"watch_only":1',
      '"encrypted_secret_keys":0',
      '\\u0000',
      '"polyseed":1',
    ],
    prepare: fieldsParser,
  },
  {
    name: 'keys-account',
    errors: [WalletError],
    modules: ['store/keys/keys-file', 'monero/epee/portable-storage'],
    words: [
      'm_keys',
      'm_account_address',
      'm_spend_secret_key',
      'm_polyseed',
      'm_passphrase',
      'buffer',
      'm_multisig_keys',
    ],
    prepare: accountParser,
  },
  {
    name: 'sealed-file',
    errors: [WalletError],
    modules: ['monero/wallet/exchange/sealed-file', 'store/keys/keys-file'],
    prepare: async () => ({ seeds: await keysFiles(), run: readKeys }),
  },
  {
    name: 'cache',
    errors: [CodecError],
    modules: [
      'monero/wallet/reference-cache/cache',
      'monero/wallet/reference-cache/payments',
      'monero/wallet/reference-cache/cache-import',
      'monero/wallet/exchange/transfer-details',
    ],
    prepare: archiveParser,
  },
  {
    name: 'cache-boost',
    errors: [CodecError],
    modules: [
      'monero/wallet/reference-cache/boost-archive',
      'monero/wallet/reference-cache/boost-cache',
      'monero/wallet/reference-cache/boost-transfer',
    ],
    prepare: boostParser,
  },
];
