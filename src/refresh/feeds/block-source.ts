import type { Daemon } from '../../daemon/daemon.js';

/** The daemon calls that fetch pages. */
export type BlockSource = Pick<Daemon, 'getInfo' | 'getBlocks'>;
