import type { SecretKey } from '../../crypto/types.js';
import { CodecError } from '../../../util/codec.js';
import { pairOf, BoostArchive, bytesOf, collection, hashTable, object, type Load } from './boost-archive.js';
import {
  address,
  confirmedTransfer,
  poolPayment,
  receivedPayment,
  unconfirmedTransfer,
  hash,
  keyImage,
  publicKey,
  subaddressIndex,
  transferDetails,
} from './boost-transfer.js';
import { NO_BACKGROUND_SYNC, type AddressBookRow, type HashChain, type ReferenceCache } from './cache.js';

/* The cache in Boost's archive. Source: wallet2.h `wallet2`, its first serializer; wallet2_boost_serialization.h. */

const number = (a: BoostArchive): number => a.number();
const string = (a: BoostArchive): string => a.string();
const bytes = (a: BoostArchive): Uint8Array => a.raw(a.count());
const secretKey = bytesOf<SecretKey>('secret_key');

const hashDeque = collection('deque<hash>', hash);
const hashVector = collection('vector<hash>', hash);

const hashChain = object('hashchain', (a): HashChain => ({
  offset: a.number(),
  genesis: hash(a),
  hashes: hashDeque(a),
}));

/** Reads the chain of a version without an offset: all block hashes are stored. */
function wholeChain(a: BoostArchive): HashChain {
  const hashes = hashVector(a);
  return { offset: 0, genesis: hashes[0] ?? (new Uint8Array(32) as HashChain['genesis']), hashes };
}

const paymentId8 = bytesOf<Uint8Array>('hash8', 8);

const addressBookRow = object('address_book_row', (a, version): AddressBookRow => {
  const to = address(a);
  if (version >= 18) {
    const description = a.string();
    const isSubaddress = a.flag();
    const hasPaymentId = a.flag();
    const paymentId = hasPaymentId ? paymentId8(a) : new Uint8Array(8);
    return { address: to, description, isSubaddress, hasPaymentId, paymentId };
  }
  const long = hash(a);
  // Long payment ids are obsolete; the reference drops them, too.
  const isShort = long.some((byte) => byte !== 0) && long.subarray(8).every((byte) => byte === 0);
  return {
    address: to,
    paymentId: isShort ? long.slice(0, 8) : new Uint8Array(8),
    description: a.string(),
    isSubaddress: version < 17 ? false : a.flag(),
    hasPaymentId: isShort,
  };
});

const map = <K, V>(name: string, key: Load<K>, value: Load<V>): Load<readonly (readonly [K, V])[]> =>
  hashTable(name, pairOf(key, value));

const transfers = collection('vector<transfer_details>', transferDetails);
const keyImages = map('map<key_image, size_t>', keyImage, number);
const unconfirmed = map('map<hash, unconfirmed>', hash, unconfirmedTransfer);
const payments = map('multimap<hash, payment>', hash, receivedPayment);
const paymentMap = map('map<hash, payment>', hash, receivedPayment);
const txKeys = map('map<hash, secret_key>', hash, secretKey);
const confirmed = map('map<hash, confirmed>', hash, confirmedTransfer);
const texts = map('map<hash, string>', hash, string);
const deviceTxs = map('map<hash, string>', hash, bytes);
const publicKeys = map('map<public_key, size_t>', publicKey, number);
const addressBook = collection('vector<address_book_row>', addressBookRow);
const hashSet = hashTable('set<hash>', hash);
const subaddresses = map('map<public_key, subaddress_index>', publicKey, subaddressIndex);
const subaddressesBack = map('map<subaddress_index, public_key>', subaddressIndex, publicKey);
const strings = collection('vector<string>', string);
const labels = collection('vector<vector<string>>', strings);
const additionalTxKeys = map(
  'map<hash, vector<secret_key>>',
  hash,
  collection('vector<secret_key>', secretKey),
);
const attributes = map('map<string, string>', string, string);
const poolPayments = map('multimap<hash, pool_payment>', hash, poolPayment);
const accountTags = object(
  'pair<map, vector>',
  pairOf(
    collection('ordered map<string, string>', object('pair<string, string>', pairOf(string, string))),
    strings,
  ),
);
const coldKeyImages = map('map<public_key, key_image>', publicKey, keyImage);

/** Oldest version that has all needed fields; it was written in 2014. */
const OLDEST = 9;

/** Reads the fields in the order of the archive; a field that a version lacks is empty. */
const cache: Load<ReferenceCache> = object('wallet2', (a, version) => {
  if (version < OLDEST) throw new CodecError('cache: written by a release before 2015');
  const since = <T>(first: number, load: Load<T>, otherwise: T): T => (version < first ? otherwise : load(a));
  const first = {
    chain: version < 19 ? wholeChain(a) : hashChain(a),
    transfers: transfers(a),
    address: address(a),
    keyImages: keyImages(a),
    unconfirmed: unconfirmed(a),
    payments: payments(a),
    txKeys: txKeys(a),
    confirmed: confirmed(a),
  };
  // The refresh height, which moved to the keys file later.
  since(11, number, 0);
  const notes = since(12, texts, []);
  // Pool payments are skipped, because a refresh finds them again. They moved to the end of the archive in version 22.
  if (version >= 13 && version < 17) paymentMap(a);
  const second = {
    notes,
    publicKeys: since(15, publicKeys, []),
    addressBook: since(16, addressBook, []),
  };
  if (version >= 17 && version < 22) payments(a);
  const third = {
    scannedPoolTxs: since(18, hashSet, []),
    scannedPoolTxsBefore: since(18, hashSet, []),
    subaddresses: since(20, subaddresses, []),
  };
  since(20, subaddressesBack, []);
  return {
    ...first,
    ...second,
    ...third,
    labels: since(20, labels, []),
    additionalTxKeys: since(20, additionalTxKeys, []),
    attributes: since(21, attributes, []),
    poolPayments: since(22, poolPayments, []),
    accountTags: since<ReferenceCache['accountTags']>(23, accountTags, [[], []]),
    ringHistorySaved: since(24, (b) => b.flag(), false),
    lastBlockReward: since(25, (b) => b.u64(), 0n),
    deviceTxs: since(26, deviceTxs, []),
    deviceKeyImageSync: since(27, (b) => b.u64(), 0n),
    coldKeyImages: since(28, coldKeyImages, []),
    rpcClientSecretKey: since<Uint8Array>(29, secretKey, new Uint8Array(32)),
    everRefreshed: since(30, (b) => b.flag(), false),
    backgroundSync: NO_BACKGROUND_SYNC,
  };
});

/**
 * Reads a cache of a release before 0.18.
 * @throws CodecError if the cache is damaged, too old, or of an unknown version.
 */
export function readBoostCache(plain: Uint8Array): ReferenceCache {
  const archive = new BoostArchive(plain);
  const found = cache(archive);
  archive.end();
  return found;
}
