import { z } from 'zod';
import { flag, listOf, params, text, u32 } from '../../jsonrpc/params.js';
import type { KeyImage, Signature } from '../../crypto/types.js';
import { concatBytes, fixedBytes, fromHex, isHex, toHex } from '../../util/bytes.js';
import { workSlices } from '../../util/work-slices.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { SignedKeyImage } from '../../wallet/scan/key-images.js';
import type { TransferDescription, TransferSummary } from '../../wallet/exchange/transfer-description.js';
import { orderParams, orderTerms } from '../order-params.js';
import { hashesShape } from '../payment-shapes.js';
import { defineMethod, type WalletMethod } from '../method.js';

const ALL = 0xffff_ffff;

const recipients = (paid: TransferSummary['recipients']) =>
  paid.map(({ address, amount }) => ({ address, amount }));

/**
 * Source: wallet_rpc_server_commands_defs.h `transfer_description`.
 * @param weight absent for an unsigned transaction, whose weight is unknown.
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

/** Source: wallet_rpc_server_commands_defs.h `txset_summary`. */
const summaryShape = (summary: TransferSummary) => ({
  amount_in: summary.amountIn,
  amount_out: summary.amountOut,
  recipients: recipients(summary.recipients),
  change_amount: summary.changeAmount,
  change_address: summary.changeAddress ?? '',
  fee: summary.fee,
});

const signedKeyImage = z.object({ key_image: text.default(''), signature: text.default('') });

/** @throws WalletError `wrong_key_image`, `wrong_signature` */
function readSignedKeyImage({ key_image, signature }: z.output<typeof signedKeyImage>): SignedKeyImage {
  if (!isHex(key_image) || key_image.length !== 64)
    throw new WalletError({ kind: 'wrong_key_image', reason: 'a key image has 64 hex digits' });
  if (!isHex(signature) || signature.length !== 128)
    throw new WalletError({
      kind: 'wrong_signature',
      reason: 'a signature has 128 hex digits',
      text: 'failed to parse signature',
    });
  return {
    keyImage: fromHex(key_image) as KeyImage,
    signature: fixedBytes(fromHex(signature), 64, 'Signature') satisfies Signature,
  };
}

const submitSchema = params({ ...orderParams, tx_data_hex: text.default('') });

export const coldSigningMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'export_outputs',
    summary: 'Exports outputs for an offline wallet with the same keys.',
    meta: { family: 'spend', needs: 'wallet', restricted: true, foreground: true },
    params: params({
      all: flag.default(false),
      start: u32.default(0),
      count: u32.default(ALL),
    }),
    source: 'COMMAND_RPC_EXPORT_OUTPUTS, on_export_outputs',
    async handle({ wallet }, range) {
      return { outputs_data_hex: toHex(await wallet.outputTransfer.export(range)) };
    },
  }),

  defineMethod({
    name: 'import_outputs',
    summary: 'Imports outputs exported by a wallet that reads the chain.',
    meta: { family: 'spend', needs: 'wallet', restricted: true, foreground: true },
    params: params({ outputs_data_hex: text.default('') }),
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
    meta: { family: 'spend', needs: 'wallet', restricted: true, foreground: true },
    params: params({ all: flag.default(false) }),
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
    params: params({ offset: u32.default(0), signed_key_images: listOf(signedKeyImage) }),
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
    meta: {
      family: 'view',
      needs: 'wallet',
      restricted: true,
      foreground: true,
      spendKey: true,
      texts: { bad_multisig_set: 'cannot load multisig_txset' },
    },
    params: params({ unsigned_txset: text.default(''), multisig_txset: text.default('') }),
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
      restricted: true,
      foreground: true,
      spendKey: true,
      multisigEnabled: true,
    },
    params: params({
      unsigned_txset: text.default(''),
      export_raw: flag.default(false),
      get_tx_keys: flag.default(false),
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
    meta: { family: 'spend', needs: 'wallet', restricted: true },
    params: submitSchema,
    requestSize: 'long-text',
    source: 'COMMAND_RPC_SUBMIT_TRANSFER, on_submit_transfer',
    async handle({ wallet, spender }, args) {
      const made = await wallet.orders.place(orderTerms('submit_transfer', submitSchema, args), {
        pay: (order) => wallet.coldSigning.submit(args.tx_data_hex, spender, order),
      });
      return hashesShape(made);
    },
  }),
];
