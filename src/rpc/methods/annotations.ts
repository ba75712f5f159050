import { streamedText } from '../../http/calls/json-rows.js';
import { listOf, params, text } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { unheld } from '../../util/paged.js';
import { WalletError } from '../../model/wallet-error.js';
import * as keptTexts from '../wire/limits.js';
import { defineMethod, type WalletMethod } from '../method.js';
import { rowsOf } from '../wire/rows.js';
import { readTxHash } from '../wire/shapes.js';

/** Methods for notes of transactions and attributes. */
export const annotationMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'set_tx_notes',
    summary: 'Sets notes of transactions, known to the wallet or not.',
    meta: { family: 'receive', needs: 'wallet', restricted: true, foreground: true },
    faults: ['wrong_tx_hash', 'invalid'],
    params: () =>
      params({
        txids: listOf(text).describe('Transaction hashes'),
        notes: listOf(keptTexts.note).describe('Notes in the order of the hashes, one for each; empty: none'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_SET_TX_NOTES, on_set_tx_notes',
    handle({ wallet }, { txids, notes }) {
      if (txids.length !== notes.length)
        throw new WalletError({
          kind: 'invalid',
          reason: 'there must be one note for every txid',
          text: 'Different amount of txids and notes',
        });
      wallet.annotations.setNotes(
        txids.map((txid, i) => ({ txHash: readTxHash(txid), note: notes[i] ?? '' })),
      );
      return {};
    },
  }),

  defineMethod({
    name: 'get_tx_notes',
    summary: 'Returns the notes of transactions, including empty ones.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: ['wrong_tx_hash'],
    params: () => params({ txids: listOf(text).describe('Transaction hashes') }),
    result: () =>
      wire.object({
        notes: wire.list(wire.text('Note; empty if there is none'), 'Notes in the order of the txids'),
      }),
    source: 'COMMAND_RPC_GET_TX_NOTES, on_get_tx_notes',
    handle: ({ wallet }, { txids }) => ({
      notes: rowsOf(unheld(wallet.annotations.notePages(txids.map(readTxHash))), (stored) => stored),
    }),
  }),

  defineMethod({
    name: 'set_attribute',
    summary: 'Stores a text under a key.',
    meta: { family: 'receive', needs: 'wallet', account: 'any', restricted: true, foreground: true },
    faults: [],
    params: () =>
      params({
        key: keptTexts.attributeKey.default('').describe('Key of the attribute'),
        value: keptTexts.attributeValue.default('').describe('Text to store; replaces the former one'),
      }),
    result: wire.nothing,
    source: 'COMMAND_RPC_SET_ATTRIBUTE, on_set_attribute',
    handle({ wallet }, { key, value }) {
      wallet.annotations.setAttribute(key, value);
      return {};
    },
  }),

  defineMethod({
    name: 'get_attribute',
    summary: 'Returns the text stored under a key.',
    meta: { family: 'receive', needs: 'wallet', account: 'any', restricted: true },
    faults: ['attribute_missing'],
    params: () => params({ key: text.default('').describe('Key of the attribute') }),
    result: () => wire.object({ value: wire.text('Text stored under the key') }),
    source: 'COMMAND_RPC_GET_ATTRIBUTE, on_get_attribute',
    handle: ({ wallet }, { key }) => ({ value: streamedText(wallet.annotations.attribute(key)) }),
  }),
];
