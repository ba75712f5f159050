import type { Hash, SecretKey } from '../crypto/types.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { Amount } from '../util/amount.js';
import { utf8 } from '../util/bytes.js';
import { WalletError } from '../wallet/fault.js';
import { readFetchedTx } from '../wallet/fetched-tx.js';
import { spendSecretIn } from '../wallet/keys.js';
import type { MessageVerdict, SigningKey } from '../wallet/message-signature.js';
import type { ReceivingKeys } from '../wallet/receive.js';
import { assertProofOf, selectReserve, type ReserveVerdict } from '../wallet/reserve-proof.js';
import { ringReferences, spendProofBody, spendSignatures } from '../wallet/spend-proof.js';
import { sameAddress } from '../wallet/transfer-request.js';
import { ChainTransactions, type ChainPlace } from './chain-transactions.js';
import { runProofJob } from './proof-pool.js';
import type { WalletSession } from './wallet-session.js';

/** What a transaction paid, and where it is. */
export interface PaymentSeen extends ChainPlace {
  readonly received: Amount;
}

const copy = (key: SecretKey): SecretKey => Uint8Array.from(key) as SecretKey;

/** Proves payments, spends and holdings, signs messages; and checks what others proved and signed. */
export class Proofs {
  readonly #session: WalletSession;
  readonly #chain: ChainTransactions;

  constructor(session: WalletSession) {
    this.#session = session;
    this.#chain = new ChainTransactions(session.link);
  }

  /** @throws WalletError `view_only` */
  sign(message: string, index: SubaddressIndex, key: SigningKey): Promise<string> {
    const { keys, secrets } = this.#secrets();
    const { spendPublicKey } = this.#session.keys;
    return runProofJob('signMessage', { message: utf8(message), keys, spendPublicKey, index, key }, secrets);
  }

  /** @param address or an OpenAlias name. @throws WalletError `wrong_address` */
  async verify(message: string, address: string, signature: string): Promise<MessageVerdict> {
    return runProofJob('verifyMessage', {
      message: utf8(message),
      address: await this.#session.accounts.resolve(address),
      signature,
    });
  }

  /**
   * The transaction's key, then one an output where it has additional ones; none where the offline wallet that
   * signed keeps them. @throws WalletError `no_tx_key`
   */
  txKeys(txHash: Hash): SecretKey[] {
    const keys = this.#session.file.read((r) => r.txKeys.get(txHash));
    if (keys?.length === 0) return [];
    // A key of zeros stands for one that was not kept.
    if (keys?.[0]?.some((byte) => byte !== 0) !== true) throw new WalletError({ kind: 'no_tx_key' });
    return keys;
  }

