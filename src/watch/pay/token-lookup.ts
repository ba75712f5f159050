import type { RequestView } from '../../services/requests/request-views.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { toHex, tryFromHex } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { workSlices } from '../../util/event-loop.js';
import { readable } from '../wallet-facts.js';

/** Part of an open wallet that pay pages read. */
export interface PayWallet {
  readonly name: string;
  readonly paymentRequests: Pick<OpenWallet['paymentRequests'], 'byToken'>;
  readonly eventLog: Pick<OpenWallet['eventLog'], 'after' | 'lastId'>;
}

/** A payment request that a pay page may show, in its wallet. */
export interface FoundRequest {
  readonly wallet: PayWallet;
  readonly view: RequestView;
}

/** Number of bytes of a token. */
const TOKEN_BYTES = 16;
/** Number of tokens whose wallet is kept. */
const MAX_KEPT = 20_000;
/** Largest number of searches through all wallets at a time. */
const MAX_SEARCHES = 16;

/** Returns the token that a text names; undefined for a malformed text. */
function parseToken(text: string): Uint8Array | undefined {
  const token = /^[0-9a-f]{32}$/.test(text) ? tryFromHex(text) : undefined;
  return token?.length === TOKEN_BYTES ? token : undefined;
}

/**
 * Reads the request of a token in a wallet; undefined if the wallet has no such request, is closed or damaged, or if
 * the request was cancelled.
 */
export function readRequest(wallet: PayWallet, token: Uint8Array): FoundRequest | undefined {
  const view = readable(() => wallet.paymentRequests.byToken(token));
  return view === undefined || view.status.state === 'cancelled' ? undefined : { wallet, view };
}

/**
 * Finds the payment requests of tokens among the open wallets. Keeps the wallets of found tokens. A search for any other
 * token asks every wallet, also if the token is malformed or its request was cancelled: the times of these answers do
 * not differ.
 */
export class TokenLookup {
  readonly #wallets: () => readonly PayWallet[];
  readonly #rng: Rng;
  /** Names of wallets by token [hex], the latest found last. */
  readonly #kept = new Map<string, string>();
  #searches = 0;

  constructor(wallets: () => readonly PayWallet[], rng: Rng) {
    this.#wallets = wallets;
    this.#rng = rng;
  }

  /** True if no further search may begin now. */
  get isBusy(): boolean {
    return this.#searches >= MAX_SEARCHES;
  }

  /** Keeps the wallet of a token. */
  keep(token: Uint8Array, wallet: string): void {
    const text = toHex(token);
    this.#kept.delete(text);
    this.#kept.set(text, wallet);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Returns the request of a token whose wallet is known and open; undefined otherwise, without a search. */
  known(text: string): FoundRequest | undefined {
    const name = this.#kept.get(text);
    const token = parseToken(text);
    if (name === undefined || token === undefined) return undefined;
    const wallet = this.#wallets().find((open) => open.name === name);
    const found = wallet && readRequest(wallet, token);
    if (found === undefined) this.#kept.delete(text);
    else this.keep(token, name);
    return found;
  }

  /** Asks every open wallet for the request of a token, in slices of the event loop. */
  async search(text: string): Promise<FoundRequest | undefined> {
    const token = parseToken(text) ?? this.#rng(TOKEN_BYTES);
    this.#searches += 1;
    try {
      const answers = await workSlices.map(this.#wallets(), (wallet) => readRequest(wallet, token));
      const found = answers.find((answer) => answer !== undefined);
      if (found !== undefined) this.keep(token, found.wallet.name);
      return found;
    } finally {
      this.#searches -= 1;
    }
  }
}
