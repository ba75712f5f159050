import { RpcError } from '../../http/calls/errors.js';
import type { WalletManager } from '../../services/manager/wallet-manager.js';
import type { WalletScope } from '../../services/manager/wallet-scope.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { BACKGROUND_FAULT } from '../../model/background-sync-mode.js';
import { WalletError } from '../../model/wallet-error.js';
import { seesPayments } from '../../monero/wallet/keys.js';
import { isReady } from '../../monero/wallet/multisig/account.js';
import type { ApiVersion } from '../api-version.js';
import { needsPayments, type Conditions, type Context } from '../method.js';
import { DENIED } from '../faults/client-error.js';

/** Checks the conditions of a method for multisig wallets. @throws WalletError */
function passMultisigGate(
  { multisig, multisigEnabled }: Conditions,
  wallet: OpenWallet,
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
  if (strict && !wallet.keystore.multisigEnabled) throw new WalletError({ kind: 'multisig_disabled' });
}

/** Refuses a method that restricted mode does not serve, independently of its parameters. @throws RpcError */
export function passRestriction(
  { restricted }: Conditions,
  { settings }: Pick<WalletManager, 'settings'>,
): void {
  if (restricted && settings.restricted)
    throw new RpcError(DENIED, 'Command unavailable in restricted mode.');
}

/**
 * Binds a request to its wallet, and checks the conditions of its method in the order of the reference, after {@link
 * passRestriction}.
 * @throws WalletError
 */
export function passGate(
  conditions: Conditions,
  server: WalletManager,
  scope: WalletScope,
  version: ApiVersion,
  client: Pick<Context, 'client' | 'credential' | 'methods' | 'spender'>,
): Context {
  if (conditions.needs === 'directory' && server.settings.directory === undefined)
    throw new WalletError({ kind: 'no_wallet_dir' });
  const bound = scope.find();
  if (conditions.needs === 'wallet') passWalletGate(conditions, scope.require(bound), version);
  return {
    server,
    scope,
    version,
    ...client,
    get wallet() {
      return scope.require(bound);
    },
  };
}

/** Checks that the method works with the kind of account of a wallet. @throws WalletError */
function passAccountGate(conditions: Conditions, { keys }: OpenWallet): void {
  if (conditions.account === 'legacy' && keys.carrot !== undefined)
    throw new WalletError({ kind: 'legacy_account_needed' });
  if (needsPayments(conditions) && !seesPayments(keys)) throw new WalletError({ kind: 'sees_no_payments' });
}

/** Checks the conditions of a method for its wallet. @throws WalletError */
function passWalletGate(conditions: Conditions, wallet: OpenWallet, version: ApiVersion): void {
  passAccountGate(conditions, wallet);
  passMultisigGate(conditions, wallet, version);
  if (conditions.spendKey && wallet.isViewOnly) throw new WalletError({ kind: 'view_only' });
  if (conditions.trustedDaemon && !wallet.context.daemon.trusted)
    throw new WalletError({ kind: 'daemon_untrusted' });
  const { background } = wallet.keystore;
  if (conditions.foreground && background !== undefined)
    throw new WalletError({ kind: BACKGROUND_FAULT[background] });
}