  /** @throws WalletError `wrong_address`, `invalid`, `daemon_misbehaves` */
  async checkTxKey(txHash: Hash, keys: readonly SecretKey[], address: string): Promise<PaymentSeen> {
    const parsed = this.#session.accounts.parse(address);
    const tx = await this.#chain.transaction(txHash);
    const received = await runProofJob('checkTxKey', { tx: tx.fetched, address: parsed, keys }, keys);
    return { ...(await this.#chain.place(tx)), received };
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
    const { fetched: tx } = await this.#chain.transaction(txHash);
    const subject = { tx, address: parsed, message: utf8(message) };
    if (own !== undefined) {
      const viewSecret = copy(keys.viewSecret.expose());
      return runProofJob('proveReceived', { ...subject, viewSecret }, [viewSecret]);
    }
    const txKeys = this.txKeys(txHash);
    if (txKeys.length === 0) throw new WalletError({ kind: 'no_tx_key' });
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
    const tx = await this.#chain.transaction(txHash);
    const subject = { tx: tx.fetched, address: parsed, message: utf8(message) };
    const { good, received } = await runProofJob('checkTxProof', { ...subject, proof });
    if (!good) return { good, received, inPool: false, confirmations: 0 };
    return { good, received, ...(await this.#chain.place(tx)) };
  }

  /**
   * Proves that this wallet made a transaction.
   * @throws WalletError `view_only`, `multisig_refused`, `invalid` for one that it did not make, `daemon_misbehaves`
   */
  async proveSpend(txHash: Hash, message: string): Promise<string> {
    // Refused before a daemon is asked.
    spendSecretIn(this.#session.keys);
    const { fetched } = await this.#chain.transaction(txHash);
    const references = ringReferences(readFetchedTx(fetched));
    if (references.length === 0)
      throw new WalletError({ kind: 'invalid', reason: "a miner's transaction spends nothing" });
    const outputs = this.#session.file.read((r) =>
      references.map(({ keyImage }) => r.outputs.byKeyImage(keyImage)),
    );
    const owned = outputs.filter((output) => output !== undefined);
    if (owned.length !== outputs.length)
      throw new WalletError({ kind: 'invalid', reason: 'this wallet did not make the transaction' });
    const rings = await this.#chain.rings(references);
    const inputs = rings.flatMap((ring, i) => {
      const output = owned[i];
      return output === undefined ? [] : [{ ...ring, output }];
    });
    const { keys, secrets } = this.#spendSecrets();
    return runProofJob('proveSpend', { txHash, message: utf8(message), inputs, keys }, secrets);
  }

  /** @throws WalletError `bad_proof`, `invalid`, `daemon_misbehaves` */
  async checkSpend(txHash: Hash, message: string, proof: string): Promise<boolean> {
    const body = spendProofBody(proof);
    const { fetched } = await this.#chain.transaction(txHash);
    const references = ringReferences(readFetchedTx(fetched));
    const signatures = spendSignatures(
      body,
      references.map(({ globalIndices }) => globalIndices.length),
    );
    if (signatures === undefined) return false;
    const inputs = await this.#chain.rings(references);
    return runProofJob('checkSpend', { txHash, message: utf8(message), inputs, signatures });
  }

  /**
   * Proves what this wallet holds, locked outputs too.
   * @param least of one account; absent: everything.
   * @throws WalletError `account_out_of_range`, `view_only`, `invalid` where there is not so much
   */
  async proveReserve(
    least: { readonly account: number; readonly amount: Amount } | undefined,
    message: string,
  ): Promise<string> {
    if (least !== undefined) this.#session.accounts.assertAccount(least.account);
    const { keys, secrets } = this.#spendSecrets();
    const held = this.#session.file
      .read((r) => r.outputs.held(least?.account))
      .flatMap(({ keyImage, ...output }) => (keyImage === undefined ? [] : [{ ...output, keyImage }]));
    if (held.length === 0) throw new WalletError({ kind: 'invalid', reason: 'there is nothing to prove' });
    const outputs = least === undefined ? held : selectReserve(held, least.amount);
    const { spendPublicKey, viewPublicKey } = this.#session.keys;
    return runProofJob(
      'proveReserve',
      { message: utf8(message), address: { spendPublicKey, viewPublicKey }, outputs, keys },
      secrets,
    );
  }

  /** @throws WalletError `wrong_address`, `bad_proof`, `invalid`, `daemon_misbehaves` */
  async checkReserve(address: string, message: string, text: string): Promise<ReserveVerdict> {
    const parsed = this.#session.accounts.parse(address);
    if (parsed.kind === 'subaddress')
      throw new WalletError({ kind: 'invalid', reason: 'a reserve proof is about a primary address' });
    // Client libraries learn from this, with an empty proof, whether there is a daemon.
    await this.#session.link.daemon().getInfo();
    const proof = await runProofJob('readReserveProof', text);
    assertProofOf(proof, parsed);
    const txs = await this.#chain.confirmed(proof.entries.map(({ txHash }) => txHash));
    const statuses = await this.#session.link
      .daemon()
      .isKeyImageSpent(proof.entries.map(({ keyImage }) => keyImage));
    return runProofJob('checkReserve', {
      proof,
      message: utf8(message),
      address: parsed,
      txs,
      spent: statuses.map((status) => status !== 0),
    });
  }

  /** Copies of the wallet's secret keys, to hand to a thread. */
  #secrets(): { readonly keys: ReceivingKeys; readonly secrets: readonly Uint8Array[] } {
    if (this.#session.keys.spendSecret !== undefined) return this.#spendSecrets();
    const viewSecret = copy(this.#session.keys.viewSecret.expose());
    return { keys: { viewSecret }, secrets: [viewSecret] };
  }

  /** {@link #secrets} of a wallet that can spend. @throws WalletError `view_only`, `multisig_refused` */
  #spendSecrets(): { readonly keys: Required<ReceivingKeys>; readonly secrets: readonly Uint8Array[] } {
    const { viewSecret } = this.#session.keys;
    const spendSecret = copy(spendSecretIn(this.#session.keys));
    const keys = { viewSecret: copy(viewSecret.expose()), spendSecret };
    return { keys, secrets: Object.values(keys) };
  }
}
