import type { SubaddressIndex } from '../../monero/cryptonote/types.js';

/**
 * Length of the text of a subaddress or a standard address [bytes]. Source: cryptonote_basic_impl.cpp
 * `get_account_address_as_str`.
 */
const TEXT_BYTES = 95;

/** Number of addresses of an account, with consecutive minor indices, whose texts share one block. */
const BLOCK_ADDRESSES = 256;

/**
 * Texts of addresses, packed outside the JavaScript heap: as strings in maps, a million texts would take twice the
 * memory, and maps of that size block the thread while they grow. At the limit the oldest block is dropped.
 */
export class AddressTexts {
  readonly #limit: number;
  /** Blocks of texts, by account and number of the block; a missing text is zeros. A block ends after its last text. */
  readonly #blocks = new Map<string, Buffer>();
  #bytes = 0;
  #count = 0;

  /** @param limit size of all blocks [bytes]. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of texts that were added so far. */
  get count(): number {
    return this.#count;
  }

  /** Returns the text of an address; undefined if it was not added, or was dropped. */
  get(index: SubaddressIndex): string | undefined {
    const block = this.#blocks.get(keyOf(index));
    const at = offsetOf(index);
    if (block === undefined || (block[at] ?? 0) === 0) return undefined;
    return block.toString('latin1', at, at + TEXT_BYTES);
  }

  /** Adds a text, unless its length differs from that of addresses of the known networks. */
  set(index: SubaddressIndex, text: string): void {
    if (text.length !== TEXT_BYTES) return;
    const at = offsetOf(index);
    this.#blockFor(keyOf(index), at + TEXT_BYTES).write(text, at, 'latin1');
    this.#count += 1;
  }

  /** Returns a block of at least the given length [bytes]; creates or enlarges it. */
  #blockFor(key: string, bytes: number): Buffer {
    const known = this.#blocks.get(key);
    if (known !== undefined && known.length >= bytes) return known;
    // A block grows to twice its size: most accounts have few addresses.
    const size = Math.min(
      BLOCK_ADDRESSES * TEXT_BYTES,
      Math.max(2 * (known?.length ?? 0), Math.ceil(bytes / TEXT_BYTES) * TEXT_BYTES),
    );
    const block = Buffer.alloc(size);
    known?.copy(block);
    this.#blocks.set(key, block);
    this.#bytes += size - (known?.length ?? 0);
    this.#dropOldest(key);
    return block;
  }

  /** Drops the oldest block. @param kept key of a block that must stay. */
  #dropOldest(kept: string): void {
    for (const [key, block] of this.#blocks) {
      if (this.#bytes <= this.#limit) return;
      if (key === kept) continue;
      this.#blocks.delete(key);
      this.#bytes -= block.length;
    }
  }
}

const keyOf = ({ major, minor }: SubaddressIndex): string =>
  `${major}/${Math.floor(minor / BLOCK_ADDRESSES)}`;

const offsetOf = ({ minor }: SubaddressIndex): number => (minor % BLOCK_ADDRESSES) * TEXT_BYTES;
