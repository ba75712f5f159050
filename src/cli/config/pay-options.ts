import { readTcpBind } from './bind-addresses.js';
import { ConfigError } from './config-error.js';
import { optional } from './config-values.js';
import type { Given, Options } from './option.js';

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
} as const satisfies Options;

export interface PayConfig {
  readonly ip: string;
  /** 0: any free port. */
  readonly port: number;
  /** Address under which customers reach the pages, ending with a slash; absent: `ip` and `port` over HTTP. */
  readonly url?: string;
}

/** Returns the settings of the pay pages; undefined: there are none. @throws ConfigError */
export function payConfig(
  given: Given<typeof PAY_OPTIONS>,
  externalConfirmed: boolean,
): PayConfig | undefined {
  const bind = readTcpBind('pay-bind', given['pay-bind'], externalConfirmed);
  const url = given['pay-url'];
  if (bind === undefined && url !== undefined)
    throw new ConfigError('--pay-url is the address of the pages of --pay-bind, which is not given');
  return bind && { ...bind, ...optional('url', url === undefined ? undefined : readPayUrl(url)) };
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
