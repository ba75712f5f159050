import { Registry } from '../../http/methods/method.js';
import type { BinaryEndpoint } from './binary-endpoint.js';
import { blockEndpoints } from './binary/blocks.js';
import { outputEndpoints } from './binary/outputs.js';
import type { DaemonMethod } from './method.js';
import { blockMethods } from './methods/blocks.js';
import { chainStateMethods } from './methods/chain-state.js';
import { miningMethods } from './methods/mining.js';
import { networkMethods } from './methods/network.js';
import { poolMethods } from './methods/pool.js';
import { proofOfWorkMethods } from './methods/proof-of-work.js';
import { misbehavePaths } from './paths/misbehave.js';
import { miningPaths } from './paths/mining.js';
import { poolPaths } from './paths/pool.js';
import { servicePaths } from './paths/service.js';
import { transactionPaths } from './paths/transactions.js';

/** All JSON-RPC methods of the daemon. */
export const methods = new Registry<DaemonMethod>([
  ...blockMethods,
  ...chainStateMethods,
  ...miningMethods,
  ...networkMethods,
  ...poolMethods,
  ...proofOfWorkMethods,
]);

/** All paths whose requests and answers are JSON. */
export const paths = new Registry<DaemonMethod>([
  ...servicePaths,
  ...transactionPaths,
  ...poolPaths,
  ...miningPaths,
  ...misbehavePaths,
]);

/** All paths whose requests and answers are portable storage. */
export const binaryEndpoints: readonly BinaryEndpoint[] = [...blockEndpoints, ...outputEndpoints];
