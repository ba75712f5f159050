import { readFileSync } from 'node:fs';
import type { PageRights } from '../../http/pages/page-rights.js';
import type { FormTarget, MayUse, Page, PageAnswer, PageRequest } from '../../http/pages/pages.js';
import { PACKAGE_ROOT } from '../../util/own-package.js';
import type { FormTokens } from '../desk/form-tokens.js';
import { htmlAnswer } from './page-calls.js';
import type { ReceiveExtras } from './receive-section.js';
import type { Receiving } from './receiving.js';
import { statusPage } from './status-page.js';
import type { StatusView } from './status-content.js';
import { walletQuery, type WalletQuery } from './wallet-table.js';

/** Folder of the files that browsers receive unchanged. */
const FILES = new URL('pages/', PACKAGE_ROOT);

const PATH = '/status';

/** Fields that the token of the form for an address binds: the form has a free choice of the wallet. */
const ADDRESS_FORM = { do: 'create_address' };

export interface StatusPageParts {
  /** Reads the content of the page for a client. */
  readonly read: (rights: PageRights, query: WalletQuery) => Promise<StatusView>;
  readonly receiving: Pick<Receiving, 'find' | 'create'>;
  readonly rightsOf: (caller: PageRequest['sender']['caller']) => PageRights;
  readonly mayUse: MayUse;
  readonly tokens: FormTokens;
}

/** Returns the status page, its files, and the target of the form that creates an address. */
export function statusPages({ read, receiving, rightsOf, mayUse, tokens }: StatusPageParts): {
  readonly pages: readonly Page[];
  readonly forms: readonly FormTarget[];
} {
  const file = (name: string, type: string): Page => {
    const body = readFileSync(new URL(name, FILES), 'utf8');
    return { path: `${PATH}/${name}`, mayUse, answer: () => ({ status: 200, type, body }) };
  };
  const show = async (
    rights: PageRights,
    extras: Pick<ReceiveExtras, 'wallet' | 'address' | 'error'>,
    {
      query = walletQuery({}),
      status = 200,
    }: { readonly query?: WalletQuery; readonly status?: number } = {},
  ): Promise<PageAnswer> => {
    const view = await read(rights, query);
    const mayReceive = rights.allows('create_address');
    const token = mayReceive ? tokens.issue(rights.login, ADDRESS_FORM) : '';
    return htmlAnswer(
      statusPage(view, { ...extras, mayReceive, token, seesSums: rights.seesBalances }),
      status,
    );
  };
  const answer = async ({ query, sender }: PageRequest): Promise<PageAnswer> => {
    const { wallet, address, payout } = query;
    // Address of the search for payouts in earlier versions.
    if (payout !== undefined)
      return redirect(`${PATH}/find?${new URLSearchParams({ q: payout }).toString()}`);
    const rights = rightsOf(sender.caller);
    const isAddress = wallet !== undefined && address !== undefined && /^\d{1,9}$/.test(address);
    const found = isAddress ? await receiving.find(wallet, Number(address), rights) : undefined;
    return show(rights, { wallet, address: found }, { query: walletQuery(query) });
  };
  const submit = async (
    { wallet = '', token = '' }: PageRequest['query'],
    sender: PageRequest['sender'],
  ): Promise<PageAnswer> => {
    const rights = rightsOf(sender.caller);
    if (!tokens.use(token, rights.login, ADDRESS_FORM))
      return show(
        rights,
        { wallet, error: 'the form was too old, or was sent already. Send it again.' },
        { status: 403 },
      );
    const created = await receiving.create(wallet, sender, rights);
    if ('error' in created) return show(rights, { wallet, error: created.error }, { status: 409 });
    const query = new URLSearchParams({ wallet, address: String(created.index) }).toString();
    // Redirects, so that reloading the resulting page does not create another address.
    return redirect(`${PATH}?${query}#receive`);
  };
  return {
    pages: [
      { path: PATH, mayUse, answer },
      file('status.css', 'text/css; charset=utf-8'),
      file('status.js', 'text/javascript; charset=utf-8'),
    ],
    forms: [
      {
        ...{ path: `${PATH}/address`, submit },
        mayUse: (caller) =>
          mayUse(caller) && (caller === undefined || rightsOf(caller).allows('create_address')),
      },
    ],
  };
}

const redirect = (location: string): PageAnswer => ({
  ...{ status: 303, type: 'text/plain', body: '' },
  headers: { Location: location },
});
