import type { RefreshReport, WalletId } from './messages.js';

export type CallAnswer = Extract<RefreshReport, { readonly call: number }>;

/** A request to the refresh thread that returns a result and is no refresh. */
export interface Call {
  readonly wallet: WalletId;
  /** Handles an answer. @returns true if it was the last answer to the call. */
  readonly take: (answer: CallAnswer) => boolean;
  readonly reject: (error: Error) => void;
}

/** Calls that the refresh thread has not answered yet, by number. */
export class ThreadCalls {
  readonly #open = new Map<number, Call>();

  add(number: number, call: Call): void {
    this.#open.set(number, call);
  }

  walletOf(number: number): WalletId | undefined {
    return this.#open.get(number)?.wallet;
  }

  /** Passes an answer to its call, unless the call was dropped. */
  answer(answer: CallAnswer): void {
    if (this.#open.get(answer.call)?.take(answer)) this.#open.delete(answer.call);
  }

  /** Rejects the pending calls of a wallet. @param wallet undefined: of all wallets. */
  drop(wallet: WalletId | undefined, error: Error): void {
    for (const [number, call] of this.#open)
      if (wallet === undefined || call.wallet === wallet) {
        this.#open.delete(number);
        call.reject(error);
      }
  }
}
