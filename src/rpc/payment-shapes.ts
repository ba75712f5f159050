import * as wire from '../jsonrpc/wire.js';
import { sum, type Amount } from '../util/amount.js';
import { concatBytes, toHex } from '../util/bytes.js';
import type { MadePayment, MadePayments } from '../wallet/model/made-payment.js';
import { WalletError } from '../wallet/model/wallet-error.js';

/** Optional fields of the result that the client requested. */
export interface ResultFields {
  readonly keys: boolean;
  readonly blobs: boolean;
  readonly metadata: boolean;
}

const amountsOf = ({ destinations }: MadePayment): Amount[] => destinations.map(({ amount }) => amount);
const hashHex = ({ signed }: MadePayment): string => toHex(signed?.txHash ?? new Uint8Array());
const keysHex = ({ txSecretKeys }: MadePayment): string => toHex(concatBytes(...txSecretKeys));
const blobHex = ({ signed }: MadePayment): string => toHex(signed?.blob ?? new Uint8Array());
const metadataHex = ({ signed }: MadePayment): string => toHex(signed?.metadata ?? new Uint8Array());
const imagesShape = ({ keyImages }: MadePayment) => ({ key_images: keyImages.map(toHex) });

const setsShape = ({ unsignedSet, multisigSet }: MadePayments) => ({
  multisig_txset: toHex(multisigSet ?? new Uint8Array()),
  unsigned_txset: toHex(unsignedSet ?? new Uint8Array()),
});

const keyImages = () =>
  wire.object({ key_images: wire.list(wire.hash('Key image'), 'Key images of the inputs') }, 'Inputs spent');
const amountsByDest = () =>
  wire.object({ amounts: wire.list(wire.amount('Amount'), 'Amounts of the destinations') }, 'Amounts paid');
const txBlob = () => wire.hex('Signed transaction, if requested');
const txKey = () => wire.hex('Secret key of the transaction, then the additional ones, if requested');
const txMetadata = () => wire.hex('Transaction for relay_tx, if requested');

const sets = () => ({
  multisig_txset: wire.hex('Set for the other signers of a multisig wallet; empty otherwise'),
  unsigned_txset: wire.hex('Set for the offline wallet of a view-only wallet; empty otherwise'),
});

/** Schema of {@link paymentShape}. */
export const paymentSchema = () =>
  wire.object({
    amount: wire.amount('Sum of the payments, without change and fee'),
    amounts_by_dest: amountsByDest(),
    fee: wire.amount('Fee'),
    spent_key_images: keyImages(),
    tx_blob: txBlob(),
    tx_hash: wire.hex('Transaction hash; empty if the wallet cannot sign'),
    tx_key: txKey(),
    tx_metadata: txMetadata(),
    weight: wire.uint('Weight of the transaction'),
    ...sets(),
  });

/** Schema of {@link paymentsShape}. */
export const paymentsSchema = () =>
  wire.object({
    amount_list: wire.list(
      wire.amount('Sum of the payments of a transaction, without change and fee'),
      'Amounts of the transactions',
    ),
    amounts_by_dest_list: wire.list(amountsByDest(), 'Amounts paid by each transaction'),
    fee_list: wire.list(wire.amount('Fee'), 'Fees of the transactions'),
    spent_key_images_list: wire.list(keyImages(), 'Inputs of each transaction'),
    tx_blob_list: wire.list(txBlob(), 'Signed transactions, if requested'),
    tx_hash_list: wire.list(
      wire.hash('Transaction hash'),
      'Hashes of the transactions; none if the wallet cannot sign',
    ),
    tx_key_list: wire.list(txKey(), 'Secret keys of the transactions, if requested'),
    tx_metadata_list: wire.list(txMetadata(), 'Transactions for relay_tx, if requested'),
    weight_list: wire.list(wire.uint('Weight'), 'Weights of the transactions'),
    ...sets(),
  });

/** Schema of {@link hashesShape}. */
export const hashesSchema = () =>
  wire.object({ tx_hash_list: wire.list(wire.hash('Transaction hash'), 'Hashes of the transactions') });

/** Result of methods that make one transaction. Fields of a signed one are empty if the wallet cannot sign. */
export function paymentShape(made: MadePayments, fields: ResultFields) {
  const [payment] = made.payments;
  if (payment === undefined)
    throw new WalletError({
      kind: 'tx_not_possible',
      reason: 'no transaction could be made',
      text: 'No transaction created',
    });
  return {
    amount: sum(amountsOf(payment)),
    amounts_by_dest: { amounts: amountsOf(payment) },
    fee: payment.fee,
    spent_key_images: imagesShape(payment),
    tx_blob: fields.blobs ? blobHex(payment) : '',
    tx_hash: hashHex(payment),
    tx_key: fields.keys ? keysHex(payment) : '',
    tx_metadata: fields.metadata ? metadataHex(payment) : '',
    weight: payment.weight,
    ...setsShape(made),
  };
}

/** Result of methods that make as many transactions as needed. */
export function paymentsShape(made: MadePayments, fields: ResultFields) {
  const { payments } = made;
  const signed = payments.filter((payment) => payment.signed !== undefined);
  return {
    amount_list: payments.map((payment) => sum(amountsOf(payment))),
    amounts_by_dest_list: payments.map((payment) => ({ amounts: amountsOf(payment) })),
    fee_list: payments.map(({ fee }) => fee),
    spent_key_images_list: payments.map(imagesShape),
    tx_blob_list: fields.blobs ? signed.map(blobHex) : [],
    tx_hash_list: signed.map(hashHex),
    tx_key_list: fields.keys
      ? payments.filter(({ txSecretKeys }) => txSecretKeys.length > 0).map(keysHex)
      : [],
    tx_metadata_list: fields.metadata ? signed.map(metadataHex) : [],
    weight_list: payments.map(({ weight }) => weight),
    ...setsShape(made),
  };
}

/** Hashes of signed transactions. */
export const hashesShape = ({ payments }: MadePayments) => ({
  tx_hash_list: payments.filter(({ signed }) => signed !== undefined).map(hashHex),
});
