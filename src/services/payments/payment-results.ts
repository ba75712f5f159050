import type { PublicKey } from '../../monero/crypto/types.js';
import { parseTransaction, transactionWeight } from '../../monero/cryptonote/transaction.js';
import type { Destination } from '../../monero/wallet/build/outgoing-tx.js';
import type { SignedPayment } from '../../monero/wallet/build/signed-payment.js';
import type { SignedTx } from '../../monero/wallet/build/signing.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import type { Payee } from '../../monero/wallet/select/transfer-request.js';
import type { MadePayment } from '../../model/made-payment.js';
import { WalletError } from '../../model/wallet-error.js';
import { sum, type Amount } from '../../util/amount.js';
import { zip } from '../../util/zip.js';
import type { RingedPlan } from './payment-builder.js';

/** Checks the fees of the transactions of a call. @throws WalletError `max_fee_exceeded` */
export function assertMaxFee(
  payments: readonly { readonly fee: Amount }[],
  maxFee: Amount | undefined,
): void {
  const fee = sum(payments.map((payment) => payment.fee));
  if (maxFee !== undefined && fee > maxFee) throw new WalletError({ kind: 'max_fee_exceeded', fee, maxFee });
}

/** Lists the payees of a transaction with the amounts that they receive, minus the fee for payees that pay it. */
export const paidBy = (plan: RingedPlan, { payees }: Pick<SignedTx, 'payees'>): Payee[] =>
  zip(plan.payees, payees).map(([payee, { amount }]) => ({ ...payee, amount }));

/** Converts payees to the destinations that are recorded. */
export const destinationsOf = (payees: readonly Payee[]): Destination[] =>
  payees.map(({ text: address, amount }) => ({ address, amount }));

export const inputKeysOf = (inputs: readonly OwnedOutput[]): PublicKey[] =>
  inputs.map(({ publicKey }) => publicKey);

/** Returns the result of a payment that another wallet signed. */
export const madePayment = ({
  destinations,
  fee,
  inputs,
  txSecretKeys,
  txHash,
  blob,
  rings,
}: SignedPayment): MadePayment => ({
  ...{ destinations, fee, txSecretKeys },
  weight: transactionWeight(parseTransaction(blob)),
  keyImages: inputs.flatMap(({ keyImage }) => keyImage ?? []),
  inputKeys: inputKeysOf(inputs),
  ...(rings === undefined ? {} : { rings }),
  signed: { txHash, blob },
});
