import { keccak } from '../../crypto/keccak.js';
import type { Hash, PublicKey, Signature } from '../../crypto/types.js';
import { formatAddress } from '../../cryptonote/address.js';
import type { Address, SubaddressIndex } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';
import { toHex, utf8 } from '../../../util/bytes.js';
import type { FetchedTx } from '../scan/fetched-tx.js';
import type { ReserveEntry } from './reserve-proof-text.js';

/** Largest number of outputs of a bundle, and of its accounts: the check of an output takes about a millisecond. */
export const MAX_BUNDLE_OUTPUTS = 10_000;

/** Largest size of the transactions of a bundle together [bytes]. */
export const MAX_BUNDLE_TX_BYTES = 16 << 20;

/** Largest length of the message of a bundle in UTF-8 [bytes]. */
export const MAX_BUNDLE_MESSAGE_BYTES = 4096;

/** Sums of outputs [atomic units]; `total` is the sum of the other two. */
export interface ReserveSums {
  readonly total: Amount;
  /** Sum of the outputs that could be spent in the block after the height of the bundle. */
  readonly unlocked: Amount;
  readonly locked: Amount;
}

/** A transaction that contains outputs of a bundle, with the height of its block. */
export interface BundleTx extends FetchedTx {
  readonly height: number;
}

/** An output of a bundle, with its part of the reserve proof. */
export interface BundleOutput extends ReserveEntry {
  /** Public key of the transaction whose shared secret opens the output. */
  readonly txPublicKey: PublicKey;
  /** Amount above zero. */
  readonly amount: Amount;
  /** Index of the address that was paid. */
  readonly subaddress: SubaddressIndex;
}

/** Primary address of the wallet, or an address that received an output, with the signatures that bind its keys. */
export interface BundleAddress {
  readonly index: SubaddressIndex;
  readonly address: Address;
  /** Signature by the spend key of the address. */
  readonly spendSignature: Signature;
  /**
   * Proof that the view key of a subaddress is its spend key times the secret view key of the wallet; absent for the
   * primary address.
   */
  readonly viewSignature?: Signature;
}

/** Outputs of one account. Their proof is a reserve proof of the account, which signs {@link bundleStatement}. */
export interface BundleAccount extends ReserveSums {
  readonly account: number;
  readonly outputs: readonly BundleOutput[];
  /** Primary address of the wallet, then the other addresses of the outputs. */
  readonly addresses: readonly BundleAddress[];
}

/** State of the wallet and of the chain that a bundle is about. */
export interface BundleFacts {
  /** Primary address of the wallet, with its network. */
  readonly address: Address;
  readonly message: string;
  /** Height of the newest block that counts: the reserve consists of outputs that exist and are unspent after it. */
  readonly height: number;
  readonly blockHash: Hash;
  /** Time of the making of the bundle [Unix s]. */
  readonly time: number;
}

/**
 * Proof of the reserves of several accounts at one height. It proves without the chain that the wallet can spend the outputs,
 * that they belong to their transactions, and their amounts. A plain value.
 */
export interface ReserveBundle extends BundleFacts, ReserveSums {
  readonly transactions: readonly BundleTx[];
  /** Accounts in ascending order. */
  readonly accounts: readonly BundleAccount[];
  /** Reserve proof of all outputs, which signs the message alone; absent for several accounts, and for an earlier height. */
  readonly reserveProof?: string;
}

/** Facts of a bundle that its signatures bind. */
export type BundleClaim = BundleFacts &
  ReserveSums & {
    readonly transactions: readonly Pick<BundleTx, 'hash' | 'height'>[];
    readonly accounts: readonly (ReserveSums & {
      readonly account: number;
      readonly outputs: readonly Pick<
        BundleOutput,
        'txHash' | 'outputIndex' | 'keyImage' | 'amount' | 'subaddress'
      >[];
    })[];
    readonly reserveProof?: string;
  };

const sumsText = ({ total, unlocked, locked }: ReserveSums): string => `${total} ${unlocked} ${locked}`;

/** Lists accounts and outputs, one a line. */
function* listedLines({ transactions, accounts }: BundleClaim): Generator<string> {
  const heights = new Map(transactions.map(({ hash, height }) => [toHex(hash), height]));
  for (const { account, outputs, ...sums } of accounts) {
    yield `account ${account} ${sumsText(sums)}\n`;
    for (const { txHash, outputIndex, keyImage, amount, subaddress } of outputs) {
      const hash = toHex(txHash);
      const place = `${subaddress.major} ${subaddress.minor}`;
      yield `output ${hash} ${outputIndex} ${heights.get(hash)} ${toHex(keyImage)} ${amount} ${place}\n`;
    }
  }
}

/**
 * Returns the text that takes the place of the message in the reserve proof of each account. It names every fact of the bundle,
 * so that no fact can be changed. docs/reserves.md describes it.
 */
export function bundleStatement(claim: BundleClaim): string {
  const { address, message, height, blockHash, time, reserveProof } = claim;
  const list = [...listedLines(claim)].join('');
  return [
    'reserve bundle 1',
    `network ${address.network}`,
    `address ${formatAddress(address)}`,
    `height ${height}`,
    `block ${toHex(blockHash)}`,
    `time ${time}`,
    `sums ${sumsText(claim)}`,
    `list ${toHex(keccak(utf8(list)))}`,
    `reserve_proof ${reserveProof === undefined ? 'none' : toHex(keccak(utf8(reserveProof)))}`,
    `message ${message}`,
  ].join('\n');
}
