import type { OptionSpec } from './option-spec.js';

/** Options of the pages that watch the server. */
export const WATCH_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'metrics-bind',
    argument: '[ip:]port',
    group: 'Watch',
    help: 'serve /metrics without a login on this address, 127.0.0.1 if only a port is given; otherwise it is behind the login of the server',
  },
  {
    name: 'reorganisation-alert',
    argument: 'blocks',
    group: 'Watch',
    help: 'number of blocks above which a reorganisation is logged as an error and counted for an alert',
    default: '3',
  },
  {
    name: 'ready-daemon-seconds',
    argument: 'seconds',
    group: 'Watch',
    help: 'outage of the node from which /readyz answers 503',
    default: '60',
  },
  {
    name: 'ready-blocks-behind',
    argument: 'n',
    group: 'Watch',
    help: 'blocks that a wallet may lack before /readyz answers 503',
    default: '10',
  },
  {
    name: 'ready-disk-bytes',
    argument: 'bytes',
    group: 'Watch',
    help: 'free space for the wallets below which /readyz answers 503',
    default: '100000000',
  },
];
