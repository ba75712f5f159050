import type { KeyFault } from '../monero/wallet/keys.js';
import type { MultisigFault } from '../monero/wallet/multisig/kex-round.js';
import type { ProofFault } from '../monero/wallet/proofs/proof-text.js';
import { ProtocolError, type Reasoned } from '../monero/wallet/protocol-error.js';
import type { ScanFault } from '../monero/wallet/scan/fetched-tx.js';
import type { DecoyFault } from '../monero/wallet/select/decoys.js';
import type { PlanFault } from '../monero/wallet/select/transfer-request.js';
import type { Amount } from '../util/amount.js';

/**
 * Kind of file at the path of a new wallet's store. `wallet`: a keys file of the name is beside it; `store` or `cache`:
 * a store of this server, or a cache of the reference, without its keys file; `file`: any other file.
 */
export type FoundFile = 'wallet' | 'store' | 'cache' | 'file' | 'directory' | 'link';

/** Locked money that a block unlocks. */
export interface Unlock {
  /** Number of blocks of the chain from which on the money can be spent. */
  readonly height: number;
  /** Estimate of that time [Unix s]. */
  readonly time: number;
  readonly amount: Amount;
}

/**
 * Expected errors with their facts. The rpc layer maps each kind to an error code. An exception of any other class is a
 * bug.
 */
