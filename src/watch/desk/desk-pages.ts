import type { Call } from '../../http/calls/dispatcher.js';
import { RpcError } from '../../http/calls/errors.js';
import type { PageRights } from '../../http/pages/page-rights.js';
import type { FormTarget, MayUse, Page, PageAnswer, PageRequest } from '../../http/pages/pages.js';
import { faultOf } from '../../model/wallet-error.js';
import type { WalletManager } from '../../services/manager/wallet-manager.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { callOrigin, htmlAnswer } from '../status/page-calls.js';
import { ACTION_PATH, CONFIRMED_PATH } from './action-link.js';
import { actionOf, fieldsOf, type Action, type ActionName, type OfferedAction } from './actions.js';
import type { FormTokens } from './form-tokens.js';
import { isItemKind, ITEM_PATH, METHOD_OF, pathOf, type Item } from './items.js';
import { DeskSearch, type Found } from './search.js';
import { readStory } from './stories.js';
import type { Story } from './story.js';
import { confirmPage, foundPage, resultPage, storyPage } from './story-page.js';

export interface DeskParts {
  readonly server: Pick<WalletManager, 'openWallets' | 'scope' | 'settings'>;
  /** Call function of the server, which checks the rights of the client, and records the call. */
  readonly call: Call;
  readonly rightsOf: (caller: PageRequest['sender']['caller']) => PageRights;
  readonly mayUse: MayUse;
  readonly tokens: FormTokens;
}

const BUSY_SECONDS = 2;
const CONFLICT = 409;

/** Texts of answers without a thing. */
const TEXTS = {
  missing: 'There is no such thing in an open wallet that you may see.',
  busy: 'Too many searches are running. Try again in some seconds.',
  action: 'There is no such action.',
  token: 'This form was sent already, is too old, or was not made for you. Open it again.',
  denied: 'You may not do this.',
  unreachable: 'Calls do not reach this wallet: it is no wallet of the directory.',
} as const;

