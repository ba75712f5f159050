import type { Caller } from '../http/message/caller.js';
import type { PageRights } from '../http/pages/page-rights.js';
import { registry } from './registry.js';
import { credentialOf } from './access/permission.js';

/** Returns the rights of a client; a client without a credential has all rights. */
export function pageRights(caller: Caller | undefined): PageRights {
  const credential = credentialOf(caller);
  return {
    login: caller?.login?.name ?? 'none',
    seesBalances: credential?.seesBalances ?? true,
    reaches: (wallet) => credential?.allowsWallet(wallet) ?? true,
    allows(method) {
      const known = registry.find(method);
      if (known === undefined) return false;
      return credential?.allowsMethod(known.name, known.meta.family) ?? true;
    },
  };
}

/** True if a client may use a page that shows the wallets that it reaches. @param method method of the same content. */
export function mayUseOwnPage(caller: Caller | undefined, method: string): boolean {
  const credential = credentialOf(caller);
  const hasWallets = credential === undefined || credential.rules.wallets.length > 0;
  return hasWallets && pageRights(caller).allows(method);
}
