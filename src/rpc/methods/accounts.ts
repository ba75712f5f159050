import { flag, listOf, params, text, u32 } from '../../http/methods/params.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import * as wire from '../../http/methods/wire.js';
import { JsonRows } from '../../http/calls/json-rows.js';
import type { AddressBalance, Balance } from '../../services/accounts/balance-tally.js';
import { PagedBalance } from '../../services/accounts/paged-balance.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { singlePage, unheld, type Paged } from '../../util/paged.js';
import * as keptTexts from '../wire/limits.js';
import { defineMethod, type WalletMethod } from '../method.js';
import * as sample from '../wire/samples.js';
import { scanState, scanStateOf } from '../wire/shapes.js';
import { cachedRows } from '../wire/rows.js';

/** Number of account rows that are made between two yields to the event loop. */
const ACCOUNTS_AT_ONCE = 128;

const indexOf = ({ account, minor }: AddressBalance): SubaddressIndex => ({ major: account, minor });

/** Converts balances of addresses to rows, with the texts and labels of the addresses. */
async function balanceRows(wallet: OpenWallet, listed: readonly AddressBalance[]) {
  const texts = await wallet.accounts.addresses(listed.map(indexOf));
  const labels: string[] = [];
  for await (const part of wallet.accounts.labelledPages(listed, listed.length, indexOf))
    labels.push(...wallet.accounts.labelsOf(part.map(indexOf)));
  wallet.assertOpen();
  return listed.map((at, i) => ({
    account_index: at.account,
    address_index: at.minor,
    address: texts[i] ?? '',
    balance: at.total,
    unlocked_balance: at.unlocked,
    label: labels[i] ?? '',
    num_unspent_outputs: at.unspentOutputs,
    blocks_to_unlock: at.blocksToUnlock,
    time_to_unlock: at.secondsToUnlock,
  }));
}

/** Converts pages of balances of addresses to rows, as {@link balanceRows}. */
function pagedBalanceRows(
  wallet: OpenWallet,
  { pages, release }: Paged<readonly AddressBalance[]>,
): Paged<Awaited<ReturnType<typeof balanceRows>>> {
  const rows = async function* () {
    for await (const page of pages) yield await balanceRows(wallet, page);
  };
  return { pages: rows(), release };
}

/** Converts the balances of addresses to rows, which are cached until the store changes. */
function perSubaddress(wallet: OpenWallet, balance: Balance | PagedBalance) {
  const isPaged = balance instanceof PagedBalance;
  const source = isPaged ? balance : balance.addresses;
  // The rows are not cached while labels are hidden, because labels can become visible without a change of the store.
  const key = wallet.keystore.hidesNotes ? {} : source;
  return cachedRows(key, (skipped) =>
    pagedBalanceRows(
      wallet,
      isPaged ? balance.rows(skipped) : unheld(singlePage(skipped === 0 ? balance.addresses : [])),
    ),
  );
}

const firstAddress = (account: number): SubaddressIndex => ({ major: account, minor: 0 });

const blocksToUnlock = () => wire.uint('Blocks until the last locked output unlocks');
const timeToUnlock = () => wire.uint('Time until the last output with a time lock unlocks [s]');

const balanceRow = () =>
  wire.object({
    account_index: wire.u32('Index of the account'),
    address_index: wire.u32('Index of the address in its account'),
    address: wire.text('The address'),
    balance: wire.amount('Sum of unspent outputs'),
    unlocked_balance: wire.amount('Sum of outputs that can be spent now'),
    label: wire.text('Label of the address'),
    num_unspent_outputs: wire.uint('Number of unspent outputs'),
    blocks_to_unlock: blocksToUnlock(),
    time_to_unlock: timeToUnlock(),
  });

