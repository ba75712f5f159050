import type { NetworkType } from '../../monero/cryptonote/types.js';
import { readTcpBind } from './bind-addresses.js';
import { optional, ConfigError } from './config-values.js';
import { integer, texts, type Given, type Options } from './option.js';

/** Options of the pages that watch the server. */
export const WATCH_OPTIONS = {
  'metrics-bind': {
    argument: '[ip:]port',
    help: 'serve /metrics without a login on this address, 127.0.0.1 if only a port is given; otherwise it is behind the login of the server',
  },
  'metrics-balances': {
    help: 'have balances, the money of paid requests, and the fees of payouts in /metrics',
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
  /** True: the metrics contain money. */
  metricsBalances: given['metrics-balances'],
  /** Number of blocks above which a reorganisation is logged as an error. */
  reorganisationAlert: given['reorganisation-alert'],
  /** Limits of `/readyz`. */
  ready: {
    daemonSeconds: given['ready-daemon-seconds'],
    blocksBehind: given['ready-blocks-behind'],
    diskBytes: given['ready-disk-bytes'],
  },
});

/** Options of the pay pages. */
export const PAY_OPTIONS = {
  'pay-bind': {
    argument: '[ip:]port',
    help: 'serve the pay pages of payment requests on this address, without a login, 127.0.0.1 if only a port is given (docs/pay-page.md); absent: there are none',
  },
  'pay-url': {
    argument: 'url',
    help: 'address under which customers reach --pay-bind, to which pay/<token> is appended; absent: http://, the address of --pay-bind and /',
  },
  'pay-merchant-file': {
    argument: 'path',
    help: 'JSON file with name, logo, contact and terms that the pay pages show; read again on SIGHUP (docs/pay-page.md)',
  },
  'pay-embed-origins': {
    argument: 'origin[,origin…]',
    help: 'pages of these origins, such as https://shop.example, may show pay pages in a frame; repeatable',
    repeatable: true,
    value: texts,
  },
} as const satisfies Options;

export interface PayConfig {
  readonly ip: string;
  /** Port of the pay pages; 0: any free port. */
  readonly port: number;
  /** Address under which customers reach the pages, ending with a slash; absent: `ip` and `port` over HTTP. */
  readonly url?: string;
  /** Path of the file of the merchant; absent: the pages name none. */
  readonly merchantFile?: string;
  /** Origins whose pages may show a pay page in a frame. */
  readonly embedOrigins: readonly string[];
}

/** Options that concern the pages of `--pay-bind`, and are of no use without it. */
const OF_PAGES = {
  'pay-url': 'is the address of the pages',
  'pay-merchant-file': 'is shown by the pages',
  'pay-embed-origins': 'may embed the pages',
} as const;

/** Returns the settings of the pay pages; undefined if the server has no pay pages. @throws ConfigError */
export function payConfig(
  given: Given<typeof PAY_OPTIONS>,
  externalConfirmed: boolean,
  network: NetworkType,
): PayConfig | undefined {
  const bind = readTcpBind('pay-bind', given['pay-bind'], externalConfirmed);
  if (bind === undefined) {
    for (const [name, text] of Object.entries(OF_PAGES))
      if ((given[name as keyof typeof OF_PAGES] ?? '').length > 0)
        throw new ConfigError(`--${name} ${text} of --pay-bind, which is not given`);
    return undefined;
  }
  const url = given['pay-url'];
  return {
    ...bind,
    ...optional('url', url === undefined ? undefined : readPayUrl(url)),
    ...optional('merchantFile', given['pay-merchant-file']),
    embedOrigins: readOrigins(given['pay-embed-origins'], network),
  };
}

/** Hosts of pages of a developer's own machine. */
const OWN_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Names and addresses of hosts, without the wildcards that a policy would accept. */
const HOST = /^(?:[a-z\d.-]+|\[[\da-f:.]+\])$/;

/** Reads the origins that may embed pay pages. @param values comma-separated lists. @throws ConfigError */
function readOrigins(values: readonly string[], network: NetworkType): string[] {
  const origins = values.flatMap((value) => value.split(',').map((item) => item.trim()));
  for (const origin of origins) {
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    const isOwn = network !== 'mainnet' && url?.protocol === 'http:' && OWN_MACHINE.has(url.hostname);
    const isOrigin = url?.origin === origin && HOST.test(url.hostname);
    if (!isOrigin || (url.protocol !== 'https:' && !isOwn))
      throw new ConfigError(
        `--pay-embed-origins: "${origin}" is no origin such as https://shop.example, in lower case and without a path${network === 'mainnet' ? '' : ', or http://localhost'}`,
      );
  }
  return [...new Set(origins)];
}

/** Parses the public address of the pay pages. @returns the address with a slash at its end. @throws ConfigError */
function readPayUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  const isPlain = url?.username === '' && url.password === '' && !/[?#]/.test(value);
  if (url === undefined || !isHttp || !isPlain)
    throw new ConfigError('--pay-url is an https or http address, without login, query and fragment');
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}
