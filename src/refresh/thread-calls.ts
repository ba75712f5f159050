import type { RefreshReport, WalletId } from './messages.js';

export type CallAnswer = Extract<RefreshReport, { readonly call: number }>;

/** A request to the refresh thread other than a refresh. */
export interface Call {
  readonly wallet: WalletId;
  /** @returns true for the last answer. */
  readonly take: (answer: CallAnswer) => boolean;
  readonly reject: (error: Error) => void;
}

/** Requests that the refresh thread has not answered, by number. */
export class ThreadCalls {
  readonly #open = new Map<number, Call>();

  add(number: number, call: Call): void {
    this.#open.set(number, call);
  }

  walletOf(number: number): WalletId | undefined {
    return this.#open.get(number)?.wallet;
  }

  /** Hands an answer to its call, unless the call was dropped. */
  answer(answer: CallAnswer): void {
    if (this.#open.get(answer.call)?.take(answer)) this.#open.delete(answer.call);
  }

  /** Rejects the calls of a wallet. @param wallet undefined: of all wallets. */
  drop(wallet: WalletId | undefined, error: Error): void {
    for (const [number, call] of this.#open)
      if (wallet === undefined || call.wallet === wallet) {
        this.#open.delete(number);
        call.reject(error);
      }
  }
}
