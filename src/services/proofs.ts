import type { Hash, SecretKey } from '../crypto/types.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { Amount } from '../util/amount.js';
import { equalBytes, utf8 } from '../util/bytes.js';
import { WalletError } from '../wallet/fault.js';
import type { FetchedTx } from '../wallet/fetched-tx.js';
import type { MessageVerdict, SigningKey } from '../wallet/message-signature.js';
import type { ReceivingKeys } from '../wallet/receive.js';
import { sameAddress } from '../wallet/transfer-request.js';
import { runProofJob } from './proof-pool.js';
import type { WalletSession } from './wallet-session.js';

/** What a transaction paid, and where it is. */
export interface PaymentSeen {
  readonly received: Amount;
  readonly inPool: boolean;
  /** Zero in the pool. */
  readonly confirmations: number;
}

interface KnownTx {
  readonly fetched: FetchedTx;
  /** Absent in the pool. */
  readonly height?: number;
}

const copy = (key: SecretKey): SecretKey => Uint8Array.from(key) as SecretKey;

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

  /** @throws WalletError `wrong_address`, `invalid`, `daemon_misbehaves` */
  async checkTxKey(txHash: Hash, keys: readonly SecretKey[], address: string): Promise<PaymentSeen> {
    const parsed = this.#session.accounts.parse(address);
    const tx = await this.#transaction(txHash);
    const received = await runProofJob('checkTxKey', { tx: tx.fetched, address: parsed, keys }, keys);
    return { ...(await this.#place(tx)), received };
  }

  /**
   * Proves that an address was paid: as who was paid where it is ours, else as who paid.
   * @throws WalletError `wrong_address`, `no_tx_key`, `invalid`, `daemon_misbehaves`
   */
  async proveTx(txHash: Hash, address: string, message: string): Promise<string> {
    const { accounts, keys } = this.#session;
    const parsed = accounts.parse(address);
    const own = this.#session.ownIndex(address);
    if (own !== undefined && !sameAddress(parsed, accounts.decoded(own)))
      throw new WalletError({
        kind: 'invalid',
        reason: 'the address has a spend key of ours, and is not ours',
      });
    const { fetched: tx } = await this.#transaction(txHash);
    const subject = { tx, address: parsed, message: utf8(message) };
    if (own !== undefined) {
      const viewSecret = copy(keys.viewSecret.expose());
      return runProofJob('proveReceived', { ...subject, viewSecret }, [viewSecret]);
    }
    const txKeys = this.txKeys(txHash);
    return runProofJob('proveSent', { ...subject, keys: txKeys }, txKeys);
  }

  /** @throws WalletError `wrong_address`, `bad_proof`, `invalid`, `daemon_misbehaves` */
  async checkTxProof(
    txHash: Hash,
    address: string,
    message: string,
    proof: string,
  ): Promise<PaymentSeen & { readonly good: boolean }> {
    const parsed = this.#session.accounts.parse(address);
    const tx = await this.#transaction(txHash);
    const subject = { tx: tx.fetched, address: parsed, message: utf8(message) };
    const { good, received } = await runProofJob('checkTxProof', { ...subject, proof });
    if (!good) return { good, received, inPool: false, confirmations: 0 };
    return { good, received, ...(await this.#place(tx)) };
  }

  /** @throws WalletError `invalid` when the daemon has none. */
  async #transaction(txHash: Hash): Promise<KnownTx> {
    const { transactions } = await this.#session.link.daemon().getTransactions([txHash], { prune: false });
    const found = transactions.find(({ hash }) => equalBytes(hash, txHash));
    if (found === undefined)
      throw new WalletError({ kind: 'invalid', reason: 'the daemon does not know the transaction' });
    const { hash, blob, prunableHash, inPool, blockHeight } = found;
    return {
      fetched: { hash, blob, ...(prunableHash === undefined ? {} : { prunableHash }) },
      ...(inPool || blockHeight === undefined ? {} : { height: blockHeight }),
    };
  }

  async #place({ height }: KnownTx): Promise<Pick<PaymentSeen, 'inPool' | 'confirmations'>> {
    if (height === undefined) return { inPool: true, confirmations: 0 };
    const { height: chainHeight } = await this.#session.link.daemon().getInfo();
    return { inPool: false, confirmations: Math.max(0, chainHeight - height) };
  }

  /** Copies of the wallet's secret keys, to hand to a thread. */
  #secrets(): { readonly keys: ReceivingKeys; readonly secrets: readonly Uint8Array[] } {
    const { viewSecret, spendSecret } = this.#session.keys;
    const view = copy(viewSecret.expose());
    if (spendSecret === undefined) return { keys: { viewSecret: view }, secrets: [view] };
    const spend = copy(spendSecret.expose());
    return { keys: { viewSecret: view, spendSecret: spend }, secrets: [view, spend] };
  }
}
