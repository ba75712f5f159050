import * as z from 'zod';
import { streamedHex } from '../../http/calls/json-rows.js';
import { flag, listOf, params, text, u32 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { IMAGE_PROOF_BYTES } from '../../monero/carrot/image-proof.js';
import type { KeyImage, Signature } from '../../monero/crypto/types.js';
import { concatBytes, toHex, tryFromHex } from '../../util/bytes.js';
import { workSlices } from '../../util/event-loop.js';
import { once } from '../../util/concurrency.js';
import { WalletError } from '../../model/wallet-error.js';
import type { SignedKeyImage } from '../../monero/wallet/scan/key-images.js';
import type {
  TransferDescription,
  TransferSummary,
} from '../../monero/wallet/exchange/transfer-description.js';
import { orderParams, orderTerms } from '../wire/order-params.js';
import { hashesSchema, hashesShape } from '../wire/payments.js';
import { CREDENTIAL, DAEMON, FORK, ORDER, RELAY } from '../faults/fault-entry.js';
import { defineMethod, type WalletMethod } from '../method.js';

const ALL = 0xffff_ffff;

const recipients = (paid: TransferSummary['recipients']) =>
  paid.map(({ address, amount }) => ({ address, amount }));

/**
 * Converts the description of a transaction. Source: wallet_rpc_server_commands_defs.h `transfer_description`.
 * @param weight weight of the transaction; undefined for an unsigned one, whose weight is unknown.
 */
const descriptionShape = (description: TransferDescription, weight: number | undefined) => ({
  amount_in: description.amountIn,
  amount_out: description.amountOut,
  ring_size: description.ringSize,
  unlock_time: description.unlockTime,
  sources: description.sources.map(({ amount, globalIndex, rct, publicKey }) => ({
    amount,
    global_index: globalIndex,
    rct,
    pubkey: toHex(publicKey),
  })),
  recipients: recipients(description.recipients),
  payment_id: toHex(description.paymentId ?? new Uint8Array()),
  change_amount: description.changeAmount,
  change_address: description.changeAddress ?? '',
  fee: description.fee,
  dummy_outputs: description.dummyOutputs,
  extra: toHex(description.extra),
  weight,
});

const recipientsSchema = () =>
  wire.list(
    wire.object({
      address: wire.text('Address of the recipient'),
      amount: wire.amount('Amount that it gets'),
    }),
    'Payments without change',
  );

const totals = () => ({
  amount_in: wire.amount('Sum of the inputs'),
  amount_out: wire.amount('Sum of the outputs, change included'),
  recipients: recipientsSchema(),
  change_amount: wire.amount('Amount that returns to the wallet'),
  change_address: wire.text('Address of the change; empty without change'),
  fee: wire.amount('Fee'),
});

const descriptionSchema = () =>
  wire.object({
    ...totals(),
    ring_size: wire.u32('Size of the smallest ring'),
    unlock_time: wire.u64('Height or Unix time [s] of the lock of its outputs; 0: none'),
    sources: wire.list(
      wire.object({
        amount: wire.amount('Amount of the output'),
        global_index: wire.uint('Index of the output in the chain'),
        rct: wire.flag('The amount is hidden'),
        pubkey: wire.hash('Public key of the output'),
      }),
      'Outputs that are spent',
    ),
    payment_id: wire.hex('Payment id; empty if there is none'),
    dummy_outputs: wire.u32('Number of outputs with amount 0'),
    extra: wire.hex('Field extra of the transaction'),
    weight: wire.uint('Weight of the transaction; absent for an unsigned one').optional(),
  });

/** Converts the summary of a transaction set. Source: wallet_rpc_server_commands_defs.h `txset_summary`. */
const summaryShape = (summary: TransferSummary) => ({
  amount_in: summary.amountIn,
  amount_out: summary.amountOut,
  recipients: recipients(summary.recipients),
  change_amount: summary.changeAmount,
  change_address: summary.changeAddress ?? '',
  fee: summary.fee,
});

const signedKeyImage = z.object({
  key_image: text.default('').describe('Key image as 64 hex digits'),
  signature: text
    .default('')
    .describe(
      'Signature by the one-time key of the output, 128 hex digits; 192 of an output in the form of the fork',
    ),
});

/** Lengths of the signature of a key image, by the form of its output [bytes]. */
const SIGNATURE_BYTES: readonly (number | undefined)[] = [64, IMAGE_PROOF_BYTES];

/** Parses a signed key image. @throws WalletError `wrong_key_image`, `wrong_signature` */
function readSignedKeyImage(texts: z.output<typeof signedKeyImage>): SignedKeyImage {
  const keyImage = tryFromHex(texts.key_image);
  if (keyImage?.length !== 32)
    throw new WalletError({ kind: 'wrong_key_image', reason: 'a key image has 64 hex digits' });
  const signature = tryFromHex(texts.signature);
  if (!SIGNATURE_BYTES.includes(signature?.length))
    throw new WalletError({
      kind: 'wrong_signature',
      reason: 'a signature has 128 hex digits, or 192 of an output in the form of the fork',
      text: 'failed to parse signature',
    });
  return { keyImage: keyImage as KeyImage, signature: signature as Signature };
}

const submitSchema = once(() =>
  params({
    ...orderParams,
    tx_data_hex: text.default('').describe('Set of signed transactions in hex, as sign_transfer returns it'),
  }),
);

export const coldSigningMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'export_outputs',
    summary: 'Exports outputs for an offline wallet with the same keys.',
    meta: { family: 'spend', needs: 'wallet', account: 'legacy', restricted: true, foreground: true },
    faults: ['invalid'],
    params: () =>
      params({
        all: flag
          .default(false)
          .describe(
            'Exports from output start on; false: from the first output without a key image of the offline wallet',
          ),
        start: u32.default(0).describe('Position of the first output, in the order of receipt'),
        count: u32.default(ALL).describe('Largest number of outputs, at least 1; by default without a limit'),
      }),
    result: () => wire.object({ outputs_data_hex: wire.hex('Encrypted outputs') }),
    source: 'COMMAND_RPC_EXPORT_OUTPUTS, on_export_outputs',
    async handle({ wallet }, range) {
      return { outputs_data_hex: streamedHex(await wallet.outputTransfer.export(range)) };
    },
  }),

  defineMethod({
    name: 'import_outputs',
    summary: 'Imports outputs exported by a wallet that reads the chain.',
    meta: { family: 'spend', needs: 'wallet', account: 'legacy', restricted: true, foreground: true },
    faults: ['bad_hex', 'invalid', 'view_only', 'multisig_refused'],
    params: () => params({ outputs_data_hex: text.default('').describe('Result of export_outputs, in hex') }),
    result: () => wire.object({ num_imported: wire.uint('Number of imported outputs') }),
    requestSize: 'long-text',
    source: 'COMMAND_RPC_IMPORT_OUTPUTS, on_import_outputs',
    async handle({ wallet, version }, { outputs_data_hex }) {
      const countKnown = version === '1.3';
      return { num_imported: await wallet.outputTransfer.importBlob(outputs_data_hex, countKnown) };
    },
  }),

  defineMethod({
    name: 'export_key_images',
    summary: 'Exports signed key images for a wallet without a spend key.',
    meta: { family: 'spend', needs: 'wallet', account: 'legacy', restricted: true, foreground: true },
    faults: ['view_only', 'invalid'],
    params: () =>
      params({
        all: flag
          .default(false)
          .describe(
            'Exports the key images of all outputs; false: from the first one that the last import_outputs asked for',
          ),
      }),
    result: () =>
      wire.object({
        offset: wire.uint('Index of the first output'),
        signed_key_images: wire.list(
          wire.object({
            key_image: wire.hash('Key image'),
            signature: wire.hex(
              'Signature by the one-time key of the output, 128 hex digits; 192 of an output in the form of the fork',
            ),
          }),
          'Key images in the order of the outputs',
        ),
      }),
    source: 'COMMAND_RPC_EXPORT_KEY_IMAGES, on_export_key_images',
    async handle({ wallet }, { all }) {
      const { first, images } = await wallet.keyImageTransfer.export(all);
      return {
        offset: first,
        signed_key_images: images.map(({ keyImage, signature }) => ({
          key_image: toHex(keyImage),
          signature: toHex(signature),
        })),
      };
    },
  }),

  defineMethod({
    name: 'import_key_images',
    summary: 'Imports signed key images and asks the daemon which of them are spent.',
    meta: { family: 'spend', needs: 'wallet', restricted: true, foreground: true },
    faults: [...DAEMON, 'daemon_untrusted', 'wrong_key_image', 'wrong_signature', 'invalid'],
    params: () =>
      params({
        offset: u32
          .default(0)
          .describe('Position of the output of the first key image, in the order of receipt'),
        signed_key_images: listOf(signedKeyImage).describe(
          'Key images of consecutive outputs, as export_key_images returns them',
        ),
      }),
    result: () =>
      wire.object({
        height: wire.uint('Height of the last output with an imported key image; 0 without any'),
        spent: wire.amount('Sum of the imported outputs that are spent'),
        unspent: wire.amount('Sum of the imported outputs that are not spent'),
      }),
    requestSize: 'long-list',
    source: 'COMMAND_RPC_IMPORT_KEY_IMAGES, on_import_key_images',
    async handle({ wallet }, { offset, signed_key_images }) {
      if (!wallet.context.daemon.trusted) throw new WalletError({ kind: 'daemon_untrusted' });
      const images = await workSlices.map(signed_key_images, readSignedKeyImage);
      wallet.assertOpen();
      return { ...(await wallet.keyImageTransfer.import(images, offset)) };
    },
  }),

  defineMethod({
    name: 'describe_transfer',
    summary: 'Returns the payments in a set of unsigned or partly signed transactions.',
    meta: { family: 'view', needs: 'wallet', restricted: true, foreground: true, spendKey: true },
    faults: ['invalid', 'bad_hex', 'bad_unsigned_set', 'bad_multisig_set', 'not_multisig'],
    texts: { bad_multisig_set: 'cannot load multisig_txset' },
    params: () =>
      params({
        unsigned_txset: text.default('').describe('Set of unsigned transactions in hex'),
        multisig_txset: text
          .default('')
          .describe('Set of multisig transactions in hex; ignored beside an unsigned one'),
      }),
    result: () =>
      wire.object({
        desc: wire.list(descriptionSchema(), 'Transactions of the set'),
        summary: wire.object(totals(), 'Totals of the set'),
      }),
    requestSize: 'long-text',
    source: 'COMMAND_RPC_DESCRIBE_TRANSFER, on_describe_transfer',
    async handle({ wallet }, { unsigned_txset, multisig_txset }) {
      if (unsigned_txset === '' && multisig_txset === '')
        throw new WalletError({
          kind: 'invalid',
          reason: 'there is no set to describe',
          text: 'no txset provided',
        });
      const { descriptions, summary, weights } =
        unsigned_txset === ''
          ? await wallet.multisigSigning.describe(multisig_txset)
          : { ...(await wallet.coldSigning.describe(unsigned_txset)), weights: [] };
      return {
        desc: descriptions.map((description, i) => descriptionShape(description, weights[i])),
        summary: summaryShape(summary),
      };
    },
  }),

  defineMethod({
    name: 'sign_transfer',
    summary: 'Signs transactions created by a wallet without a spend key.',
    meta: {
      family: 'spend',
      needs: 'wallet',
      account: 'legacy',
      restricted: true,
      foreground: true,
      spendKey: true,
      multisigEnabled: true,
    },
    faults: [...FORK, ...CREDENTIAL, 'bad_hex', 'bad_unsigned_set', 'signing_failed'],
    params: () =>
      params({
        unsigned_txset: text
          .default('')
          .describe('Set of unsigned transactions in hex, as transfer returns it on a view-only wallet'),
        export_raw: flag.default(false).describe('Returns the signed transactions, too'),
        get_tx_keys: flag.default(false).describe('Returns the secret keys of the transactions, too'),
      }),
    result: () =>
      wire.object({
        signed_txset: wire.hex('Set of signed transactions, for submit_transfer'),
        tx_hash_list: wire.list(wire.hash('Transaction hash'), 'Hashes of the transactions'),
        tx_raw_list: wire.list(wire.hex('Signed transaction'), 'Transactions, if requested'),
        tx_key_list: wire.list(
          wire.hex('Transaction secret key, then the additional ones'),
          'Secret keys, if requested',
        ),
      }),
    requestSize: 'long-text',
    source: 'COMMAND_RPC_SIGN_TRANSFER, on_sign_transfer',
    async handle({ wallet, spender }, { unsigned_txset, export_raw, get_tx_keys }) {
      const { blob, txs } = await wallet.coldSigning.sign(unsigned_txset, spender);
      return {
        signed_txset: toHex(blob),
        tx_hash_list: txs.map(({ txHash }) => toHex(txHash)),
        tx_raw_list: export_raw ? txs.map((tx) => toHex(tx.blob)) : [],
        tx_key_list: get_tx_keys ? txs.map(({ txSecretKeys }) => toHex(concatBytes(...txSecretKeys))) : [],
      };
    },
  }),

  defineMethod({
    name: 'submit_transfer',
    summary: 'Relays transactions signed by an offline wallet.',
    meta: { family: 'spend', needs: 'wallet', account: 'legacy', restricted: true },
    faults: [...RELAY, ...ORDER, ...CREDENTIAL, 'bad_hex', 'bad_signed_set', 'submission_failed'],
    params: submitSchema,
    result: hashesSchema,
    requestSize: 'long-text',
    source: 'COMMAND_RPC_SUBMIT_TRANSFER, on_submit_transfer',
    async handle({ wallet, spender }, args) {
      const made = await wallet.orders.place(orderTerms('submit_transfer', submitSchema(), args), {
        pay: (order) => wallet.coldSigning.submit(args.tx_data_hex, spender, order),
      });
      return hashesShape(made);
    },
  }),
];
