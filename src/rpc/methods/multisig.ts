import { flag, listOf, none, params, text, u32 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import type { RoundResult } from '../../services/multisig/multisig-setup.js';
import { toHex } from '../../util/bytes.js';
import { once } from '../../util/concurrency.js';
import { orderParams, orderTerms } from '../wire/order-params.js';
import { hashesSchema, hashesShape } from '../wire/payments.js';
import {
  causeText,
  type Kind,
  type Texts,
  CREDENTIAL,
  DAEMON,
  FORK,
  ORDER,
  RELAY,
} from '../faults/fault-entry.js';
import { defineMethod, type WalletMethod } from '../method.js';

const submitSchema = once(() =>
  params({
    ...orderParams,
    tx_data_hex: text.default('').describe('Set of multisig transactions in hex, with all signatures needed'),
  }),
);

/** Kinds of faults of the rounds of the key exchange. */
const EXCHANGE = ['multisig_refused', 'too_few_signers', 'wrong_password'] as const satisfies readonly Kind[];

/** Returns the reference's messages for a refused step. @param step name of the step in the messages. */
const refusedBy = (step: string) =>
  ({
    multisig_refused: (fault) => `Error calling ${step}: ${causeText(fault)}`,
  }) satisfies Partial<Texts>;

/** Differences between the two methods that complete a round of the key exchange. */
interface ExchangeMethod extends Pick<WalletMethod, 'name' | 'summary' | 'source'> {
  /** Description of the address in the result. */
  readonly address: string;
  readonly addressOf: (round: RoundResult) => string;
}

/** Defines a method that completes a round of the key exchange. */
const exchangeMethod = ({ address, addressOf, ...names }: ExchangeMethod): WalletMethod =>
  defineMethod({
    ...names,
    meta: { family: 'admin', needs: 'wallet', restricted: true, multisig: 'begun', multisigEnabled: true },
    faults: EXCHANGE,
    texts: refusedBy('exchange_multisig_info'),
    params: () =>
      params({
        multisig_info: listOf(text).describe('Messages of the other signers for this round'),
        password: text.optional().describe('Password of the wallet; absent: not checked'),
        force_update_use_with_caution: flag
          .default(false)
          .describe('Completes the round with the messages of some signers only'),
      }),
    result: () =>
      wire.object({
        address: wire.text(address),
        multisig_info: wire.text('Message for the next round; empty after the last one'),
      }),
    async handle({ wallet }, { multisig_info, password, force_update_use_with_caution }) {
      const round = await wallet.multisigSetup.exchange(
        multisig_info,
        password,
        force_update_use_with_caution,
      );
      return { address: addressOf(round), multisig_info: round.message };
    },
  });

/** Methods for multisig key exchange, info and signing. */
export const multisigMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'is_multisig',
    summary: 'Returns whether the wallet is multisig, and the progress of its key exchange.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: [],
    params: () => none,
    result: () =>
      wire.object({
        multisig: wire.flag('The wallet is multisig'),
        kex_is_done: wire.flag('The key exchange is complete'),
        ready: wire.flag('The wallet can make payments'),
        threshold: wire.u32('Signatures needed; 0 if not multisig'),
        total: wire.u32('Number of signers; 0 if not multisig'),
      }),
    source: 'COMMAND_RPC_IS_MULTISIG, on_is_multisig',
    handle({ wallet }) {
      const { multisig, exchanged, ready, threshold, total } = wallet.multisigSetup.status();
      return { multisig, kex_is_done: exchanged, ready, threshold, total };
    },
  }),

  defineMethod({
    name: 'prepare_multisig',
    summary: 'Returns the first key exchange message of this wallet.',
    meta: {
      family: 'admin',
      needs: 'wallet',
      restricted: true,
      spendKey: true,
      foreground: true,
      multisig: 'absent',
    },
    faults: ['multisig_disabled'],
    texts: { view_only: 'wallet is watch-only and cannot be made multisig' },
    params: () =>
      params({
        enable_multisig_experimental: flag
          .default(false)
          .describe('Enables multisig for the wallet; interface 1.3 always enables it'),
      }),
    result: () => wire.object({ multisig_info: wire.text('Message for the other signers') }),
    source: 'COMMAND_RPC_PREPARE_MULTISIG, on_prepare_multisig',
    async handle({ wallet }, { enable_multisig_experimental }) {
      return { multisig_info: await wallet.multisigSetup.prepare(enable_multisig_experimental) };
    },
  }),

  defineMethod({
    name: 'make_multisig',
    summary:
      'Makes an unused wallet a multisig participant; at least one round of exchange_multisig_keys follows.',
    meta: {
      family: 'admin',
      needs: 'wallet',
      restricted: true,
      spendKey: true,
      foreground: true,
      multisig: 'absent',
    },
    faults: [...EXCHANGE, 'invalid', 'multisig_disabled'],
    texts: { view_only: 'wallet is watch-only and cannot be made multisig' },
    params: () =>
      params({
        multisig_info: listOf(text).describe('First messages of all other signers'),
        threshold: u32.default(0).describe('Number of signatures that a payment needs'),
        password: text.optional().describe('Password of the wallet; absent: not checked'),
      }),
    result: () =>
      wire.object({
        address: wire.text('Address of the wallet; final after the last round'),
        multisig_info: wire.text('Message for the next round'),
      }),
    source: 'COMMAND_RPC_MAKE_MULTISIG, on_make_multisig',
    async handle({ wallet }, { multisig_info, threshold, password }) {
      const { address, message } = await wallet.multisigSetup.make(multisig_info, threshold, password);
      return { address, multisig_info: message };
    },
  }),

  exchangeMethod({
    name: 'exchange_multisig_keys',
    summary: 'Completes a round of the key exchange; the last round makes the wallet ready.',
    source: 'COMMAND_RPC_EXCHANGE_MULTISIG_KEYS, on_exchange_multisig_keys',
    address: 'Address of the wallet; empty before the last round',
    addressOf: ({ address, ready }) => (ready ? address : ''),
  }),

  exchangeMethod({
    name: 'finalize_multisig',
    summary: 'Completes a round of the key exchange, as exchange_multisig_keys does; its former name.',
    source: 'COMMAND_RPC_FINALIZE_MULTISIG of 0.18, on_exchange_multisig_keys',
    address: 'Address of the wallet; final after the last round',
    addressOf: ({ address }) => address,
  }),

  defineMethod({
    name: 'get_multisig_key_exchange_booster',
    summary: 'Returns a message for the round after next, from some messages of the next round.',
    meta: { family: 'admin', needs: 'wallet', restricted: true, multisig: 'unready' },
    faults: [...EXCHANGE, 'view_only'],
    texts: {
      ...refusedBy('exchange_multisig_info_booster'),
      already_multisig: 'This wallet is multisig, and already finalized',
    },
    params: () =>
      params({
        multisig_info: listOf(text).describe('Messages of other signers for the next round'),
        threshold: u32.default(0).describe('Number of signatures that a payment needs'),
        num_signers: u32.default(0).describe('Number of signers'),
        password: text.optional().describe('Password of the wallet; absent: not checked'),
      }),
    result: () => wire.object({ multisig_info: wire.text('Message for the round after next') }),
    source: 'COMMAND_RPC_GET_MULTISIG_KEY_EXCHANGE_BOOSTER, on_get_multisig_key_exchange_booster',
    async handle({ wallet }, { multisig_info, threshold, num_signers, password }) {
      return {
        multisig_info: await wallet.multisigSetup.boost(multisig_info, threshold, num_signers, password),
      };
    },
  }),

  defineMethod({
    name: 'export_multisig_info',
    summary: 'Exports the multisig info of this signer; nonces of its earlier exports become invalid.',
    meta: { family: 'spend', needs: 'wallet', restricted: true, multisig: 'ready', multisigEnabled: true },
    faults: [],
    params: () => none,
    result: () =>
      wire.object({ info: wire.hex('Multisig info, for import_multisig_info of the other signers') }),
    source: 'COMMAND_RPC_EXPORT_MULTISIG, on_export_multisig',
    async handle({ wallet }) {
      return { info: toHex(await wallet.multisigInfoTransfer.export()) };
    },
  }),

  defineMethod({
    name: 'import_multisig_info',
    summary: 'Imports the multisig info of other signers, which completes key images and allows payments.',
    meta: { family: 'spend', needs: 'wallet', restricted: true, multisig: 'ready', multisigEnabled: true },
    faults: [...DAEMON, 'bad_hex', 'multisig_refused', 'too_few_signers'],
    texts: {
      ...refusedBy('import_multisig'),
      too_few_signers: 'Needs multisig export info from more participants',
    },
    params: () =>
      params({
        info: listOf(text).describe('Multisig info of other signers, in hex'),
        refresh_after_import: flag
          .default(true)
          .describe('Refreshes the wallet afterwards, which finds spent outputs'),
      }),
    result: () => wire.object({ n_outputs: wire.uint('Number of outputs with info of all signers needed') }),
    requestSize: 'long-text',
    source: 'COMMAND_RPC_IMPORT_MULTISIG, on_import_multisig',
    async handle({ wallet }, { info, refresh_after_import }) {
      return { n_outputs: await wallet.multisigInfoTransfer.import(info, refresh_after_import) };
    },
  }),

  defineMethod({
    name: 'sign_multisig',
    summary: 'Signs transactions proposed by another signer; the last signature needed completes them.',
    meta: { family: 'spend', needs: 'wallet', restricted: true, multisig: 'ready', multisigEnabled: true },
    faults: [
      ...FORK,
      ...CREDENTIAL,
      'bad_hex',
      'bad_multisig_set',
      'multisig_signing_failed',
      'multisig_import_needed',
      'multisig_export_needed',
    ],
    params: () => params({ tx_data_hex: text.default('').describe('Set of multisig transactions in hex') }),
    result: () =>
      wire.object({
        tx_data_hex: wire.hex('Set with the signatures of this signer'),
        tx_hash_list: wire.list(
          wire.hash('Transaction hash'),
          'Hashes of the transactions, once they have all signatures',
        ),
      }),
    requestSize: 'long-text',
    source: 'COMMAND_RPC_SIGN_MULTISIG, on_sign_multisig',
    async handle({ wallet, spender }, { tx_data_hex }) {
      const { set, txHashes } = await wallet.multisigSigning.sign(tx_data_hex, spender);
      return { tx_data_hex: toHex(set), tx_hash_list: txHashes.map(toHex) };
    },
  }),

  defineMethod({
    name: 'submit_multisig',
    summary: 'Relays transactions signed by enough signers.',
    meta: { family: 'spend', needs: 'wallet', restricted: true, multisig: 'ready', multisigEnabled: true },
    faults: [
      ...RELAY,
      ...ORDER,
      ...CREDENTIAL,
      'bad_hex',
      'bad_multisig_set',
      'too_few_signers',
      'multisig_submission_failed',
    ],
    texts: { too_few_signers: 'Not enough signers signed this transaction.' },
    params: submitSchema,
    result: hashesSchema,
    requestSize: 'long-text',
    source: 'COMMAND_RPC_SUBMIT_MULTISIG, on_submit_multisig',
    async handle({ wallet, spender }, args) {
      const made = await wallet.orders.place(orderTerms('submit_multisig', submitSchema(), args), {
        pay: (order) => wallet.multisigSigning.submit(args.tx_data_hex, spender, order),
      });
      return hashesShape(made);
    },
  }),
];
