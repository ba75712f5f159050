import { isPoint } from '../../crypto/curve/points.js';
import type { PublicKey, SecretKey } from '../../crypto/types.js';
import { formatAddress } from '../../cryptonote/address.js';
import { subaddressSpendPublicKeys } from '../../cryptonote/subaddress-keys.js';
import type { NetworkType, PaymentId } from '../../cryptonote/types.js';
import { amount, U64_MAX } from '../../../util/amount.js';
import { compareBytes, toHex } from '../../../util/bytes.js';
import { CodecError, decode } from '../../../util/codec.js';
import type { DestinationEntry } from '../exchange/construction-data.js';
import type { Destination, OutgoingTx } from '../build/outgoing-tx.js';
import type { SubaddressKey } from '../scan/packed-subaddresses.js';
import type { Lookahead } from '../scan/subaddress-table.js';
import type { PaymentFacts, ImportedAccount, ImportedWallet } from './imported-wallet.js';
import {
  type AddressBookRow,
  CACHE_MAGIC,
  cacheWithoutRings,
  cacheWithWideIndices,
  type ReferenceCache,
} from './cache.js';
import { cachedBalances } from './cached-balance.js';
import { hasFailed, type ConfirmedTransfer, type UnconfirmedTransfer } from './payments.js';
import { chacha20, chacha8 } from '../../crypto/chacha.js';
import { sealedFile } from '../exchange/sealed-file.js';
import { BOOST_HEAD } from './boost-archive.js';
import { readBoostCache } from './boost-cache.js';

/** Keys and addresses of the wallet to which the cache must belong. */
export interface CacheOwner {
  readonly network: NetworkType;
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  readonly viewSecret: SecretKey;
  readonly viewOnly: boolean;
  /** Lookahead of the wallet: numbers of addresses that are recognised after the last created address. */
  readonly lookahead: Lookahead;
}

/** Default label of account 0. */
const PRIMARY_LABEL = 'Primary account';

/**
 * Largest length of a destination's address text. OpenAlias names are resolved before they are stored, so no stored
 * text is longer.
 */
const MAX_ADDRESS_CHARS = 256;

/**
 * Extracts from a cache of the reference the data that cannot be restored from the chain. All other data is read from
 * the chain again, and address keys are computed again, because a cache is encrypted but not authenticated.
 * @throws CodecError if the cache is inconsistent or belongs to another wallet.
 */
export function importCache(cache: ReferenceCache, owner: CacheOwner): ImportedWallet {
  if (
    compareBytes(cache.address.spendPublicKey, owner.spendPublicKey) !== 0 ||
    compareBytes(cache.address.viewPublicKey, owner.viewPublicKey) !== 0
  )
    throw new CodecError('cache: it belongs to another wallet');
  const accounts = accountsOf(cache);
  const [tagDescriptions] = cache.accountTags;
  return {
    accounts,
    tagDescriptions: tagDescriptions.map(([tag, description]) => ({ tag, description })),
    subaddresses: subaddressesOf(cache, accounts, owner),
    addressBook: cache.addressBook.map((row) => bookEntry(row, owner.network)),
    attributes: cache.attributes.map(([name, value]) => ({ name, value })),
    notes: cache.notes.map(([txHash, note]) => ({ txHash, note })),
    txKeys: txKeysOf(cache),
    paid: cache.confirmed.map(([txHash, paid]) => ({ txHash, ...factsOf(paid, owner.network) })),
    unmined: cache.unconfirmed.map(([txHash, paid]) => ({ txHash, ...unminedOf(paid, owner.network) })),
    frozen: cache.transfers
      .filter(({ frozen }) => frozen)
      .map(({ txHash, outputIndex }) => ({ txHash, outputIndex })),
    keyImages: owner.viewOnly ? keyImagesOf(cache) : [],
    balances: cachedBalances(cache),
  };
}

