import * as z from 'zod';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import { bindAddresses, readHost } from './bind-addresses.js';
import { optional, readLogin } from './config-values.js';
import { integer, list, oneOf, type Given, type Options } from './option.js';
import { sslOptions, type SslConfig } from './ssl-options.js';

const connections = integer(1, 100_000);

/** Options of the server. */
export const SERVER_OPTIONS = {
  'rpc-bind-port': {
    argument: 'port',
    help: 'port to listen on (18083, testnet 28083, stagenet 38083); 0 picks a free one',
    value: integer(0, 65535).optional(),
  },
  'rpc-bind-ip': {
    argument: 'ip',
    help: 'address to listen on',
    default: '127.0.0.1',
  },
  'confirm-external-bind': { help: 'allow an address that is not loopback' },
  'rpc-bind-ipv6-address': {
    argument: 'ip',
    help: 'IPv6 address to listen on',
    default: '::1',
  },
  'rpc-use-ipv6': { help: 'listen on IPv6 too' },
  'rpc-ignore-ipv4': { help: 'go on when IPv4 cannot be bound' },
  'rpc-login': {
    argument: 'user[:password]',
    help: 'HTTP digest credentials of clients',
    secret: true,
    value: z
      .string()
      .optional()
      .transform((value) => readLogin('rpc-login', value)),
  },
  'disable-rpc-login': { help: 'say that no credentials are wanted' },
  credentials: {
    argument: 'file',
    help: 'clients with limited rights, in place of or beside --rpc-login; read again on SIGHUP (docs/credentials.md)',
  },
  'audit-log': {
    argument: 'file',
    help: 'append a JSON line for each call to this file; opened again on SIGHUP',
  },
  'restricted-rpc': { help: 'answer view-type methods only' },
  'rpc-access-control-origins': {
    argument: 'list',
    help: 'browser origins that may call, comma separated, or *',
    value: list,
  },
  'rpc-allowed-hosts': {
    argument: 'list',
    help: 'host names under which browsers may call and pages be read without a login, comma separated, beside localhost and IP addresses; programs may call under any name',
    value: list.transform((hosts) => hosts.map(readHost)),
  },
  'api-version': {
    argument: 'version',
    help: "1.3: the specification to the letter; 1.32: today's monero-wallet-rpc where the two differ",
    default: '1.3',
    value: oneOf(['1.3', '1.32'], ' is 1.3 or 1.32'),
  },
  'error-details': {
    help: 'add data.explanation to the errors of all clients, not only of those that send Error-Details: yes',
  },
  'rpc-max-connections': {
    argument: 'n',
    help: 'connections at once, without those of this machine',
    default: '100',
    value: connections,
  },
  'rpc-max-connections-per-private-ip': {
    argument: 'n',
    help: 'of this machine, or of one private address; a /64 of IPv6 counts as one',
    default: '25',
    value: connections,
  },
  'rpc-max-connections-per-public-ip': {
    argument: 'n',
    help: 'of one public address; a /64 of IPv6 counts as one',
    default: '3',
    value: connections,
  },
  'rpc-restricted-bind-ip': { argument: 'ip', help: 'ignored', noEffect: true },
  'rpc-restricted-bind-ipv6-address': {
    argument: 'ip',
    help: 'ignored',
    noEffect: true,
  },
  'disable-rpc-ban': { help: 'ignored', noEffect: true },
  'rpc-response-soft-limit': { argument: 'bytes', help: 'ignored', noEffect: true },
} as const satisfies Options;

/** Options of the TLS of the server. */
export const SERVER_TLS_OPTIONS = sslOptions('rpc-ssl');

/** Default port of the server for each network: the default RPC port of a node, plus two. */
const RPC_PORT: Record<NetworkType, number> = { mainnet: 18083, testnet: 28083, stagenet: 38083 };

/** Returns the settings of the server. @throws ConfigError */
export const rpcConfig = (given: Given<typeof SERVER_OPTIONS>, network: NetworkType, ssl: SslConfig) => ({
  bind: bindAddresses(given['rpc-bind-ip'], given['rpc-bind-ipv6-address'], {
    ipv6: given['rpc-use-ipv6'],
    ipv4Optional: given['rpc-ignore-ipv4'],
    externalConfirmed: given['confirm-external-bind'],
  }),
  port: given['rpc-bind-port'] ?? RPC_PORT[network],
  ...optional('login', given['rpc-login']),
  /** File of credentials. */
  ...optional('credentials', given.credentials),
  ...optional('auditLog', given['audit-log']),
  restricted: given['restricted-rpc'],
  origins: given['rpc-access-control-origins'],
  /** Host names accepted in the `Host` header when no login is set, in lower case. */
  hosts: given['rpc-allowed-hosts'],
  apiVersion: given['api-version'],
  /** Errors have `data` for every client. */
  errorDetails: given['error-details'],
  ssl,
  maxConnections: given['rpc-max-connections'],
  maxConnectionsPerPrivateIp: given['rpc-max-connections-per-private-ip'],
  maxConnectionsPerPublicIp: given['rpc-max-connections-per-public-ip'],
});
