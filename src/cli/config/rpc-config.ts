import * as z from 'zod';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import type { ApiVersion } from '../../rpc/api-version.js';
import { bindAddresses, readHost, type BindAddress } from './bind-addresses.js';
import { optional, readLogin, type LoginConfig } from './config-values.js';
import { defaulted, flag, integer, list, oneOf, text } from './option-schemas.js';
import type { SslConfig } from './ssl-config.js';

export interface RpcConfig {
  readonly bind: readonly BindAddress[];
  readonly port: number;
  readonly login?: LoginConfig;
  /** File of credentials. */
  readonly credentials?: string;
  readonly auditLog?: string;
  readonly restricted: boolean;
  readonly origins: readonly string[];
  /** Host names accepted in the `Host` header when no login is set, in lower case. */
  readonly hosts: readonly string[];
  readonly apiVersion: ApiVersion;
  /** Errors have `data` for every client. */
  readonly errorDetails: boolean;
  readonly ssl: SslConfig;
  readonly maxConnections: number;
  readonly maxConnectionsPerPrivateIp: number;
  readonly maxConnectionsPerPublicIp: number;
}

/** Default port of the server for each network: the default RPC port of a node, plus two. */
const RPC_PORT: Record<NetworkType, number> = { mainnet: 18083, testnet: 28083, stagenet: 38083 };

const connections = integer(1, 100_000);

/** Settings of the server, without its TLS. */
export const rpcConfig = (network: NetworkType) =>
  z
    .object({
      'api-version': oneOf(['1.3', '1.32'], ' is 1.3 or 1.32'),
      'rpc-bind-ip': defaulted,
      'rpc-bind-ipv6-address': defaulted,
      'rpc-use-ipv6': flag,
      'rpc-ignore-ipv4': flag,
      'confirm-external-bind': flag,
      'rpc-login': text.transform((value) => readLogin('rpc-login', value)),
      'rpc-bind-port': integer(0, 65535).optional(),
      credentials: text,
      'audit-log': text,
      'restricted-rpc': flag,
      'rpc-access-control-origins': list,
      'rpc-allowed-hosts': list.transform((hosts) => hosts.map(readHost)),
      'error-details': flag,
      'rpc-max-connections': connections,
      'rpc-max-connections-per-private-ip': connections,
      'rpc-max-connections-per-public-ip': connections,
    })
    .transform((given): Omit<RpcConfig, 'ssl'> => ({
      bind: bindAddresses(given['rpc-bind-ip'], given['rpc-bind-ipv6-address'], {
        ipv6: given['rpc-use-ipv6'],
        ipv4Optional: given['rpc-ignore-ipv4'],
        externalConfirmed: given['confirm-external-bind'],
      }),
      port: given['rpc-bind-port'] ?? RPC_PORT[network],
      ...optional('login', given['rpc-login']),
      ...optional('credentials', given.credentials),
      ...optional('auditLog', given['audit-log']),
      restricted: given['restricted-rpc'],
      origins: given['rpc-access-control-origins'],
      hosts: given['rpc-allowed-hosts'],
      apiVersion: given['api-version'],
      errorDetails: given['error-details'],
      maxConnections: given['rpc-max-connections'],
      maxConnectionsPerPrivateIp: given['rpc-max-connections-per-private-ip'],
      maxConnectionsPerPublicIp: given['rpc-max-connections-per-public-ip'],
    }));