function accountsOf({ labels, accountTags: [, tags] }: ReferenceCache): ImportedAccount[] {
  if (labels.length === 0) return [{ labels: [PRIMARY_LABEL], tag: '' }];
  return labels.map((own, major) => ({ labels: own.length === 0 ? [''] : own, tag: tags[major] ?? '' }));
}

/** Returns the number of contiguous addresses of each account, including the lookahead. */
function subaddressCounts({ subaddresses }: ReferenceCache): number[] {
  const minors: Set<number>[] = [];
  for (const [, { major, minor }] of subaddresses) {
    // Account indices are also contiguous, so an index cannot exceed the number of entries.
    if (major < subaddresses.length) (minors[major] ??= new Set()).add(minor);
  }
  return Array.from(minors, (known = new Set<number>()) => {
    let count = 0;
    while (known.has(count)) count += 1;
    return count;
  });
}

function subaddressesOf(
  cache: ReferenceCache,
  accounts: readonly ImportedAccount[],
  { spendPublicKey, viewSecret, lookahead }: CacheOwner,
): SubaddressKey[] {
  const tableCounts = subaddressCounts(cache);
  const majors = Math.max(accounts.length, tableCounts.length);
  return Array.from({ length: majors }, (_, major) => {
    const created = accounts[major]?.labels.length ?? 0;
    const inTable = tableCounts[major] ?? 0;
    if (cache.subaddresses.length > 0 && inTable < created)
      throw new CodecError('cache: a created address is missing from the subaddress table');
    const expected =
      major < accounts.length + lookahead.major - 1 ? Math.max(created - 1, 0) + lookahead.minor : 0;
    // The cache contains addresses beyond the present lookahead. They are kept, because payments to them may still
    // arrive.
    const count = inTable > expected ? inTable : created;
    return subaddressSpendPublicKeys(spendPublicKey, viewSecret, major, 0, count).map((key, minor) => ({
      index: { major, minor },
      spendPublicKey: key,
    }));
  }).flat();
}

function bookEntry(row: AddressBookRow, network: NetworkType): ImportedWallet['addressBook'][number] {
  const { spendPublicKey, viewPublicKey } = row.address;
  if (!isPoint(spendPublicKey) || !isPoint(viewPublicKey))
    throw new CodecError('cache: an address book entry is not a valid address');
  const kind = row.isSubaddress ? 'subaddress' : row.hasPaymentId ? 'integrated' : 'standard';
  const address = formatAddress({
    network,
    kind,
    spendPublicKey,
    viewPublicKey,
    ...(kind === 'integrated' ? { paymentId: row.paymentId as PaymentId } : {}),
  });
  return { address, description: row.description };
}

function txKeysOf({ txKeys, additionalTxKeys }: ReferenceCache): ImportedWallet['txKeys'] {
  const additional = new Map(additionalTxKeys.map(([txHash, keys]) => [toHex(txHash), keys]));
  return txKeys.map(([txHash, key]) => ({ txHash, keys: [key, ...(additional.get(toHex(txHash)) ?? [])] }));
}

/** Converts the keys of a destination to an address. Source: cryptonote_tx_utils.h `tx_destination_entry::address`. */
function destinationOf(
  entry: DestinationEntry,
  paymentId: Uint8Array | undefined,
  network: NetworkType,
): Destination {
  const { spendPublicKey, viewPublicKey } = entry.address;
  if (entry.original.length > MAX_ADDRESS_CHARS) throw new CodecError('cache: an address text is too long');
  const address =
    entry.original !== ''
      ? entry.original
      : formatAddress({
          network,
          kind: entry.isIntegrated ? 'integrated' : entry.isSubaddress ? 'subaddress' : 'standard',
          spendPublicKey,
          viewPublicKey,
          ...(entry.isIntegrated
            ? { paymentId: (paymentId ?? new Uint8Array(8)).slice(0, 8) as PaymentId }
            : {}),
        });
  return { amount: amount(entry.amount), address };
}

