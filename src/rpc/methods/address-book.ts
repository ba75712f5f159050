import type { PaymentId } from '../../monero/cryptonote/types.js';
import { flag, height, listOf, params, text } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { fromHex, isHex } from '../../util/bytes.js';
import { WalletError } from '../../model/wallet-error.js';
import * as keptTexts from '../wire/limits.js';
import { defineMethod, type WalletMethod } from '../method.js';
import { rowsOf } from '../wire/rows.js';
import { paymentIdShape, WRONG_ADDRESS } from '../wire/shapes.js';

/**
 * Parses a short payment id; zeros mean no payment id.
 * @throws WalletError `wrong_payment_id`, also for a long payment id.
 */
function readPaymentId(hex: string): PaymentId | undefined {
  if (/^(?:|0{16}|0{64})$/.test(hex)) return undefined;
  if (!isHex(hex) || hex.length !== 16)
    throw new WalletError({ kind: 'wrong_payment_id', reason: 'a payment id has 16 hex digits' });
  return fromHex(hex) as PaymentId;
}

export const addressBookMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'get_address_book',
    summary: 'Lists entries of the address book.',
    meta: { family: 'view', needs: 'wallet', account: 'any', restricted: false, foreground: true },
    faults: ['book_index_out_of_range'],
    params: () =>
      params({ entries: listOf(height).describe('Indices of the entries to list; empty: all entries') }),
    result: () =>
      wire.object({
        entries: wire.list(
          wire.object({
            index: wire.uint('Index of the entry'),
            address: wire.text('Address; integrated if the entry has a payment id'),
            description: wire.text('Description of the entry'),
            payment_id: wire.hex('Payment id as 16 hex digits; zeros if there is none'),
          }),
          'Entries in the order of their indices',
        ),
      }),
    source: 'COMMAND_RPC_GET_ADDRESS_BOOK_ENTRY, on_get_address_book',
    handle: async ({ wallet }, { entries }) => ({
      entries: rowsOf(
        await wallet.addressBook.list(entries),
        ({ index, address, description, paymentId }) => ({
          ...{ index, address, description },
          payment_id: paymentIdShape(paymentId),
        }),
      ),
    }),
  }),

  defineMethod({
    name: 'add_address_book',
    summary: 'Adds an entry to the address book.',
    meta: { family: 'spend', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: ['wrong_address', 'wrong_payment_id'],
    texts: WRONG_ADDRESS,
    params: () =>
      params({
        address: text.default('').describe('Address of any kind, or an OpenAlias name'),
        payment_id: text
          .default('')
          .describe(
            'Payment id as 16 hex digits, which is stored in an integrated address; empty or zeros: none',
          ),
        description: keptTexts.description.default('').describe('Description of the entry'),
      }),
    result: () => wire.object({ index: wire.uint('Index of the new entry') }),
    source: 'COMMAND_RPC_ADD_ADDRESS_BOOK_ENTRY, on_add_address_book',
    async handle({ wallet }, { address, payment_id, description }) {
      return { index: await wallet.addressBook.add(address, readPaymentId(payment_id), description) };
    },
  }),

  defineMethod({
    name: 'edit_address_book',
    summary: 'Changes fields of an entry of the address book.',
    meta: { family: 'spend', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: ['book_index_out_of_range', 'wrong_address', 'wrong_payment_id'],
    texts: WRONG_ADDRESS,
    params: () =>
      params({
        index: height.default(0).describe('Index of the entry'),
        set_address: flag.default(false).describe('Replaces the address by address'),
        address: text.default('').describe('New address of any kind, or an OpenAlias name'),
        set_payment_id: flag.default(false).describe('Replaces the payment id by payment_id'),
        payment_id: text.default('').describe('New payment id as 16 hex digits; empty or zeros: none'),
        set_description: flag.default(false).describe('Replaces the description by description'),
        description: keptTexts.description.default('').describe('New description'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_EDIT_ADDRESS_BOOK_ENTRY, on_edit_address_book',
    async handle({ wallet }, args) {
      await wallet.addressBook.edit(args.index, {
        ...(args.set_address ? { address: args.address } : {}),
        ...(args.set_payment_id ? { paymentId: readPaymentId(args.payment_id) ?? 'none' } : {}),
        ...(args.set_description ? { description: args.description } : {}),
      });
      return {};
    },
  }),

  defineMethod({
    name: 'delete_address_book',
    summary: 'Removes an entry of the address book; the indices of later entries decrease by one.',
    meta: { family: 'spend', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: ['book_index_out_of_range'],
    params: () => params({ index: height.default(0).describe('Index of the entry') }),
    result: wire.nothing,
    source: 'COMMAND_RPC_DELETE_ADDRESS_BOOK_ENTRY, on_delete_address_book',
    handle({ wallet }, { index }) {
      wallet.addressBook.remove(index);
      return {};
    },
  }),
];
