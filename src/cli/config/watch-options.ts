import { readTcpBind } from './bind-addresses.js';
import { optional } from './config-values.js';
import { integer, type Given, type Options } from './option.js';

/** Options of the pages that watch the server. */
export const WATCH_OPTIONS = {
  'metrics-bind': {
    argument: '[ip:]port',
    help: 'serve /metrics without a login on this address, 127.0.0.1 if only a port is given; otherwise it is behind the login of the server',
  },
  'reorganisation-alert': {
    argument: 'blocks',
    help: 'number of blocks above which a reorganisation is logged as an error and counted for an alert',
    default: '3',
    value: integer(0, 10_000),
  },
  'ready-daemon-seconds': {
    argument: 'seconds',
    help: 'outage of the node from which /readyz answers 503',
    default: '60',
    value: integer(0, 86_400),
  },
  'ready-blocks-behind': {
    argument: 'n',
    help: 'blocks that a wallet may lack before /readyz answers 503',
    default: '10',
    value: integer(0, 1_000_000_000),
  },
  'ready-disk-bytes': {
    argument: 'bytes',
    help: 'free space for the wallets below which /readyz answers 503',
    default: '100000000',
    value: integer(0, 1e15 - 1),
  },
} as const satisfies Options;

/** Returns the settings of the pages that watch the server. @throws ConfigError */
export const watchConfig = (given: Given<typeof WATCH_OPTIONS>, externalConfirmed: boolean) => ({
  /** Address of `/metrics`; absent: on the port of the server. */
  ...optional('metrics', readTcpBind('metrics-bind', given['metrics-bind'], externalConfirmed)),
  /** Number of blocks above which a reorganisation is logged as an error. */
  reorganisationAlert: given['reorganisation-alert'],
  /** Limits of `/readyz`. */
  ready: {
    daemonSeconds: given['ready-daemon-seconds'],
    blocksBehind: given['ready-blocks-behind'],
    diskBytes: given['ready-disk-bytes'],
  },
});