export type Fault =
  | { readonly kind: 'no_wallet' }
  /**
   * The wallet that a path or a parameter names is not open under its path. `failure`: reason why the start could not
   * open it.
   */
  | { readonly kind: 'wallet_not_open'; readonly name: string; readonly failure?: string }
  /**
   * The wallet is being opened, or the server is starting, and no part of the call has run. `name`: absent for
   * `/json_rpc`.
   */
  | { readonly kind: 'wallet_opening'; readonly name?: string }
  | { readonly kind: 'no_wallet_dir' }
  /** A file has the name of a new wallet. `found`: kind of the file; absent for a name that no client gave. */
  | { readonly kind: 'wallet_exists'; readonly name: string; readonly found?: FoundFile }
  /** A keys file of the name exists, without a store. */
  | { readonly kind: 'keys_file_exists'; readonly name: string }
  | { readonly kind: 'wallet_missing'; readonly name: string }
  | { readonly kind: 'wallet_locked'; readonly name: string }
  /** Another process of the cluster holds the wallet. `holder`: address of that process, or a clause. */
  | { readonly kind: 'wallet_elsewhere'; readonly name: string; readonly holder: string }
  /** The database of the cluster did not acknowledge a change, or did not answer: the outcome is unknown. */
  | ({ readonly kind: 'not_replicated' } & Reasoned)
  /** A request to the cluster that cannot be fulfilled. */
  | ({ readonly kind: 'bad_cluster_request' } & Reasoned)
  | ({ readonly kind: 'wallet_corrupt'; readonly name: string } & Reasoned)
  | ({ readonly kind: 'bad_wallet_name'; readonly name: string } & Reasoned)
  /**
   * The operating system refuses access to a file: the disk is full, rights are missing, or a directory has the file's
   * name.
   */
  | ({ readonly kind: 'wallet_io'; readonly file: string } & Reasoned)
  | { readonly kind: 'wrong_password' }
  | ({ readonly kind: 'view_only' } & Pick<Reasoned, 'text'>)
  | { readonly kind: 'background_wallet' }
  | { readonly kind: 'background_syncing' }
  | { readonly kind: 'not_deterministic' }
  | { readonly kind: 'unknown_language'; readonly language: string }
  | ({ readonly kind: 'bad_seed' } & Reasoned)
  | ({ readonly kind: 'wrong_address'; readonly address?: string } & Reasoned)
  | ({ readonly kind: 'wrong_payment_id' } & Reasoned)
  | ({ readonly kind: 'wrong_tx_hash' } & Reasoned)
  | ({ readonly kind: 'wrong_key_image' } & Reasoned)
  | { readonly kind: 'key_image_unknown' }
  | { readonly kind: 'wrong_transfer_type'; readonly given: string }
  | { readonly kind: 'wrong_key_type'; readonly given: string }
  | { readonly kind: 'wrong_signature_type' }
  | ({ readonly kind: 'wrong_tx_key' } & Reasoned)
  /** The transaction key is unknown. `withSigner`: only the offline wallet that signed the transaction knows it. */
  | { readonly kind: 'no_tx_key'; readonly withSigner?: true }
  | ({ readonly kind: 'bad_proof' } & Reasoned)
  /** The proof would be about outputs or a transaction in the form of the fork, for which there are no proofs yet. */
  | ({ readonly kind: 'fork_proof' } & Reasoned)
  | { readonly kind: 'bad_hex'; readonly what: string }
  | ({ readonly kind: 'wrong_signature' } & Reasoned)
  | ({ readonly kind: 'bad_unsigned_set' } & Reasoned)
  | ({ readonly kind: 'bad_signed_set' } & Reasoned)
  | ({ readonly kind: 'signing_failed' } & Reasoned)
  | ({ readonly kind: 'submission_failed' } & Reasoned)
  | ({ readonly kind: 'bad_tx_metadata' } & Reasoned)
  | { readonly kind: 'account_out_of_range'; readonly account: number; readonly count: number }
  | {
      readonly kind: 'address_out_of_range';
      readonly account: number;
      readonly index: number;
      readonly count: number;
    }
  | { readonly kind: 'book_index_out_of_range'; readonly index: number; readonly count: number }
  | { readonly kind: 'attribute_missing' }
  | ({ readonly kind: 'bad_uri' } & Reasoned)
  | ({ readonly kind: 'invalid' } & Reasoned)
  | { readonly kind: 'no_destination' }
  | { readonly kind: 'zero_destination' }
  | { readonly kind: 'zero_amount' }
  | { readonly kind: 'not_enough_money'; readonly available: Amount; readonly needed: Amount }
  /** `unlocks`: locked money up to the needed amount, by the block that unlocks it; absent: not asked for. */
  | {
      readonly kind: 'not_enough_unlocked_money';
      readonly available: Amount;
      readonly needed: Amount;
      readonly unlocks?: readonly Unlock[];
    }
  | { readonly kind: 'not_enough_ring_members'; readonly ringSize: number }
  | ({ readonly kind: 'tx_not_possible' } & Reasoned)
  | { readonly kind: 'needs_split'; readonly transactions: number }
  | { readonly kind: 'tx_too_large'; readonly weight: number; readonly limit: number }
  | { readonly kind: 'fee_too_high'; readonly fee: Amount; readonly ceiling: Amount }
  /** The transactions of a call would pay a higher fee than the call allows. */
  | { readonly kind: 'max_fee_exceeded'; readonly fee: Amount; readonly maxFee: Amount }
  | ({ readonly kind: 'tx_rejected' } & Reasoned)
  /** Some payments of a call were relayed before another payment failed; the reason lists the relayed payments. */
  | ({ readonly kind: 'partly_relayed' } & Reasoned)
  | ({ readonly kind: 'transfer_failed' } & Reasoned)
  /** The idempotency key was used by another request. */
  | { readonly kind: 'order_mismatch'; readonly method: string }
  /** The payment of an order has failed, and is not made again. */
  | ({ readonly kind: 'order_failed' } & Reasoned)
  | { readonly kind: 'order_missing' }
  /**
   * Events after a cursor were deleted because of their age. `oldest` is the smallest cursor after which all events are
   * kept.
   */
  | { readonly kind: 'events_expired'; readonly oldest: number }
  /** A cursor lies above the ids of all events of the server. */
  | { readonly kind: 'events_ahead' }
  | { readonly kind: 'webhook_missing' }
  /** The settings of a webhook, or a request for a delivery, are refused. */
  | ({ readonly kind: 'bad_webhook' } & Reasoned)
  | { readonly kind: 'request_missing' }
  /** The terms of a payment request, or a change of them, are refused. */
  | ({ readonly kind: 'bad_payment_request' } & Reasoned)
  /** Another payment request has the same reference. */
  | { readonly kind: 'reference_taken'; readonly reference: string; readonly requestId: string }
  | { readonly kind: 'payout_missing'; readonly payoutId: string }
  /** The terms of a payout, or a change of it, are refused. */
  | ({ readonly kind: 'bad_payout' } & Reasoned)
  /** The id of a payout belongs to a payout with other terms. `field`: name of the first term that differs. */
  | { readonly kind: 'payout_mismatch'; readonly payoutId: string; readonly field: string }
  /** A rule of the client's credential forbids the request. */
  | ({ readonly kind: 'credential_denied' } & Reasoned)
  /** A payment exceeds a limit of the client's credential. */
  | ({ readonly kind: 'spend_limit' } & Reasoned)
  | { readonly kind: 'nonzero_unlock_time' }
  | { readonly kind: 'bad_priority'; readonly priority: number }
  | ({ readonly kind: 'multisig_refused' } & Reasoned)
  /** The account has the keys of the fork, and the method needs the old ones. */
  | { readonly kind: 'legacy_account_needed' }
  /** The account makes addresses alone, and the method needs what blocks contain. */
  | { readonly kind: 'sees_no_payments' }
  | { readonly kind: 'already_multisig' }
  | { readonly kind: 'not_multisig' }
  | { readonly kind: 'multisig_not_ready' }
  | { readonly kind: 'multisig_disabled' }
  | { readonly kind: 'too_few_signers'; readonly needed: number; readonly given: number }
  | ({ readonly kind: 'bad_multisig_set' } & Reasoned)
  | ({ readonly kind: 'multisig_signing_failed' } & Reasoned)
  | ({ readonly kind: 'multisig_submission_failed' } & Reasoned)
  | { readonly kind: 'multisig_import_needed' }
  | { readonly kind: 'multisig_export_needed' }
  | { readonly kind: 'priority_unknown' }
  | ({ readonly kind: 'fee_rates_unknown' } & Reasoned)
  | { readonly kind: 'daemon_busy' }
  /** `newer_fork`: the daemon sent a block of a version whose rules are unknown. */
  | { readonly kind: 'newer_fork'; readonly height: number; readonly version: number }
  /** `fork_unsupported`: from this height on, no transaction that this program builds is valid. */
  | { readonly kind: 'fork_unsupported'; readonly height: number; readonly version: number }
  /** `payments_ended`: from this height on, payments need proofs that this program does not make. */
  | { readonly kind: 'payments_ended'; readonly height: number; readonly version: number }
  | ({ readonly kind: 'daemon_unreachable' } & Reasoned)
  | ({ readonly kind: 'daemon_misbehaves' } & Reasoned)
  | { readonly kind: 'daemon_untrusted' }
  | ({ readonly kind: 'bad_daemon_settings' } & Reasoned)
  | ({ readonly kind: 'mining_refused'; readonly action: 'start' | 'stop' } & Reasoned)
  | { readonly kind: 'bad_log_level'; readonly level: number };

/** An expected error. `message` is its kind; `fault` contains its facts. */
export class WalletError extends Error {
  override readonly name = 'WalletError';
  readonly fault: Fault;

  constructor(fault: Fault, options?: ErrorOptions) {
    super(fault.kind, options);
    this.fault = fault;
  }
}

/** Facts of the errors of the library; each module has its own. */
type LibraryFault = KeyFault | ProofFault | PlanFault | DecoyFault | MultisigFault | ScanFault;

/**
 * Converts the fault of an error of the library to a fault for clients. A wrong transaction or output is a fault of the
 * daemon that sent it.
 */
function translated(fault: LibraryFault): Fault {
  switch (fault.kind) {
    case 'wrong_transaction':
      return { kind: 'daemon_misbehaves', reason: `it sent ${fault.reason}` };
    case 'wrong_outputs':
      return { kind: 'daemon_misbehaves', reason: fault.reason };
    default:
      return fault;
  }
}

/** Returns the fault of an expected error, of this server or of the library; undefined for any other error. */
export function faultOf(error: unknown): Fault | undefined {
  if (error instanceof WalletError) return error.fault;
  return error instanceof ProtocolError ? translated(error.fault as LibraryFault) : undefined;
}
