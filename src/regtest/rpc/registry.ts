import { Registry } from '../../jsonrpc/registry.js';
import type { BinaryEndpoint } from './binary-endpoint.js';
import { blockEndpoints } from './binary/blocks.js';
import { outputEndpoints } from './binary/outputs.js';
import type { Context, Gates } from './method.js';
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

/** Every JSON-RPC method of the daemon. */
export const methods = new Registry<Context, Gates>([
  ...blockMethods,
  ...chainStateMethods,
  ...miningMethods,
  ...networkMethods,
  ...poolMethods,
  ...proofOfWorkMethods,
]);

/** Every path that takes and gives JSON. */
export const paths = new Registry<Context, Gates>([
  ...servicePaths,
  ...transactionPaths,
  ...poolPaths,
  ...miningPaths,
  ...misbehavePaths,
]);

/** Every path that takes and gives portable storage. */
export const binaryEndpoints: readonly BinaryEndpoint[] = [...blockEndpoints, ...outputEndpoints];
