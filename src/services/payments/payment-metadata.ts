import { fromHex, isHex } from '../../util/bytes.js';
import { CodecError, decode, encode } from '../../util/codec.js';
import { WalletError } from '../../model/wallet-error.js';
import type { ConstructionData } from '../../monero/wallet/exchange/construction-data.js';
import type { Proposal } from '../../monero/wallet/multisig/proposal.js';
import {
  keyImagesOf,
  pendingTx,
  pendingTxOf,
  plainExtra,
  type PaymentParts,
  type PendingTx,
} from '../../monero/wallet/exchange/pending-tx.js';
import { paymentOfPending, type SignedPayment } from '../../monero/wallet/build/signed-payment.js';
import { isPlaceholder } from '../../monero/wallet/build/placeholder-tx.js';
import type { SignedTx } from '../../monero/wallet/build/signing.js';
import type { Payee } from '../../monero/wallet/select/transfer-request.js';
import { ringedInputs, type RingedPlan } from './payment-builder.js';
import type { Accounts } from '../accounts/accounts.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { TxFacts } from './tx-facts.js';

/** Parts of an open wallet from which its payments are described. */
export interface PaymentSource extends Pick<WalletContext, 'store'> {
  readonly accounts: Pick<Accounts, 'decoded'>;
}

function partsOf(
  { store, accounts }: PaymentSource,
  draft: RingedPlan,
  payees: readonly Payee[],
): PaymentParts {
  const inputs = store.read((r) =>
    ringedInputs(draft).map((input) => ({ ...input, place: r.outputs.placeOf(input.output) })),
  );
  const { account } = draft;
  return { inputs, payees, changeAddress: accounts.decoded({ major: account, minor: 0 }), account };
}

/** Encodes `tx_metadata`, from which a wallet with the same keys can relay and record the payment. */
export const writeMetadata = (
  source: PaymentSource,
  draft: RingedPlan,
  signed: SignedTx,
  payees: readonly Payee[],
): Uint8Array => encode(pendingTx, pendingTxOf({ signed, ...partsOf(source, draft, payees) }));

/** Returns the pending transaction for the other signers of a group to sign. */
export const proposedTx = (
  source: PaymentSource,
  draft: RingedPlan,
  { signed, sigs, entropy }: Proposal,
  payees: readonly Payee[],
): PendingTx => pendingTxOf({ signed, ...partsOf(source, draft, payees), multisig: { sigs, entropy } });

/**
 * Returns the construction data from which a wallet with the spend key signs a payment. The payment id in the data is
 * not encrypted.
 */
export function unsignedConstruction(
  source: PaymentSource,
  draft: RingedPlan,
  unsigned: SignedTx,
  payees: readonly Payee[],
): ConstructionData {
  const { construction } = pendingTxOf({ signed: unsigned, ...partsOf(source, draft, payees) });
  return { ...construction, extra: plainExtra(construction.extra, payees) };
}

/**
 * Decodes `tx_metadata`. Keeps only claims about the payment that its transaction proves.
 * @throws WalletError `bad_hex`, `bad_tx_metadata`, also for inputs that do not belong to this wallet, `tx_rejected`
 * for a transaction of a wallet that cannot sign.
 */
export function readMetadata(
  context: Pick<WalletContext, 'store' | 'keystore'>,
  txFacts: Pick<TxFacts, 'proven'>,
  hex: string,
): SignedPayment {
  if (!isHex(hex)) throw new WalletError({ kind: 'bad_hex', what: 'the tx metadata' });
  return refusing('this is not the metadata of a transaction', () => {
    const pending: PendingTx = decode(pendingTx, fromHex(hex));
    const keyImages = keyImagesOf(pending.tx);
    if (keyImages.some(isPlaceholder))
      throw new WalletError({ kind: 'tx_rejected', reason: 'the transaction is not signed' });
    const inputs = context.store.read((r) =>
      keyImages.flatMap((keyImage) => r.outputs.byKeyImage(keyImage) ?? []),
    );
    return refusing('the transaction does not fit this wallet', () =>
      txFacts.proven(paymentOfPending(pending, inputs, context.keystore.keys.network)),
    );
  });
}

function refusing<T>(reason: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof CodecError || cause instanceof RangeError)
      throw new WalletError({ kind: 'bad_tx_metadata', reason }, { cause });
    throw cause;
  }
}
