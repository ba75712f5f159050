import type { KeyImage } from '../../monero/crypto/types.js';
import type { Address } from '../../monero/cryptonote/types.js';
import type { Amount } from '../../util/amount.js';
import type { Rng } from '../../util/random.js';
import type { Node } from '../chain/node.js';

/** Parameters of lies besides their number: payee, amount, place and spent outputs. */
export interface Target {
  /** Address that fabricated transactions pay; absent: an address whose keys are not kept. */
  readonly address?: Address;
  /** Amount that fabricated transactions pay [atomic units]. */
  readonly amount: Amount;
  /** Height of the block that is changed; absent: each lie has its own default. */
  readonly height?: number;
  /** Key images that fabricated transactions spend. */
  readonly keyImages: readonly KeyImage[];
}

/** Facts and memory of a fault while it is injected. */
export interface LieContext {
  /** Number that was given with the name of the fault. */
  readonly value: number;
  readonly target: Target;
  /** Node with its true chain and pool; for a block of a page, the node from which the page is given. */
  readonly node: Node;
  readonly rng: Rng;
  /** Makes a value at its first use, and keeps it until the faults are set again. */
  once<T>(name: string, make: () => T): T;
  /** Counts an occasion. @returns true on every `every`-th occasion. */
  isDue(every: number): boolean;
}