export const accountMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'get_balance',
    aliases: ['getbalance'],
    summary: 'Returns the balance of an account; unlocked_balance excludes locked outputs.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: [],
    params: () =>
      params({
        account_index: u32.default(0).describe('Index of the account; ignored with all_accounts'),
        address_indices: listOf(u32).describe(
          'Indices of the addresses to list, also those without a balance; empty: all with a balance',
        ),
        all_accounts: flag
          .default(false)
          .describe('Sums over all accounts, and lists addresses of all of them'),
        strict: flag
          .default(false)
          .describe('Counts only outputs in blocks: neither unconfirmed payments nor unconfirmed change'),
      }),
    result: () =>
      wire.object({
        balance: wire.amount('Sum of unspent outputs'),
        unlocked_balance: wire.amount('Sum of outputs that can be spent now'),
        multisig_import_needed: wire.flag(
          'Multisig info of other signers must be imported before the next payment',
        ),
        per_subaddress: wire.list(balanceRow(), 'Balances of addresses'),
        blocks_to_unlock: blocksToUnlock(),
        time_to_unlock: timeToUnlock(),
        ...scanState(),
      }),
    examples: () => [
      {
        name: 'balance of the first account',
        params: { account_index: 0n },
        result: {
          balance: 3n * sample.oneXmr,
          unlocked_balance: sample.oneXmr,
          multisig_import_needed: false,
          per_subaddress: [
            {
              account_index: 0n,
              address_index: 1n,
              address: sample.address,
              balance: 3n * sample.oneXmr,
              unlocked_balance: sample.oneXmr,
              label: 'order 1',
              num_unspent_outputs: 2n,
              blocks_to_unlock: 4n,
              time_to_unlock: 0n,
            },
          ],
          blocks_to_unlock: 4n,
          time_to_unlock: 0n,
        },
      },
    ],
    source: 'COMMAND_RPC_GET_BALANCE, on_getbalance',
    async handle({ wallet }, { account_index, address_indices, all_accounts, strict }) {
      const account = all_accounts ? undefined : account_index;
      const listed =
        all_accounts || address_indices.length === 0
          ? undefined
          : [...new Set(address_indices)].sort((a, b) => a - b);
      const found =
        wallet.balances.paged(account, strict, listed) ??
        (listed === undefined
          ? wallet.balances.of(account, strict)
          : wallet.balances.ofAddresses(account_index, listed, strict));
      const balance = found instanceof PagedBalance ? found.sums : found;
      // Before the rows are read, meanwhile blocks may be scanned.
      const state = scanStateOf(wallet);
      return {
        balance: balance.total,
        unlocked_balance: balance.unlocked,
        multisig_import_needed: wallet.isMultisigImportNeeded,
        per_subaddress: await perSubaddress(wallet, found),
        blocks_to_unlock: balance.blocksToUnlock,
        time_to_unlock: balance.secondsToUnlock,
        ...state,
      };
    },
  }),

  defineMethod({
    name: 'get_accounts',
    summary: 'Lists accounts with their balances.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: ['invalid'],
    params: () =>
      params({
        tag: text.default('').describe('Lists only accounts with this tag; empty: all accounts'),
        strict_balances: flag
          .default(false)
          .describe('Counts only outputs in blocks: neither unconfirmed payments nor unconfirmed change'),
        regexp: flag
          .default(false)
          .describe('The tag is a regular expression, which the whole tag of an account must match'),
      }),
    result: () =>
      wire.object({
        subaddress_accounts: wire.list(
          wire.object({
            account_index: wire.u32('Index of the account'),
            base_address: wire.text('Address 0 of the account'),
            balance: wire.amount('Sum of unspent outputs'),
            unlocked_balance: wire.amount('Sum of outputs that can be spent now'),
            label: wire.text('Label of the account'),
            tag: wire.text('Tag of the account; empty if it has none'),
          }),
          'Accounts in the order of their indices',
        ),
        total_balance: wire.amount('Sum of the balances'),
        total_unlocked_balance: wire.amount('Sum of the unlocked balances'),
        ...scanState(),
      }),
    examples: () => [
      {
        name: 'all accounts',
        params: {},
        result: {
          subaddress_accounts: [
            {
              account_index: 0n,
              base_address: sample.primaryAddress,
              balance: 3n * sample.oneXmr,
              unlocked_balance: sample.oneXmr,
              label: 'Primary account',
              tag: '',
            },
          ],
          total_balance: 3n * sample.oneXmr,
          total_unlocked_balance: sample.oneXmr,
        },
      },
    ],
    source: 'COMMAND_RPC_GET_ACCOUNTS, on_get_accounts',
    async handle({ wallet }, { tag, strict_balances, regexp }) {
      const accounts = await (regexp ? wallet.tags.matching(tag) : wallet.tags.withTag(tag));
      wallet.assertOpen();
      const sumsOf = wallet.balances.ofAccounts(strict_balances);
      const sums = accounts.flatMap((account) => sumsOf.get(account) ?? []);
      const rows = async function* () {
        for await (const page of wallet.accounts.labelledPages(accounts, ACCOUNTS_AT_ONCE, firstAddress)) {
          const texts = await wallet.accounts.addresses(page.map(firstAddress));
          wallet.assertOpen();
          const labels = wallet.accounts.labelsOf(page.map(firstAddress));
          let at = 0;
          for await (const tagged of wallet.tags.pages(page)) {
            const start = at;
            at += tagged.length;
            yield tagged.map(({ account, tag: ownTag }, i) => ({
              account_index: account,
              base_address: texts[start + i] ?? '',
              balance: sumsOf.get(account)?.total ?? 0n,
              unlocked_balance: sumsOf.get(account)?.unlocked ?? 0n,
              label: labels[start + i] ?? '',
              tag: ownTag,
            }));
          }
        }
      };
      return {
        subaddress_accounts: JsonRows.of(unheld(rows())),
        total_balance: sums.reduce((total, sum) => total + sum.total, 0n),
        total_unlocked_balance: sums.reduce((total, sum) => total + sum.unlocked, 0n),
        ...scanStateOf(wallet),
      };
    },
  }),

  defineMethod({
    name: 'create_account',
    summary: 'Creates an account.',
    meta: { family: 'receive', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: [],
    params: () =>
      params({ label: keptTexts.label.default('').describe('Label of the new account; empty: none') }),
    result: () =>
      wire.object({
        account_index: wire.u32('Index of the new account'),
        address: wire.text('Address 0 of the new account'),
        skipped_accounts: wire
          .u32(
            'Number of accounts left out before it, since an older copy of the wallet may lack them; absent: none',
          )
          .optional(),
      }),
    source: 'COMMAND_RPC_CREATE_ACCOUNT, on_create_account',
    handle({ wallet }, { label }) {
      const index = wallet.accounts.create(label);
      return {
        account_index: index.major,
        address: wallet.accounts.address(index),
        ...(index.skipped === 0 ? {} : { skipped_accounts: index.skipped }),
      };
    },
  }),

  defineMethod({
    name: 'label_account',
    summary: 'Sets the label of an account.',
    meta: { family: 'receive', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: ['account_out_of_range'],
    params: () =>
      params({
        account_index: u32.default(0).describe('Index of the account'),
        label: keptTexts.label.default('').describe('New label; empty: none'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_LABEL_ACCOUNT, on_label_account',
    handle({ wallet }, { account_index, label }) {
      wallet.accounts.setLabel({ major: account_index, minor: 0 }, label);
      return {};
    },
  }),
];
