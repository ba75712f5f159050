import * as z from 'zod';
import { readTcpBind } from './bind-addresses.js';
import { ConfigError } from './config-error.js';
import { optional } from './config-values.js';
import { flag, text } from './option-schemas.js';

export interface PayConfig {
  readonly ip: string;
  /** 0: any free port. */
  readonly port: number;
  /** Address under which customers reach the pages, ending with a slash; absent: `ip` and `port` over HTTP. */
  readonly url?: string;
}

/** Settings of the pay pages; undefined: there are none. */
export const payConfig = z
  .object({ 'pay-bind': text, 'pay-url': text, 'confirm-external-bind': flag })
  .transform((given): PayConfig | undefined => {
    const bind = readTcpBind('pay-bind', given['pay-bind'], given['confirm-external-bind']);
    if (bind === undefined) {
      if (given['pay-url'] !== undefined)
        throw new ConfigError('--pay-url is the address of the pages of --pay-bind, which is not given');
      return undefined;
    }
    const url = given['pay-url'];
    return { ...bind, ...optional('url', url === undefined ? undefined : readPayUrl(url)) };
  });

/** Parses the public address of the pay pages. @returns the address with a slash at its end. @throws ConfigError */
function readPayUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  const isPlain = url?.username === '' && url.password === '' && !/[?#]/.test(value);
  if (url === undefined || !isHttp || !isPlain)
    throw new ConfigError('--pay-url is an https or http address, without login, query and fragment');
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}
