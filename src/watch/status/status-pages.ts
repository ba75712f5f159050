import { readFileSync } from 'node:fs';
import type { FormTarget, Page, PageAnswer, PageRequest } from '../../http/pages/pages.js';
import { PACKAGE_ROOT } from '../../util/own-package.js';
import type { Receiving } from './receiving.js';
import type { PayoutSearch } from './payout-view.js';
import { statusPage, type Extras } from './status-page.js';
import type { StatusView } from './status-view.js';

/** Folder of the files that browsers receive unchanged. */
const FILES = new URL('pages/', PACKAGE_ROOT);

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

const PATH = '/status';

const file = (name: string, type: string): Page => {
  const body = readFileSync(new URL(name, FILES), 'utf8');
  return { path: `${PATH}/${name}`, answer: () => ({ status: 200, type, body }) };
};

/**
 * Returns the status page, its files, and the target of the form that creates an address.
 * @param find finds payouts by a text; undefined for a text without characters.
 */
export function statusPages(
  read: () => Promise<StatusView>,
  receiving: Pick<Receiving, 'find' | 'create'>,
  find: (text: string) => Promise<PayoutSearch | undefined>,
): { readonly pages: readonly Page[]; readonly forms: readonly FormTarget[] } {
  const show = async (extras: Extras, status = 200): Promise<PageAnswer> => ({
    ...{ status, type: 'text/html; charset=utf-8', headers: HEADERS },
    body: statusPage(await read(), extras),
  });
  const answer = async ({ query: { wallet, address, payout } }: PageRequest): Promise<PageAnswer> => {
    const isAddress = wallet !== undefined && address !== undefined && /^\d{1,9}$/.test(address);
    return show({
      wallet,
      address: isAddress ? await receiving.find(wallet, Number(address)) : undefined,
      search: payout === undefined ? undefined : await find(payout),
    });
  };
  const submit = async ({ wallet = '' }: PageRequest['query']): Promise<PageAnswer> => {
    const created = await receiving.create(wallet);
    if ('error' in created) return show({ wallet, error: created.error }, 409);
    const query = new URLSearchParams({ wallet, address: String(created.index) }).toString();
    // Redirects, so that reloading the resulting page does not create another address.
    return {
      ...{ status: 303, type: 'text/plain', body: '' },
      headers: { Location: `${PATH}?${query}#receive` },
    };
  };
  return {
    pages: [
      { path: PATH, answer },
      file('status.css', 'text/css; charset=utf-8'),
      file('status.js', 'text/javascript; charset=utf-8'),
    ],
    forms: [{ path: `${PATH}/address`, submit }],
  };
}
