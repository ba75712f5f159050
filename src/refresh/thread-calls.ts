import type { RefreshReport, WalletId } from './messages.js';

export type CallAnswer = Extract<RefreshReport, { readonly call: number }>;

/** A question to the refresh thread, apart from refreshes. */
export interface Call {
  readonly wallet: WalletId;
  /** @returns true for the last answer. */
  readonly take: (answer: CallAnswer) => boolean;
  readonly reject: (error: Error) => void;
}

/** Questions that the refresh thread has not answered yet, by number. */
export class ThreadCalls {
  readonly #open = new Map<number, Call>();

  add(number: number, call: Call): void {
    this.#open.set(number, call);
  }

  /** Hands an answer to whoever asked, if they still want it. */
  answer(answer: CallAnswer): void {
    if (this.#open.get(answer.call)?.take(answer)) this.#open.delete(answer.call);
  }

  /** @param wallet undefined: of all. */
  drop(wallet: WalletId | undefined, error: Error): void {
    for (const [number, call] of this.#open)
      if (wallet === undefined || call.wallet === wallet) {
        this.#open.delete(number);
        call.reject(error);
      }
  }
}