/** Pages of the support desk: a search, the story of each thing, and the confirmation of actions. */
export class DeskPages {
  readonly #parts: DeskParts;
  readonly #search: DeskSearch;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#search = new DeskSearch(() => parts.server.openWallets());
  }

  get pages(): readonly Page[] {
    const { mayUse } = this.#parts;
    return [
      { path: '/status/find', mayUse, answer: (request) => this.#find(request) },
      { path: ITEM_PATH, mayUse, answer: (request) => this.#item(request) },
      { path: ACTION_PATH, mayUse, answer: (request) => this.#confirm(request) },
    ];
  }

  /** Target of the form that performs an action. */
  get form(): FormTarget {
    return {
      ...{ path: CONFIRMED_PATH, mayUse: this.#parts.mayUse },
      submit: (fields, sender) => this.#perform(fields, sender),
    };
  }

  #wallet(name: string | undefined, rights: PageRights): OpenWallet | undefined {
    const { server } = this.#parts;
    return name === undefined || !rights.reaches(name)
      ? undefined
      : server.openWallets().find((wallet) => wallet.name === name);
  }

  async #find({ query: { q = '' }, sender }: PageRequest): Promise<PageAnswer> {
    if (this.#search.isBusy)
      return {
        ...refusal(503, TEXTS.busy),
        headers: { ...htmlAnswer('').headers, 'Retry-After': String(BUSY_SECONDS) },
      };
    const found: Found | undefined = await this.#search.find(q, this.#parts.rightsOf(sender.caller));
    const [only, ...others] = found?.items ?? [];
    if (only === undefined || others.length > 0 || found?.isCut === true) return htmlAnswer(foundPage(found));
    return { ...htmlAnswer('', 303), headers: { ...htmlAnswer('').headers, Location: pathOf(only) } };
  }

  async #item({ query, sender }: PageRequest): Promise<PageAnswer> {
    const rights = this.#parts.rightsOf(sender.caller);
    const { kind = '', wallet: name, id = '' } = query;
    const wallet = this.#wallet(name, rights);
    if (!isItemKind(kind) || wallet === undefined) return refusal(404, TEXTS.missing);
    const story = await this.#story(wallet, { kind, wallet: wallet.name, id }, rights);
    return story === undefined
      ? refusal(404, TEXTS.missing)
      : htmlAnswer(
          storyPage(story, {
            mayRedeliver: rights.allows('redeliver_webhook'),
            seesSums: rights.seesBalances,
          }),
        );
  }

  /** Reads the story of a thing; undefined if it is missing, or if its store cannot be read. */
  async #story(wallet: OpenWallet, item: Item, rights: PageRights): Promise<Story | undefined> {
    try {
      return await readStory(wallet, item, rights);
    } catch (error) {
      if (faultOf(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Reads an action with its wallet; the answer instead if there is no such action, or if the client may not take it. */
  #asked(
    query: PageRequest['query'],
    rights: PageRights,
  ): { readonly action: Action; readonly offered: OfferedAction; readonly wallet: OpenWallet } | PageAnswer {
    const action = actionOf(query['do']);
    const fields = action && fieldsOf(action, query);
    const wallet = this.#wallet(query['wallet'], rights);
    if (action === undefined || fields === undefined) return refusal(404, TEXTS.action);
    if (wallet === undefined) return refusal(404, TEXTS.missing);
    if (!rights.allows(action.method)) return refusal(403, TEXTS.denied);
    return { action, wallet, offered: { name: query['do'] as ActionName, wallet: wallet.name, fields } };
  }

  async #confirm({ query, sender }: PageRequest): Promise<PageAnswer> {
    const { rightsOf, tokens } = this.#parts;
    const rights = rightsOf(sender.caller);
    const asked = this.#asked(query, rights);
    if ('status' in asked) return asked;
    const { action, offered, wallet } = asked;
    const item = itemOf(action, offered);
    const story =
      item.kind === 'wallet' || !rights.allows(METHOD_OF[item.kind])
        ? undefined
        : await this.#story(wallet, item, rights);
    const token = tokens.issue(rights.login, boundTo(offered));
    return htmlAnswer(confirmPage(offered, { story, item, token }));
  }

  async #perform(fields: PageRequest['query'], sender: PageRequest['sender']): Promise<PageAnswer> {
    const { rightsOf, tokens, call, server } = this.#parts;
    const rights = rightsOf(sender.caller);
    const asked = this.#asked(fields, rights);
    if ('status' in asked) return asked;
    const { action, offered, wallet } = asked;
    const item = itemOf(action, offered);
    const origin = callOrigin(server, wallet);
    if (origin === undefined) return refusal(CONFLICT, TEXTS.unreachable, item);
    if (!tokens.use(fields['token'] ?? '', rights.login, boundTo(offered)))
      return refusal(403, TEXTS.token, item);
    try {
      const result = await call(action.method, action.params(offered.fields), {
        ...origin,
        ...sender,
      });
      const error = errorIn(result);
      return error === undefined
        ? htmlAnswer(resultPage({ isDone: true, text: action.done(offered.fields) }, item))
        : refusal(CONFLICT, error, item);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { status, retryAfter } = error;
      const answer = refusal(status === 200 ? CONFLICT : status, error.message, item);
      return retryAfter === undefined
        ? answer
        : { ...answer, headers: { ...answer.headers, 'Retry-After': String(retryAfter) } };
    }
  }
}

const refusal = (status: number, text: string, item?: Item): PageAnswer =>
  htmlAnswer(resultPage({ isDone: false, text }, item), status);

/** Returns the thing that an action concerns. */
const itemOf = ({ kind }: Action, { wallet, fields }: OfferedAction): Item => ({
  ...{ kind, wallet },
  id: kind === 'wallet' ? '' : (fields['id'] ?? ''),
});

/** Returns everything that a token binds. */
const boundTo = ({ name, wallet, fields }: OfferedAction): Record<string, string> => ({
  ...{ do: name, wallet },
  ...fields,
});

/** Returns the error of the only payout in a result with one result for each payout. */
function errorIn(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || !('results' in result)) return undefined;
  const [first] = Array.isArray(result.results) ? (result.results as readonly unknown[]) : [];
  const error = typeof first === 'object' && first !== null && 'error' in first ? first.error : undefined;
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  return typeof message === 'string' ? message : undefined;
}
