import { createCall as create } from '../../../src/rpc/service.js';
import { checkedCall } from './result-check.js';

/** Takes the place of `createCall` in a server under test: the process reports a wrong answer on standard error. */
export const createCall: typeof create = (server, version, log) =>
  checkedCall(create(server, version, log), version, (message) => process.stderr.write(`${message}\n`));
