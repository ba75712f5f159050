import { fromHex, isHex } from '../util/bytes.js';
import { CodecError, decode, encode } from '../util/codec.js';
import { WalletError } from '../wallet/fault.js';
import { keyImagesOf, pendingTx, pendingTxOf, type PendingTx } from '../wallet/pending-tx.js';
import { paymentOfPending, type SignedPayment } from '../wallet/signed-payment.js';
import type { SignedTx } from '../wallet/signing.js';
import type { Payee } from '../wallet/transfer-request.js';
import type { PaymentDraft } from './payment-builder.js';
import type { WalletSession } from './wallet-session.js';

/** What get_tx_metadata gives: anybody who holds it and the keys can relay and record the payment. */
export function writeMetadata(
  session: WalletSession,
  { share, rings, terms }: PaymentDraft,
  signed: SignedTx,
  payees: readonly Payee[],
): Uint8Array {
  const inputs = session.file.read((r) =>
    share.inputs.flatMap((output, i) => {
      const ring = rings[i];
      return ring === undefined ? [] : [{ output, ring, place: r.outputs.placeOf(output) }];
    }),
  );
  const changeAddress = session.accounts.decoded({ major: terms.account, minor: 0 });
  return encode(pendingTx, pendingTxOf({ signed, inputs, payees, changeAddress, account: terms.account }));
}

/** @throws WalletError `bad_hex`, `bad_tx_metadata` also where it spends what is not ours. */
export function readMetadata(session: WalletSession, hex: string): SignedPayment {
  if (!isHex(hex) || hex === '') throw new WalletError({ kind: 'bad_hex', what: 'the tx metadata' });
  return refusing('this is not the metadata of a transaction', () => {
    const pending: PendingTx = decode(pendingTx, fromHex(hex));
    const inputs = session.file.read((r) =>
      keyImagesOf(pending.tx).flatMap((keyImage) => r.outputs.byKeyImage(keyImage) ?? []),
    );
    return refusing('the transaction does not fit this wallet', () =>
      paymentOfPending(pending, inputs, session.keys.network),
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
