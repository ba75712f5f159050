import * as z from 'zod';
import { formatAddress, integrate, standardOf, tryParseAddress } from '../../monero/cryptonote/address.js';
import type { Address, PaymentId } from '../../monero/cryptonote/types.js';
import type { Accounts } from '../../services/accounts/accounts.js';
import type { AddressView } from '../../services/accounts/address-listing.js';
import { flag, listOf, params, text, u32 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { fromHex, isHex, toHex } from '../../util/bytes.js';
import { mapPages, unheld } from '../../util/paged.js';
import { WalletError } from '../../model/wallet-error.js';
import { ADDRESS } from '../faults/fault-entry.js';
import * as keptTexts from '../wire/limits.js';
import { defineMethod, type WalletMethod } from '../method.js';
import * as sample from '../wire/samples.js';
import {
  scanState,
  scanStateOf,
  indexSchema,
  indexShape,
  skippedAddresses,
  skippedOf,
} from '../wire/shapes.js';
import { cachedRows, listedRows } from '../wire/rows.js';

/** Largest number of addresses that one call creates. Source: wallet_rpc_server.cpp `on_create_address`. */
const MAX_NEW_ADDRESSES = 65_536;

/** Largest number of addresses that are listed at once; longer lists are read and sent page by page. */
const FEW_ADDRESSES = 8;

const addressShape = ({ address, index, label, used }: AddressView) => ({
  address,
  address_index: index.minor,
  label,
  used,
});

/** Lists addresses of an account. @param minors empty: all. @throws WalletError as `Accounts.listing`. */
async function addressRows(accounts: Accounts, account: number, minors: readonly number[]) {
  if (minors.length > 0 && minors.length <= FEW_ADDRESSES)
    return (await accounts.list(account, minors)).map(addressShape);
  const listing = accounts.listing(account, minors);
  return cachedRows(listing, (skipped) => unheld(mapPages(listing.pages(skipped), addressShape)));
}

/** Schema of the parameter for the index of an own address. */
const subaddressIndex = () =>
  z
    .object({
      major: u32.default(0).describe('Index of the account'),
      minor: u32.default(0).describe('Index of the address in its account'),
    })
    .default({ major: 0, minor: 0 })
    .describe('Index of the address');

export const addressMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'get_address',
    aliases: ['getaddress'],
    summary: 'Lists the addresses of an account.',
    meta: { family: 'view', needs: 'wallet', account: 'any', restricted: false },
    faults: ADDRESS,
    params: () =>
      params({
        account_index: u32.default(0).describe('Index of the account'),
        address_index: listOf(u32).describe(
          'Indices of the addresses in the account; empty: all created ones',
        ),
      }),
    result: () =>
      wire.object({
        address: wire.text('Address 0 of the account'),
        addresses: wire.list(
          wire.object({
            address: wire.text('The address'),
            address_index: wire.u32('Index of the address in its account'),
            label: wire.text('Label of the address'),
            used: wire.flag('The address has received an output'),
          }),
          'Addresses in the order of their indices',
        ),
        ...scanState(),
      }),
    examples: () => [
      {
        name: 'one address of the first account',
        params: { account_index: 0n, address_index: [1n] },
        result: {
          address: sample.primaryAddress,
          addresses: [{ address: sample.address, address_index: 1n, label: 'order 1', used: true }],
        },
      },
    ],
    source: 'COMMAND_RPC_GET_ADDRESS, on_getaddress',
    async handle({ wallet }, { account_index, address_index }) {
      const { accounts } = wallet;
      const state = scanStateOf(wallet);
      const addresses = await addressRows(accounts, account_index, address_index);
      return { address: accounts.address({ major: account_index, minor: 0 }), addresses, ...state };
    },
  }),

  defineMethod({
    name: 'get_address_index',
    summary: 'Returns the account and address index of an address of the wallet.',
    meta: { family: 'view', needs: 'wallet', account: 'any', restricted: false },
    faults: ['wrong_address'],
    params: () => params({ address: text.default('').describe('Address of the wallet') }),
    result: () => wire.object({ index: indexSchema('Account and address index') }),
    source: 'COMMAND_RPC_GET_ADDRESS_INDEX, on_getaddress_index',
    handle({ wallet }, { address }) {
      return { index: indexShape(wallet.accounts.indexOf(address)) };
    },
  }),

  defineMethod({
    name: 'create_address',
    summary: 'Creates addresses in an account.',
    meta: { family: 'receive', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: ['account_out_of_range', 'invalid'],
    params: () =>
      params({
        account_index: u32.default(0).describe('Index of the account'),
        count: u32.default(1).describe('Number of addresses, 1 to 65536'),
        label: keptTexts.label.default('').describe('Label of each new address; empty: none'),
      }),
    result: () =>
      wire.object({
        address: wire.text('First new address'),
        address_index: wire.u32('Index of the first new address'),
        addresses: wire.list(wire.text('A new address'), 'All new addresses'),
        address_indices: wire.list(wire.u32('Index of a new address'), 'Indices of all new addresses'),
        ...skippedAddresses(),
      }),
    examples: () => [
      {
        name: 'address for an order',
        params: { account_index: 0n, label: 'order 1' },
        result: {
          address: sample.address,
          address_index: 1n,
          addresses: [sample.address],
          address_indices: [1n],
        },
      },
    ],
    source: 'COMMAND_RPC_CREATE_ADDRESS, on_create_address',
    async handle({ wallet }, { account_index, count, label }) {
      if (count < 1 || count > MAX_NEW_ADDRESSES)
        throw new WalletError({
          kind: 'invalid',
          reason: `count is a number from 1 to ${MAX_NEW_ADDRESSES}`,
          text: `Count must be between 1 and ${MAX_NEW_ADDRESSES}.`,
        });
      keptTexts.assertRepeatable('label', label, count);
      let skipped = 0;
      const created = await wallet.accounts.createAddresses(
        account_index,
        count,
        label,
        (_w, _first, left) => (skipped = left),
        'reference',
      );
      const [first] = created;
      if (first === undefined) throw new Error('no address was created');
      return {
        address: first.address,
        address_index: first.index.minor,
        addresses: listedRows(created, ({ address }) => address),
        address_indices: listedRows(created, ({ index }) => index.minor),
        ...skippedOf(skipped),
      };
    },
  }),

  defineMethod({
    name: 'label_address',
    summary: 'Sets the label of an address.',
    meta: { family: 'receive', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: ADDRESS,
    params: () =>
      params({
        index: subaddressIndex(),
        label: keptTexts.label.default('').describe('New label; empty: none'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_LABEL_ADDRESS, on_label_address',
    handle({ wallet }, { index, label }) {
      wallet.accounts.setLabel(index, label);
      return {};
    },
  }),

  defineMethod({
    name: 'set_subaddress_lookahead',
    summary: 'Sets the number of accounts and addresses watched beyond the last created ones.',
    meta: { family: 'admin', needs: 'wallet', restricted: true, foreground: true },
    faults: ['wrong_password', 'invalid'],
    params: () =>
      params({
        password: text.default('').describe('Password of the wallet'),
        major_idx: u32
          .default(0)
          .describe('Number of accounts to watch beyond the last created one, at least 1'),
        minor_idx: u32
          .default(0)
          .describe('Number of addresses to watch in each account beyond the last created one, at least 1'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_SET_SUBADDR_LOOKAHEAD, on_set_subaddr_lookahead',
    async handle({ wallet }, { password, major_idx, minor_idx }) {
      wallet.keystore.assertPassword(password);
      await wallet.sync.setLookahead({ major: major_idx, minor: minor_idx });
      return {};
    },
  }),

  defineMethod({
    name: 'validate_address',
    summary: 'Checks whether a text is an address, and returns its kind and network.',
    meta: { family: 'view', needs: 'nothing', restricted: false },
    faults: ['no_wallet', 'wallet_not_open'],
    params: () =>
      params({
        address: text.default('').describe('Text to check: an address, or an OpenAlias name if allowed'),
        any_net_type: flag
          .default(false)
          .describe(
            'Accepts addresses of every network; false: only of the network of the open wallet (-13)',
          ),
        allow_openalias: flag
          .default(false)
          .describe('Looks a text that is no address up as an OpenAlias name'),
      }),
    result: () =>
      wire.object({
        valid: wire.flag('The text is an address of the network, or of any if asked'),
        integrated: wire.flag('It is an integrated address'),
        subaddress: wire.flag('It is a subaddress'),
        nettype: wire.oneOf(
          ['mainnet', 'testnet', 'stagenet', ''],
          'Network of the address; empty for an invalid one',
        ),
        openalias_address: wire.text('Address that an OpenAlias name resolves to; empty for an address'),
      }),
    source: 'COMMAND_RPC_VALIDATE_ADDRESS, on_validate_address',
    async handle(context, { address, any_net_type, allow_openalias }) {
      const network = any_net_type ? undefined : context.wallet.keys.network;
      const plain = tryParseAddress(address, network);
      const byName =
        plain === undefined && allow_openalias
          ? await context.server.settings.openAlias.find(address, network)
          : undefined;
      const found = plain ?? byName;
      return {
        valid: found !== undefined,
        integrated: found?.kind === 'integrated',
        subaddress: found?.kind === 'subaddress',
        nettype: found?.network ?? ('' as const),
        openalias_address: byName === undefined ? '' : formatAddress(byName),
      };
    },
  }),

  defineMethod({
    name: 'make_integrated_address',
    summary: 'Creates an integrated address from an address and a payment id.',
    meta: { family: 'receive', needs: 'wallet', account: 'any', restricted: false },
    faults: ['wrong_payment_id', 'wrong_address'],
    params: () =>
      params({
        standard_address: text
          .default('')
          .describe('Primary address of a wallet; empty: the one of this wallet'),
        payment_id: text.default('').describe('Payment id as 16 hex digits; empty: a random one'),
      }),
    result: () =>
      wire.object({
        integrated_address: wire.text('The integrated address'),
        payment_id: wire.hex('Payment id as 16 hex digits'),
      }),
    examples: () => [
      {
        name: 'address with a payment id',
        params: { payment_id: '60900e5603bf96e3' },
        result: { integrated_address: `4${'B'.repeat(105)}`, payment_id: '60900e5603bf96e3' },
      },
    ],
    source: 'COMMAND_RPC_MAKE_INTEGRATED_ADDRESS, on_make_integrated_address',
    handle({ wallet, server }, { standard_address, payment_id }) {
      if (payment_id !== '' && !(isHex(payment_id) && payment_id.length === 16))
        throw new WalletError({
          kind: 'wrong_payment_id',
          reason: 'a payment id has 16 hex digits',
        });
      const id = (payment_id === '' ? server.settings.rng(8) : fromHex(payment_id)) as PaymentId;
      const address =
        standard_address === ''
          ? wallet.accounts.decoded({ major: 0, minor: 0 })
          : wallet.accounts.parse(standard_address);
      if (address.kind !== 'standard')
        throw new WalletError({
          kind: 'wrong_address',
          reason: `a payment id cannot be added to a ${describeKind(address)}`,
          text: address.kind === 'subaddress' ? "Subaddress shouldn't be used" : 'Already integrated address',
        });
      return { integrated_address: formatAddress(integrate(address, id)), payment_id: toHex(id) };
    },
  }),

  defineMethod({
    name: 'split_integrated_address',
    summary: 'Returns the address and payment id of an integrated address.',
    meta: { family: 'view', needs: 'wallet', account: 'any', restricted: false },
    faults: ['wrong_address'],
    params: () => params({ integrated_address: text.default('').describe('Integrated address') }),
    result: () =>
      wire.object({
        is_subaddress: wire.flag('Always false: integrated addresses are made of standard ones'),
        payment_id: wire.hex('Payment id as 16 hex digits'),
        standard_address: wire.text('Address without the payment id'),
      }),
    source: 'COMMAND_RPC_SPLIT_INTEGRATED_ADDRESS, on_split_integrated_address',
    handle({ wallet }, { integrated_address }) {
      const address = wallet.accounts.parse(integrated_address);
      if (address.paymentId === undefined)
        throw new WalletError({ kind: 'wrong_address', reason: 'Address is not an integrated address' });
      return {
        is_subaddress: false,
        payment_id: toHex(address.paymentId),
        standard_address: formatAddress(standardOf(address)),
      };
    },
  }),
];

const describeKind = ({ kind }: Address): string =>
  kind === 'integrated' ? 'second integrated address' : kind;
