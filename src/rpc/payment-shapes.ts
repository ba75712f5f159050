import type { MadePayment, MadePayments } from '../services/payments/payment-maker.js';
import type { Result } from '../jsonrpc/method.js';
import { concatBytes, toHex } from '../util/bytes.js';
import { WalletError } from '../wallet/model/wallet-error.js';

/** What a caller wants to be told of the transactions made. */
export interface Wanted {
  readonly keys: boolean;
  readonly blobs: boolean;
  readonly metadata: boolean;
}

const hashHex = ({ signed }: MadePayment): string => toHex(signed?.txHash ?? new Uint8Array());
const keysHex = ({ txSecretKeys }: MadePayment): string => toHex(concatBytes(...txSecretKeys));
const blobHex = ({ signed }: MadePayment): string => toHex(signed?.blob ?? new Uint8Array());
const metadataHex = ({ signed }: MadePayment): string => toHex(signed?.metadata ?? new Uint8Array());
const imagesShape = ({ keyImages }: MadePayment) => ({ key_images: keyImages.map(toHex) });

const setsShape = ({ unsignedSet, multisigSet }: MadePayments) => ({
  multisig_txset: toHex(multisigSet ?? new Uint8Array()),
  unsigned_txset: toHex(unsignedSet ?? new Uint8Array()),
});

/** Of methods that make one transaction. What only a signed one has is empty where the wallet cannot sign. */
export function paymentShape(made: MadePayments, wanted: Wanted): Result {
  const [payment] = made.payments;
  if (payment === undefined)
    throw new WalletError({
      kind: 'tx_not_possible',
      reason: 'no transaction could be made',
      text: 'No transaction created',
    });
  return {
    amount: payment.amount,
    amounts_by_dest: { amounts: payment.amounts },
    fee: payment.fee,
    spent_key_images: imagesShape(payment),
    tx_blob: wanted.blobs ? blobHex(payment) : '',
    tx_hash: hashHex(payment),
    tx_key: wanted.keys ? keysHex(payment) : '',
    tx_metadata: wanted.metadata ? metadataHex(payment) : '',
    weight: payment.weight,
    ...setsShape(made),
  };
}

/** Of methods that make as many transactions as are needed. */
export function paymentsShape(made: MadePayments, wanted: Wanted): Result {
  const { payments } = made;
  const signed = payments.filter((payment) => payment.signed !== undefined);
  return {
    amount_list: payments.map(({ amount }) => amount),
    amounts_by_dest_list: payments.map(({ amounts }) => ({ amounts })),
    fee_list: payments.map(({ fee }) => fee),
    spent_key_images_list: payments.map(imagesShape),
    tx_blob_list: wanted.blobs ? signed.map(blobHex) : [],
    tx_hash_list: signed.map(hashHex),
    tx_key_list: wanted.keys
      ? payments.filter(({ txSecretKeys }) => txSecretKeys.length > 0).map(keysHex)
      : [],
    tx_metadata_list: wanted.metadata ? signed.map(metadataHex) : [],
    weight_list: payments.map(({ weight }) => weight),
    ...setsShape(made),
  };
}
