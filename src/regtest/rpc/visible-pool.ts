import type { PoolTx } from '../store/pool.js';
import type { Context } from './method.js';

/**
 * Returns the pool transactions in hash order; at a restricted port only relayed transactions. Source: tx_pool.cpp
 * `relay_category`.
 */
export const visiblePool = ({ daemon, restricted }: Context): PoolTx[] =>
  daemon.node.store.pool.byHash().filter(({ relayed }) => relayed || !restricted);
