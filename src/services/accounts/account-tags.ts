import { matching, PatternError } from './bounded-regexp.js';
import { WalletError } from '../../model/wallet-error.js';
import { mapPages, TURN_BYTES, pagesOf } from '../../util/paged.js';
import type { Accounts } from './accounts.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'assertOpen' | 'keystore' | 'store'>;

/** Number of accounts or tags that are read in one turn of the event loop. */
const TAGS_AT_ONCE = 128;

/** Number of accounts that get a tag in one transaction. */
const ACCOUNTS_AT_ONCE = 1024;

/** Work of comparing the lengths of tags in one account, relative to the work of reading a byte. */
const SEARCH_WORK = 2;

/** Other services of the wallet that this service calls. */
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

  /** Lists all tags with their accounts, in byte order of the tags. The pages throw WalletError `no_wallet`. */
  async list(): Promise<AsyncIterable<readonly TagView[]>> {
    const byTag = new Map<string, { readonly accounts: number[]; readonly bytes: Buffer }>();
    for await (const page of this.pages(this.#all()))
      for (const { account, tag } of page) {
        if (tag === '') continue;
        const known = byTag.get(tag) ?? { accounts: [], bytes: Buffer.from(tag) };
        known.accounts.push(account);
        byTag.set(tag, known);
      }
    const { store, assertOpen } = this.#context;
    const tags = [...byTag]
      .map(([tag, known]) => ({ tag, ...known }))
      .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    const pages = pagesOf(tags, TAGS_AT_ONCE, (part) => {
      assertOpen();
      const own = part.reduce((sum, { bytes }) => sum + bytes.length, 0);
      // The search for a long tag reads other long tags.
      if (own > TURN_BYTES) return own;
      return store.read((r) => part.reduce((sum, { tag }) => sum + r.accountTags.descriptionBytes(tag), own));
    });
    return mapPages(pages, ({ tag, accounts }) => ({
      ...{ tag, accounts },
      description: store.read((r) => r.accountTags.description(tag)),
    }));
  }

  /**
   * Finds the accounts that have a tag.
   * @param tag empty: finds all accounts. @throws WalletError `invalid` for a tag that no account has.
   */
  async withTag(tag: string): Promise<readonly number[]> {
    if (tag === '') return this.#all();
    const found = await this.#which((own) => own === tag);
    if (found.length === 0)
      throw new WalletError({
        kind: 'invalid',
        reason: `no account has the tag ${tag}`,
        text: `Tag ${tag} is unregistered.`,
      });
    return found;
  }

  /**
   * Finds the accounts whose whole tag matches a regular expression; untagged accounts have the empty tag.
   * @throws WalletError `invalid` for an invalid expression, or if no account matches.
   */
  async matching(expression: string): Promise<readonly number[]> {
    if (expression === '') return this.#all();
    const tags = new Set<string>();
    for await (const page of this.pages(this.#all())) for (const { tag } of page) tags.add(tag);
    const matched = new Set(await tagsMatching(expression, [...tags]));
    const found = await this.#which((own) => matched.has(own));
    if (found.length === 0)
      throw new WalletError({
        kind: 'invalid',
        reason: 'no account has a tag that matches the expression',
        text: `No matches for regex filter ${expression} .`,
      });
    return found;
  }

  /** Reads the tags of accounts in pages. The pages throw WalletError `no_wallet` if the wallet is closed meanwhile. */
  pages(accounts: readonly number[]): AsyncIterable<readonly TaggedAccount[]> {
    const { store, keystore, assertOpen } = this.#context;
    const pages = pagesOf(accounts, TAGS_AT_ONCE, (part) => {
      assertOpen();
      return store.read((r) => part.reduce((sum, account) => sum + r.accountTags.tagBytes(account), 0));
    });
    return mapPages(pages, (account) => ({
      account,
      tag: keystore.hidesNotes ? '' : store.read((r) => r.accountTags.tag(account)),
    }));
  }

  /**
   * Sets the tag of accounts, a share of them in each turn of the event loop, because former tags may be megabytes
   * long.
   * @param tag empty: removes the tags of the accounts.
   * @throws WalletError `account_out_of_range`, after which nothing is changed; `no_wallet` if the wallet is closed
   * meanwhile.
   */
  async assign(accounts: readonly number[], tag: string): Promise<void> {
    const distinct = [...new Set(accounts)];
    const { store, assertOpen } = this.#context;
    for (const account of distinct) this.#services.accounts.assertAccount(account);
    const searchWork = SEARCH_WORK * this.#services.accounts.count();
    // A former tag is read, removed, and looked for in all accounts.
    const shares = pagesOf(distinct, ACCOUNTS_AT_ONCE, (share) => {
      assertOpen();
      const lengths = store.read((r) => share.map((account) => r.accountTags.tagBytes(account)));
      return lengths.reduce((sum, bytes) => sum + (bytes === 0 ? 0 : bytes + searchWork), 0);
    });
    for await (const share of shares) {
      assertOpen();
      store.write((w) => w.accountTags.assign(share, tag));
    }
  }

  /** Sets the description of a tag. @throws WalletError `invalid` for a tag that no account has. */
  describe(tag: string, description: string): void {
    if (tag === '')
      throw new WalletError({ kind: 'invalid', reason: 'the tag is empty', text: 'Tag must not be empty' });
    if (!this.#context.store.read((r) => r.accountTags.has(tag)) || this.#context.keystore.hidesNotes)
      throw new WalletError({
        kind: 'invalid',
        reason: `no account has the tag ${tag}`,
        text: 'Tag is unregistered',
      });
    this.#context.store.write((w) => w.accountTags.setDescription(tag, description));
  }

  #all(): readonly number[] {
    return Array.from({ length: this.#services.accounts.count() }, (_, account) => account);
  }

  /** Returns the accounts whose tag fulfils a condition. */
  async #which(fulfils: (tag: string) => boolean): Promise<number[]> {
    const found: number[] = [];
    for await (const page of this.pages(this.#all()))
      for (const { account, tag } of page) if (fulfils(tag)) found.push(account);
    return found;
  }
}

async function tagsMatching(expression: string, tags: readonly string[]): Promise<string[]> {
  try {
    return await matching(expression, tags);
  } catch (cause) {
    if (cause instanceof PatternError)
      throw new WalletError({ kind: 'invalid', reason: `the tag: ${cause.message}` }, { cause });
    throw cause;
  }
}
