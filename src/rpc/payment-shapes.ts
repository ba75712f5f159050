import type { Result } from '../jsonrpc/method.js';
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

/** Result of methods that make one transaction. Fields of a signed one are empty if the wallet cannot sign. */
export function paymentShape(made: MadePayments, fields: ResultFields): Result {
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
export function paymentsShape(made: MadePayments, fields: ResultFields): Result {
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
export const hashesShape = ({ payments }: MadePayments): Result => ({
  tx_hash_list: payments.filter(({ signed }) => signed !== undefined).map(hashHex),
});
