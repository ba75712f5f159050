import { DIFFICULTY_TARGET_SECONDS } from '../../monero/cryptonote/constants.js';
import { blocksToUnlock, lockableHeights } from '../../monero/cryptonote/unlock-time.js';
import type { Unlock } from '../../model/wallet-error.js';
import { amount as toAmount, type Amount } from '../../util/amount.js';
import { unixSeconds } from '../../util/clock.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'clock' | 'store'>;

/** Height and time at which locked money is unlocked. */
export interface Unlocking {
  /** Number of blocks of the chain at which enough is unlocked. */
  readonly height: number;
  /** Estimate of that time [Unix s]. */
  readonly time: number;
}

/** Largest number of steps in which locked money is listed. */
const MOST_STEPS = 20;

/** A locked output of an account. */
interface LockedOutput {
  /** Minor index of its address. */
  readonly minor: number;
  /** Number of blocks until it is unlocked, at least 1. */
  readonly blocks: number;
  readonly amount: Amount;
}

/** Finds when locked money of accounts is unlocked. Reads the locked outputs once for each state of the store. */
export class UnlockTimes {
  readonly #context: Context;
  readonly #byAccount = new Map<number, readonly LockedOutput[]>();
  #version = -1;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Returns the time at which an account has a missing amount [atomic units]; undefined if its locked money is less. */
  when(account: number, missing: Amount): Unlocking | undefined {
    let left: bigint = missing;
    for (const { blocks, amount } of this.#lockedIn(account)) {
      left -= amount;
      if (left <= 0n) return this.#after(blocks);
    }
    return undefined;
  }

  /**
   * Lists in which steps locked money is unlocked, the next one first, until a missing amount is unlocked [atomic
   * units], or all locked money. The last of many steps has the money of all further ones.
   * @param minors addresses of the money by minor index; empty: all addresses of the account.
   */
  steps(account: number, minors: readonly number[], missing: Amount): readonly Unlock[] {
    const wanted = new Set(minors);
    const steps: Unlock[] = [];
    let left: bigint = missing;
    let reached = 0;
    for (const { blocks, amount, minor } of this.#lockedIn(account)) {
      if (wanted.size > 0 && !wanted.has(minor)) continue;
      if (left <= 0n && blocks !== reached) break;
      const last = steps.at(-1);
      if (last !== undefined && (blocks === reached || steps.length === MOST_STEPS))
        steps[steps.length - 1] = { ...this.#after(blocks), amount: toAmount(last.amount + amount) };
      else steps.push({ ...this.#after(blocks), amount });
      left -= amount;
      reached = blocks;
    }
    return steps;
  }

  #after(blocks: number): Unlocking {
    const { store, clock } = this.#context;
    return {
      height: store.height() + blocks,
      time: unixSeconds(clock) + blocks * DIFFICULTY_TARGET_SECONDS,
    };
  }

  /** Returns the outputs that blocks unlock, the next ones first. */
  #lockedIn(account: number): readonly LockedOutput[] {
    const { store } = this.#context;
    if (store.version !== this.#version) this.#byAccount.clear();
    this.#version = store.version;
    const known = this.#byAccount.get(account);
    if (known !== undefined) return known;
    const height = store.height();
    const locked = store
      .read((r) => r.balances.maybeLocked({ account, strict: false, ...lockableHeights(height) }))
      .map((output) => ({
        minor: output.subaddress.minor,
        blocks: blocksToUnlock(output, height),
        amount: output.amount,
      }))
      .filter(({ blocks }) => blocks > 0)
      .sort((a, b) => a.blocks - b.blocks);
    this.#byAccount.set(account, locked);
    return locked;
  }
}
