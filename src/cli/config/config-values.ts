import type { Nameserver } from '../../net/dns/exchange.js';
import { parseNameserver } from '../../net/dns/resolver.js';
import { parseCoins } from '../../monero/cryptonote/coins.js';
import type { ConfirmationStep } from '../../model/payment-request.js';
import type { Amount } from '../../util/amount.js';
import { CodecError } from '../../util/codec.js';
import { utf8 } from '../../util/bytes.js';
import { readLogLevel } from '../../util/log-categories.js';
import { fileErrorCode, readOperatorFile } from '../../util/operator-file.js';
import { Secret } from '../../util/secret.js';
import { ConfigError } from './config-error.js';
import { parseTcpEndpoint, type TcpEndpoint } from './tcp-endpoint.js';

/** User name and password; if the password is absent, the process prompts for it. */
export interface LoginConfig {
  readonly user: string;
  readonly password: Secret | undefined;
}

/** Time for which the start waits for the writer of a pipe, such as the secret of another program [ms]. */
export const PIPE_PATIENCE_MS = 1000;

const MAX_THRESHOLDS = 8;
const MAX_CONFIRMATIONS = 10_000;

/** Parses the address of a ZeroMQ publisher. @throws ConfigError */
export function readZmq(text: string | undefined): TcpEndpoint | undefined {
  const endpoint = text === undefined ? undefined : parseTcpEndpoint(text);
  if (text !== undefined && (endpoint === undefined || endpoint.port === 0))
    throw new ConfigError('--daemon-zmq is tcp://host:port');
  return endpoint;
}

/** Parses the thresholds of `payment.confirmed` [confirmations]. @throws ConfigError */
export function readConfirmations(texts: readonly string[]): number[] {
  const numbers = texts.map((text) => (/^\d{1,5}$/.test(text) ? Number(text) : 0));
  const thresholds = [...new Set(numbers)].sort((a, b) => a - b);
  const isValid = thresholds.every((n) => n >= 1 && n <= MAX_CONFIRMATIONS);
  if (!isValid || thresholds.length === 0 || thresholds.length > MAX_THRESHOLDS)
    throw new ConfigError(
      `--confirmations takes 1 to ${MAX_THRESHOLDS} whole numbers from 1 to ${MAX_CONFIRMATIONS}, comma separated`,
    );
  return thresholds;
}

/**
 * Parses pairs of an amount in XMR and a number of confirmations, such as `0.5:1`. The first amount is 0; amounts and
 * confirmations ascend. @throws ConfigError
 */
export function readConfirmationScale(texts: readonly string[]): ConfirmationStep[] {
  const steps = texts.map((text) => {
    const [, coins, confirmations] = /^(\d+(?:\.\d{1,12})?):(\d{1,5})$/.exec(text) ?? [];
    const from = coins === undefined ? undefined : tryParseCoins(coins);
    return from === undefined ? undefined : { from, confirmations: Number(confirmations) };
  });
  const isValid = steps.every((step, i): step is ConfirmationStep => {
    if (step === undefined || step.confirmations > MAX_CONFIRMATIONS) return false;
    const before = steps[i - 1];
    return before === undefined
      ? step.from === 0n
      : step.from > before.from && step.confirmations >= before.confirmations;
  });
  if (!isValid || steps.length === 0 || steps.length > MAX_THRESHOLDS)
    throw new ConfigError(
      `--confirmations-by-amount takes 1 to ${MAX_THRESHOLDS} pairs as 0:1,1.5:10, of ascending amounts in XMR from 0 on, with ascending confirmations up to ${MAX_CONFIRMATIONS}`,
    );
  return steps as ConfirmationStep[];
}

/** Parses an amount in coins; undefined if it is beyond 64 bits. */
function tryParseCoins(text: string): Amount | undefined {
  try {
    return parseCoins(text);
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

/** Returns the log categories. @param asked value of `--log-level`. @throws ConfigError */
export function logCategories(asked: string | undefined): string {
  const categories = readLogLevel(asked ?? '0');
  if (categories === undefined)
    throw new ConfigError(
      '--log-level is 0 to 4, a list of categories as wallet.rpc:DEBUG, or both with a comma between',
    );
  return categories;
}

/** Parses `user:password`. @throws ConfigError */
export function readLogin(name: string, value: string | undefined): LoginConfig | undefined {
  if (value === undefined) return undefined;
  const colon = value.indexOf(':');
  const user = colon < 0 ? value : value.slice(0, colon);
  if (user === '') throw new ConfigError(`--${name}: the user name is empty`);
  return { user, password: colon < 0 ? undefined : new Secret(utf8(value.slice(colon + 1))) };
}

/** Parses the address of a DNS server. @throws ConfigError */
export function readNameserver(text: string): Nameserver {
  try {
    return parseNameserver(text);
  } catch (cause) {
    throw new ConfigError('--dns-server is a list of ip[:port]', { cause });
  }
}

/** Reads a file that an option names. @throws ConfigError */
export function readText(path: string, option: string): string {
  try {
    return readOperatorFile(path, { patienceMs: PIPE_PATIENCE_MS }).toString();
  } catch (cause) {
    throw new ConfigError(`--${option}: ${path} cannot be read (${fileErrorCode(cause)})`, { cause });
  }
}

export const withoutLineEnd = (text: string): string => text.replace(/[\r\n]+$/, '');

/** Returns an object with one member, or an empty object if the value is undefined. */
export const optional = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
