import { publicKeyOf } from '../../crypto/derivation.js';
import { DaemonError } from '../../daemon/errors.js';
import { withBackgroundSync, type KeysFile } from '../../store/keys/keys-file.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { accountOf, groupAccountOf } from '../../wallet/keys.js';
import {
  isExchanged,
  isReady,
  nextMessage,
  openingMessage,
  signerOf,
  type MultisigAccount,
  type Signer,
} from '../../wallet/multisig/account.js';
import { together } from '../workers/multisig-pool.js';
import type { WalletManager } from '../manager/wallet-manager.js';
import type { OpenWallet } from '../open-wallet.js';

/** How far a wallet is from sharing its spend key with others. */
export interface MultisigStatus {
  readonly multisig: boolean;
  /** All shares are known. */
  readonly exchanged: boolean;
  readonly ready: boolean;
  readonly threshold: number;
  readonly total: number;
}

/** What a round of the key exchange gives. */
export interface RoundResult {
  /** For the others, also once the exchange is complete. */
  readonly message: string;
  readonly address: string;
  readonly ready: boolean;
}

/** Turns the open wallet into one participant of a group, round by round. Every round is on disk before it answers. */
export class MultisigSetup {
  readonly #server: WalletManager;

  constructor(server: WalletManager) {
    this.#server = server;
  }

  status(): MultisigStatus {
    const group = this.#server.wallet().keys.multisig?.group;
    return {
      multisig: group !== undefined,
      exchanged: group !== undefined && isExchanged(group),
      ready: group !== undefined && isReady(group),
      threshold: group?.threshold ?? 0,
      total: group?.signers.length ?? 0,
    };
  }

  /** @param enable allows the wallet to share its spend key from now on. */
  async prepare(enable: boolean): Promise<string> {
    const wallet = this.#server.wallet();
    if (enable) await wallet.keystore.enableMultisig();
    return openingMessage(bringIn(wallet), this.#server.settings.rng);
  }

  /**
   * Round 1: replaces the wallet's own keys.
   * @param password undefined: not asked. @throws WalletError `wrong_password`, `multisig_refused`
   */
  make(messages: readonly string[], threshold: number, password: string | undefined): Promise<RoundResult> {
    return this.#rekey(password, async (wallet) => {
      await assertUnused(wallet);
      return together('start', { signer: bringIn(wallet), threshold, messages });
    });
  }

  /**
   * Every further round. Without messages, once the main rounds are done: the own confirmation again.
   * @param incomplete takes fewer messages than there are others.
   * @throws WalletError `wrong_password`, `too_few_signers`, `multisig_refused`
   */
  async exchange(
    messages: readonly string[],
    password: string | undefined,
    incomplete: boolean,
  ): Promise<RoundResult> {
    const { signers } = groupAccountOf(this.#server.wallet().keys);
    if (messages.length + 1 < signers.length && !(incomplete && messages.length > 0))
      throw new WalletError({
        kind: 'too_few_signers',
        needed: signers.length - 1,
        given: messages.length,
      });
    return this.#rekey(password, async (wallet) => {
      const account = groupAccountOf(wallet.keys);
      if (messages.length === 0) return { account, message: nextMessage(account, this.#server.settings.rng) };
      return together('advance', { account, messages, incomplete });
    });
  }

  /** @throws WalletError `wrong_password`, `too_few_signers`, `multisig_refused` */
  boost(
    messages: readonly string[],
    threshold: number,
    total: number,
    password: string | undefined,
  ): Promise<string> {
    const wallet = this.#server.wallet();
    if (messages.length === 0) throw new WalletError({ kind: 'too_few_signers', needed: 1, given: 0 });
    if (password !== undefined) wallet.keystore.assertPassword(password);
    const account = accountOf(wallet.keys);
    if (account !== undefined && (account.threshold !== threshold || account.signers.length !== total))
      throw new WalletError({
        kind: 'multisig_refused',
        reason: `this wallet is ${account.threshold} of ${account.signers.length}, not ${threshold} of ${total}`,
      });
    const booster = account ?? { ...bringIn(wallet), threshold, total };
    return together('boost', { booster, messages });
  }

  async #rekey(
    password: string | undefined,
    round: (wallet: OpenWallet) => Promise<{ readonly account: MultisigAccount; readonly message: string }>,
  ): Promise<RoundResult> {
    let message = '';
    const wallet = await this.#server.rekey(async (before) => {
      if (password !== undefined) before.keystore.assertPassword(password);
      const done = await round(before);
      message = done.message;
      return keysFileOf(done.account, before.keystore.whole);
    });
    return {
      message,
      address: wallet.accounts.address({ major: 0, minor: 0 }),
      ready: isReady(groupAccountOf(wallet.keys)),
    };
  }
}

/** @throws WalletError `view_only`, `already_multisig` */
function bringIn({ keys }: OpenWallet): Signer {
  if (keys.multisig !== undefined) throw new WalletError({ kind: 'already_multisig' });
  if (keys.spendSecret === undefined) throw new WalletError({ kind: 'view_only' });
  return signerOf(keys.spendSecret.expose(), keys.viewSecret.expose());
}

/**
 * A wallet file whose keys are replaced can never pay again what it received before; one in memory is its
 * caller's to restore.
 * @throws WalletError `multisig_refused`
 */
async function assertUnused(wallet: OpenWallet): Promise<void> {
  if (wallet.paths === undefined) return;
  try {
    await wallet.sync.refresh();
  } catch (error) {
    // What is known without a daemon must do.
    if (!(error instanceof DaemonError)) throw error;
  }
  const { received, pooled } = wallet.file.read((r) => ({
    received: r.outputs.count(),
    pooled: r.pool.list().length,
  }));
  if (received + pooled > 0)
    throw new WalletError({
      kind: 'multisig_refused',
      reason: 'this wallet has received money, which its keys alone can spend: make a new wallet multisig',
    });
}

const keysFileOf = (
  { signerSecret, commonSecret, spendPublicKey, ...group }: MultisigAccount,
  before: KeysFile,
): KeysFile => ({
  // A shared spend key cannot be put away.
  ...withBackgroundSync(before, 'off'),
  spendPublicKey,
  viewPublicKey: publicKeyOf(commonSecret),
  viewSecret: commonSecret,
  spendSecret: signerSecret,
  multisig: group,
});
