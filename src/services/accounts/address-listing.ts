import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import { spansOf, type Span } from '../../util/paged.js';
import { ADDRESSES_AT_ONCE } from '../context/address-cache.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'addresses' | 'assertOpen' | 'keystore' | 'store'>;

/** Row of an address in a listing. */
export interface AddressView {
  readonly address: string;
  readonly index: SubaddressIndex;
  readonly label: string;
  /** True if the address has ever received an output. */
  readonly used: boolean;
}

/** Addresses of an account with their labels and use, read a few at a time. */
export class AddressListing {
  readonly #context: Context;
  readonly #account: number;
  readonly #minors: readonly number[] | undefined;
  readonly #hidesLabels: boolean;
  /** Number of listed addresses. */
  readonly #count: number;

  /** @param minors minor indices of the listed addresses, or the number of all addresses of the account. */
  constructor(context: Context, account: number, minors: readonly number[] | number) {
    this.#context = context;
    this.#account = account;
    this.#minors = typeof minors === 'number' ? undefined : minors;
    this.#count = typeof minors === 'number' ? minors : minors.length;
    this.#hidesLabels = context.keystore.hidesNotes;
  }

  /**
   * Reads the addresses in order, and yields to the event loop between pages.
   * @param skipped number of pages to leave out at the beginning.
   * @throws WalletError `no_wallet`
   */
  async *pages(skipped = 0): AsyncGenerator<readonly AddressView[]> {
    const { assertOpen } = this.#context;
    let before = skipped;
    for (const span of spansOf(this.#count, ADDRESSES_AT_ONCE, (part) => this.#labelBytes(part))) {
      before -= 1;
      if (before >= 0) continue;
      if (before < -1) await yieldToEventLoop();
      assertOpen();
      yield this.#page(span);
    }
  }

  /** Returns the length of the labels in a part [bytes]. */
  #labelBytes({ start, end }: Span): number {
    if (this.#isHidden) return 0;
    const listed = this.#minors?.slice(start, end);
    return this.#context.store.read(({ subaddresses }) => {
      if (listed === undefined) return subaddresses.labelBytesBetween(this.#account, start, end - 1);
      return listed.reduce((sum, minor) => sum + subaddresses.labelBytes({ major: this.#account, minor }), 0);
    });
  }

  get #isHidden(): boolean {
    return this.#hidesLabels || this.#context.keystore.hidesNotes;
  }

  /** Reads the rows of a part. */
  #page({ start, end }: Span): readonly AddressView[] {
    const { addresses, store } = this.#context;
    const account = this.#account;
    const listed = this.#minors?.slice(start, end);
    const minors = listed ?? Array.from({ length: end - start }, (_, i) => start + i);
    const indices = minors.map((minor) => ({ major: account, minor }));
    const texts = addresses.textsOf(indices);
    const { labels, used } = store.read(({ subaddresses, balances, imported }) => {
      const [names, received] =
        listed === undefined
          ? [
              subaddresses.labelsBetween(account, start, end - 1),
              balances.usedBetween(account, start, end - 1),
            ]
          : [subaddresses.labelsAmong(account, listed), balances.usedAmong(account, listed)];
      return { labels: names, used: new Set([...received, ...imported.usedAmong(account, minors)]) };
    });
    const hidesLabels = this.#isHidden;
    return indices.map((index, i) => ({
      address: texts[i] ?? '',
      index,
      label: (hidesLabels ? undefined : labels.get(index.minor)) ?? '',
      used: used.has(index.minor),
    }));
  }
}
