import { matching, PatternError } from '../../util/bounded-regexp.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import type { Accounts } from './accounts.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'keystore' | 'store'>;

/** Other services of the wallet that this one calls. */
interface Services {
  readonly accounts: Accounts;
}

export interface TaggedAccount {
  readonly account: number;
  /** Tag of the account; empty if the account has none. */
  readonly tag: string;
}

export interface TagView {
  readonly tag: string;
  readonly description: string;
  readonly accounts: readonly number[];
}

/** Tags of accounts. A tag exists as long as at least one account has it. Source: wallet2.cpp `get_account_tags`. */
export class AccountTags {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** Lists all tags with their accounts, in byte order of the tags. */
  list(): TagView[] {
    const byTag = new Map<string, number[]>();
    for (const { account, tag } of this.#accounts()) {
      if (tag === '') continue;
      const accounts = byTag.get(tag) ?? [];
      accounts.push(account);
      byTag.set(tag, accounts);
    }
    return this.#context.store
      .read((r) =>
        [...byTag].map(([tag, accounts]) => ({
          tag,
          description: r.accountTags.description(tag),
          accounts,
        })),
      )
      .sort((a, b) => Buffer.compare(Buffer.from(a.tag), Buffer.from(b.tag)));
  }

  /**
   * Lists the accounts that have a tag.
   * @param tag empty: lists all accounts. @throws WalletError `invalid` for a tag that no account has.
   */
  withTag(tag: string): TaggedAccount[] {
    const all = this.#accounts();
    if (tag === '') return all;
    const found = all.filter((account) => account.tag === tag);
    if (found.length === 0)
      throw new WalletError({
        kind: 'invalid',
        reason: `no account has the tag ${tag}`,
        text: `Tag ${tag} is unregistered.`,
      });
    return found;
  }

  /**
   * Lists the accounts whose whole tag matches a regular expression; untagged accounts have the empty tag.
   * @throws WalletError `invalid` for an invalid expression, or if no account matches.
   */
  matching(expression: string): TaggedAccount[] {
    const all = this.#accounts();
    if (expression === '') return all;
    const found = new Set(tagsMatching(expression, [...new Set(all.map(({ tag }) => tag))]));
    const accounts = all.filter(({ tag }) => found.has(tag));
    if (accounts.length === 0)
      throw new WalletError({
        kind: 'invalid',
        reason: 'no account has a tag that matches the expression',
        text: `No matches for regex filter ${expression} .`,
      });
    return accounts;
  }

  /**
   * Sets the tag of accounts. @param tag empty: removes their tags.
   * @throws WalletError `account_out_of_range`: nothing is changed then.
   */
  assign(accounts: readonly number[], tag: string): void {
    const distinct = [...new Set(accounts)];
    for (const account of distinct) this.#services.accounts.assertAccount(account);
    this.#context.store.write((w) => w.accountTags.assign(distinct, tag));
  }

  /** Sets the description of a tag. @throws WalletError `invalid` for a tag that no account has. */
  describe(tag: string, description: string): void {
    if (tag === '')
      throw new WalletError({ kind: 'invalid', reason: 'the tag is empty', text: 'Tag must not be empty' });
    if (!this.#accounts().some((account) => account.tag === tag))
      throw new WalletError({
        kind: 'invalid',
        reason: `no account has the tag ${tag}`,
        text: 'Tag is unregistered',
      });
    this.#context.store.write((w) => w.accountTags.setDescription(tag, description));
  }

  #accounts(): TaggedAccount[] {
    const hidden = this.#context.keystore.hidesNotes;
    return this.#context.store
      .read((r) => r.accounts.list())
      .map(({ major, tag }) => ({ account: major, tag: hidden ? '' : tag }));
  }
}

function tagsMatching(expression: string, tags: readonly string[]): string[] {
  try {
    return matching(expression, tags);
  } catch (cause) {
    if (cause instanceof PatternError)
      throw new WalletError({ kind: 'invalid', reason: `the tag: ${cause.message}` }, { cause });
    throw cause;
  }
}
