import {
  subaddressSpendPublicKeys,
  SUBADDRESS_MESSAGE_BYTES,
  subaddressMessagesOf,
  type AddressKeys,
} from '../../cryptonote/subaddress-keys.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { PublicKey, SecretKey } from '../../crypto/types.js';
import { joinBytes, chunks } from '../../../util/bytes.js';
import { DEFAULT_LOOKAHEAD } from './default-lookahead.js';
import {
  ENTRY_BYTES,
  eachSubaddress,
  packSubaddresses,
  type PackedSubaddresses,
} from './packed-subaddresses.js';
import { SpendKeyIndex } from './spend-key-index.js';
import { sharedKernel } from '../../kernel/load-kernel.js';

/**
 * Numbers of accounts and addresses after the last used account or address whose payments are recognised.
 * @example
 * const limits: Lookahead = { major: 1, minor: 20 };
 * new SubaddressTable(account.spendPublicKey, account.viewSecret, limits).find(account.viewPublicKey); // => undefined
 */
export interface Lookahead {
  readonly major: number;
  readonly minor: number;
}

/**
 * Returns the number of addresses of each account that a {@link SubaddressTable} contains after it was expanded to some
 * used addresses, at least to the first address.
 */
export function watchedCounts(used: readonly SubaddressIndex[], lookahead: Lookahead): number[] {
  const majors = used.reduce((most, { major }) => Math.max(most, major + lookahead.major), lookahead.major);
  const counts = Array.from({ length: majors }, () => lookahead.minor);
  for (const { major, minor } of used) counts[major] = Math.max(counts[major] ?? 0, minor + lookahead.minor);
  return counts;
}

const NO_SUBADDRESSES: PackedSubaddresses = new Uint8Array();

/**
 * Finds the index of an address of the wallet by its spend key.
 * @example
 * const none: KnownAddresses = { spendPublicKey: account.spendPublicKey, find: () => undefined };
 * ownOutputsIn(tx, account, none); // => []
 */
export type KnownAddresses = Pick<SubaddressTable, 'find' | 'spendPublicKey'>;

/** Computes the spend keys of the addresses `from` ≤ minor < `to` of one account, 32 bytes each. */
export type SpendKeyRange = (...range: Parameters<typeof subaddressSpendPublicKeys>) => Uint8Array;

const spendKeysOf: SpendKeyRange = (...range) => joinBytes(subaddressSpendPublicKeys(...range));

/**
 * Spend public keys of the wallet's addresses. The table grows as addresses are used, so that it always contains the
 * lookahead after the last used address.
 * @example
 * const table = new SubaddressTable(account.spendPublicKey, account.viewSecret, { major: 1, minor: 20 });
 * table.expandTo({ major: 0, minor: 0 });
 * table.find(parseAddress(address).spendPublicKey); // => { major: 0, minor: 1 }
 */
export class SubaddressTable {
  /** Spend public key of the primary address. */
  readonly spendPublicKey: PublicKey;
  readonly #viewSecret: SecretKey;
  #lookahead: Lookahead;
  /** True if every known account has the lookahead after its first address. */
  #isFilled = false;
  readonly #byKey = new SpendKeyIndex();
  readonly #spendKeys: SpendKeyRange;
  /** Number of known addresses, by account. */
  readonly #counts: number[] = [];

  /**
   * Makes an empty table: `expandTo({ major: 0, minor: 0 })` adds the first addresses.
   * @param lookahead 50 accounts with 200 addresses each by default. @param spendKeys computes ranges of keys.
   */
  constructor(
    spendPublicKey: PublicKey,
    viewSecret: SecretKey,
    lookahead: Lookahead = DEFAULT_LOOKAHEAD,
    spendKeys: SpendKeyRange = spendKeysOf,
  ) {
    this.#spendKeys = spendKeys;
    this.spendPublicKey = spendPublicKey;
    this.#viewSecret = viewSecret;
    this.#lookahead = lookahead;
  }

  /** Lookahead that {@link expandTo} adds; entries beyond a smaller lookahead are kept. */
  set lookahead(lookahead: Lookahead) {
    this.#lookahead = lookahead;
    this.#isFilled = false;
  }

  /** Number of known addresses. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Finds the index of an address by its public spend key. */
  find(spendPublicKey: Uint8Array): SubaddressIndex | undefined {
    return this.#byKey.find(spendPublicKey);
  }

  /**
   * Adds entries that were computed earlier, in one or more parts. The minor indices of each account must start at 0
   * and have no gaps.
   */
  load(parts: readonly PackedSubaddresses[]): void {
    this.#byKey.reserve(parts.reduce((count, packed) => count + Math.floor(packed.length / ENTRY_BYTES), 0));
    for (const packed of parts) eachSubaddress(packed, (index, at) => this.#insert(index, packed, at));
    this.#isFilled = false;
  }

  /**
   * Adds the missing addresses in the lookahead after a used address.
   * @returns the new entries. Source: wallet2.cpp `expand_subaddresses`.
   */
  expandTo(used: SubaddressIndex): PackedSubaddresses {
    const lookahead = this.#lookahead;
    const majors = Math.max(this.#counts.length, used.major + lookahead.major);
    // The method is called for every payment; most calls add no entries, so this case is decided first.
    if (
      this.#isFilled &&
      majors === this.#counts.length &&
      this.#knownIn(used.major) >= used.minor + lookahead.minor
    )
      return NO_SUBADDRESSES;
    const added: PackedSubaddresses[] = [];
    for (let major = 0; major < majors; major++) {
      const known = this.#knownIn(major);
      const wanted = (major === used.major ? used.minor : 0) + lookahead.minor;
      if (known >= wanted) continue;
      const keys = this.#spendKeys(this.spendPublicKey, this.#viewSecret, major, known, wanted);
      added.push(packSubaddresses(keys, major, known));
    }
    const packed = joinBytes(added);
    eachSubaddress(packed, (index, at) => this.#insert(index, packed, at));
    this.#isFilled = true;
    return packed;
  }

  /** Adds an address. @param at offset of its spend key in `spendKeys`. */
  #insert(index: SubaddressIndex, spendKeys: Uint8Array, at: number): void {
    this.#byKey.set(spendKeys, index, at);
    this.#counts[index.major] = Math.max(this.#knownIn(index.major), index.minor + 1);
  }

  /** Returns the number of known addresses of an account. */
  #knownIn(major: number): number {
    return this.#counts[major] ?? 0;
  }
}

/**
 * Computes spend key `D = B + m·G` and view key `C = a·D` of many subaddresses.
 * @param indices must not contain {0, 0}, whose keys are the wallet's own.
 * @throws RangeError when B is not a point. Source: device_default.cpp `get_subaddress`.
 */
export function addressKeysOf(
  spendPublicKey: PublicKey,
  viewSecret: SecretKey,
  indices: readonly SubaddressIndex[],
): AddressKeys[] {
  const kernel = sharedKernel();
  const messages = subaddressMessagesOf(viewSecret, indices);
  const spendKeys = kernel.addHashes(spendPublicKey, messages, SUBADDRESS_MESSAGE_BYTES);
  messages.fill(0);
  const viewKeys = chunks(kernel.multiply(spendKeys, viewSecret), 32);
  return chunks(spendKeys, 32).map((key, i) => ({
    spendPublicKey: key as PublicKey,
    viewPublicKey: viewKeys[i] as PublicKey,
  }));
}
