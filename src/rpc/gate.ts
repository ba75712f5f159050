import { RpcError } from '../jsonrpc/errors.js';
import type { WalletServer } from '../services/wallet-server.js';
import { WalletError } from '../wallet/fault.js';
import { DENIED } from './error-map.js';
import type { Context, Gates } from './method.js';

/**
 * Checks what a method needs, for all methods, in upstream's order.
 * @throws RpcError, WalletError
 */
export function passGate(gates: Gates, server: WalletServer): Context {
  if (gates.restricted && server.settings.restricted)
    throw new RpcError(DENIED, 'unavailable in restricted mode');
  if (gates.needs === 'directory' && server.settings.directory === undefined)
    throw new WalletError({ kind: 'no_wallet_dir' });
  if (gates.needs === 'wallet' && gates.spendKey && server.wallet().isViewOnly)
    throw new WalletError({ kind: 'view_only' });
  if (gates.needs === 'wallet' && gates.trustedDaemon && !server.wallet().link.trusted)
    throw new WalletError({ kind: 'daemon_untrusted' });
  if (gates.needs === 'wallet') server.wallet();
  return {
    server,
    get wallet() {
      return server.wallet();
    },
  };
}
