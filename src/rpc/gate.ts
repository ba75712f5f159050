import { RpcError } from '../jsonrpc/errors.js';
import type { WalletServer } from '../services/wallet-server.js';
import type { WalletSession } from '../services/wallet-session.js';
import { BACKGROUND_FAULT } from '../wallet/background-sync.js';
import { WalletError } from '../wallet/fault.js';
import { isReady } from '../wallet/multisig/account.js';
import { DENIED } from './error-map.js';
import type { ApiVersion } from './api-version.js';
import type { Context, Gates } from './method.js';

/** @throws WalletError */
function passMultisigGate(
  { multisig, multisigEnabled }: Gates,
  wallet: WalletSession,
  version: ApiVersion,
): void {
  const group = wallet.keys.multisig?.group;
  const ready = group !== undefined && isReady(group);
  if (multisig === 'absent' && group !== undefined) throw new WalletError({ kind: 'already_multisig' });
  if (multisig === 'unready' && ready) throw new WalletError({ kind: 'already_multisig' });
  if ((multisig === 'begun' || multisig === 'ready') && group === undefined)
    throw new WalletError({ kind: 'not_multisig' });
  if (multisig === 'ready' && !ready) throw new WalletError({ kind: 'multisig_not_ready' });
  const strict = version === '1.32' && multisigEnabled === true && group !== undefined;
  if (strict && !wallet.keyKeeper.multisigEnabled) throw new WalletError({ kind: 'multisig_disabled' });
}

/**
 * Checks what a method needs, for all methods, in upstream's order.
 * @throws RpcError, WalletError
 */
export function passGate(gates: Gates, server: WalletServer, version: ApiVersion): Context {
  if (gates.restricted && server.settings.restricted)
    throw new RpcError(DENIED, 'unavailable in restricted mode');
  if (gates.needs === 'directory' && server.settings.directory === undefined)
    throw new WalletError({ kind: 'no_wallet_dir' });
  if (gates.needs === 'wallet') passMultisigGate(gates, server.wallet(), version);
  if (gates.needs === 'wallet' && gates.spendKey && server.wallet().isViewOnly)
    throw new WalletError({ kind: 'view_only' });
  if (gates.needs === 'wallet' && gates.trustedDaemon && !server.wallet().link.trusted)
    throw new WalletError({ kind: 'daemon_untrusted' });
  if (gates.needs === 'wallet') {
    const { background } = server.wallet().keyKeeper;
    if (gates.foreground && background !== undefined)
      throw new WalletError({ kind: BACKGROUND_FAULT[background] });
  }
  return {
    server,
    get wallet() {
      return server.wallet();
    },
  };
}
