import { publicKeyOf } from '../../monero/crypto/derivation.js';
import { formatAddress } from '../../monero/cryptonote/address.js';
import { DaemonError } from '../../daemon/errors.js';
import { withBackgroundSync, withoutPolyseed, type KeysFile } from '../../store/keys/keys-file.js';
import { WalletError } from '../../model/wallet-error.js';
import { accountOf, assertLegacy, groupAccountOf } from '../../monero/wallet/keys.js';
import {
  isExchanged,
  isReady,
  nextMessage,
  openingMessage,
  signerOf,
  type MultisigAccount,
  type Signer,
} from '../../monero/wallet/multisig/account.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';

type Context = Pick<WalletContext, 'store' | 'keystore' | 'rng' | 'workers'>;

/**
 * Closes the wallet, replaces its keys, and opens it again.
 * @param change returns the content of the new keys file. If it throws, nothing is changed.
 */
export type Rekey = (change: () => Promise<KeysFile>) => Promise<void>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly sync: Pick<WalletSync, 'refresh'>;
  readonly rekey: Rekey;
}

/** Progress of the key exchange of a wallet. */
export interface MultisigStatus {
  readonly multisig: boolean;
  /** True if all key shares are known. */
  readonly exchanged: boolean;
  readonly ready: boolean;
  readonly threshold: number;
  readonly total: number;
}

/** Result of one round of the key exchange. */
export interface RoundResult {
  /** Message for the other participants; also present once the exchange is complete. */
  readonly message: string;
  readonly address: string;
  readonly ready: boolean;
}

/**
 * Makes the open wallet a multisig participant, round by round. Writes each round to disk before it returns the
 * message.
 */
export class MultisigSetup {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  status(): MultisigStatus {
    const group = this.#context.keystore.keys.multisig?.group;
    return {
      multisig: group !== undefined,
      exchanged: group !== undefined && isExchanged(group),
      ready: group !== undefined && isReady(group),
      threshold: group?.threshold ?? 0,
      total: group?.signers.length ?? 0,
    };
  }

  /** Returns the message of round 1. @param enable true: enables multisig for this wallet first. */
  async prepare(enable: boolean): Promise<string> {
    const { keystore, rng } = this.#context;
    if (enable) await keystore.enableMultisig();
    return openingMessage(this.#newSigner(), rng);
  }

  /**
   * Runs round 1, which replaces the keys of the wallet.
   * @param password undefined: the password is not checked. @throws WalletError `wrong_password`, `multisig_refused`
   */
  make(messages: readonly string[], threshold: number, password: string | undefined): Promise<RoundResult> {
    return this.#rekey(password, async () => {
      await this.#assertUnused();
      const signer = this.#newSigner();
      return this.#context.workers.multisig.run('start', { signer, threshold, messages });
    });
  }

  /**
   * Runs one further round. Without messages, after the main rounds, returns this participant's confirmation again.
   * @param incomplete true: accepts fewer messages than there are other participants.
   * @throws WalletError `wrong_password`, `too_few_signers`, `multisig_refused`
   */
  async exchange(
    messages: readonly string[],
    password: string | undefined,
    incomplete: boolean,
  ): Promise<RoundResult> {
    const { keystore, rng, workers } = this.#context;
    const { signers } = groupAccountOf(keystore.keys);
    if (messages.length + 1 < signers.length && !(incomplete && messages.length > 0))
      throw new WalletError({
        kind: 'too_few_signers',
        needed: signers.length - 1,
        given: messages.length,
      });
    return this.#rekey(password, async () => {
      const account = groupAccountOf(keystore.keys);
      if (messages.length === 0) return { account, message: nextMessage(account, rng) };
      return workers.multisig.run('advance', { account, messages, incomplete });
    });
  }

  /**
   * Creates the message of the next round from the messages of some participants only.
   * @throws WalletError `wrong_password`, `too_few_signers`, `multisig_refused`
   */
  boost(
    messages: readonly string[],
    threshold: number,
    total: number,
    password: string | undefined,
  ): Promise<string> {
    const { keystore, workers } = this.#context;
    if (messages.length === 0) throw new WalletError({ kind: 'too_few_signers', needed: 1, given: 0 });
    if (password !== undefined) keystore.assertPassword(password);
    const account = accountOf(keystore.keys);
    if (account !== undefined && (account.threshold !== threshold || account.signers.length !== total))
      throw new WalletError({
        kind: 'multisig_refused',
        reason: `this wallet is ${account.threshold} of ${account.signers.length}, not ${threshold} of ${total}`,
      });
    const booster = account ?? { ...this.#newSigner(), threshold, total };
    return workers.multisig.run('boost', { booster, messages });
  }

  async #rekey(
    password: string | undefined,
    round: () => Promise<{ readonly account: MultisigAccount; readonly message: string }>,
  ): Promise<RoundResult> {
    const { keystore } = this.#context;
    let result: RoundResult | undefined;
    await this.#services.rekey(async () => {
      if (password !== undefined) keystore.assertPassword(password);
      const { account, message } = await round();
      const after = keysFileOf(account, keystore.whole);
      const { spendPublicKey, viewPublicKey, network } = after;
      const address = formatAddress({ network, kind: 'standard', spendPublicKey, viewPublicKey });
      result = { message, address, ready: isReady(account) };
      return after;
    });
    if (result === undefined) throw new Error('the keys of the wallet were replaced without a round');
    return result;
  }

  /**
   * Returns the signer that is derived from the keys of this wallet.
   * @throws WalletError `view_only`, `already_multisig`; KeyError `legacy_account_needed`
   */
  #newSigner(): Signer {
    const { multisig, spendSecret, viewSecret } = this.#context.keystore.keys;
    if (multisig !== undefined) throw new WalletError({ kind: 'already_multisig' });
    assertLegacy(this.#context.keystore.keys);
    if (spendSecret === undefined) throw new WalletError({ kind: 'view_only' });
    return signerOf(spendSecret.expose(), viewSecret.expose());
  }

  /**
   * Checks that a wallet with files has received no money, because the keys of the group could not spend this money.
   * Accepts a wallet in memory, whose seed the client has.
   * @throws WalletError `multisig_refused`
   */
  async #assertUnused(): Promise<void> {
    const { store } = this.#context;
    if (store.isInMemory) return;
    try {
      await this.#services.sync.refresh();
    } catch (error) {
      // Without a daemon, only the outputs in the store are checked.
      if (!(error instanceof DaemonError)) throw error;
    }
    const { received, pooled } = store.read((r) => ({
      received: r.outputs.count(),
      pooled: r.pool.list().length,
    }));
    if (received + pooled > 0)
      throw new WalletError({
        kind: 'multisig_refused',
        reason:
          'this wallet has received money, which only its present keys can spend: make a new wallet multisig',
      });
  }
}

const keysFileOf = (
  { signerSecret, commonSecret, spendPublicKey, ...group }: MultisigAccount,
  before: KeysFile,
): KeysFile => ({
  // A multisig wallet has no background sync.
  ...withBackgroundSync(withoutPolyseed(before), 'off'),
  spendPublicKey,
  viewPublicKey: publicKeyOf(commonSecret),
  viewSecret: commonSecret,
  spendSecret: signerSecret,
  multisig: group,
});
