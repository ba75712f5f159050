import { formatAddress } from '../../cryptonote/address.js';
import { isPrimary, type AddressKeys } from '../../cryptonote/subaddress-keys.js';
import type { Address, SubaddressIndex } from '../../cryptonote/types.js';
import { addressKeysOf } from '../../refresh/address-keys.js';
import { yieldToEventLoop } from '../../util/yield-to-event-loop.js';
import type { WalletKeys } from '../../wallet/keys.js';

/** Addresses worked out before other work has its turn: some 10 ms. */
const AT_ONCE = 256;

/** Addresses worked out ahead in one turn: well below a millisecond. */
const AHEAD_AT_ONCE = 16;

/** Texts up to which more are worked out ahead: a wallet with more of them asks for few at a time. */
const MAX_AHEAD = 2000;

/** Texts kept at most, about 130 bytes each: the addresses of a large wallet. */
const MAX_KEPT = 250_000;

/** Works out the wallet's own addresses, in batches where there are many. Texts are kept: they never change. */
export class AddressCache {
  readonly #keys: () => WalletKeys;
  /** By account and minor index. */
  readonly #kept = new Map<number, Map<number, string>>();
  #count = 0;
  /** To be worked out between other work. */
  #ahead: SubaddressIndex[] = [];

  constructor(keys: () => WalletKeys) {
    this.#keys = keys;
  }

  decoded(index: SubaddressIndex): Address {
    const { network, spendPublicKey, viewPublicKey } = this.#keys();
    if (isPrimary(index)) return { network, kind: 'standard', spendPublicKey, viewPublicKey };
    const [keys] = this.keysOf([index]);
    if (keys === undefined) throw new RangeError('an address without keys');
    return { network, kind: 'subaddress', ...keys };
  }

  /** Of subaddresses, in their order; at once. @param indices none of them {0, 0}. */
  keysOf(indices: readonly SubaddressIndex[]): AddressKeys[] {
    const { spendPublicKey, viewSecret } = this.#keys();
    return addressKeysOf(spendPublicKey, viewSecret.expose(), indices);
  }

  text(index: SubaddressIndex): string {
    return this.#known(index) ?? this.#keep(index, formatAddress(this.decoded(index)));
  }

  /** Works out at once what {@link text} is about to be asked for. */
  prepare(indices: readonly SubaddressIndex[]): void {
    const missing = this.#missing(indices);
    if (missing.length > 0) this.keep(missing, this.keysOf(missing));
  }

  /** Works out a few at a time, between other work, what {@link text} may be asked for soon. */
  foresee(indices: readonly SubaddressIndex[]): void {
    if (this.#count + this.#ahead.length >= MAX_AHEAD) return;
    const missing = this.#missing(indices);
    if (missing.length === 0) return;
    const works = this.#ahead.length > 0;
    this.#ahead.push(...missing);
    if (!works) void this.#workAhead();
  }

  async #workAhead(): Promise<void> {
    while (this.#ahead.length > 0) {
      await yieldToEventLoop();
      try {
        this.prepare(this.#ahead.slice(0, AHEAD_AT_ONCE));
        this.#ahead.splice(0, AHEAD_AT_ONCE);
      } catch {
        // The wallet was closed meanwhile. Anything else is told to whoever asks for the text.
        this.#ahead = [];
      }
    }
  }

  /** In their order. Other work goes on while many are worked out. */
  async texts(indices: readonly SubaddressIndex[]): Promise<readonly string[]> {
    await this.#inSlices(this.#missing(indices), (slice) => {
      this.keep(slice, this.keysOf(slice));
      return [];
    });
    return indices.map((index) => this.text(index));
  }

  /** {@link keysOf}, other work goes on while many are worked out. */
  derive(indices: readonly SubaddressIndex[]): Promise<AddressKeys[]> {
    return this.#inSlices(indices, (slice) => this.keysOf(slice));
  }

  async #inSlices<T>(
    indices: readonly SubaddressIndex[],
    task: (slice: readonly SubaddressIndex[]) => readonly T[],
  ): Promise<T[]> {
    const done: T[] = [];
    for (let start = 0; start < indices.length; start += AT_ONCE) {
      if (start > 0) await yieldToEventLoop();
      for (const item of task(indices.slice(start, start + AT_ONCE))) done.push(item);
    }
    return done;
  }

  /** Takes over what was worked out. @param indices none of them {0, 0}. */
  keep(indices: readonly SubaddressIndex[], keys: readonly AddressKeys[]): void {
    const { network } = this.#keys();
    indices.forEach((index, i) => {
      const own = keys[i];
      if (own !== undefined) this.#keep(index, formatAddress({ network, kind: 'subaddress', ...own }));
    });
  }

  #missing(indices: readonly SubaddressIndex[]): SubaddressIndex[] {
    const missing = new Map<string, SubaddressIndex>();
    for (const index of indices)
      if (this.#known(index) === undefined && !isPrimary(index))
        missing.set(`${index.major}/${index.minor}`, index);
    return [...missing.values()];
  }

  #known({ major, minor }: SubaddressIndex): string | undefined {
    return this.#kept.get(major)?.get(minor);
  }

  #keep({ major, minor }: SubaddressIndex, text: string): string {
    if (this.#count >= MAX_KEPT) {
      this.#kept.clear();
      this.#count = 0;
    }
    const account = this.#kept.get(major) ?? new Map<number, string>();
    this.#kept.set(major, account);
    account.set(minor, text);
    this.#count += 1;
    return text;
  }
}
