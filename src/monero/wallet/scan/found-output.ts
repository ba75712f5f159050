import type { ScanKeys } from '../../kernel/kernel.js';
import type { BalanceTier } from '../../carrot/account.js';
import type { KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import type { PaymentId, SubaddressIndex } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';

/** Scalars that the sender of an output in the form of the fork added, from which with the wallet's keys its secrets follow. */
export interface OutputExtensions {
  /** Scalar that the sender added in multiples of G. Secret. */
  readonly extensionG: SecretKey;
  /** Scalar that the sender added in multiples of T. Secret. */
  readonly extensionT: SecretKey;
}

/** Secret facts of an output in the form of the fork that a wallet keeps. */
export interface KeptExtensions extends OutputExtensions {
  /** Input context of the transaction, 33 bytes, from which a wallet without the chain computes the extensions anew. */
  readonly context: Uint8Array;
}

/** Secret facts of a found output in the form of the fork. */
export interface CarrotFacts extends KeptExtensions {
  /** True for change that only a holder of the wallet's view keys can have made; absent in a stored output. */
  readonly isChange?: boolean;
  /** Payment id that the sender has bound to the output; absent without one. */
  readonly paymentId?: PaymentId;
}

/**
 * Keys with which outputs are recognised; with the spend secret key, key images are computed too.
 * @example
 * const keys: ReceivingKeys = { viewSecret: account.viewSecret };
 * scanBlock(block, txs, keys, addresses)[0].outputs[0].keyImage; // => undefined
 */
export interface ReceivingKeys {
  readonly viewSecret: SecretKey;
  /** Spend secret key; absent: key images remain unknown, except with `balance`. */
  readonly spendSecret?: SecretKey;
  /** Keys of an account of the fork that see all its outputs; absent in other accounts, and if only payments are seen. */
  readonly balance?: BalanceTier;
}

/** Returns true if the keys compute key images, so that spends are recognised. */
export const computesKeyImages = ({ spendSecret, balance }: ReceivingKeys): boolean =>
  spendSecret !== undefined || balance !== undefined;

/** Keys with which a kernel scans for a wallet. */
export type WalletScanKeys = ScanKeys & Pick<ReceivingKeys, 'viewSecret'>;

/** Returns the keys with which a kernel scans for a wallet. */
export const scanKeysOf = ({ viewSecret, balance }: ReceivingKeys): WalletScanKeys => ({
  viewSecret,
  ...(balance === undefined ? {} : { balanceSecret: balance.balanceSecret }),
});

/**
 * A received output without its position in the chain.
 * @example
 * const output: FoundOutput = found[1].outputs[0];
 * output.amount; // => 250_000_000_000n
 */
export interface FoundOutput {
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  readonly publicKey: PublicKey;
  /** Index of the paid address. */
  readonly subaddress: SubaddressIndex;
  /**
   * Public key whose derivation opens the output: the tx public key or an additional public key; an ephemeral public key in
   * the form of the fork.
   */
  readonly derivationKey: PublicKey;
  /** Amount above zero, which matches the commitment of the output. */
  readonly amount: Amount;
  /** Blinding scalar of the commitment; 1 for a plain amount. */
  readonly mask: bigint;
  /** Absent while it is unknown: without the spend secret, unless it is imported. */
  readonly keyImage?: KeyImage;
  /** Secret facts of an output in the form of the fork; absent in the old form. */
  readonly carrot?: CarrotFacts;
}
