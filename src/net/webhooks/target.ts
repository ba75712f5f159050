import { mayBePublicHost } from '../../util/outbound/public-address.js';

/** Longest URL of an endpoint [characters]. */
const MAX_URL_LENGTH = 2048;

/** Error of a URL or an address that the server may not call. The message contains neither. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
}

/** URL of an endpoint, split into the parts that a connection needs. */
export interface Target {
  readonly secure: boolean;
  /** Host name in ASCII, or IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path of the URL with its query. */
  readonly path: string;
  /** Value of the header `Host`. */
  readonly authority: string;
}

/**
 * Parses the URL of an endpoint: http or https, without credentials.
 * @param allowPrivate true: also accepts hosts that are not public. False: accepts a name, whose addresses are then
 * checked at every connection.
 * @throws TargetError
 */
export function parseTarget(text: string, allowPrivate: boolean): Target {
  if (text.length > MAX_URL_LENGTH)
    throw new TargetError(`a webhook URL has at most ${MAX_URL_LENGTH} characters`);
  if (!URL.canParse(text)) throw new TargetError('the webhook URL is invalid');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TargetError('a webhook URL begins with https:// or http://');
  if (url.username !== '' || url.password !== '')
    throw new TargetError('a webhook URL must not contain credentials');
  if (url.port === '0') throw new TargetError('a webhook URL must not have port 0');
  const secure = url.protocol === 'https:';
  const target: Target = {
    secure,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    authority: url.host,
  };
  assertHost(target.host, allowPrivate);
  return target;
}

/** Checks a host as far as no name resolution is needed. @throws TargetError */
export function assertHost(host: string, allowPrivate: boolean): void {
  if (!allowPrivate && !mayBePublicHost(host)) throw notPublic();
}

/** Creates the error of a host that is not public. */
export const notPublic = (): TargetError => new TargetError('the webhook URL has a host that is not public');
