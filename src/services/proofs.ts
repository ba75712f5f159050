import type { Hash, SecretKey } from '../crypto/types.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import { utf8 } from '../util/bytes.js';
import { WalletError } from '../wallet/fault.js';
import type { MessageVerdict, SigningKey } from '../wallet/message-signature.js';
import type { ReceivingKeys } from '../wallet/receive.js';
import { runProofJob } from './proof-pool.js';
import type { WalletSession } from './wallet-session.js';

/** Proves payments, spends and holdings, signs messages; and checks what others proved and signed. */
export class Proofs {
  readonly #session: WalletSession;

  constructor(session: WalletSession) {
    this.#session = session;
  }

  /** @throws WalletError `view_only` */
  sign(message: string, index: SubaddressIndex, key: SigningKey): Promise<string> {
    const { keys, secrets } = this.#secrets();
    const { spendPublicKey } = this.#session.keys;
    return runProofJob('signMessage', { message: utf8(message), keys, spendPublicKey, index, key }, secrets);
  }

  /** @throws WalletError `wrong_address` */
  verify(message: string, address: string, signature: string): Promise<MessageVerdict> {
    return runProofJob('verifyMessage', {
      message: utf8(message),
      address: this.#session.accounts.parse(address),
      signature,
    });
  }

  /** The transaction's key, then one an output where it has additional ones. @throws WalletError `no_tx_key` */
  txKeys(txHash: Hash): SecretKey[] {
    const keys = this.#session.file.read((r) => r.txKeys.get(txHash));
    // A key of zeros stands for one that was not kept.
    if (keys?.[0]?.some((byte) => byte !== 0) !== true) throw new WalletError({ kind: 'no_tx_key' });
    return keys;
  }

  /** Copies of the wallet's secret keys, to hand to a thread. */
  #secrets(): { readonly keys: ReceivingKeys; readonly secrets: readonly Uint8Array[] } {
    const copy = (key: SecretKey): SecretKey => Uint8Array.from(key) as SecretKey;
    const { viewSecret, spendSecret } = this.#session.keys;
    const view = copy(viewSecret.expose());
    if (spendSecret === undefined) return { keys: { viewSecret: view }, secrets: [view] };
    const spend = copy(spendSecret.expose());
    return { keys: { viewSecret: view, spendSecret: spend }, secrets: [view, spend] };
  }
}