/** Returns a payment id of 8 or 32 bytes; undefined for zeros. A short id is padded with zeros in the cache. */
function paymentIdOf(id: Uint8Array): Uint8Array | undefined {
  const lastSet = id.findLastIndex((byte) => byte !== 0);
  if (lastSet < 0) return undefined;
  return lastSet < 8 ? id.slice(0, 8) : id;
}

function factsOf(
  paid: ConfirmedTransfer | UnconfirmedTransfer,
  network: NetworkType,
): Omit<PaymentFacts, 'txHash'> {
  const paymentId = paymentIdOf(paid.paymentId);
  return {
    ...(paid.change === U64_MAX ? {} : { change: amount(paid.change) }),
    ...(paymentId === undefined ? {} : { paymentId }),
    destinations: paid.destinations.map((entry) => destinationOf(entry, paymentId, network)),
  };
}

function unminedOf(paid: UnconfirmedTransfer, network: NetworkType): Omit<OutgoingTx, 'txHash'> {
  const { change = amount(0n), ...facts } = factsOf(paid, network);
  if (paid.amountOut > paid.amountIn || change > paid.amountOut)
    throw new CodecError('cache: a payment pays more than it spends');
  return {
    ...facts,
    state: hasFailed(paid) ? 'failed' : 'pending',
    account: paid.account,
    fromIndices: [...paid.minors].sort((a, b) => a - b),
    amountIn: amount(paid.amountIn),
    fee: amount(paid.amountIn - paid.amountOut),
    change,
    unlockTime: paid.tx.unlockTime,
    timestamp: paid.timestamp,
  };
}

/**
 * Returns the key images in the cache. All key images are unproven, because the cache does not contain their
 * signatures. The reference assigns the key images of signed sets to its outputs by position. Source: wallet2.cpp
 * `load_tx`, `import_key_images`.
 */
function keyImagesOf({ transfers, coldKeyImages }: ReferenceCache): ImportedWallet['keyImages'] {
  const known = transfers
    .filter(({ keyImageKnown, keyImagePartial }) => keyImageKnown && !keyImagePartial)
    .map(({ tx, outputIndex, keyImage }) => {
      const publicKey = tx.outputs[outputIndex]?.publicKey;
      if (publicKey === undefined) throw new CodecError('cache: an output is not in its transaction');
      return { publicKey, keyImage, proven: false, placed: true } as const;
    });
  return [
    ...known,
    ...coldKeyImages.map(([publicKey, keyImage]) => ({ publicKey, keyImage, proven: false })),
  ];
}

/** Number of leading bytes of a decrypted cache from which its format is detected. */
const HEAD_BYTES = 64;

const startsWith = (bytes: Uint8Array, head: Uint8Array): boolean =>
  Buffer.compare(bytes.subarray(0, head.length), head) === 0;

function readArchive(plain: Uint8Array): ReferenceCache {
  try {
    return decode(cacheWithoutRings, plain);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    try {
      return decode(cacheWithWideIndices, plain);
    } catch {
      throw error;
    }
  }
}

/**
 * Decrypts and reads a cache file, without rings.
 * @param bytes the whole file.
 * @param key 32 bytes.
 * @returns undefined if the file is encrypted with another key.
 * @throws CodecError if the cache is damaged, too old or of an unknown newer version. Source: wallet2.cpp
 * `load_wallet_cache`.
 */
export function openCache(bytes: Uint8Array, key: Uint8Array): ReferenceCache | undefined {
  const { iv, ciphertext } = decode(sealedFile, bytes);
  for (const cipher of [chacha20, chacha8]) {
    const head = cipher(key, iv, ciphertext.subarray(0, HEAD_BYTES));
    if (startsWith(head, CACHE_MAGIC)) return readArchive(cipher(key, iv, ciphertext));
    if (startsWith(head, BOOST_HEAD)) return readBoostCache(cipher(key, iv, ciphertext));
  }
  return undefined;
}
