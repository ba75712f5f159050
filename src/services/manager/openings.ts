import { WalletError } from '../../model/wallet-error.js';

/** The current wallet of `/json_rpc`, in place of a name. */
export const CURRENT = Symbol('current wallet');

/** The start of the server, for which all calls wait. */
export const START = Symbol('start');

/** Name of a wallet that is opened under its own path, {@link CURRENT} or {@link START}. */
export type Opened = string | typeof CURRENT | typeof START;

/** State of a wallet that is not open yet. */
interface Awaited {
  /** Number of attempts that are running or wait for a lock. */
  attempts: number;
  /** True for a wallet of the start that was not tried yet. */
  isExpected: boolean;
}

/**
 * Wallets that this process is about to open, or is opening, and wallets of the start that it could not open. Calls for
 * wallets that are being opened wait here.
 */
export class Openings {
  readonly #awaited = new Map<Opened, Awaited>();
  /** Reasons why wallets of the start are not open, by name. */
  readonly #failures = new Map<string, string>();
  /** Promise that is resolved and replaced at each change. */
  #change = Promise.withResolvers<undefined>();
  #isClosed = false;

  /** True while any wallet is about to be opened, or is being opened. */
  get isAny(): boolean {
    return this.#awaited.size > 0;
  }

  /** Notes that a wallet is to be opened at the start, until its opening succeeds, or {@link release} or {@link fail} is called. */
  expect(name: string): void {
    this.#awaitedOf(name).isExpected = true;
  }

  /** True for a wallet of the start that is not open, and was neither tried nor opened by a client. */
  isExpected(name: string): boolean {
    return this.#awaited.get(name)?.isExpected === true;
  }

  /** Notes that a wallet of the start is not opened by this process. */
  release(name: string): void {
    const awaited = this.#awaited.get(name);
    if (awaited !== undefined) awaited.isExpected = false;
    this.#failures.delete(name);
    this.#noteChange(name);
  }

  /** Notes that a wallet of the start could not be opened. @param reason clause for clients. */
  fail(name: string, reason: string): void {
    this.release(name);
    this.#failures.set(name, reason);
  }

  /** Returns the reason why a wallet of the start could not be opened; undefined for any other wallet. */
  failureOf(name: string): string | undefined {
    return this.#failures.get(name);
  }

  /** Notes an attempt to open a wallet. @returns a function to be called at the end of the attempt. */
  begin(opened: Opened): (isOpen: boolean) => void {
    const awaited = this.#awaitedOf(opened);
    awaited.attempts += 1;
    return (isOpen) => {
      awaited.attempts -= 1;
      if (isOpen && typeof opened === 'string') this.release(opened);
      else this.#noteChange(opened);
    };
  }

  /** True while a wallet is about to be opened, or is being opened. */
  isAwaited(opened: Opened): boolean {
    return this.#awaited.has(opened);
  }

  /**
   * Waits while a wallet is not open and is about to be opened, or is being opened. @param ms longest wait [ms].
   * @throws WalletError `wallet_opening` after the longest wait, and once the server stops.
   */
  hold(opened: Opened, isOpen: () => boolean, ms: number): Promise<void> {
    return this.#wait(() => this.isAwaited(opened) && !isOpen(), ms, opened);
  }

  /** Waits while an attempt to open a wallet is running. @param ms longest wait [ms]. @throws WalletError as {@link hold} */
  holdAttempt(opened: Opened, ms: number): Promise<void> {
    return this.#wait(() => (this.#awaited.get(opened)?.attempts ?? 0) > 0, ms, opened);
  }

  /**
   * Waits until all wallets of the start were tried. @param mayKnow returns true for the wallets to wait for. @param ms
   * longest wait [ms].
   * @throws WalletError as {@link hold}
   */
  holdStart(mayKnow: (name: string) => boolean, ms: number): Promise<void> {
    const isAny = (): boolean =>
      [...this.#awaited].some(
        ([name, { isExpected }]) => isExpected && typeof name === 'string' && mayKnow(name),
      );
    return this.#wait(isAny, ms, CURRENT);
  }

  /** Ends all waits, and later waits at once, because the server stops. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  #awaitedOf(opened: Opened): Awaited {
    const awaited = this.#awaited.get(opened) ?? { attempts: 0, isExpected: false };
    this.#awaited.set(opened, awaited);
    return awaited;
  }

  #noteChange(opened: Opened): void {
    const awaited = this.#awaited.get(opened);
    if (awaited?.attempts === 0 && !awaited.isExpected) this.#awaited.delete(opened);
    this.#wake();
  }

  #wake(): void {
    this.#change.resolve(undefined);
    this.#change = Promise.withResolvers<undefined>();
  }

  async #wait(isAwaited: () => boolean, ms: number, opened: Opened): Promise<void> {
    if (!isAwaited()) return;
    let isLate = ms <= 0;
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      isLate = true;
      late.resolve(undefined);
    }, ms);
    try {
      while (isAwaited()) {
        if (isLate || this.#isClosed)
          throw new WalletError({
            kind: 'wallet_opening',
            ...(typeof opened === 'string' ? { name: opened } : {}),
          });
        await Promise.race([this.#change.promise, late.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
