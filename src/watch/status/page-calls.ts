import type { CallOrigin } from '../../http/calls/dispatcher.js';
import type { PageAnswer } from '../../http/pages/pages.js';
import type { WalletManager } from '../../services/manager/wallet-manager.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { readable } from '../wallet-facts.js';

/**
 * Headers of the pages. The headers allow only files of this server: no inline script or style, and no frame around the
 * page. The referrer is sent within the server, since browsers send `Origin: null` with the forms of a page without any
 * referrer.
 */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
};

/** Returns the answer with a page. */
export const htmlAnswer = (
  body: string,
  status = 200,
): PageAnswer & Required<Pick<PageAnswer, 'headers'>> => ({
  ...{ status, type: 'text/html; charset=utf-8', headers: HEADERS, body },
});

/**
 * Returns the origin of a call for an open wallet: its name, or no name for the current wallet if no path names it, such as
 * a wallet outside the directory; undefined if a call cannot reach the wallet.
 */
export function callOrigin(
  server: Pick<WalletManager, 'scope' | 'settings'>,
  wallet: Pick<OpenWallet, 'name'>,
): CallOrigin | undefined {
  const isNamed = server.settings.directory !== undefined && wallet.name !== '';
  const found = isNamed ? readable(() => server.scope(wallet.name).find()) : undefined;
  if (found === wallet) return { target: wallet.name };
  return server.scope().find() === wallet ? {} : undefined;
}
