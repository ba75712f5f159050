import type { PoolTx } from '../store/pool.js';
import type { Context } from './method.js';

/** What waits, as far as who asks may know it, in the order of the hashes. Source: tx_pool.cpp `relay_category`. */
export const visiblePool = ({ daemon, restricted }: Context): PoolTx[] =>
  daemon.node.store.pool.byHash().filter(({ relayed }) => relayed || !restricted);
