import { listOf, none, params, u32 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import * as keptTexts from '../wire/limits.js';
import { unheld } from '../../util/paged.js';
import { rowsOf } from '../wire/rows.js';
import { defineMethod, type WalletMethod } from '../method.js';

/** Methods for tags of accounts. */
export const accountTagMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'get_account_tags',
    summary: 'Lists the tags of accounts, with their descriptions.',
    meta: { family: 'view', needs: 'wallet', account: 'any', restricted: false, foreground: true },
    faults: [],
    params: () => none,
    result: () =>
      wire.object({
        account_tags: wire.list(
          wire.object({
            tag: wire.text('The tag'),
            label: wire.text('Description of the tag'),
            accounts: wire.list(wire.u32('Index of the account'), 'Accounts with the tag'),
          }),
          'Tags in alphabetical order',
        ),
      }),
    source: 'COMMAND_RPC_GET_ACCOUNT_TAGS, on_get_account_tags',
    handle: async ({ wallet }) => ({
      account_tags: rowsOf(unheld(await wallet.tags.list()), ({ tag, description, accounts }) => ({
        ...{ tag, label: description },
        accounts: [...accounts],
      })),
    }),
  }),

  defineMethod({
    name: 'tag_accounts',
    summary: 'Sets the tag of accounts.',
    meta: { family: 'receive', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: ['account_out_of_range'],
    codes: { account_out_of_range: -1 },
    texts: { account_out_of_range: 'Account index out of bound' },
    params: () =>
      params({
        tag: keptTexts.tag.default('').describe('Tag to set; replaces the former tag of each account'),
        accounts: listOf(u32).describe('Indices of the accounts'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_TAG_ACCOUNTS, on_tag_accounts',
    async handle({ wallet }, { tag, accounts }) {
      keptTexts.assertRepeatable('tag', tag, accounts.length);
      await wallet.tags.assign(accounts, tag);
      return {};
    },
  }),

  defineMethod({
    name: 'untag_accounts',
    summary: 'Removes the tags of accounts.',
    meta: { family: 'receive', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: ['account_out_of_range'],
    codes: { account_out_of_range: -1 },
    texts: { account_out_of_range: 'Account index out of bound' },
    params: () => params({ accounts: listOf(u32).describe('Indices of the accounts') }),
    result: wire.nothing,
    source: 'COMMAND_RPC_UNTAG_ACCOUNTS, on_untag_accounts',
    async handle({ wallet }, { accounts }) {
      await wallet.tags.assign(accounts, '');
      return {};
    },
  }),

  defineMethod({
    name: 'set_account_tag_description',
    summary: 'Sets the description of a tag.',
    meta: { family: 'receive', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: ['invalid'],
    params: () =>
      params({
        tag: keptTexts.tag.default('').describe('A tag that an account has'),
        description: keptTexts.description.default('').describe('New description of the tag; empty: none'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_SET_ACCOUNT_TAG_DESCRIPTION, on_set_account_tag_description',
    handle({ wallet }, { tag, description }) {
      wallet.tags.describe(tag, description);
      return {};
    },
  }),
];
