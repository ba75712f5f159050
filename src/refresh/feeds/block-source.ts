import type { Daemon } from '../../daemon/daemon.js';

/** The calls to the daemon with which pages of blocks are fetched. */
export type BlockSource = Pick<Daemon, 'getInfo' | 'getBlocks'>;
