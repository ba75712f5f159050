// Written by `npm run docs` from the method registry, `src/rpc/registry.ts`: edit that.
import type { CallOptions, OrderOptions } from './call-options.js';

/** Object without members. */
export type NoMembers = Readonly<Record<string, never>>;

/** Object whose members the types do not name. Integers beyond the safe ones are bigint. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Parameters of add_address_book. */
export interface AddAddressBookParams {
  /** Address of any kind, or an OpenAlias name. */
  readonly address?: string | undefined;
  /** Payment id as 16 hex digits, which is stored in an integrated address; empty or zeros: none. */
  readonly payment_id?: string | undefined;
  /** Description of the entry. */
  readonly description?: string | undefined;
}

/** Result of add_address_book. */
export interface AddAddressBookResult {
  /** Index of the new entry. */
  readonly index: number;
}

/** Parameters of add_webhook. */
export interface AddWebhookParams {
  /** URL that events are sent to. */
  readonly url: string;
  /** Types of the events to send, at most 100; empty: all types. */
  readonly types?: readonly string[] | undefined;
  /** Name of an open wallet, for requests to /json_rpc; absent: the wallet of the request. */
  readonly wallet?: string | undefined;
}

/** Result of add_webhook. */
export interface AddWebhookResult {
  /** Id of the endpoint. */
  readonly id: string;
  /** Secret that deliveries are signed with; shown this once. */
  readonly secret: string;
  /** URL that events are sent to. */
  readonly url: string;
  /** Event types that it gets; empty: all. */
  readonly types: readonly string[];
}

export interface PayoutApproval {
  /** Id of the payout. */
  readonly payout_id: string;
  /** Member approval_hash of the payout as the client has seen it. */
  readonly approval_hash: string;
}

/** Parameters of approve_payouts. */
export interface ApprovePayoutsParams {
  /** Payouts, 1 to 1000. */
  readonly payouts?: readonly PayoutApproval[] | undefined;
}

export type PayoutState =
  | 'awaiting_approval'
  | 'queued'
  | 'awaiting_signature'
  | 'sending'
  | 'sent'
  | 'mined'
  | 'confirmed'
  | 'failed'
  | 'cancelled'
  | 'rejected'
  | 'expired';

export interface PayoutAction {
  /** Action; sent: by send_payouts. */
  readonly action: 'created' | 'approved' | 'rejected' | 'cancelled' | 'sent';
  /** Credential; absent: a client with all rights. */
  readonly by?: string;
  /** Address of the client. */
  readonly from?: string;
  /** Time of the action [Unix s]. */
  readonly time: number;
}

export interface PayoutApprovalWait {
  /** Number of approvals that it needs. */
  readonly needed: number;
  /** Number of approvals that count so far. */
  readonly given: number;
}

export interface ApprovePayoutsResultsPayoutWaitingForFork {
  /** Height of the first block of the fork. */
  readonly height: number;
  /** Version of its blocks. */
  readonly version: number;
}

export interface PayoutMoneyWait {
  /** Amount that must be unlocked in addition. */
  readonly amount: bigint;
  /** Number of blocks at which it is; absent: no locked money is enough. */
  readonly height?: number;
  /** Estimate of the time of that block [Unix s]. */
  readonly time?: number;
}

export interface PayoutWait {
  readonly approval?: PayoutApprovalWait;
  /** Time from which it is sent after its last approval [Unix s]. */
  readonly delay?: number;
  /** Reason of the pause. */
  readonly paused?: string;
  /** Time from which it may be sent [Unix s]. */
  readonly not_before?: number;
  /** Time until which it waits for others [Unix s]. */
  readonly batch?: number;
  /** Share of the fee that it would pay now, above its limit. */
  readonly fee?: bigint;
  /** Reason why the daemon cannot be asked, or has refused its batch. */
  readonly node?: string;
  readonly fork?: ApprovePayoutsResultsPayoutWaitingForFork;
  /** Id of the older payout for which unlocked money is kept. */
  readonly behind?: string;
  /** Reason why an earlier batch with it cannot be excluded yet. */
  readonly earlier?: string;
  /** Amount that a reversed payment of its payment request leaves missing. */
  readonly reversed?: bigint;
  readonly unlocked?: PayoutMoneyWait;
}

export interface Payout {
  /** Id given by the client. */
  readonly payout_id: string;
  /** Account that pays. */
  readonly account_index: number;
  /** Address of the payee. */
  readonly address: string;
  /** Amount that the payee is owed. */
  readonly amount: bigint;
  /** Side that pays its share of the fee. */
  readonly fee: 'wallet' | 'payee';
  /** Largest share of the fee; absent: any. */
  readonly max_fee?: bigint;
  /** Priority from 0 to 4; 0: by the state of chain and pool. */
  readonly priority: number;
  /** The address may be one of this wallet. */
  readonly allow_own: boolean;
  /** Time before which it is not sent [Unix s]. */
  readonly not_before?: number;
  /** Time from which it is not sent any more [Unix s]. */
  readonly expires_at?: number;
  /** Payment request whose money it returns; absent: it is no refund. */
  readonly request_id?: string;
  /** Reference given by the client. */
  readonly reference?: string;
  /** Metadata given by the client. */
  readonly metadata?: JsonObject;
  /**
   * awaiting_approval; queued; awaiting_signature: of a view-only wallet; sending: its batch is recorded;
   * sent: in the mempool, as far as known; mined; confirmed; failed, cancelled, rejected, expired: it was not
   * paid.
   */
  readonly state: PayoutState;
  /**
   * not_sent: its batch never left this server; refused: by the node; overtaken: another transaction spends
   * an input; lost: neither pool nor chain has it; reorganised: its block was replaced; unsigned: its set was
   * not signed in time.
   */
  readonly reason?: 'not_sent' | 'refused' | 'overtaken' | 'lost' | 'reorganised' | 'unsigned';
  /** Time of creation [Unix s]. */
  readonly created_at: number;
  /** Credential that created it; absent: a client with all rights. */
  readonly created_by?: string;
  /** Time of the latest change of the state [Unix s]. */
  readonly changed_at: number;
  /** Hash of its terms, to which an approval binds; present while it waits. */
  readonly approval_hash?: string;
  /** Actions of clients, the oldest first. */
  readonly history: readonly PayoutAction[];
  readonly waiting_for?: PayoutWait;
  /** Transaction that pays it. */
  readonly tx_hash?: string;
  /** Amount that the payee receives. */
  readonly received?: bigint;
  /** Its share of the fee of the transaction. */
  readonly fee_share?: bigint;
  /** Height of the block with the transaction. */
  readonly height?: number;
  /** Number of blocks from that block to the tip; 0 if it is not mined. */
  readonly confirmations: number;
}

export interface PayoutError {
  /** Error code. */
  readonly code: number;
  /** Reason. */
  readonly message: string;
}

export interface PayoutOutcome {
  /** Id given by the client. */
  readonly payout_id: string;
  readonly payout?: Payout;
  readonly error?: PayoutError;
}

/** Result of approve_payouts. */
export interface ApprovePayoutsResult {
  /** Result of each payout, in their order. */
  readonly results: readonly PayoutOutcome[];
}

/** Parameters of auto_refresh. */
export interface AutoRefreshParams {
  /** Refreshes the wallet periodically. Default: `true`. */
  readonly enable?: boolean | undefined;
  /** Time between two refreshes [s]; 0: that of --refresh-period, by default 20. Default: `0`. */
  readonly period?: number | undefined;
}

/** Result of auto_refresh. */
export type AutoRefreshResult = NoMembers;

/** Parameters of backup_wallet. */
export type BackupWalletParams = NoMembers;

/** Result of backup_wallet. */
export interface BackupWalletResult {
  /** Directory of the copy. */
  readonly directory: string;
  /** Number of blocks known to the copy. */
  readonly height: number;
  /** Size of the copy [bytes]. */
  readonly bytes: number;
}

/** Parameters of cancel_payment_request. */
export interface CancelPaymentRequestParams {
  /** Id of the request. */
  readonly request_id?: string | undefined;
  /** Address of the request, in place of its id. */
  readonly address?: string | undefined;
  /** Reference of the request, in place of its id. */
  readonly reference?: string | undefined;
}

export interface AddressIndex {
  /** Index of the account. */
  readonly major: number;
  /** Index of the address in its account. */
  readonly minor: number;
}

export interface PaymentRequestPrice {
  /** Code of the currency. */
  readonly currency: string;
  /** Decimal number of units of the currency. */
  readonly amount: string;
  /** Decimal number of units of the currency for one XMR. */
  readonly rate: string;
  /** Time of the rate [Unix s]. */
  readonly rate_time: number;
  /** Origin of the rate, given by the client. */
  readonly source?: string;
}

export interface PaymentRequestZeroConf {
  /** Largest requested amount for which the rule holds. */
  readonly max_amount: bigint;
  /** Least time in the mempool [s]. */
  readonly min_seconds: number;
  /** Least number of listed nodes whose mempools contain the payment. */
  readonly min_nodes: number;
  /** Least priority of its fee, 1 to 4; 0: any fee. */
  readonly min_priority: number;
}

export interface PaymentRequestRefunds {
  /** Id of the refund, and of its payout. */
  readonly refund_id: string;
  /** Money that is returned; amount: a given amount. */
  readonly kind: 'excess' | 'late' | 'all' | 'amount';
  /** Amount that the customer is owed. */
  readonly amount: bigint;
  /** Address that is paid. */
  readonly address: string;
  /** State of its payout. */
  readonly state: PayoutState;
  /** Time of creation [Unix s]. */
  readonly created_at: number;
  /** Transaction that pays it. */
  readonly tx_hash?: string;
}

export interface RequestPayment {
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Sum that the transaction pays to the address. */
  readonly amount: bigint;
  /** Height of its block; 0 if it is not mined. */
  readonly height: number;
  /** Number of blocks from its block to the tip; 0 if it is not mined. */
  readonly confirmations: number;
  /** Time at which it arrived, as recorded at its first sight in the mempool or a block [Unix s]. */
  readonly timestamp: number;
  /** Height or Unix time [s] at which it unlocks; 0: no lock of its own. */
  readonly unlock_time: bigint;
  /** Its unlock time has not passed: it does not count yet. */
  readonly locked: boolean;
  /** It arrived after the end of the request. */
  readonly late: boolean;
  /** The mempool has seen another transaction with the same inputs. */
  readonly double_spend_seen: boolean;
  /** Number of these blocks whose proof of work is verified; absent without --verify-work. */
  readonly verified_confirmations?: number;
  /** It met the rule zero_conf of the request, and has counted since then; absent: no. */
  readonly accepted_unmined?: boolean;
  /** Number of listed nodes whose mempools contained it at the last look; with zero_conf alone. */
  readonly seen_by?: number;
  /** Time since its arrival while it is unmined [s]; with zero_conf alone. */
  readonly seconds_in_pool?: number;
  /** Priority of its fee, 1 to 4; 0: below the lowest fee rate; with zero_conf alone. */
  readonly priority?: number;
}

export interface PaymentRequest {
  /** Id of the request. */
  readonly request_id: string;
  /** Address to pay, which no other request has. */
  readonly address: string;
  /** Index of the address. */
  readonly subaddr_index: AddressIndex;
  /** URI that wallets open, with amount and label. */
  readonly uri: string;
  /** Address of its pay page; absent if there are no pay pages. */
  readonly pay_url?: string;
  /** Requested amount; absent: an open request, which is never paid. */
  readonly amount?: bigint;
  /** Difference to the amount that counts as none. */
  readonly tolerance: bigint;
  /** Number of confirmations that its payments need; 0: the mempool is enough. */
  readonly confirmations: number;
  /** Time of creation [Unix s]. */
  readonly created_at: number;
  /** Time after which payments are late [Unix s]; absent: never. */
  readonly expires_at?: number;
  /** Time of its cancellation [Unix s]; absent: it is not cancelled. */
  readonly cancelled_at?: number;
  /** Time of the latest change of terms, state or refunds [Unix s]. */
  readonly changed_at: number;
  /**
   * waiting: no payment; partial: too little; seen: enough, not all mined; confirming: enough, with too few
   * confirmations; paid; expired and cancelled: too little until its end.
   */
  readonly state: 'waiting' | 'partial' | 'seen' | 'confirming' | 'paid' | 'expired' | 'cancelled';
  /** Label of the address; empty: none. */
  readonly label: string;
  /** Reference given by the client. */
  readonly reference?: string;
  /** Metadata given by the client. */
  readonly metadata?: JsonObject;
  /** Page to which the pay page leads back. */
  readonly return_url?: string;
  /** The pay page leads back by itself after the payment. */
  readonly return?: 'auto';
  readonly price?: PaymentRequestPrice;
  readonly zero_conf?: PaymentRequestZeroConf;
  /** Language of the pay page; absent: that of its visitor. */
  readonly locale?: string;
  /** The customer may give an address for refunds on the pay page; absent: no. */
  readonly asks_refund_address?: boolean;
  /** Address for refunds, given by merchant or customer. */
  readonly refund_address?: string;
  /** Refunds that are paid or still may be. */
  readonly refunded: bigint;
  /** Amount that may still be refunded, that of the goods too: mined, confirmed and not refunded. */
  readonly refundable: bigint;
  /** Refunds, the oldest first. */
  readonly refunds: readonly PaymentRequestRefunds[];
  /** Mined payments in time, without locked ones. */
  readonly received: bigint;
  /** Payments in the mempool in time, without locked ones. */
  readonly received_unconfirmed: bigint;
  /** Payments in time that an unlock time locks. */
  readonly received_locked: bigint;
  /** Amount that received and received_unconfirmed lack. */
  readonly missing: bigint;
  /** Amount by which received and received_unconfirmed exceed the requested amount. */
  readonly excess: bigint;
  /** Payments after its end. */
  readonly late: bigint;
  /** Payments to the address, in the order of their blocks. */
  readonly payments: readonly RequestPayment[];
  /**
   * Present while new blocks do not count yet: their proof of work is not verified (--verify-work), or too
   * few nodes name them (--daemon-quorum).
   */
  readonly waiting_for?: 'work' | 'nodes';
  /**
   * The wallet has all blocks of the daemon; otherwise payments may be missing, but a state of paid holds.
   */
  readonly synced: boolean;
}

/** Result of cancel_payment_request. */
export type CancelPaymentRequestResult = PaymentRequest;

/** Parameters of cancel_payouts. */
export interface CancelPayoutsParams {
  /** Ids of the payouts, 1 to 1000. */
  readonly payout_ids?: readonly string[] | undefined;
}

/** Result of cancel_payouts. */
export interface CancelPayoutsResult {
  /** Result of each payout, in their order. */
  readonly results: readonly PayoutOutcome[];
}

/** Parameters of change_wallet_password. */
export interface ChangeWalletPasswordParams {
  /** Password of the wallet. */
  readonly old_password?: string | undefined;
  /** New password. */
  readonly new_password?: string | undefined;
}

/** Result of change_wallet_password. */
export type ChangeWalletPasswordResult = NoMembers;

/** Parameters of check_reserve_proof. */
export interface CheckReserveProofParams {
  /** Primary address of the wallet that made the proof. */
  readonly address?: string | undefined;
  /** Text that the proof is bound to; empty: none. */
  readonly message?: string | undefined;
  /** Proof, beginning with ReserveProof. */
  readonly signature?: string | undefined;
}

/** Result of check_reserve_proof. */
export interface CheckReserveProofResult {
  /** The proof is valid. */
  readonly good: boolean;
  /** Part of the amount that was spent since. */
  readonly spent?: bigint;
  /** Amount that the proof shows. */
  readonly total?: bigint;
}

/** Parameters of check_spend_proof. */
export interface CheckSpendProofParams {
  /** Transaction hash. */
  readonly txid?: string | undefined;
  /** Text that the proof is bound to; empty: none. */
  readonly message?: string | undefined;
  /** Proof, beginning with SpendProof. */
  readonly signature?: string | undefined;
}

/** Result of check_spend_proof. */
export interface CheckSpendProofResult {
  /** The proof is valid. */
  readonly good: boolean;
}

/** Parameters of check_tx_key. */
export interface CheckTxKeyParams {
  /** Transaction hash. */
  readonly txid?: string | undefined;
  /** Secret key of the transaction as 64 hex digits, then the additional ones. */
  readonly tx_key?: string | undefined;
  /** Address of the receiver. */
  readonly address?: string | undefined;
}

/** Result of check_tx_key. */
export interface CheckTxKeyResult {
  /** Number of blocks from its block to the tip; 0 in the mempool. */
  readonly confirmations: number;
  /** The transaction is in the mempool. */
  readonly in_pool: boolean;
  /** Amount that the address received. */
  readonly received: bigint;
  /** Number of these blocks whose proof of work is verified; absent without --verify-work. */
  readonly verified_confirmations?: number;
}

/** Parameters of check_tx_proof. */
export interface CheckTxProofParams {
  /** Transaction hash. */
  readonly txid?: string | undefined;
  /** Address of the receiver. */
  readonly address?: string | undefined;
  /** Text that the proof is bound to; empty: none. */
  readonly message?: string | undefined;
  /** Proof, beginning with OutProof or InProof. */
  readonly signature?: string | undefined;
}

/** Result of check_tx_proof. */
export interface CheckTxProofResult {
  /** Number of blocks from its block to the tip; 0 in the mempool. */
  readonly confirmations: number;
  /** The transaction is in the mempool. */
  readonly in_pool: boolean;
  /** Amount that the address received. */
  readonly received: bigint;
  /** Number of these blocks whose proof of work is verified; absent without --verify-work. */
  readonly verified_confirmations?: number;
  /** The proof is valid. */
  readonly good: boolean;
}

/** Parameters of close_wallet. */
export interface CloseWalletParams {
  /** Ignored: the wallet is always stored. Default: `true`. */
  readonly autosave_current?: boolean | undefined;
}

/** Result of close_wallet. */
export type CloseWalletResult = NoMembers;

/** Parameters of create_account. */
export interface CreateAccountParams {
  /** Label of the new account; empty: none. */
  readonly label?: string | undefined;
}

/** Result of create_account. */
export interface CreateAccountResult {
  /** Index of the new account. */
  readonly account_index: number;
  /** Address 0 of the new account. */
  readonly address: string;
  /** Number of accounts left out before it, since an older copy of the wallet may lack them; absent: none. */
  readonly skipped_accounts?: number;
}

/** Parameters of create_address. */
export interface CreateAddressParams {
  /** Index of the account. Default: `0`. */
  readonly account_index?: number | undefined;
  /** Number of addresses, 1 to 65536. Default: `1`. */
  readonly count?: number | undefined;
  /** Label of each new address; empty: none. */
  readonly label?: string | undefined;
}

/** Result of create_address. */
export interface CreateAddressResult {
  /** First new address. */
  readonly address: string;
  /** Index of the first new address. */
  readonly address_index: number;
  /** All new addresses. */
  readonly addresses: readonly string[];
  /** Indices of all new addresses. */
  readonly address_indices: readonly number[];
  /**
   * Number of addresses left out before the new ones, since the wallet may have given them out before it was
   * restored; absent: none.
   */
  readonly skipped_addresses?: number;
}

export interface CreatePaymentRequestPrice {
  /** Code of the currency, such as EUR. */
  readonly currency: string;
  /** Price as a decimal number in a text, such as "19.90". */
  readonly amount: string;
  /** Units of the currency for one XMR, as a decimal number in a text. */
  readonly rate: string;
  /** Time of the rate [Unix s]. */
  readonly rate_time: number;
  /** Origin of the rate. */
  readonly source?: string | undefined;
}

export interface CreatePaymentRequestZeroConf {
  /** Largest amount of a request to which the rule applies [atomic units]. */
  readonly max_amount: bigint | number;
  /** Least time in the mempool [s]. Default: `0`. */
  readonly min_seconds?: number | undefined;
  /** Least number of nodes of --daemon-address whose mempools contain it. Default: `1`. */
  readonly min_nodes?: number | undefined;
  /** Least priority of its fee, 1 to 4; 0: any fee. Default: `1`. */
  readonly min_priority?: number | undefined;
}

/** Parameters of create_payment_request. */
export interface CreatePaymentRequestParams {
  /** Requested amount [atomic units]; absent: an open request, which counts payments. */
  readonly amount?: bigint | number | undefined;
  /** Time until the expiry [s], up to ten years; absent: no expiry. */
  readonly expires_in?: number | undefined;
  /** Time of the expiry [Unix s], in place of expires_in. */
  readonly expires_at?: number | undefined;
  /** Account that gets the address. Default: `0`. */
  readonly account_index?: number | undefined;
  /**
   * Number of confirmations that payments need, up to 10000; 0 or less than --confirmations-by-amount: the
   * number there. Default: `0`.
   */
  readonly confirmations?: number | undefined;
  /** Difference to the amount that counts as none [atomic units], less than the amount. Default: `0`. */
  readonly tolerance?: bigint | number | undefined;
  /** Label of the address, part of the URI; empty: none. */
  readonly label?: string | undefined;
  /** Name of the request in your system, unique in the wallet. */
  readonly reference?: string | undefined;
  /** JSON object that is returned unchanged, at most 4096 bytes. */
  readonly metadata?: JsonObject | undefined;
  /** https page to which the pay page leads back; outside mainnet also http://localhost; absent: none. */
  readonly return_url?: string | undefined;
  /**
   * link: the visitor goes back by a button; auto: also by itself, some seconds after the payment. Default:
   * `"link"`.
   */
  readonly return?: 'link' | 'auto' | undefined;
  /** Price in another currency, which the amount must fit within the tolerance; absent: none. */
  readonly price?: CreatePaymentRequestPrice | undefined;
  /**
   * Payments in the mempool that meet this rule count at once; others, and those that another transaction
   * contests, wait for a block; absent: the confirmations alone decide.
   */
  readonly zero_conf?: CreatePaymentRequestZeroConf | undefined;
  /** Language of the pay page (BCP 47); absent: that of its visitor. */
  readonly locale?: string | undefined;
  /** ask: the customer may give an address for refunds on the pay page. Default: `"none"`. */
  readonly refunds?: 'none' | 'ask' | undefined;
  /** Address for refunds; absent: none is known. */
  readonly refund_address?: string | undefined;
  /** Key of the call: a repeated call returns the same request. */
  readonly idempotency_key?: string | undefined;
}

/** Result of create_payment_request. */
export interface CreatePaymentRequestResult {
  /** Id of the request. */
  readonly request_id: string;
  /** Address to pay, which no other request has. */
  readonly address: string;
  /** Index of the address. */
  readonly subaddr_index: AddressIndex;
  /** URI that wallets open, with amount and label. */
  readonly uri: string;
  /** Address of its pay page; absent if there are no pay pages. */
  readonly pay_url?: string;
  /** Requested amount; absent: an open request, which is never paid. */
  readonly amount?: bigint;
  /** Difference to the amount that counts as none. */
  readonly tolerance: bigint;
  /** Number of confirmations that its payments need; 0: the mempool is enough. */
  readonly confirmations: number;
  /** Time of creation [Unix s]. */
  readonly created_at: number;
  /** Time after which payments are late [Unix s]; absent: never. */
  readonly expires_at?: number;
  /** Time of its cancellation [Unix s]; absent: it is not cancelled. */
  readonly cancelled_at?: number;
  /** Time of the latest change of terms, state or refunds [Unix s]. */
  readonly changed_at: number;
  /**
   * waiting: no payment; partial: too little; seen: enough, not all mined; confirming: enough, with too few
   * confirmations; paid; expired and cancelled: too little until its end.
   */
  readonly state: 'waiting' | 'partial' | 'seen' | 'confirming' | 'paid' | 'expired' | 'cancelled';
  /** Label of the address; empty: none. */
  readonly label: string;
  /** Reference given by the client. */
  readonly reference?: string;
  /** Metadata given by the client. */
  readonly metadata?: JsonObject;
  /** Page to which the pay page leads back. */
  readonly return_url?: string;
  /** The pay page leads back by itself after the payment. */
  readonly return?: 'auto';
  readonly price?: PaymentRequestPrice;
  readonly zero_conf?: PaymentRequestZeroConf;
  /** Language of the pay page; absent: that of its visitor. */
  readonly locale?: string;
  /** The customer may give an address for refunds on the pay page; absent: no. */
  readonly asks_refund_address?: boolean;
  /** Address for refunds, given by merchant or customer. */
  readonly refund_address?: string;
  /** Refunds that are paid or still may be. */
  readonly refunded: bigint;
  /** Amount that may still be refunded, that of the goods too: mined, confirmed and not refunded. */
  readonly refundable: bigint;
  /** Refunds, the oldest first. */
  readonly refunds: readonly PaymentRequestRefunds[];
  /** Mined payments in time, without locked ones. */
  readonly received: bigint;
  /** Payments in the mempool in time, without locked ones. */
  readonly received_unconfirmed: bigint;
  /** Payments in time that an unlock time locks. */
  readonly received_locked: bigint;
  /** Amount that received and received_unconfirmed lack. */
  readonly missing: bigint;
  /** Amount by which received and received_unconfirmed exceed the requested amount. */
  readonly excess: bigint;
  /** Payments after its end. */
  readonly late: bigint;
  /** Payments to the address, in the order of their blocks. */
  readonly payments: readonly RequestPayment[];
  /**
   * Present while new blocks do not count yet: their proof of work is not verified (--verify-work), or too
   * few nodes name them (--daemon-quorum).
   */
  readonly waiting_for?: 'work' | 'nodes';
  /**
   * The wallet has all blocks of the daemon; otherwise payments may be missing, but a state of paid holds.
   */
  readonly synced: boolean;
  /**
   * Number of addresses left out before the new ones, since the wallet may have given them out before it was
   * restored; absent: none.
   */
  readonly skipped_addresses?: number;
}

export interface NewPayout {
  /** Name of the payout in your system, unique in the wallet; the key by which it is paid once. */
  readonly payout_id: string;
  /** Address of the payee. */
  readonly address: string;
  /** Amount that the payee is owed [atomic units]. */
  readonly amount: bigint | number;
  /**
   * Side that pays its share of the fee: wallet in addition, payee out of the amount. Default: `"wallet"`.
   */
  readonly fee?: 'wallet' | 'payee' | undefined;
  /** Largest share of the fee; above it the payout waits; absent: any. */
  readonly max_fee?: bigint | number | undefined;
  /** Priority from 0 to 4; 0: by the state of chain and pool. Default: `0`. */
  readonly priority?: number | undefined;
  /** The address may be one of this wallet. Default: `false`. */
  readonly allow_own?: boolean | undefined;
  /** Time before which it is not sent [Unix s]. */
  readonly not_before?: number | undefined;
  /** Time from which it is not sent any more [Unix s]. */
  readonly expires_at?: number | undefined;
  /** Further name in your system, which other payouts may have. */
  readonly reference?: string | undefined;
  /** JSON object that is returned unchanged, at most 4096 bytes. */
  readonly metadata?: JsonObject | undefined;
}

/** Parameters of create_payouts. */
export interface CreatePayoutsParams {
  /** Payouts, 1 to 1000. */
  readonly payouts?: readonly NewPayout[] | undefined;
  /** Account that pays. Default: `0`. */
  readonly account_index?: number | undefined;
}

/** Result of create_payouts. */
export interface CreatePayoutsResult {
  /** Result of each payout, in their order. */
  readonly results: readonly PayoutOutcome[];
}

/** Parameters of create_wallet. */
export interface CreateWalletParams {
  /** Name of the new wallet in the wallet directory; empty: a wallet in memory only. */
  readonly filename?: string | undefined;
  /** Password of the new wallet. */
  readonly password?: string | undefined;
  /** Language of the mnemonic seed, by its English or its native name; required. */
  readonly language?: string | undefined;
  /** Kind of the seed: electrum has 25 words, polyseed 16; absent: as polyseed says. */
  readonly seed_type?: 'electrum' | 'polyseed' | undefined;
  /**
   * The seed is a Polyseed of 16 words, in a language of get_languages with polyseed; false: 25 words.
   * Default: `false`.
   */
  readonly polyseed?: boolean | undefined;
  /**
   * Kind of keys of the account: legacy, those that every account has had; carrot, those of the next fork
   * (docs/fork.md), with --fork-rules alone. Default: `"legacy"`.
   */
  readonly key_hierarchy?: 'legacy' | 'carrot' | undefined;
}

/** Result of create_wallet. */
export type CreateWalletResult = NoMembers;

/** Parameters of delete_address_book. */
export interface DeleteAddressBookParams {
  /** Index of the entry. Default: `0`. */
  readonly index?: number | undefined;
}

/** Result of delete_address_book. */
export type DeleteAddressBookResult = NoMembers;

/** Parameters of describe_transfer. */
export interface DescribeTransferParams {
  /** Set of unsigned transactions in hex. */
  readonly unsigned_txset?: string | undefined;
  /** Set of multisig transactions in hex; ignored beside an unsigned one. */
  readonly multisig_txset?: string | undefined;
}

export interface TransferRecipient {
  /** Address of the recipient. */
  readonly address: string;
  /** Amount that it gets. */
  readonly amount: bigint;
}

export interface TransferSource {
  /** Amount of the output. */
  readonly amount: bigint;
  /** Index of the output in the chain. */
  readonly global_index: number;
  /** The amount is hidden. */
  readonly rct: boolean;
  /** Public key of the output. */
  readonly pubkey: string;
}

export interface TransferDescription {
  /** Sum of the inputs. */
  readonly amount_in: bigint;
  /** Sum of the outputs, change included. */
  readonly amount_out: bigint;
  /** Payments without change. */
  readonly recipients: readonly TransferRecipient[];
  /** Amount that returns to the wallet. */
  readonly change_amount: bigint;
  /** Address of the change; empty without change. */
  readonly change_address: string;
  /** Fee. */
  readonly fee: bigint;
  /** Size of the smallest ring. */
  readonly ring_size: number;
  /** Height or Unix time [s] of the lock of its outputs; 0: none. */
  readonly unlock_time: bigint;
  /** Outputs that are spent. */
  readonly sources: readonly TransferSource[];
  /** Payment id; empty if there is none. */
  readonly payment_id: string;
  /** Number of outputs with amount 0. */
  readonly dummy_outputs: number;
  /** Field extra of the transaction. */
  readonly extra: string;
  /** Weight of the transaction; absent for an unsigned one. */
  readonly weight?: number;
}

export interface TransferSummary {
  /** Sum of the inputs. */
  readonly amount_in: bigint;
  /** Sum of the outputs, change included. */
  readonly amount_out: bigint;
  /** Payments without change. */
  readonly recipients: readonly TransferRecipient[];
  /** Amount that returns to the wallet. */
  readonly change_amount: bigint;
  /** Address of the change; empty without change. */
  readonly change_address: string;
  /** Fee. */
  readonly fee: bigint;
}

/** Result of describe_transfer. */
export interface DescribeTransferResult {
  /** Transactions of the set. */
  readonly desc: readonly TransferDescription[];
  /** Totals of the set. */
  readonly summary: TransferSummary;
}

/** Parameters of edit_address_book. */
export interface EditAddressBookParams {
  /** Index of the entry. Default: `0`. */
  readonly index?: number | undefined;
  /** Replaces the address by address. Default: `false`. */
  readonly set_address?: boolean | undefined;
  /** New address of any kind, or an OpenAlias name. */
  readonly address?: string | undefined;
  /** Replaces the payment id by payment_id. Default: `false`. */
  readonly set_payment_id?: boolean | undefined;
  /** New payment id as 16 hex digits; empty or zeros: none. */
  readonly payment_id?: string | undefined;
  /** Replaces the description by description. Default: `false`. */
  readonly set_description?: boolean | undefined;
  /** New description. */
  readonly description?: string | undefined;
}

/** Result of edit_address_book. */
export type EditAddressBookResult = NoMembers;

/** Parameters of enable_webhook. */
export interface EnableWebhookParams {
  /** Id of the endpoint. */
  readonly id: string;
  /** Name of an open wallet, for requests to /json_rpc; absent: the wallet of the request. */
  readonly wallet?: string | undefined;
}

/** Result of enable_webhook. */
export type EnableWebhookResult = NoMembers;

/** Parameters of estimate_payouts. */
export interface EstimatePayoutsParams {
  /** Further payouts, up to 1000. */
  readonly payouts?: readonly NewPayout[] | undefined;
  /** Account that pays. Default: `0`. */
  readonly account_index?: number | undefined;
}

export interface EstimatePayoutsBatches {
  /** Payouts of the batch. */
  readonly payout_ids: readonly string[];
  /** Sum that the payees are owed. */
  readonly amount: bigint;
  /** Estimate of the fee. */
  readonly fee: bigint;
  /** Number of outputs that it spends. */
  readonly inputs: number;
}

export interface EstimatePayoutsWaiting {
  /** Id of the payout. */
  readonly payout_id: string;
  readonly waiting_for: PayoutWait;
}

export interface EstimatePayoutsRefused {
  /** Id of the payout. */
  readonly payout_id: string;
  readonly error: PayoutError;
}

/** Result of estimate_payouts. */
export interface EstimatePayoutsResult {
  /** Batches that would leave now. */
  readonly batches: readonly EstimatePayoutsBatches[];
  /** Payouts that would wait. */
  readonly waiting: readonly EstimatePayoutsWaiting[];
  /** Payouts of the call that create_payouts would refuse. */
  readonly refused: readonly EstimatePayoutsRefused[];
  /** Sum of the fees. */
  readonly fee: bigint;
}

/** Parameters of estimate_tx_size_and_weight. */
export interface EstimateTxSizeAndWeightParams {
  /** Number of inputs, at least 1. Default: `0`. */
  readonly n_inputs?: number | undefined;
  /** Number of outputs; 1 counts as 2. Default: `0`. */
  readonly n_outputs?: number | undefined;
  /** Size of the rings; 0: that of the network. Default: `0`. */
  readonly ring_size?: number | undefined;
  /** Amounts are hidden; false: a transaction from before RingCT. Default: `true`. */
  readonly rct?: boolean | undefined;
}

/** Result of estimate_tx_size_and_weight. */
export interface EstimateTxSizeAndWeightResult {
  /** Size [bytes]. */
  readonly size: number;
  /** Weight. */
  readonly weight: number;
}

/** Parameters of exchange_multisig_keys. */
export interface ExchangeMultisigKeysParams {
  /** Messages of the other signers for this round. */
  readonly multisig_info?: readonly string[] | undefined;
  /** Password of the wallet; absent: not checked. */
  readonly password?: string | undefined;
  /** Completes the round with the messages of some signers only. Default: `false`. */
  readonly force_update_use_with_caution?: boolean | undefined;
}

/** Result of exchange_multisig_keys. */
export interface ExchangeMultisigKeysResult {
  /** Address of the wallet; empty before the last round. */
  readonly address: string;
  /** Message for the next round; empty after the last one. */
  readonly multisig_info: string;
}

/** Parameters of export_key_images. */
export interface ExportKeyImagesParams {
  /**
   * Exports the key images of all outputs; false: from the first one that the last import_outputs asked for.
   * Default: `false`.
   */
  readonly all?: boolean | undefined;
}

export interface SignedKeyImage {
  /** Key image. */
  readonly key_image: string;
  /**
   * Signature by the one-time key of the output, 128 hex digits; 192 of an output in the form of the fork.
   */
  readonly signature: string;
}

/** Result of export_key_images. */
export interface ExportKeyImagesResult {
  /** Index of the first output. */
  readonly offset: number;
  /** Key images in the order of the outputs. */
  readonly signed_key_images: readonly SignedKeyImage[];
}

/** Parameters of export_multisig_info. */
export type ExportMultisigInfoParams = NoMembers;

/** Result of export_multisig_info. */
export interface ExportMultisigInfoResult {
  /** Multisig info, for import_multisig_info of the other signers. */
  readonly info: string;
}

/** Parameters of export_outputs. */
export interface ExportOutputsParams {
  /**
   * Exports from output start on; false: from the first output without a key image of the offline wallet.
   * Default: `false`.
   */
  readonly all?: boolean | undefined;
  /** Position of the first output, in the order of receipt. Default: `0`. */
  readonly start?: number | undefined;
  /** Largest number of outputs, at least 1; by default without a limit. Default: `4294967295`. */
  readonly count?: number | undefined;
}

/** Result of export_outputs. */
export interface ExportOutputsResult {
  /** Encrypted outputs. */
  readonly outputs_data_hex: string;
}

/** Parameters of export_payment_requests. */
export interface ExportPaymentRequestsParams {
  /** Earliest time of creation: Unix seconds, a date (00:00 UTC), or a time with its offset. */
  readonly from: bigint | number | string;
  /** Time before which the requests were created, in the same forms: later than from. */
  readonly to: bigint | number | string;
  /** Form of the answer. Default: `"json"`. */
  readonly format?: 'json' | 'csv' | undefined;
}

/** Result of export_payment_requests. */
export interface ExportPaymentRequestsResult {
  /** Requests with format json, the oldest first; none with csv. */
  readonly requests: readonly PaymentRequest[];
  /** Requests as CSV (RFC 4180), with the names of the columns; with format csv alone. */
  readonly csv?: string;
}

/** Parameters of export_payments. */
export interface ExportPaymentsParams {
  /**
   * Earliest time of an exported payment: Unix seconds, a date (00:00 UTC), or a time with its offset from
   * UTC.
   */
  readonly from: bigint | number | string;
  /** Time before which exported payments lie, in the same forms: later than from. */
  readonly to: bigint | number | string;
  /**
   * Form of the answer; koinly, cointracking, journal and ledger contain mined payments alone. Default:
   * `"json"`.
   */
  readonly format?: 'csv' | 'json' | 'koinly' | 'cointracking' | 'journal' | 'ledger' | undefined;
  /** Account of the payments; absent: all accounts. */
  readonly account_index?: number | undefined;
}

export interface PaidDestination {
  /** Address paid. */
  readonly address: string;
  /** Amount paid. */
  readonly amount: bigint;
}

export interface ExportedPayment {
  /** Time of its block; while it is not mined, time at which it was seen or made [Unix s]. */
  readonly timestamp: number;
  /** Height of its block; 0 if it is not mined. */
  readonly height: number;
  /** Transaction hash. */
  readonly tx_hash: string;
  /** in: a payment to this wallet; out: a payment of this wallet. */
  readonly direction: 'in' | 'out';
  /**
   * mined; pool: incoming, in the mempool; pending: outgoing, not in a block; failed: outgoing, it will not
   * be mined.
   */
  readonly state: 'mined' | 'pool' | 'pending' | 'failed';
  /** Amount received, or paid to others than the paying account, without the fee. */
  readonly amount: bigint;
  /** Fee that this wallet paid; 0 for an incoming payment. */
  readonly fee: bigint;
  /** Receiving address of an incoming payment; empty for an outgoing one. */
  readonly address: string;
  /** Recorded recipients of an outgoing payment. */
  readonly destinations: readonly PaidDestination[];
  /** Label of the receiving address; empty: none. */
  readonly label: string;
  /** Reference of the payment request for the receiving address; empty: none. */
  readonly reference: string;
  /** Idempotency key of the order that made an outgoing payment; empty: none. */
  readonly idempotency_key: string;
  /** Payouts that an outgoing payment pays. */
  readonly payout_ids: readonly string[];
  /** Account that was paid, or that paid. */
  readonly account_index: number;
}

/** Result of export_payments. */
export interface ExportPaymentsResult {
  /** Payments with format json; none with the others. */
  readonly payments: readonly ExportedPayment[];
  /** Payments as CSV (RFC 4180), with the names of the columns; absent with formats json and ledger. */
  readonly csv?: string;
  /** Double entries for ledger and hledger; with format ledger alone. */
  readonly ledger?: string;
  /** The wallet has all blocks of the daemon; otherwise payments may be missing. */
  readonly synced: boolean;
}

/** Parameters of export_payout_batches. */
export type ExportPayoutBatchesParams = NoMembers;

export interface BatchedPayout {
  /** Id of the payout. */
  readonly payout_id: string;
  /** Address of the payee. */
  readonly address: string;
  /** Amount that the payee receives. */
  readonly received: bigint;
  /** Its share of the fee. */
  readonly fee_share: bigint;
}

export interface PayoutBatch {
  /** Idempotency key of its order. */
  readonly batch_id: string;
  /** Account that pays. */
  readonly account_index: number;
  /** Time of creation [Unix s]. */
  readonly created_at: number;
  /** Time until which the set may be signed [Unix s]. */
  readonly expires_at: number;
  /** Set for sign_transfer, and for describe_transfer. */
  readonly unsigned_txset: string;
  /** Sum that the payees receive. */
  readonly amount: bigint;
  /** Fee. */
  readonly fee: bigint;
  /** Payouts of the batch. */
  readonly payouts: readonly BatchedPayout[];
}

/** Result of export_payout_batches. */
export interface ExportPayoutBatchesResult {
  /** Batches, the oldest first. */
  readonly batches: readonly PayoutBatch[];
}

/** Parameters of export_payouts. */
export interface ExportPayoutsParams {
  /** Earliest time of creation: Unix seconds, a date (00:00 UTC), or a time with its offset. */
  readonly from: bigint | number | string;
  /** Time before which the payouts were created, in the same forms: later than from. */
  readonly to: bigint | number | string;
  /** Form of the answer. Default: `"json"`. */
  readonly format?: 'json' | 'csv' | undefined;
}

/** Result of export_payouts. */
export interface ExportPayoutsResult {
  /** Payouts with format json, the oldest first; none with csv. */
  readonly payouts: readonly Payout[];
  /** Payouts as CSV (RFC 4180), with the names of the columns; with format csv alone. */
  readonly csv?: string;
}

/** Parameters of extend_payment_request. */
export interface ExtendPaymentRequestParams {
  /** Id of the request. */
  readonly request_id?: string | undefined;
  /** Address of the request, in place of its id. */
  readonly address?: string | undefined;
  /** Reference of the request, in place of its id. */
  readonly reference?: string | undefined;
  /** Time from now until the expiry [s], up to ten years. */
  readonly expires_in?: number | undefined;
  /** Time of the expiry [Unix s], in place of expires_in. */
  readonly expires_at?: number | undefined;
}

/** Result of extend_payment_request. */
export type ExtendPaymentRequestResult = PaymentRequest;

/** Parameters of finalize_multisig. */
export interface FinalizeMultisigParams {
  /** Messages of the other signers for this round. */
  readonly multisig_info?: readonly string[] | undefined;
  /** Password of the wallet; absent: not checked. */
  readonly password?: string | undefined;
  /** Completes the round with the messages of some signers only. Default: `false`. */
  readonly force_update_use_with_caution?: boolean | undefined;
}

/** Result of finalize_multisig. */
export interface FinalizeMultisigResult {
  /** Address of the wallet; final after the last round. */
  readonly address: string;
  /** Message for the next round; empty after the last one. */
  readonly multisig_info: string;
}

/** Parameters of freeze. */
export interface FreezeParams {
  /** Key image of the output as 64 hex digits. */
  readonly key_image?: string | undefined;
}

/** Result of freeze. */
export type FreezeResult = NoMembers;

/** Parameters of frozen. */
export interface FrozenParams {
  /** Key image of the output as 64 hex digits. */
  readonly key_image?: string | undefined;
}

/** Result of frozen. */
export interface FrozenResult {
  /** The output is frozen. */
  readonly frozen: boolean;
}

/** Parameters of generate_from_keys. */
export interface GenerateFromKeysParams {
  /** Name of the new wallet in the wallet directory; empty: a wallet in memory only. */
  readonly filename?: string | undefined;
  /** Password of the new wallet. */
  readonly password?: string | undefined;
  /** Primary address; empty: derived from the spend key. */
  readonly address?: string | undefined;
  /** Secret view key as 64 hex digits; empty: derived from the spend key. */
  readonly viewkey?: string | undefined;
  /** Secret spend key as 64 hex digits; empty: the wallet is view-only. */
  readonly spendkey?: string | undefined;
  /** Master secret of an account of the next fork, as 64 hex digits. */
  readonly master_secret?: string | undefined;
  /**
   * View-balance secret of an account of the next fork, as 64 hex digits, with partial_spend_key: the wallet
   * sees all.
   */
  readonly balance_secret?: string | undefined;
  /** Partial spend key of the account, as 64 hex digits, which query_key gives. */
  readonly partial_spend_key?: string | undefined;
  /**
   * Generate-address secret of an account of the next fork, as 64 hex digits, with address and either
   * viewkey, so that the wallet sees payments, or account_view_key, so that it makes addresses alone.
   */
  readonly address_secret?: string | undefined;
  /** Account view key of the account, as 64 hex digits, which query_key gives. */
  readonly account_view_key?: string | undefined;
  /** Height of the first block to scan. Default: `0`. */
  readonly restore_height?: number | undefined;
  /**
   * Date of the first block to scan, YYYY-MM-DD in UTC, in place of restore_height; absent: restore_height.
   */
  readonly restore_date?: string | undefined;
  /** Language of the mnemonic seed, by its English or its native name. */
  readonly language?: string | undefined;
  /** Ignored: the previous wallet is always stored. Default: `true`. */
  readonly autosave_current?: boolean | undefined;
}

/** Result of generate_from_keys. */
export interface GenerateFromKeysResult {
  /** Primary address. */
  readonly address: string;
  /** Message for users. */
  readonly info: string;
}

/** Parameters of get_account_tags. */
export type GetAccountTagsParams = NoMembers;

export interface AccountTag {
  /** The tag. */
  readonly tag: string;
  /** Description of the tag. */
  readonly label: string;
  /** Accounts with the tag. */
  readonly accounts: readonly number[];
}

/** Result of get_account_tags. */
export interface GetAccountTagsResult {
  /** Tags in alphabetical order. */
  readonly account_tags: readonly AccountTag[];
}

/** Parameters of get_accounts. */
export interface GetAccountsParams {
  /** Lists only accounts with this tag; empty: all accounts. */
  readonly tag?: string | undefined;
  /** Counts only outputs in blocks: neither unconfirmed payments nor unconfirmed change. Default: `false`. */
  readonly strict_balances?: boolean | undefined;
  /** The tag is a regular expression, which the whole tag of an account must match. Default: `false`. */
  readonly regexp?: boolean | undefined;
}

export interface Account {
  /** Index of the account. */
  readonly account_index: number;
  /** Address 0 of the account. */
  readonly base_address: string;
  /** Sum of unspent outputs. */
  readonly balance: bigint;
  /** Sum of outputs that can be spent now. */
  readonly unlocked_balance: bigint;
  /** Label of the account. */
  readonly label: string;
  /** Tag of the account; empty if it has none. */
  readonly tag: string;
}

/** Result of get_accounts. */
export interface GetAccountsResult {
  /** Accounts in the order of their indices. */
  readonly subaddress_accounts: readonly Account[];
  /** Sum of the balances. */
  readonly total_balance: bigint;
  /** Sum of the unlocked balances. */
  readonly total_unlocked_balance: bigint;
  /**
   * Present, and false, until the history of a restored or imported wallet is scanned, and while blocks are
   * read again for addresses that were not watched before: payments may be missing. An imported balance is
   * first that of its old cache.
   */
  readonly synced?: boolean;
  /**
   * Present while new blocks do not count yet: their proof of work is not verified (--verify-work), or too
   * few nodes name them (--daemon-quorum).
   */
  readonly waiting_for?: 'work' | 'nodes';
}

/** Parameters of get_address. */
export interface GetAddressParams {
  /** Index of the account. Default: `0`. */
  readonly account_index?: number | undefined;
  /** Indices of the addresses in the account; empty: all created ones. */
  readonly address_index?: readonly number[] | undefined;
}

export interface SubaddressEntry {
  /** The address. */
  readonly address: string;
  /** Index of the address in its account. */
  readonly address_index: number;
  /** Label of the address. */
  readonly label: string;
  /** The address has received an output. */
  readonly used: boolean;
}

/** Result of get_address. */
export interface GetAddressResult {
  /** Address 0 of the account. */
  readonly address: string;
  /** Addresses in the order of their indices. */
  readonly addresses: readonly SubaddressEntry[];
  /**
   * Present, and false, until the history of a restored or imported wallet is scanned, and while blocks are
   * read again for addresses that were not watched before: payments may be missing. An imported balance is
   * first that of its old cache.
   */
  readonly synced?: boolean;
  /**
   * Present while new blocks do not count yet: their proof of work is not verified (--verify-work), or too
   * few nodes name them (--daemon-quorum).
   */
  readonly waiting_for?: 'work' | 'nodes';
}

/** Parameters of get_address_book. */
export interface GetAddressBookParams {
  /** Indices of the entries to list; empty: all entries. */
  readonly entries?: readonly number[] | undefined;
}

export interface AddressBookEntry {
  /** Index of the entry. */
  readonly index: number;
  /** Address; integrated if the entry has a payment id. */
  readonly address: string;
  /** Description of the entry. */
  readonly description: string;
  /** Payment id as 16 hex digits; zeros if there is none (API version 1.3 only). */
  readonly payment_id?: string;
}

/** Result of get_address_book. */
export interface GetAddressBookResult {
  /** Entries in the order of their indices. */
  readonly entries: readonly AddressBookEntry[];
}

/** Parameters of get_address_index. */
export interface GetAddressIndexParams {
  /** Address of the wallet. */
  readonly address?: string | undefined;
}

/** Result of get_address_index. */
export interface GetAddressIndexResult {
  /** Account and address index. */
  readonly index: AddressIndex;
}

/** Parameters of get_attribute. */
export interface GetAttributeParams {
  /** Key of the attribute. */
  readonly key?: string | undefined;
}

/** Result of get_attribute. */
export interface GetAttributeResult {
  /** Text stored under the key. */
  readonly value: string;
}

/** Parameters of get_balance. */
export interface GetBalanceParams {
  /** Index of the account; ignored with all_accounts. Default: `0`. */
  readonly account_index?: number | undefined;
  /** Indices of the addresses to list, also those without a balance; empty: all with a balance. */
  readonly address_indices?: readonly number[] | undefined;
  /** Sums over all accounts, and lists addresses of all of them. Default: `false`. */
  readonly all_accounts?: boolean | undefined;
  /** Counts only outputs in blocks: neither unconfirmed payments nor unconfirmed change. Default: `false`. */
  readonly strict?: boolean | undefined;
}

export interface AddressBalance {
  /** Index of the account. */
  readonly account_index: number;
  /** Index of the address in its account. */
  readonly address_index: number;
  /** The address. */
  readonly address: string;
  /** Sum of unspent outputs. */
  readonly balance: bigint;
  /** Sum of outputs that can be spent now. */
  readonly unlocked_balance: bigint;
  /** Label of the address. */
  readonly label: string;
  /** Number of unspent outputs. */
  readonly num_unspent_outputs: number;
  /** Blocks until the last locked output unlocks. */
  readonly blocks_to_unlock: number;
  /** Time until the last output with a time lock unlocks [s]. */
  readonly time_to_unlock: number;
}

/** Result of get_balance. */
export interface GetBalanceResult {
  /** Sum of unspent outputs. */
  readonly balance: bigint;
  /** Sum of outputs that can be spent now. */
  readonly unlocked_balance: bigint;
  /** Multisig info of other signers must be imported before the next payment. */
  readonly multisig_import_needed: boolean;
  /** Balances of addresses. */
  readonly per_subaddress: readonly AddressBalance[];
  /** Blocks until the last locked output unlocks. */
  readonly blocks_to_unlock: number;
  /** Time until the last output with a time lock unlocks [s]. */
  readonly time_to_unlock: number;
  /**
   * Present, and false, until the history of a restored or imported wallet is scanned, and while blocks are
   * read again for addresses that were not watched before: payments may be missing. An imported balance is
   * first that of its old cache.
   */
  readonly synced?: boolean;
  /**
   * Present while new blocks do not count yet: their proof of work is not verified (--verify-work), or too
   * few nodes name them (--daemon-quorum).
   */
  readonly waiting_for?: 'work' | 'nodes';
}

/** Parameters of get_bulk_payments. */
export interface GetBulkPaymentsParams {
  /** Payment ids as 16 or 64 hex digits; empty: all payments. */
  readonly payment_ids?: readonly string[] | undefined;
  /** Lists payments above this height. Default: `0`. */
  readonly min_block_height?: number | undefined;
}

export interface Payment {
  /** Payment id as requested; as 64 hex digits if all were. */
  readonly payment_id: string;
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Amount received. */
  readonly amount: bigint;
  /** Height of its block. */
  readonly block_height: number;
  /** Height or Unix time [s] at which it unlocks; 0: no lock of its own. */
  readonly unlock_time: bigint;
  /** Its outputs cannot be spent yet. */
  readonly locked: boolean;
  /** Receiving address. */
  readonly subaddr_index: AddressIndex;
  /** Receiving address. */
  readonly address: string;
}

export interface Payments {
  /** Payments, oldest first. */
  readonly payments: readonly Payment[];
  /**
   * Present, and false, until the history of a restored or imported wallet is scanned, and while blocks are
   * read again for addresses that were not watched before: payments may be missing. An imported balance is
   * first that of its old cache.
   */
  readonly synced?: boolean;
  /**
   * Present while new blocks do not count yet: their proof of work is not verified (--verify-work), or too
   * few nodes name them (--daemon-quorum).
   */
  readonly waiting_for?: 'work' | 'nodes';
}

/** Result of get_bulk_payments. */
export type GetBulkPaymentsResult = Payments;

/** Parameters of get_default_fee_priority. */
export type GetDefaultFeePriorityParams = NoMembers;

/** Result of get_default_fee_priority. */
export interface GetDefaultFeePriorityResult {
  /** Fee priority, 1 to 4. */
  readonly priority: number;
}

export type EventType =
  | 'payment.seen'
  | 'payment.mined'
  | 'payment.confirmed'
  | 'payment.unlocked'
  | 'payment.reversed'
  | 'transfer.relayed'
  | 'transfer.mined'
  | 'transfer.failed'
  | 'output.spent'
  | 'output.unspent'
  | 'request.partial'
  | 'request.seen'
  | 'request.paid'
  | 'request.overpaid'
  | 'request.expired'
  | 'request.late'
  | 'request.reversed'
  | 'request.refund'
  | 'balance.low'
  | 'wallet.synced'
  | 'wallet.reorganised'
  | 'payout.awaiting_approval'
  | 'payout.queued'
  | 'payout.awaiting_signature'
  | 'payout.sending'
  | 'payout.sent'
  | 'payout.mined'
  | 'payout.confirmed'
  | 'payout.failed'
  | 'payout.cancelled'
  | 'payout.rejected'
  | 'payout.expired';

/** Parameters of get_events. */
export interface GetEventsParams {
  /** Cursor: id of the last event that the client has; absent: from the oldest kept event on. */
  readonly after?: number | undefined;
  /** Largest number of events. Default: `100`. */
  readonly limit?: number | undefined;
  /** Types of the events to return; empty: all types. */
  readonly types?: readonly EventType[] | undefined;
  /** Longest wait for an event if there is none [ms], up to 60000; 0: no wait. Default: `0`. */
  readonly wait_ms?: number | undefined;
}

export interface PaymentSeenEventData {
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Receiving address. */
  readonly address: string;
  /** Receiving address. */
  readonly subaddr_index: AddressIndex;
  /** Sum that the payment adds to the balance. */
  readonly amount: bigint;
  /** The payment is a miner reward. */
  readonly coinbase: boolean;
  /** Height or Unix time [s] at which it unlocks; 0: no lock of its own. */
  readonly unlock_time: bigint;
  /** Time of its block; in the mempool, of its first sight [Unix s]. */
  readonly tx_timestamp: number;
  /** Payment id as 16 or 64 hex digits; absent if there is none. */
  readonly payment_id?: string;
}

export interface PaymentSeenEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payment.seen';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PaymentSeenEventData;
}

export interface PaymentMinedEventData {
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Receiving address. */
  readonly address: string;
  /** Receiving address. */
  readonly subaddr_index: AddressIndex;
  /** Sum that the payment adds to the balance. */
  readonly amount: bigint;
  /** The payment is a miner reward. */
  readonly coinbase: boolean;
  /** Height or Unix time [s] at which it unlocks; 0: no lock of its own. */
  readonly unlock_time: bigint;
  /** Time of its block; in the mempool, of its first sight [Unix s]. */
  readonly tx_timestamp: number;
  /** Payment id as 16 or 64 hex digits; absent if there is none. */
  readonly payment_id?: string;
  /** Height of the block. */
  readonly height: number;
  /** Id of the event payment.seen that it replaces. */
  readonly seen?: number;
}

export interface PaymentMinedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payment.mined';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PaymentMinedEventData;
}

export interface PaymentConfirmedEventData {
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Receiving address. */
  readonly address: string;
  /** Receiving address. */
  readonly subaddr_index: AddressIndex;
  /** Sum that the payment adds to the balance. */
  readonly amount: bigint;
  /** The payment is a miner reward. */
  readonly coinbase: boolean;
  /** Height or Unix time [s] at which it unlocks; 0: no lock of its own. */
  readonly unlock_time: bigint;
  /** Time of its block; in the mempool, of its first sight [Unix s]. */
  readonly tx_timestamp: number;
  /** Payment id as 16 or 64 hex digits; absent if there is none. */
  readonly payment_id?: string;
  /** Height of the block. */
  readonly height: number;
  /** Threshold that was reached. */
  readonly confirmations: number;
}

export interface PaymentConfirmedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payment.confirmed';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PaymentConfirmedEventData;
}

export interface PaymentUnlockedEventData {
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Receiving address. */
  readonly address: string;
  /** Receiving address. */
  readonly subaddr_index: AddressIndex;
  /** Sum that the payment adds to the balance. */
  readonly amount: bigint;
  /** The payment is a miner reward. */
  readonly coinbase: boolean;
  /** Height or Unix time [s] at which it unlocks; 0: no lock of its own. */
  readonly unlock_time: bigint;
  /** Time of its block; in the mempool, of its first sight [Unix s]. */
  readonly tx_timestamp: number;
  /** Payment id as 16 or 64 hex digits; absent if there is none. */
  readonly payment_id?: string;
  /** Height of the block. */
  readonly height: number;
}

export interface PaymentUnlockedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payment.unlocked';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PaymentUnlockedEventData;
}

export interface PaymentReversedEventData {
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Receiving address. */
  readonly address: string;
  /** Receiving address. */
  readonly subaddr_index: AddressIndex;
  /** Sum that the payment adds to the balance. */
  readonly amount: bigint;
  /** The payment is a miner reward. */
  readonly coinbase: boolean;
  /** Height or Unix time [s] at which it unlocks; 0: no lock of its own. */
  readonly unlock_time: bigint;
  /** Time of its block; in the mempool, of its first sight [Unix s]. */
  readonly tx_timestamp: number;
  /** Payment id as 16 or 64 hex digits; absent if there is none. */
  readonly payment_id?: string;
  /** Height of the block. */
  readonly height?: number;
  /** Id of the latest event payment.seen or payment.mined of the payment; absent: it has expired. */
  readonly reverses?: number;
  /**
   * Cause: replaced blocks, removal from the mempool, absence in a rescan, or facts that became known later.
   */
  readonly reason: 'reorganised' | 'dropped' | 'rescan' | 'corrected';
}

export interface PaymentReversedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payment.reversed';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PaymentReversedEventData;
}

export interface TransferRelayedEventData {
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Account that pays. */
  readonly account_index: number;
  /** Sum of the inputs. */
  readonly amount_in: bigint;
  /** Sum that returns to the account. */
  readonly change: bigint;
  /** Fee. */
  readonly fee: bigint;
}

export interface TransferRelayedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'transfer.relayed';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: TransferRelayedEventData;
}

export interface TransferMinedEventData {
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Account that pays. */
  readonly account_index: number;
  /** Sum of the inputs. */
  readonly amount_in: bigint;
  /** Sum that returns to the account. */
  readonly change: bigint;
  /** Fee. */
  readonly fee: bigint;
  /** Height of the block. */
  readonly height: number;
}

export interface TransferMinedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'transfer.mined';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: TransferMinedEventData;
}

export interface TransferFailedEventData {
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Account that pays. */
  readonly account_index: number;
  /** Sum of the inputs. */
  readonly amount_in: bigint;
  /** Sum that returns to the account. */
  readonly change: bigint;
  /** Fee. */
  readonly fee: bigint;
  /**
   * Cause: replaced blocks, removal from the mempool, absence in a rescan, or facts that became known later.
   */
  readonly reason: 'reorganised' | 'dropped' | 'rescan' | 'corrected';
}

export interface TransferFailedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'transfer.failed';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: TransferFailedEventData;
}

export interface OutputSpentEventData {
  /** Hash of the transaction that paid the output. */
  readonly tx_hash: string;
  /** Key image of the output. */
  readonly key_image: string;
  /** Address that the output pays. */
  readonly address: string;
  /** Address that the output pays. */
  readonly subaddr_index: AddressIndex;
  /** Amount of the output. */
  readonly amount: bigint;
}

export interface OutputSpentEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'output.spent';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: OutputSpentEventData;
}

export interface OutputUnspentEventData {
  /** Hash of the transaction that paid the output. */
  readonly tx_hash: string;
  /** Key image of the output. */
  readonly key_image: string;
  /** Address that the output pays. */
  readonly address: string;
  /** Address that the output pays. */
  readonly subaddr_index: AddressIndex;
  /** Amount of the output. */
  readonly amount: bigint;
  /** Id of the event output.spent that no longer holds. */
  readonly reverses: number;
  /**
   * Cause: replaced blocks, removal from the mempool, absence in a rescan, or facts that became known later.
   */
  readonly reason: 'reorganised' | 'dropped' | 'rescan' | 'corrected';
}

export interface OutputUnspentEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'output.unspent';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: OutputUnspentEventData;
}

export interface RequestEventData {
  /** Id of the payment request. */
  readonly request_id: string;
  /** Reference of the request. */
  readonly reference?: string;
  /** Address of the request. */
  readonly address: string;
  /** Address of the request. */
  readonly subaddr_index: AddressIndex;
  /** State of the request. */
  readonly state: 'waiting' | 'partial' | 'seen' | 'confirming' | 'paid' | 'expired' | 'cancelled';
  /** Requested amount; absent: an open request. */
  readonly amount?: bigint;
  /** Mined payments in time, without locked ones. */
  readonly received: bigint;
  /** Payments in the mempool in time, without locked ones. */
  readonly received_unconfirmed: bigint;
  /** Payments in time that an unlock time locks. */
  readonly received_locked: bigint;
  /** Amount that the payments lack. */
  readonly missing: bigint;
  /** Amount by which the payments exceed the requested one. */
  readonly excess: bigint;
  /** Payments after the end of the request. */
  readonly late: bigint;
  readonly price?: PaymentRequestPrice;
  /** Refunds that are paid or still may be. */
  readonly refunded: bigint;
  /** Amount that may still be refunded. */
  readonly refundable: bigint;
}

export interface RequestPartialEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'request.partial';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: RequestEventData;
}

export type RequestPartialEventData = RequestEventData;

export interface RequestSeenEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'request.seen';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: RequestEventData;
}

export type RequestSeenEventData = RequestEventData;

export interface RequestPaidEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'request.paid';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: RequestEventData;
}

export type RequestPaidEventData = RequestEventData;

export interface RequestOverpaidEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'request.overpaid';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: RequestEventData;
}

export type RequestOverpaidEventData = RequestEventData;

export interface RequestExpiredEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'request.expired';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: RequestEventData;
}

export type RequestExpiredEventData = RequestEventData;

export interface RequestLateEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'request.late';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: RequestEventData;
}

export type RequestLateEventData = RequestEventData;

export interface RequestReversedEventData {
  /** Id of the payment request. */
  readonly request_id: string;
  /** Reference of the request. */
  readonly reference?: string;
  /** Address of the request. */
  readonly address: string;
  /** Address of the request. */
  readonly subaddr_index: AddressIndex;
  /** State of the request. */
  readonly state: 'waiting' | 'partial' | 'seen' | 'confirming' | 'paid' | 'expired' | 'cancelled';
  /** Requested amount; absent: an open request. */
  readonly amount?: bigint;
  /** Mined payments in time, without locked ones. */
  readonly received: bigint;
  /** Payments in the mempool in time, without locked ones. */
  readonly received_unconfirmed: bigint;
  /** Payments in time that an unlock time locks. */
  readonly received_locked: bigint;
  /** Amount that the payments lack. */
  readonly missing: bigint;
  /** Amount by which the payments exceed the requested one. */
  readonly excess: bigint;
  /** Payments after the end of the request. */
  readonly late: bigint;
  readonly price?: PaymentRequestPrice;
  /** Refunds that are paid or still may be. */
  readonly refunded: bigint;
  /** Amount that may still be refunded. */
  readonly refundable: bigint;
  /** State before the reversal. */
  readonly was: 'waiting' | 'partial' | 'seen' | 'confirming' | 'paid' | 'expired' | 'cancelled';
}

export interface RequestReversedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'request.reversed';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: RequestReversedEventData;
}

export interface RequestRefundEventDataRefund {
  /** Id of the refund, and of its payout. */
  readonly refund_id: string;
  /** Amount that the customer is owed. */
  readonly amount: bigint;
  /** State of its payout. */
  readonly state: PayoutState;
  /** Transaction that pays it. */
  readonly tx_hash?: string;
}

export interface RequestRefundEventData {
  /** Id of the payment request. */
  readonly request_id: string;
  /** Reference of the request. */
  readonly reference?: string;
  /** Address of the request. */
  readonly address: string;
  /** Address of the request. */
  readonly subaddr_index: AddressIndex;
  /** State of the request. */
  readonly state: 'waiting' | 'partial' | 'seen' | 'confirming' | 'paid' | 'expired' | 'cancelled';
  /** Requested amount; absent: an open request. */
  readonly amount?: bigint;
  /** Mined payments in time, without locked ones. */
  readonly received: bigint;
  /** Payments in the mempool in time, without locked ones. */
  readonly received_unconfirmed: bigint;
  /** Payments in time that an unlock time locks. */
  readonly received_locked: bigint;
  /** Amount that the payments lack. */
  readonly missing: bigint;
  /** Amount by which the payments exceed the requested one. */
  readonly excess: bigint;
  /** Payments after the end of the request. */
  readonly late: bigint;
  readonly price?: PaymentRequestPrice;
  /** Refunds that are paid or still may be. */
  readonly refunded: bigint;
  /** Amount that may still be refunded. */
  readonly refundable: bigint;
  readonly refund: RequestRefundEventDataRefund;
}

export interface RequestRefundEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'request.refund';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: RequestRefundEventData;
}

export interface PayoutEventData {
  /** Id of the payout. */
  readonly payout_id: string;
  /** Reference of the payout. */
  readonly reference?: string;
  /** Account that pays. */
  readonly account_index: number;
  /** Address that is paid. */
  readonly address: string;
  /** Amount that the payee is owed. */
  readonly amount: bigint;
  /** State before the event; absent: it was created. */
  readonly was?: PayoutState;
  /**
   * not_sent: its batch never left this server; refused: by the node; overtaken: another transaction spends
   * an input; lost: neither pool nor chain has it; reorganised: its block was replaced; unsigned: its set was
   * not signed in time.
   */
  readonly reason?: 'not_sent' | 'refused' | 'overtaken' | 'lost' | 'reorganised' | 'unsigned';
  /** Transaction that pays it. */
  readonly tx_hash?: string;
  /** Height of the block with the transaction. */
  readonly height?: number;
  /** Share of the fee of the transaction. */
  readonly fee?: bigint;
}

export interface PayoutAwaitingApprovalEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payout.awaiting_approval';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PayoutEventData;
}

export type PayoutAwaitingApprovalEventData = PayoutEventData;

export interface PayoutQueuedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payout.queued';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PayoutEventData;
}

export type PayoutQueuedEventData = PayoutEventData;

export interface PayoutAwaitingSignatureEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payout.awaiting_signature';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PayoutEventData;
}

export type PayoutAwaitingSignatureEventData = PayoutEventData;

export interface PayoutSendingEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payout.sending';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PayoutEventData;
}

export type PayoutSendingEventData = PayoutEventData;

export interface PayoutSentEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payout.sent';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PayoutEventData;
}

export type PayoutSentEventData = PayoutEventData;

export interface PayoutMinedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payout.mined';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PayoutEventData;
}

export type PayoutMinedEventData = PayoutEventData;

export interface PayoutConfirmedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payout.confirmed';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PayoutEventData;
}

export type PayoutConfirmedEventData = PayoutEventData;

export interface PayoutFailedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payout.failed';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PayoutEventData;
}

export type PayoutFailedEventData = PayoutEventData;

export interface PayoutCancelledEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payout.cancelled';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PayoutEventData;
}

export type PayoutCancelledEventData = PayoutEventData;

export interface PayoutRejectedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payout.rejected';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PayoutEventData;
}

export type PayoutRejectedEventData = PayoutEventData;

export interface PayoutExpiredEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'payout.expired';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: PayoutEventData;
}

export type PayoutExpiredEventData = PayoutEventData;

export interface BalanceLowEventData {
  /** Account. */
  readonly account_index: number;
  /** Balance, with locked money. */
  readonly balance: bigint;
  /** Unlocked money. */
  readonly unlocked_balance: bigint;
  /** Limit of the policy. */
  readonly low_water: bigint;
}

export interface BalanceLowEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'balance.low';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: BalanceLowEventData;
}

export interface WalletSyncedEventData {
  /** Height of the block. */
  readonly height: number;
}

export interface WalletSyncedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'wallet.synced';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: WalletSyncedEventData;
}

export interface WalletReorganisedEventData {
  /** Height of the first replaced block. */
  readonly from_height: number;
  /** Number of replaced blocks. */
  readonly depth: number;
}

export interface WalletReorganisedEvent {
  /** Increasing in the server. */
  readonly id: number;
  /** Type of the event. */
  readonly type: 'wallet.reorganised';
  /** Time at which it was recorded. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** Present if its block was mined before the wallet was restored or imported here. */
  readonly history?: boolean;
  /** Facts of the event. */
  readonly data: WalletReorganisedEventData;
}

export type WalletEvent =
  | PaymentSeenEvent
  | PaymentMinedEvent
  | PaymentConfirmedEvent
  | PaymentUnlockedEvent
  | PaymentReversedEvent
  | TransferRelayedEvent
  | TransferMinedEvent
  | TransferFailedEvent
  | OutputSpentEvent
  | OutputUnspentEvent
  | RequestPartialEvent
  | RequestSeenEvent
  | RequestPaidEvent
  | RequestOverpaidEvent
  | RequestExpiredEvent
  | RequestLateEvent
  | RequestReversedEvent
  | RequestRefundEvent
  | PayoutAwaitingApprovalEvent
  | PayoutQueuedEvent
  | PayoutAwaitingSignatureEvent
  | PayoutSendingEvent
  | PayoutSentEvent
  | PayoutMinedEvent
  | PayoutConfirmedEvent
  | PayoutFailedEvent
  | PayoutCancelledEvent
  | PayoutRejectedEvent
  | PayoutExpiredEvent
  | BalanceLowEvent
  | WalletSyncedEvent
  | WalletReorganisedEvent;

/** Result of get_events. */
export interface GetEventsResult {
  /** Events in the order of their ids. */
  readonly events: readonly WalletEvent[];
  /** Cursor for the next call: id up to which events were read. */
  readonly cursor: number;
}

/** Parameters of get_height. */
export type GetHeightParams = NoMembers;

export interface GetHeightCatchUp {
  /** Height of the first block that is read again. */
  readonly from_height: number;
  /** Height of the next block to read; the last one is the newest of the wallet. */
  readonly next_height: number;
}

export interface GetHeightUpdateNeeded {
  /** Height of the block. */
  readonly height: number;
  /** Version of the block, and number of the hard fork. */
  readonly version: number;
}

/** Result of get_height. */
export interface GetHeightResult {
  /** Number of blocks known to the wallet. */
  readonly height: number;
  /** Present while the wallet reads blocks again for addresses that were not watched before. */
  readonly catch_up?: GetHeightCatchUp;
  /**
   * Block that ended the last refresh because this version of the server does not know its rules; absent if
   * there is none.
   */
  readonly update_needed?: GetHeightUpdateNeeded;
}

/** Parameters of get_languages. */
export interface GetLanguagesParams {
  /** The languages of Polyseeds; false: those of seeds of 25 words. Default: `false`. */
  readonly polyseed?: boolean | undefined;
}

/** Result of get_languages. */
export interface GetLanguagesResult {
  /** English names; under 1.3, native ones. */
  readonly languages: readonly string[];
  /** Native names. */
  readonly languages_local: readonly string[];
}

/** Parameters of get_multisig_key_exchange_booster. */
export interface GetMultisigKeyExchangeBoosterParams {
  /** Messages of other signers for the next round. */
  readonly multisig_info?: readonly string[] | undefined;
  /** Number of signatures that a payment needs. Default: `0`. */
  readonly threshold?: number | undefined;
  /** Number of signers. Default: `0`. */
  readonly num_signers?: number | undefined;
  /** Password of the wallet; absent: not checked. */
  readonly password?: string | undefined;
}

/** Result of get_multisig_key_exchange_booster. */
export interface GetMultisigKeyExchangeBoosterResult {
  /** Message for the round after next. */
  readonly multisig_info: string;
}

/** Parameters of get_order. */
export interface GetOrderParams {
  /** Key of the payment. */
  readonly idempotency_key: string;
}

export interface OrderTransaction {
  /** Index among the transactions of the call. */
  readonly position: number;
  /** 1: made by the call; above: pays a failed attempt again. */
  readonly attempt: number;
  /** The attempt is in effect. */
  readonly current: boolean;
  /** State of the transaction. */
  readonly state: 'prepared' | 'relayed' | 'mined' | 'failed';
  /** Transaction hash; empty if it is not signed. */
  readonly tx_hash: string;
  /** Sum of the payments, without change and fee. */
  readonly amount: bigint;
  /** Fee. */
  readonly fee: bigint;
  /** Payments of the transaction. */
  readonly destinations: readonly PaidDestination[];
  /** Height of its block; 0 if it is not mined. */
  readonly height: number;
  /** Number of blocks from its block to the tip; 0 if it is not mined. */
  readonly confirmations: number;
}

export interface Order {
  /** Key of the payment. */
  readonly idempotency_key: string;
  /** Method that made the payment. */
  readonly method: string;
  /** Least advanced state of its current transactions. */
  readonly state: 'prepared' | 'relayed' | 'mined' | 'failed';
  /** Time of acceptance [Unix s]. */
  readonly created: number;
  /** Attempts, by position. */
  readonly transactions: readonly OrderTransaction[];
}

/** Result of get_order. */
export type GetOrderResult = Order;

/** Parameters of get_payment_request. */
export interface GetPaymentRequestParams {
  /** Id of the request. */
  readonly request_id?: string | undefined;
  /** Address of the request, in place of its id. */
  readonly address?: string | undefined;
  /** Reference of the request, in place of its id. */
  readonly reference?: string | undefined;
}

/** Result of get_payment_request. */
export type GetPaymentRequestResult = PaymentRequest;

/** Parameters of get_payments. */
export interface GetPaymentsParams {
  /** Payment id as 16 or 64 hex digits; required. */
  readonly payment_id?: string | undefined;
}

/** Result of get_payments. */
export type GetPaymentsResult = Payments;

/** Parameters of get_payout. */
export interface GetPayoutParams {
  /** Id of the payout. */
  readonly payout_id: string;
}

/** Result of get_payout. */
export interface GetPayoutResult {
  /** Id given by the client. */
  readonly payout_id: string;
  /** Account that pays. */
  readonly account_index: number;
  /** Address of the payee. */
  readonly address: string;
  /** Amount that the payee is owed. */
  readonly amount: bigint;
  /** Side that pays its share of the fee. */
  readonly fee: 'wallet' | 'payee';
  /** Largest share of the fee; absent: any. */
  readonly max_fee?: bigint;
  /** Priority from 0 to 4; 0: by the state of chain and pool. */
  readonly priority: number;
  /** The address may be one of this wallet. */
  readonly allow_own: boolean;
  /** Time before which it is not sent [Unix s]. */
  readonly not_before?: number;
  /** Time from which it is not sent any more [Unix s]. */
  readonly expires_at?: number;
  /** Payment request whose money it returns; absent: it is no refund. */
  readonly request_id?: string;
  /** Reference given by the client. */
  readonly reference?: string;
  /** Metadata given by the client. */
  readonly metadata?: JsonObject;
  /**
   * awaiting_approval; queued; awaiting_signature: of a view-only wallet; sending: its batch is recorded;
   * sent: in the mempool, as far as known; mined; confirmed; failed, cancelled, rejected, expired: it was not
   * paid.
   */
  readonly state: PayoutState;
  /**
   * not_sent: its batch never left this server; refused: by the node; overtaken: another transaction spends
   * an input; lost: neither pool nor chain has it; reorganised: its block was replaced; unsigned: its set was
   * not signed in time.
   */
  readonly reason?: 'not_sent' | 'refused' | 'overtaken' | 'lost' | 'reorganised' | 'unsigned';
  /** Time of creation [Unix s]. */
  readonly created_at: number;
  /** Credential that created it; absent: a client with all rights. */
  readonly created_by?: string;
  /** Time of the latest change of the state [Unix s]. */
  readonly changed_at: number;
  /** Hash of its terms, to which an approval binds; present while it waits. */
  readonly approval_hash?: string;
  /** Actions of clients, the oldest first. */
  readonly history: readonly PayoutAction[];
  readonly waiting_for?: PayoutWait;
  /** Transaction that pays it. */
  readonly tx_hash?: string;
  /** Amount that the payee receives. */
  readonly received?: bigint;
  /** Its share of the fee of the transaction. */
  readonly fee_share?: bigint;
  /** Height of the block with the transaction. */
  readonly height?: number;
  /** Number of blocks from that block to the tip; 0 if it is not mined. */
  readonly confirmations: number;
}

/** Parameters of get_reserve_bundle. */
export interface GetReserveBundleParams {
  /** Indices of the accounts; absent: all accounts with outputs. */
  readonly accounts?: readonly number[] | undefined;
  /** Text that the proof is bound to. */
  readonly message: string;
  /**
   * Height of the newest block that counts: outputs received and not spent up to this block; absent: the
   * newest block of the wallet, which is get_height less one.
   */
  readonly height?: number | undefined;
}

export interface GetReserveBundleBundleAccountsAddressesSubaddrIndex {
  /** Index of the account. */
  readonly major: number;
  /** Index of the address in the account. */
  readonly minor: number;
}

export interface GetReserveBundleBundleAccountsAddresses {
  /** Index of the address. */
  readonly subaddr_index: GetReserveBundleBundleAccountsAddressesSubaddrIndex;
  /** The address. */
  readonly address: string;
  /** Signature by the spend key of the address. */
  readonly spend_key_sig: string;
  /** Proof of the view key of a subaddress; absent for the primary address. */
  readonly view_key_sig?: string;
}

export interface GetReserveBundleBundleAccountsOutputs {
  /** Transaction that contains the output. */
  readonly tx_hash: string;
  /** Index of the output in the transaction. */
  readonly index_in_tx: number;
  /** Amount. */
  readonly amount: string;
  /** Index of the address that was paid. */
  readonly subaddr_index: GetReserveBundleBundleAccountsAddressesSubaddrIndex;
  /** Key image. */
  readonly key_image: string;
  /** Public key of the transaction that opens the output. */
  readonly tx_public_key: string;
  /** Secret view key times this key. */
  readonly shared_secret: string;
  /** Proof of the shared secret. */
  readonly shared_secret_sig: string;
  /** Proof of the key image. */
  readonly key_image_sig: string;
}

export interface GetReserveBundleBundleAccounts {
  /** Index of the account. */
  readonly account_index: number;
  /** Sum of the outputs. */
  readonly total: string;
  /** Part that could be spent in the block after the height. */
  readonly unlocked: string;
  /** Part that was still locked. */
  readonly locked: string;
  /** Primary address of the wallet, then the other addresses of the outputs. */
  readonly addresses: readonly GetReserveBundleBundleAccountsAddresses[];
  /** Outputs in the order of the chain. */
  readonly outputs: readonly GetReserveBundleBundleAccountsOutputs[];
}

export interface GetReserveBundleBundleTransactions {
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Height of its block. */
  readonly height: number;
  /** Encoded transaction, without its signatures and range proofs if prunable_hash is given. */
  readonly tx_blob: string;
  /** Hash of the removed part. */
  readonly prunable_hash?: string;
}

export interface GetReserveBundleBundle {
  /** Form of this document. */
  readonly format: 'reserve-bundle-1';
  /** Network of the addresses. */
  readonly network: 'mainnet' | 'testnet' | 'stagenet';
  /** Primary address of the wallet. */
  readonly address: string;
  /** Text that the proof is bound to. */
  readonly message: string;
  /** Height of the newest block that counts. */
  readonly height: number;
  /** Hash of this block. */
  readonly block_hash: string;
  /** Time at which the bundle was made [Unix s]. */
  readonly timestamp: number;
  /** Sum of the outputs. */
  readonly total: string;
  /** Part that could be spent in the block after the height. */
  readonly unlocked: string;
  /** Part that was still locked. */
  readonly locked: string;
  /** Accounts in ascending order. */
  readonly accounts: readonly GetReserveBundleBundleAccounts[];
  /** Transactions of the outputs. */
  readonly transactions: readonly GetReserveBundleBundleTransactions[];
  /**
   * Reserve proof over the message alone, as of get_reserve_proof; with one account and without height alone.
   */
  readonly reserve_proof?: string;
}

/** Result of get_reserve_bundle. */
export interface GetReserveBundleResult {
  /** Document, to be written to a file. */
  readonly bundle: GetReserveBundleBundle;
}

/** Parameters of get_reserve_proof. */
export interface GetReserveProofParams {
  /** Proves the balance of all accounts; account_index and amount are then ignored. Default: `false`. */
  readonly all?: boolean | undefined;
  /** Index of the account. Default: `0`. */
  readonly account_index?: number | undefined;
  /** Amount to prove. Default: `0`. */
  readonly amount?: bigint | number | undefined;
  /** Text that the proof is bound to; empty: none. */
  readonly message?: string | undefined;
}

/** Result of get_reserve_proof. */
export interface GetReserveProofResult {
  /** Proof, beginning with ReserveProofV2. */
  readonly signature: string;
}

/** Parameters of get_spend_proof. */
export interface GetSpendProofParams {
  /** Transaction hash. */
  readonly txid?: string | undefined;
  /** Text that the proof is bound to; empty: none. */
  readonly message?: string | undefined;
}

/** Result of get_spend_proof. */
export interface GetSpendProofResult {
  /** Proof, beginning with SpendProofV1. */
  readonly signature: string;
}

/** Parameters of get_transfer_by_txid. */
export interface GetTransferByTxidParams {
  /** Transaction hash. */
  readonly txid?: string | undefined;
  /** Index of the account. Default: `0`. */
  readonly account_index?: number | undefined;
}

export interface TransferEntry {
  /** Receiving address; of an outgoing transaction, address 0 of the account. */
  readonly address: string;
  /** Amount received, or paid without fee and change. */
  readonly amount: bigint;
  /** Amounts of the outputs of an incoming payment. */
  readonly amounts: readonly bigint[];
  /** Number of blocks from its block to the tip; 0 if it is not in a block. */
  readonly confirmations: number;
  /** The mempool has seen a double spend of its inputs. */
  readonly double_spend_seen: boolean;
  /** Fee of the transaction. */
  readonly fee: bigint;
  /** Height of its block; 0 if it is not in a block. */
  readonly height: number;
  /** Note of the transaction; empty without one. */
  readonly note: string;
  /** Payment id as 16 hex digits, or 64 for a long one; zeros if there is none. */
  readonly payment_id: string;
  /** Receiving address; of an outgoing transaction, address 0 of the account. */
  readonly subaddr_index: AddressIndex;
  /** Receiving address, or addresses of the inputs. */
  readonly subaddr_indices: readonly AddressIndex[];
  /** Number of confirmations after which it counts as safe. */
  readonly suggested_confirmations_threshold: number;
  /** Time of its block, or of its first sight [Unix s]. */
  readonly timestamp: number;
  /** Transaction hash. */
  readonly txid: string;
  /** List of the entry; block: a miner reward, in the list `in`. */
  readonly type: 'in' | 'out' | 'pending' | 'failed' | 'pool' | 'block';
  /** Height or Unix time [s] at which it unlocks; 0: no lock of its own. */
  readonly unlock_time: bigint;
  /** Its outputs cannot be spent yet. */
  readonly locked: boolean;
  /** Payments of an outgoing transaction. */
  readonly destinations: readonly PaidDestination[];
  /** Change of an outgoing transaction; absent for 0. */
  readonly change_amount?: bigint;
  /** Number of these blocks whose proof of work is verified; absent without --verify-work. */
  readonly verified_confirmations?: number;
}

/** Result of get_transfer_by_txid. */
export interface GetTransferByTxidResult {
  /** First entry of the list. */
  readonly transfer: TransferEntry;
  /** Entries of the transaction in the account. */
  readonly transfers: readonly TransferEntry[];
  /**
   * Present, and false, until the history of a restored or imported wallet is scanned, and while blocks are
   * read again for addresses that were not watched before: payments may be missing. An imported balance is
   * first that of its old cache.
   */
  readonly synced?: boolean;
  /**
   * Present while new blocks do not count yet: their proof of work is not verified (--verify-work), or too
   * few nodes name them (--daemon-quorum).
   */
  readonly waiting_for?: 'work' | 'nodes';
}

/** Parameters of get_transfers. */
export interface GetTransfersParams {
  /** Lists incoming payments in blocks. Default: `false`. */
  readonly in?: boolean | undefined;
  /** Lists outgoing transactions in blocks. Default: `false`. */
  readonly out?: boolean | undefined;
  /** Lists outgoing transactions that are not in a block. Default: `false`. */
  readonly pending?: boolean | undefined;
  /** Lists outgoing transactions that failed. Default: `false`. */
  readonly failed?: boolean | undefined;
  /**
   * Lists incoming payments in the mempool, which the daemon is asked for first, except in restricted mode.
   * Default: `false`.
   */
  readonly pool?: boolean | undefined;
  /** Restricts in and out to min_height and max_height. Default: `false`. */
  readonly filter_by_height?: boolean | undefined;
  /** Lists blocks above this height. Default: `0`. */
  readonly min_height?: number | undefined;
  /** Lists blocks up to this height. Default: `500000000`. */
  readonly max_height?: number | undefined;
  /** Index of the account; ignored with all_accounts. Default: `0`. */
  readonly account_index?: number | undefined;
  /** Indices of the addresses in the account; empty: all; ignored with all_accounts. */
  readonly subaddr_indices?: readonly number[] | undefined;
  /** Lists transfers of all accounts. Default: `false`. */
  readonly all_accounts?: boolean | undefined;
  /**
   * Least size of a page [transfers], which begins with the newest one and ends with a whole block; 0: all
   * transfers. Default: `0`.
   */
  readonly limit?: number | undefined;
  /** Member cursor of the former answer; empty: the page with the newest transfers. */
  readonly cursor?: string | undefined;
}

/** Result of get_transfers. */
export interface GetTransfersResult {
  /** Incoming payments in blocks. */
  readonly in: readonly TransferEntry[];
  /** Outgoing transactions in blocks. */
  readonly out: readonly TransferEntry[];
  /** Outgoing transactions that are not in a block. */
  readonly pending: readonly TransferEntry[];
  /** Outgoing transactions that failed. */
  readonly failed: readonly TransferEntry[];
  /** Incoming payments in the mempool. */
  readonly pool: readonly TransferEntry[];
  /** Cursor for the page before; absent on the last page, and without limit. */
  readonly cursor?: string;
  /**
   * Present, and false, until the history of a restored or imported wallet is scanned, and while blocks are
   * read again for addresses that were not watched before: payments may be missing. An imported balance is
   * first that of its old cache.
   */
  readonly synced?: boolean;
  /**
   * Present while new blocks do not count yet: their proof of work is not verified (--verify-work), or too
   * few nodes name them (--daemon-quorum).
   */
  readonly waiting_for?: 'work' | 'nodes';
}

/** Parameters of get_tx_key. */
export interface GetTxKeyParams {
  /** Transaction hash. */
  readonly txid?: string | undefined;
}

/** Result of get_tx_key. */
export interface GetTxKeyResult {
  /** Secret key of the transaction, then the additional ones. */
  readonly tx_key: string;
}

/** Parameters of get_tx_notes. */
export interface GetTxNotesParams {
  /** Transaction hashes. */
  readonly txids?: readonly string[] | undefined;
}

/** Result of get_tx_notes. */
export interface GetTxNotesResult {
  /** Notes in the order of the txids. */
  readonly notes: readonly string[];
}

/** Parameters of get_tx_proof. */
export interface GetTxProofParams {
  /** Transaction hash. */
  readonly txid?: string | undefined;
  /** Address of the receiver. */
  readonly address?: string | undefined;
  /** Text that the proof is bound to; empty: none. */
  readonly message?: string | undefined;
}

/** Result of get_tx_proof. */
export interface GetTxProofResult {
  /** Proof, beginning with OutProofV2 or InProofV2. */
  readonly signature: string;
}

/** Parameters of get_version. */
export type GetVersionParams = NoMembers;

/** Result of get_version. */
export interface GetVersionResult {
  /** Major version in the high 16 bits, minor in the low 16. */
  readonly version: number;
  /** The server is a release. */
  readonly release: boolean;
}

export interface ImportedKeyImage {
  /** Key image as 64 hex digits. */
  readonly key_image?: string | undefined;
  /**
   * Signature by the one-time key of the output, 128 hex digits; 192 of an output in the form of the fork.
   */
  readonly signature?: string | undefined;
}

/** Parameters of import_key_images. */
export interface ImportKeyImagesParams {
  /** Position of the output of the first key image, in the order of receipt. Default: `0`. */
  readonly offset?: number | undefined;
  /** Key images of consecutive outputs, as export_key_images returns them. */
  readonly signed_key_images?: readonly ImportedKeyImage[] | undefined;
}

/** Result of import_key_images. */
export interface ImportKeyImagesResult {
  /** Height of the last output with an imported key image; 0 without any. */
  readonly height: number;
  /** Sum of the imported outputs that are spent. */
  readonly spent: bigint;
  /** Sum of the imported outputs that are not spent. */
  readonly unspent: bigint;
}

/** Parameters of import_multisig_info. */
export interface ImportMultisigInfoParams {
  /** Multisig info of other signers, in hex. */
  readonly info?: readonly string[] | undefined;
  /** Refreshes the wallet afterwards, which finds spent outputs. Default: `true`. */
  readonly refresh_after_import?: boolean | undefined;
}

/** Result of import_multisig_info. */
export interface ImportMultisigInfoResult {
  /** Number of outputs with info of all signers needed. */
  readonly n_outputs: number;
}

/** Parameters of import_outputs. */
export interface ImportOutputsParams {
  /** Result of export_outputs, in hex. */
  readonly outputs_data_hex?: string | undefined;
}

/** Result of import_outputs. */
export interface ImportOutputsResult {
  /** Number of imported outputs. */
  readonly num_imported: number;
}

/** Parameters of incoming_transfers. */
export interface IncomingTransfersParams {
  /** all, available (not spent) or unavailable (spent); required. */
  readonly transfer_type?: string | undefined;
  /** Index of the account. Default: `0`. */
  readonly account_index?: number | undefined;
  /** Indices of the addresses in the account; empty: all. */
  readonly subaddr_indices?: readonly number[] | undefined;
  /** Ignored: rows always have all members. Default: `false`. */
  readonly verbose?: boolean | undefined;
}

export interface IncomingTransfer {
  /** Amount of the output. */
  readonly amount: bigint;
  /** Height of its block. */
  readonly block_height: number;
  /** The output is frozen. */
  readonly frozen: boolean;
  /** Index of the output in the chain. */
  readonly global_index: number;
  /** Key image; empty while it is unknown. */
  readonly key_image: string;
  /** Public key of the output. */
  readonly pubkey: string;
  /** The output is spent. */
  readonly spent: boolean;
  /** Index of the receiving address in its account; API version 1.32: Receiving address. */
  readonly subaddr_index: number | AddressIndex;
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Size of the transaction [bytes]; 0 if it is unknown (API version 1.3 only). */
  readonly tx_size?: number;
  /** The output can be spent now, as far as its lock is concerned. */
  readonly unlocked: boolean;
}

/** Result of incoming_transfers. */
export interface IncomingTransfersResult {
  /** Outputs received, oldest first. */
  readonly transfers: readonly IncomingTransfer[];
  /**
   * Present, and false, until the history of a restored or imported wallet is scanned, and while blocks are
   * read again for addresses that were not watched before: payments may be missing. An imported balance is
   * first that of its old cache.
   */
  readonly synced?: boolean;
  /**
   * Present while new blocks do not count yet: their proof of work is not verified (--verify-work), or too
   * few nodes name them (--daemon-quorum).
   */
  readonly waiting_for?: 'work' | 'nodes';
}

/** Parameters of is_multisig. */
export type IsMultisigParams = NoMembers;

/** Result of is_multisig. */
export interface IsMultisigResult {
  /** The wallet is multisig. */
  readonly multisig: boolean;
  /** The key exchange is complete. */
  readonly kex_is_done: boolean;
  /** The wallet can make payments. */
  readonly ready: boolean;
  /** Signatures needed; 0 if not multisig. */
  readonly threshold: number;
  /** Number of signers; 0 if not multisig. */
  readonly total: number;
}

/** Parameters of label_account. */
export interface LabelAccountParams {
  /** Index of the account. Default: `0`. */
  readonly account_index?: number | undefined;
  /** New label; empty: none. */
  readonly label?: string | undefined;
}

/** Result of label_account. */
export type LabelAccountResult = NoMembers;

export interface IndexParams {
  /** Index of the account. Default: `0`. */
  readonly major?: number | undefined;
  /** Index of the address in its account. Default: `0`. */
  readonly minor?: number | undefined;
}

/** Parameters of label_address. */
export interface LabelAddressParams {
  /** Index of the address. */
  readonly index?: IndexParams | undefined;
  /** New label; empty: none. */
  readonly label?: string | undefined;
}

/** Result of label_address. */
export type LabelAddressResult = NoMembers;

/** Parameters of list_deliveries. */
export interface ListDeliveriesParams {
  /** Id of the endpoint. */
  readonly id: string;
  /** Lists only deliveries in this state; absent: all. */
  readonly state?: 'pending' | 'delivered' | 'failed' | undefined;
  /** Largest number of deliveries. Default: `100`. */
  readonly limit?: number | undefined;
  /** Member cursor of the former answer; absent: the first page. */
  readonly cursor?: string | undefined;
  /** Name of an open wallet, for requests to /json_rpc; absent: the wallet of the request. */
  readonly wallet?: string | undefined;
}

export interface WebhookDelivery {
  /** Id of the event. */
  readonly event_id: number;
  /** State of the delivery. */
  readonly state: 'pending' | 'delivered' | 'failed';
  /** Number of attempts, since the last redeliver_webhook if there was one. */
  readonly attempts: number;
  /** Time of the last attempt. */
  readonly last_attempt: string;
  /** Time of the next attempt; absent if none follows. */
  readonly next_attempt?: string;
  /** HTTP status of the last answer; absent without an answer. */
  readonly status?: number;
  /** Cause of the last failure. */
  readonly reason?: string;
}

/** Result of list_deliveries. */
export interface ListDeliveriesResult {
  /** Deliveries, latest event first. */
  readonly deliveries: readonly WebhookDelivery[];
  /** Cursor for the next page; absent on the last one. */
  readonly cursor?: string;
}

/** Parameters of list_orders. */
export interface ListOrdersParams {
  /** Lists only payments in this state; absent: all. */
  readonly state?: 'prepared' | 'relayed' | 'mined' | 'failed' | undefined;
  /** Largest number of payments. Default: `100`. */
  readonly limit?: number | undefined;
  /** Member cursor of the former answer; absent: the first page. */
  readonly cursor?: string | undefined;
}

/** Result of list_orders. */
export interface ListOrdersResult {
  /** Payments, latest first. */
  readonly orders: readonly Order[];
  /** Cursor for the next page; absent on the last one. */
  readonly cursor?: string;
}

/** Parameters of list_payment_requests. */
export interface ListPaymentRequestsParams {
  /** States of the listed requests; empty: all. */
  readonly states?:
    | readonly ('waiting' | 'partial' | 'seen' | 'confirming' | 'paid' | 'expired' | 'cancelled')[]
    | undefined;
  /** A further state; absent: none. */
  readonly state?:
    | 'waiting'
    | 'partial'
    | 'seen'
    | 'confirming'
    | 'paid'
    | 'expired'
    | 'cancelled'
    | undefined;
  /** Account of the listed requests; absent: all. */
  readonly account_index?: number | undefined;
  /** Lists only the request with this reference; absent: all. */
  readonly reference?: string | undefined;
  /** Text that id, reference, label or metadata of the listed requests contain; absent: all. */
  readonly text?: string | undefined;
  /** Least time of creation [Unix s]. */
  readonly created_since?: number | undefined;
  /** Least time of the latest change of terms, state or refunds [Unix s]. */
  readonly changed_since?: number | undefined;
  /** Least requested amount; open requests are left out. */
  readonly min_amount?: bigint | number | undefined;
  /** Largest requested amount; open requests are left out. */
  readonly max_amount?: bigint | number | undefined;
  /** Least sum of the payments in time. */
  readonly min_received?: bigint | number | undefined;
  /** Largest sum of the payments in time. */
  readonly max_received?: bigint | number | undefined;
  /** Largest number of requests. Default: `100`. */
  readonly limit?: number | undefined;
  /** Member cursor of the former answer; absent: the first page. */
  readonly cursor?: string | undefined;
}

/** Result of list_payment_requests. */
export interface ListPaymentRequestsResult {
  /** Requests, latest first. */
  readonly requests: readonly PaymentRequest[];
  /** Cursor for the next page; absent on the last one. */
  readonly cursor?: string;
}

/** Parameters of list_payouts. */
export interface ListPayoutsParams {
  /** States of the listed payouts; empty: all. */
  readonly states?: readonly PayoutState[] | undefined;
  /** Account of the listed payouts; absent: all. */
  readonly account_index?: number | undefined;
  /** Reference of the listed payouts; absent: all. */
  readonly reference?: string | undefined;
  /** Text that id, reference or address of the listed payouts contain; absent: all. */
  readonly text?: string | undefined;
  /** Least time of creation [Unix s]. */
  readonly created_since?: number | undefined;
  /** Least time of the latest change of the state [Unix s]. */
  readonly changed_since?: number | undefined;
  /** Largest number of payouts. Default: `100`. */
  readonly limit?: number | undefined;
  /** Member cursor of the former answer; absent: the first page. */
  readonly cursor?: string | undefined;
}

export interface ListPayoutsPaused {
  /** Account; absent: the whole wallet. */
  readonly account_index?: number;
  /** Reason that was given. */
  readonly reason: string;
  /** Time of the pause [Unix s]. */
  readonly since: number;
}

/** Result of list_payouts. */
export interface ListPayoutsResult {
  /** Payouts, latest first. */
  readonly payouts: readonly Payout[];
  /** Cursor for the next page; absent on the last one. */
  readonly cursor?: string;
  /** Accounts whose payouts wait. */
  readonly paused: readonly ListPayoutsPaused[];
}

/** Parameters of list_wallets. */
export type ListWalletsParams = NoMembers;

export interface ListedWallet {
  /** Name of the wallet. */
  readonly name: string;
  /** The wallet is open; in a cluster, by any process. */
  readonly open: boolean;
  /** Number of blocks known to the wallet; ones open in this process only. */
  readonly height?: number;
  /** Number of blocks of the daemon; open ones only. */
  readonly daemon_height?: number;
  /** The wallet has no spend key; open ones only. */
  readonly view_only?: boolean;
  /** The wallet is multisig; open ones only. */
  readonly multisig?: boolean;
  /** The wallet is behind the daemon; open ones only. */
  readonly syncing?: boolean;
  /** Address of the process of the cluster that holds the wallet; absent if none does. */
  readonly holder?: string;
}

/** Result of list_wallets. */
export interface ListWalletsResult {
  /** Wallets of the directory, and of the cluster. */
  readonly wallets: readonly ListedWallet[];
}

/** Parameters of list_webhooks. */
export interface ListWebhooksParams {
  /** Name of an open wallet, for requests to /json_rpc; absent: the wallet of the request. */
  readonly wallet?: string | undefined;
}

export interface Webhook {
  /** Id of the endpoint. */
  readonly id: string;
  /** URL that events are sent to. */
  readonly url: string;
  /** Event types that it gets; empty: all. */
  readonly types: readonly string[];
  /** Time of its creation. */
  readonly created: string;
  /** Whether events are sent. */
  readonly state: 'enabled' | 'disabled';
  /** Cause of its disabling. */
  readonly disabled_reason?: string;
  /** Id of the latest event with a first attempt. */
  readonly position: number;
  /** Number of events without an attempt, counted up to 1000. */
  readonly backlog: number;
  /** Number of deliveries that wait for another attempt, counted up to 1000. */
  readonly pending: number;
  /** Delivery of the latest event with an attempt. */
  readonly last_delivery?: WebhookDelivery;
}

/** Result of list_webhooks. */
export interface ListWebhooksResult {
  /** Endpoints, oldest first. */
  readonly webhooks: readonly Webhook[];
}

/** Parameters of make_integrated_address. */
export interface MakeIntegratedAddressParams {
  /** Primary address of a wallet; empty: the one of this wallet. */
  readonly standard_address?: string | undefined;
  /** Payment id as 16 hex digits; empty: a random one. */
  readonly payment_id?: string | undefined;
}

/** Result of make_integrated_address. */
export interface MakeIntegratedAddressResult {
  /** The integrated address. */
  readonly integrated_address: string;
  /** Payment id as 16 hex digits. */
  readonly payment_id: string;
}

/** Parameters of make_multisig. */
export interface MakeMultisigParams {
  /** First messages of all other signers. */
  readonly multisig_info?: readonly string[] | undefined;
  /** Number of signatures that a payment needs. Default: `0`. */
  readonly threshold?: number | undefined;
  /** Password of the wallet; absent: not checked. */
  readonly password?: string | undefined;
}

/** Result of make_multisig. */
export interface MakeMultisigResult {
  /** Address of the wallet; final after the last round. */
  readonly address: string;
  /** Message for the next round. */
  readonly multisig_info: string;
}

/** Parameters of make_uri. */
export interface MakeUriParams {
  /** Address to pay. */
  readonly address?: string | undefined;
  /** Amount to pay [atomic units]; 0: not set. Default: `0`. */
  readonly amount?: bigint | number | undefined;
  /** Payment id as 16 hex digits, under interface 1.3 only; empty: none. */
  readonly payment_id?: string | undefined;
  /** Description of the payment; empty: none. */
  readonly tx_description?: string | undefined;
  /** Name of the recipient; empty: none. */
  readonly recipient_name?: string | undefined;
}

/** Result of make_uri. */
export interface MakeUriResult {
  /** The URI. */
  readonly uri: string;
}

/** Parameters of move_wallet. */
export interface MoveWalletParams {
  /** Name of the wallet; absent: that of the path. */
  readonly filename?: string | undefined;
  /**
   * Address of the process that gets the wallet, as its --cluster-url; absent: the one with the lowest load.
   */
  readonly to?: string | undefined;
}

/** Result of move_wallet. */
export interface MoveWalletResult {
  /** Address of the process that gets the wallet. */
  readonly holder: string;
}

/** Parameters of open_wallet. */
export interface OpenWalletParams {
  /** Name of the wallet in the wallet directory. */
  readonly filename?: string | undefined;
  /** Password of the wallet. */
  readonly password?: string | undefined;
  /** Ignored: the previous wallet is always stored. Default: `true`. */
  readonly autosave_current?: boolean | undefined;
}

/** Result of open_wallet. */
export type OpenWalletResult = NoMembers;

/** Parameters of parse_uri. */
export interface ParseUriParams {
  /** Payment URI, beginning with monero:. */
  readonly uri?: string | undefined;
}

export interface PaymentUri {
  /** Address to pay. */
  readonly address: string;
  /** Amount to pay; 0 if none is set. */
  readonly amount: bigint;
  /** Payment id; empty if there is none. */
  readonly payment_id: string;
  /** Name of the recipient; empty if there is none. */
  readonly recipient_name: string;
  /** Description; empty if there is none. */
  readonly tx_description: string;
}

/** Result of parse_uri. */
export interface ParseUriResult {
  /** Fields of the URI. */
  readonly uri: PaymentUri;
  /** Unknown parameters. */
  readonly unknown_parameters: readonly string[];
}

/** Parameters of pause_payouts. */
export interface PausePayoutsParams {
  /** Account; absent: the whole wallet. */
  readonly account_index?: number | undefined;
  /** Reason that lists show. */
  readonly reason: string;
}

/** Result of pause_payouts. */
export interface PausePayoutsResult {
  /** Accounts whose payouts wait. */
  readonly paused: readonly ListPayoutsPaused[];
}

/** Parameters of prepare_multisig. */
export interface PrepareMultisigParams {
  /** Enables multisig for the wallet; interface 1.3 always enables it. Default: `false`. */
  readonly enable_multisig_experimental?: boolean | undefined;
}

/** Result of prepare_multisig. */
export interface PrepareMultisigResult {
  /** Message for the other signers. */
  readonly multisig_info: string;
}

/** Parameters of query_key. */
export interface QueryKeyParams {
  /**
   * mnemonic, view_key or spend_key; of an account of the next fork mnemonic, master_secret, balance_secret,
   * view_key or address_secret, or the public keys partial_spend_key and account_view_key, with which
   * generate_from_keys makes wallets of its tiers.
   */
  readonly key_type?: string | undefined;
}

/** Result of query_key. */
export interface QueryKeyResult {
  /** Secret key as 64 hex digits, or the mnemonic seed: 25 words, or 16 of a Polyseed. */
  readonly key: string;
}

/** Parameters of redeliver_webhook. */
export interface RedeliverWebhookParams {
  /** Id of the endpoint. */
  readonly id: string;
  /** Id of the event. */
  readonly event_id: number;
  /** Name of an open wallet, for requests to /json_rpc; absent: the wallet of the request. */
  readonly wallet?: string | undefined;
}

/** Result of redeliver_webhook. */
export type RedeliverWebhookResult = NoMembers;

/** Parameters of refresh. */
export interface RefreshParams {
  /** Height from which unknown blocks are scanned; lower ones are skipped. Default: `0`. */
  readonly start_height?: number | undefined;
}

/** Result of refresh. */
export interface RefreshResult {
  /** Number of blocks that were scanned. */
  readonly blocks_fetched: number;
  /** An output was received. */
  readonly received_money: boolean;
}

/** Parameters of refund_payment_request. */
export interface RefundPaymentRequestParams {
  /** Id of the request. */
  readonly request_id?: string | undefined;
  /** Reference of the request, in place of its id. */
  readonly reference?: string | undefined;
  /** Name of the refund in your system, unique among payouts; the key by which it is paid once. */
  readonly refund_id: string;
  /**
   * Amount [atomic units], or: excess: payments in time above the amount; late: payments after the end; all:
   * everything that is left.
   */
  readonly amount: 'excess' | 'late' | 'all' | bigint | number;
  /** Address of the customer; absent: the refund address of the request. */
  readonly address?: string | undefined;
  /**
   * Side that pays its share of the fee: wallet in addition, payee out of the amount. Default: `"wallet"`.
   */
  readonly fee?: 'wallet' | 'payee' | undefined;
  /** Largest share of the fee; above it the payout waits; absent: any. */
  readonly max_fee?: bigint | number | undefined;
  /** Priority from 0 to 4; 0: by the state of chain and pool. Default: `0`. */
  readonly priority?: number | undefined;
}

/** Result of refund_payment_request. */
export type RefundPaymentRequestResult = PaymentRequest;

/** Parameters of reject_payouts. */
export interface RejectPayoutsParams {
  /** Ids of the payouts, 1 to 1000. */
  readonly payout_ids?: readonly string[] | undefined;
}

/** Result of reject_payouts. */
export interface RejectPayoutsResult {
  /** Result of each payout, in their order. */
  readonly results: readonly PayoutOutcome[];
}

/** Parameters of relay_tx. */
export interface RelayTxParams {
  /** Member tx_metadata of a transaction that was made with do_not_relay. */
  readonly hex?: string | undefined;
}

/** Result of relay_tx. */
export interface RelayTxResult {
  /** Transaction hash. */
  readonly tx_hash: string;
}

/** Parameters of remove_webhook. */
export interface RemoveWebhookParams {
  /** Id of the endpoint. */
  readonly id: string;
  /** Name of an open wallet, for requests to /json_rpc; absent: the wallet of the request. */
  readonly wallet?: string | undefined;
}

/** Result of remove_webhook. */
export type RemoveWebhookResult = NoMembers;

/** Parameters of rescan_blockchain. */
export interface RescanBlockchainParams {
  /** Deletes tx keys and destinations of payments, too. Default: `false`. */
  readonly hard?: boolean | undefined;
  /** Has no effect: imported key images are kept in any case; refused with hard. Default: `false`. */
  readonly keep_key_images?: boolean | undefined;
}

/** Result of rescan_blockchain. */
export type RescanBlockchainResult = NoMembers;

/** Parameters of rescan_spent. */
export type RescanSpentParams = NoMembers;

/** Result of rescan_spent. */
export type RescanSpentResult = NoMembers;

/** Parameters of restore_deterministic_wallet. */
export interface RestoreDeterministicWalletParams {
  /** Name of the new wallet in the wallet directory; empty: a wallet in memory only. */
  readonly filename?: string | undefined;
  /** Password of the new wallet. */
  readonly password?: string | undefined;
  /** Mnemonic seed or Polyseed; with enable_multisig_experimental the multisig seed in hex. */
  readonly seed?: string | undefined;
  /**
   * Height of the first block to scan; 0: the first block, or for a Polyseed that of its birthday. Default:
   * `0`.
   */
  readonly restore_height?: number | undefined;
  /**
   * Date of the first block to scan, YYYY-MM-DD in UTC, in place of restore_height; absent: restore_height.
   */
  readonly restore_date?: string | undefined;
  /**
   * Language of a seed of the old format, or of a Polyseed whose words several languages have, by its English
   * or its native name; ignored for others.
   */
  readonly language?: string | undefined;
  /** Offset that the seed was encrypted with, or passphrase of an encrypted Polyseed; empty: none. */
  readonly seed_offset?: string | undefined;
  /** Ignored: the previous wallet is always stored. Default: `true`. */
  readonly autosave_current?: boolean | undefined;
  /** The seed is a multisig seed. Default: `false`. */
  readonly enable_multisig_experimental?: boolean | undefined;
  /**
   * Kind of account that the seed gives: legacy or carrot, as it was created. The words do not tell it: a
   * seed gives another account with the other kind. Default: `"legacy"`.
   */
  readonly key_hierarchy?: 'legacy' | 'carrot' | undefined;
}

/** Result of restore_deterministic_wallet. */
export interface RestoreDeterministicWalletResult {
  /** Primary address. */
  readonly address: string;
  /** Message for users. */
  readonly info: string;
  /** Mnemonic seed of 25 words, with the offset removed; of a Polyseed in English. */
  readonly seed: string;
  /** The seed has an old format; seed is its current one. */
  readonly was_deprecated: boolean;
}

/** Parameters of resume_payouts. */
export interface ResumePayoutsParams {
  /** Account; absent: the whole wallet. */
  readonly account_index?: number | undefined;
}

/** Result of resume_payouts. */
export interface ResumePayoutsResult {
  /** Accounts whose payouts wait. */
  readonly paused: readonly ListPayoutsPaused[];
}

/** Parameters of rotate_webhook_secret. */
export interface RotateWebhookSecretParams {
  /** Id of the endpoint. */
  readonly id: string;
  /** Time for which the former secret signs, too [s], up to 2592000. Default: `86400`. */
  readonly overlap_seconds?: number | undefined;
  /** Name of an open wallet, for requests to /json_rpc; absent: the wallet of the request. */
  readonly wallet?: string | undefined;
}

/** Result of rotate_webhook_secret. */
export interface RotateWebhookSecretResult {
  /** Id of the endpoint. */
  readonly id: string;
  /** Secret that deliveries are signed with; shown this once. */
  readonly secret: string;
}

/** Parameters of rpc.discover. */
export type RpcDiscoverParams = NoMembers;

/** Result of rpc.discover. */
export interface RpcDiscoverResult {
  /** Version of OpenRPC. */
  readonly openrpc: string;
  /** Name, version and license of the server. */
  readonly info: JsonObject;
  /** Methods, by name. */
  readonly methods: readonly JsonObject[];
}

/** Parameters of scan_tx. */
export interface ScanTxParams {
  /** Transaction hashes. */
  readonly txids?: readonly string[] | undefined;
}

/** Result of scan_tx. */
export type ScanTxResult = NoMembers;

/** Parameters of send_payouts. */
export interface SendPayoutsParams {
  /** Account that pays. Default: `0`. */
  readonly account_index?: number | undefined;
}

/** Result of send_payouts. */
export interface SendPayoutsResult {
  /** Number of payouts that are still queued in the wallet. */
  readonly waiting: number;
}

/** Parameters of set_account_tag_description. */
export interface SetAccountTagDescriptionParams {
  /** A tag that an account has. */
  readonly tag?: string | undefined;
  /** New description of the tag; empty: none. */
  readonly description?: string | undefined;
}

/** Result of set_account_tag_description. */
export type SetAccountTagDescriptionResult = NoMembers;

/** Parameters of set_attribute. */
export interface SetAttributeParams {
  /** Key of the attribute. */
  readonly key?: string | undefined;
  /** Text to store; replaces the former one. */
  readonly value?: string | undefined;
}

/** Result of set_attribute. */
export type SetAttributeResult = NoMembers;

/** Parameters of set_daemon. */
export interface SetDaemonParams {
  /** Address of the daemon: host:port, or a URL. */
  readonly address?: string | undefined;
  /** User name of the login; empty: no login. */
  readonly username?: string | undefined;
  /** Password of the login. */
  readonly password?: string | undefined;
  /** The daemon is trusted with the methods that need one. Default: `false`. */
  readonly trusted?: boolean | undefined;
  /** Encryption of the connection: enabled, disabled or autodetect. Default: `"autodetect"`. */
  readonly ssl_support?: string | undefined;
  /** Path of the private key that the server shows the daemon; empty: none. */
  readonly ssl_private_key_path?: string | undefined;
  /** Path of the certificate that the server shows the daemon; empty: none. */
  readonly ssl_certificate_path?: string | undefined;
  /**
   * Path of the certificates of the authorities that the daemon must be certified by; empty: those of the
   * system.
   */
  readonly ssl_ca_file?: string | undefined;
  /**
   * SHA-256 fingerprints of the allowed certificates of the daemon as 64 hex digits, with or without colons.
   */
  readonly ssl_allowed_fingerprints?: readonly string[] | undefined;
  /** Accepts every certificate of the daemon. Default: `false`. */
  readonly ssl_allow_any_cert?: boolean | undefined;
  /** host:port of a SOCKS proxy for the connection; empty: none. */
  readonly proxy?: string | undefined;
}

/** Result of set_daemon. */
export type SetDaemonResult = NoMembers;

/** Parameters of set_log_categories. */
export interface SetLogCategoriesParams {
  /**
   * List of category:level with commas, or a level 0 to 4; + or - before it adds to or removes from those in
   * force; empty: nothing is logged.
   */
  readonly categories?: string | undefined;
}

/** Result of set_log_categories. */
export interface SetLogCategoriesResult {
  /** Log categories in force. */
  readonly categories: string;
}

/** Parameters of set_log_level. */
export interface SetLogLevelParams {
  /** Log level, 0 (least) to 4 (everything). Default: `0`. */
  readonly level?: number | undefined;
}

/** Result of set_log_level. */
export type SetLogLevelResult = NoMembers;

/** Parameters of set_subaddress_lookahead. */
export interface SetSubaddressLookaheadParams {
  /** Password of the wallet. */
  readonly password?: string | undefined;
  /** Number of accounts to watch beyond the last created one, at least 1. Default: `0`. */
  readonly major_idx?: number | undefined;
  /** Number of addresses to watch in each account beyond the last created one, at least 1. Default: `0`. */
  readonly minor_idx?: number | undefined;
}

/** Result of set_subaddress_lookahead. */
export type SetSubaddressLookaheadResult = NoMembers;

/** Parameters of set_tx_notes. */
export interface SetTxNotesParams {
  /** Transaction hashes. */
  readonly txids?: readonly string[] | undefined;
  /** Notes in the order of the hashes, one for each; empty: none. */
  readonly notes?: readonly string[] | undefined;
}

/** Result of set_tx_notes. */
export type SetTxNotesResult = NoMembers;

/** Parameters of setup_background_sync. */
export interface SetupBackgroundSyncParams {
  /** off, reuse-wallet-password or custom-background-password. */
  readonly background_sync_type?: string | undefined;
  /** Password of the wallet. */
  readonly wallet_password?: string | undefined;
  /** Password of the background wallet; only for custom-background-password. */
  readonly background_cache_password?: string | undefined;
}

/** Result of setup_background_sync. */
export type SetupBackgroundSyncResult = NoMembers;

/** Parameters of sign. */
export interface SignParams {
  /** Text to sign. */
  readonly data?: string | undefined;
  /** Index of the account. Default: `0`. */
  readonly account_index?: number | undefined;
  /** Index of the address in the account. Default: `0`. */
  readonly address_index?: number | undefined;
  /** Key to sign with, spend or view; empty: spend. */
  readonly signature_type?: string | undefined;
}

/** Result of sign. */
export interface SignResult {
  /** Signature, beginning with SigV2. */
  readonly signature: string;
}

/** Parameters of sign_multisig. */
export interface SignMultisigParams {
  /** Set of multisig transactions in hex. */
  readonly tx_data_hex?: string | undefined;
}

/** Result of sign_multisig. */
export interface SignMultisigResult {
  /** Set with the signatures of this signer. */
  readonly tx_data_hex: string;
  /** Hashes of the transactions, once they have all signatures. */
  readonly tx_hash_list: readonly string[];
}

/** Parameters of sign_transfer. */
export interface SignTransferParams {
  /** Set of unsigned transactions in hex, as transfer returns it on a view-only wallet. */
  readonly unsigned_txset?: string | undefined;
  /** Returns the signed transactions, too. Default: `false`. */
  readonly export_raw?: boolean | undefined;
  /** Returns the secret keys of the transactions, too. Default: `false`. */
  readonly get_tx_keys?: boolean | undefined;
}

/** Result of sign_transfer. */
export interface SignTransferResult {
  /** Set of signed transactions, for submit_transfer. */
  readonly signed_txset: string;
  /** Hashes of the transactions. */
  readonly tx_hash_list: readonly string[];
  /** Transactions, if requested. */
  readonly tx_raw_list: readonly string[];
  /** Secret keys, if requested. */
  readonly tx_key_list: readonly string[];
}

/** Parameters of split_integrated_address. */
export interface SplitIntegratedAddressParams {
  /** Integrated address. */
  readonly integrated_address?: string | undefined;
}

/** Result of split_integrated_address. */
export interface SplitIntegratedAddressResult {
  /** Always false: integrated addresses are made of standard ones. */
  readonly is_subaddress: boolean;
  /** Payment id as 16 hex digits. */
  readonly payment_id: string;
  /** Address without the payment id. */
  readonly standard_address: string;
}

/** Parameters of start_background_sync. */
export type StartBackgroundSyncParams = NoMembers;

/** Result of start_background_sync. */
export type StartBackgroundSyncResult = NoMembers;

/** Parameters of start_mining. */
export interface StartMiningParams {
  /**
   * Number of threads, from 1 to the number of processors of this machine, or to 2 if it has one; required.
   * Default: `0`.
   */
  readonly threads_count?: number | undefined;
  /** Mines only while the machine of the daemon is idle. Default: `false`. */
  readonly do_background_mining?: boolean | undefined;
  /** Mines in the background on battery power, too. Default: `false`. */
  readonly ignore_battery?: boolean | undefined;
}

/** Result of start_mining. */
export type StartMiningResult = NoMembers;

/** Parameters of stop_background_sync. */
export interface StopBackgroundSyncParams {
  /** Password of the wallet. */
  readonly wallet_password?: string | undefined;
  /** Mnemonic seed or Polyseed to restore the spend key from; empty: the spend key of the keys file. */
  readonly seed?: string | undefined;
  /** Offset that the seed was encrypted with, or passphrase of an encrypted Polyseed; empty: none. */
  readonly seed_offset?: string | undefined;
}

/** Result of stop_background_sync. */
export type StopBackgroundSyncResult = NoMembers;

/** Parameters of stop_mining. */
export type StopMiningParams = NoMembers;

/** Result of stop_mining. */
export type StopMiningResult = NoMembers;

/** Parameters of stop_wallet. */
export type StopWalletParams = NoMembers;

/** Result of stop_wallet. */
export type StopWalletResult = NoMembers;

/** Parameters of store. */
export type StoreParams = NoMembers;

/** Result of store. */
export type StoreResult = NoMembers;

/** Parameters of submit_multisig. */
export interface SubmitMultisigParams {
  /** Key of the payment: a repeated call with the key pays once; absent: every call pays. */
  readonly idempotency_key?: string | undefined;
  /** Pays the failed transactions of the payment with the key again. Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  /** Set of multisig transactions in hex, with all signatures needed. */
  readonly tx_data_hex?: string | undefined;
}

export interface SubmittedTransactions {
  /** Hashes of the transactions. */
  readonly tx_hash_list: readonly string[];
}

/** Result of submit_multisig. */
export type SubmitMultisigResult = SubmittedTransactions;

/** Parameters of submit_payout_batches. */
export interface SubmitPayoutBatchesParams {
  /** Sets signed by sign_transfer, 1 to 1000. */
  readonly signed_txsets?: readonly string[] | undefined;
}

export interface SubmittedBatch {
  /** Relayed transactions. */
  readonly tx_hashes: readonly string[];
  readonly error?: PayoutError;
}

/** Result of submit_payout_batches. */
export interface SubmitPayoutBatchesResult {
  /** Result of each set, in their order. */
  readonly results: readonly SubmittedBatch[];
}

/** Parameters of submit_transfer. */
export interface SubmitTransferParams {
  /** Key of the payment: a repeated call with the key pays once; absent: every call pays. */
  readonly idempotency_key?: string | undefined;
  /** Pays the failed transactions of the payment with the key again. Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  /** Set of signed transactions in hex, as sign_transfer returns it. */
  readonly tx_data_hex?: string | undefined;
}

/** Result of submit_transfer. */
export type SubmitTransferResult = SubmittedTransactions;

/** Parameters of sweep_all. */
export interface SweepAllParams {
  /** Makes the transactions without relaying them: relay_tx relays them later. Default: `false`. */
  readonly do_not_relay?: boolean | undefined;
  /** Returns the transactions in hex, too. Default: `false`. */
  readonly get_tx_hex?: boolean | undefined;
  /** Returns the metadata that relay_tx takes, too. Default: `false`. */
  readonly get_tx_metadata?: boolean | undefined;
  /** Returns the secret keys of the transactions, too. Default: `false`. */
  readonly get_tx_key?: boolean | undefined;
  /** Returns the secret keys of the transactions, too. Default: `false`. */
  readonly get_tx_keys?: boolean | undefined;
  /** Highest fee of all transactions of the call [atomic units]; above it, nothing is paid (-70). */
  readonly max_fee?: bigint | number | undefined;
  /** Priority of the fee, 1 (low) to 4 (high); 0: chosen by the state of the chain. Default: `0`. */
  readonly priority?: number | undefined;
  /** Ignored: rings have the size of the network. Default: `0`. */
  readonly ring_size?: bigint | number | undefined;
  /**
   * Height or Unix time [s] at which the outputs unlock; 0: at once; interface 1.32 refuses others (-50).
   * Default: `0`.
   */
  readonly unlock_time?: bigint | number | undefined;
  /** Refused unless empty: integrated addresses contain payment ids. */
  readonly payment_id?: string | undefined;
  /** Key of the payment: a repeated call with the key pays once; absent: every call pays. */
  readonly idempotency_key?: string | undefined;
  /** Pays the failed transactions of the payment with the key again. Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  /** Address that gets the money, of any kind, or an OpenAlias name. */
  readonly address?: string | undefined;
  /** Number of outputs that the money is divided into, at least 1. Default: `1`. */
  readonly outputs?: bigint | number | undefined;
  /** Index of the account to sweep. Default: `0`. */
  readonly account_index?: number | undefined;
  /** Indices of the addresses in the account to sweep; empty: one of them, chosen at random. */
  readonly subaddr_indices?: readonly number[] | undefined;
  /** Sweeps all addresses of the account. Default: `false`. */
  readonly subaddr_indices_all?: boolean | undefined;
  /** Sweeps only outputs with a lower amount [atomic units]; 0: all outputs. Default: `0`. */
  readonly below_amount?: bigint | number | undefined;
}

export interface DestinationAmounts {
  /** Amounts of the destinations. */
  readonly amounts: readonly bigint[];
}

export interface SpentKeyImages {
  /** Key images of the inputs. */
  readonly key_images: readonly string[];
}

export interface MadeTransactions {
  /** Amounts of the transactions. */
  readonly amount_list: readonly bigint[];
  /** Amounts paid by each transaction. */
  readonly amounts_by_dest_list: readonly DestinationAmounts[];
  /** Fees of the transactions. */
  readonly fee_list: readonly bigint[];
  /** Set for the other signers of a multisig wallet; empty otherwise. */
  readonly multisig_txset: string;
  /** Inputs of each transaction. */
  readonly spent_key_images_list: readonly SpentKeyImages[];
  /** Signed transactions, if requested. */
  readonly tx_blob_list: readonly string[];
  /** Hashes of the transactions; none if other signers have to sign. */
  readonly tx_hash_list: readonly string[];
  /** Secret keys of the transactions, if requested. */
  readonly tx_key_list: readonly string[];
  /** Transactions for relay_tx, if requested. */
  readonly tx_metadata_list: readonly string[];
  /** Set for the offline wallet of a view-only wallet; empty otherwise. */
  readonly unsigned_txset: string;
  /** Weights of the transactions. */
  readonly weight_list: readonly number[];
}

/** Result of sweep_all. */
export type SweepAllResult = MadeTransactions;

/** Parameters of sweep_dust. */
export interface SweepDustParams {
  /** Makes the transactions without relaying them: relay_tx relays them later. Default: `false`. */
  readonly do_not_relay?: boolean | undefined;
  /** Returns the transactions in hex, too. Default: `false`. */
  readonly get_tx_hex?: boolean | undefined;
  /** Returns the metadata that relay_tx takes, too. Default: `false`. */
  readonly get_tx_metadata?: boolean | undefined;
  /** Returns the secret keys of the transactions, too. Default: `false`. */
  readonly get_tx_key?: boolean | undefined;
  /** Returns the secret keys of the transactions, too. Default: `false`. */
  readonly get_tx_keys?: boolean | undefined;
  /** Highest fee of all transactions of the call [atomic units]; above it, nothing is paid (-70). */
  readonly max_fee?: bigint | number | undefined;
  /** Key of the payment: a repeated call with the key pays once; absent: every call pays. */
  readonly idempotency_key?: string | undefined;
  /** Pays the failed transactions of the payment with the key again. Default: `false`. */
  readonly retry_failed?: boolean | undefined;
}

/** Result of sweep_dust. */
export type SweepDustResult = MadeTransactions;

/** Parameters of sweep_single. */
export interface SweepSingleParams {
  /** Makes the transactions without relaying them: relay_tx relays them later. Default: `false`. */
  readonly do_not_relay?: boolean | undefined;
  /** Returns the transactions in hex, too. Default: `false`. */
  readonly get_tx_hex?: boolean | undefined;
  /** Returns the metadata that relay_tx takes, too. Default: `false`. */
  readonly get_tx_metadata?: boolean | undefined;
  /** Returns the secret keys of the transactions, too. Default: `false`. */
  readonly get_tx_key?: boolean | undefined;
  /** Returns the secret keys of the transactions, too. Default: `false`. */
  readonly get_tx_keys?: boolean | undefined;
  /** Highest fee of all transactions of the call [atomic units]; above it, nothing is paid (-70). */
  readonly max_fee?: bigint | number | undefined;
  /** Priority of the fee, 1 (low) to 4 (high); 0: chosen by the state of the chain. Default: `0`. */
  readonly priority?: number | undefined;
  /** Ignored: rings have the size of the network. Default: `0`. */
  readonly ring_size?: bigint | number | undefined;
  /**
   * Height or Unix time [s] at which the outputs unlock; 0: at once; interface 1.32 refuses others (-50).
   * Default: `0`.
   */
  readonly unlock_time?: bigint | number | undefined;
  /** Refused unless empty: integrated addresses contain payment ids. */
  readonly payment_id?: string | undefined;
  /** Key of the payment: a repeated call with the key pays once; absent: every call pays. */
  readonly idempotency_key?: string | undefined;
  /** Pays the failed transactions of the payment with the key again. Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  /** Address that gets the money, of any kind, or an OpenAlias name. */
  readonly address?: string | undefined;
  /** Number of outputs that the money is divided into, at least 1. Default: `1`. */
  readonly outputs?: bigint | number | undefined;
  /** Key image of the output as 64 hex digits. */
  readonly key_image?: string | undefined;
}

export interface MadeTransaction {
  /** Sum of the payments, without change and fee. */
  readonly amount: bigint;
  /** Amounts paid. */
  readonly amounts_by_dest: DestinationAmounts;
  /** Fee. */
  readonly fee: bigint;
  /** Set for the other signers of a multisig wallet; empty otherwise. */
  readonly multisig_txset: string;
  /** Inputs spent. */
  readonly spent_key_images: SpentKeyImages;
  /** Transaction, if requested; not signed if the wallet cannot sign. */
  readonly tx_blob: string;
  /** Transaction hash; empty if other signers have to sign. */
  readonly tx_hash: string;
  /** Secret key of the transaction, then the additional ones, if requested. */
  readonly tx_key: string;
  /** Transaction for relay_tx, if requested. */
  readonly tx_metadata: string;
  /** Set for the offline wallet of a view-only wallet; empty otherwise. */
  readonly unsigned_txset: string;
  /** Weight of the transaction. */
  readonly weight: number;
}

/** Result of sweep_single. */
export type SweepSingleResult = MadeTransaction;

/** Parameters of tag_accounts. */
export interface TagAccountsParams {
  /** Tag to set; replaces the former tag of each account. */
  readonly tag?: string | undefined;
  /** Indices of the accounts. */
  readonly accounts?: readonly number[] | undefined;
}

/** Result of tag_accounts. */
export type TagAccountsResult = NoMembers;

/** Parameters of test_webhook. */
export interface TestWebhookParams {
  /** Id of the endpoint. */
  readonly id: string;
  /** Name of an open wallet, for requests to /json_rpc; absent: the wallet of the request. */
  readonly wallet?: string | undefined;
}

/** Result of test_webhook. */
export interface TestWebhookResult {
  /** The endpoint answered with a status of 200 to 299 within 15 seconds. */
  readonly delivered: boolean;
  /** HTTP status of the answer; absent without an answer. */
  readonly status?: number;
  /** Cause of the failure; absent if it was delivered. */
  readonly reason?: string;
  /** First 200 characters of the answer; absent without an answer. */
  readonly reply?: string;
  /** Time that the attempt took [ms]. */
  readonly ms: number;
  /** Header webhook-id of the attempt. */
  readonly webhook_id: string;
}

/** Parameters of thaw. */
export interface ThawParams {
  /** Key image of the output as 64 hex digits. */
  readonly key_image?: string | undefined;
}

/** Result of thaw. */
export type ThawResult = NoMembers;

export interface Destination {
  /** Amount to pay [atomic units]. Default: `0`. */
  readonly amount?: bigint | number | undefined;
  /** Address of any kind, or an OpenAlias name. */
  readonly address?: string | undefined;
}

/** Parameters of transfer. */
export interface TransferParams {
  /** Makes the transactions without relaying them: relay_tx relays them later. Default: `false`. */
  readonly do_not_relay?: boolean | undefined;
  /** Returns the transactions in hex, too. Default: `false`. */
  readonly get_tx_hex?: boolean | undefined;
  /** Returns the metadata that relay_tx takes, too. Default: `false`. */
  readonly get_tx_metadata?: boolean | undefined;
  /** Returns the secret keys of the transactions, too. Default: `false`. */
  readonly get_tx_key?: boolean | undefined;
  /** Returns the secret keys of the transactions, too. Default: `false`. */
  readonly get_tx_keys?: boolean | undefined;
  /** Highest fee of all transactions of the call [atomic units]; above it, nothing is paid (-70). */
  readonly max_fee?: bigint | number | undefined;
  /** Priority of the fee, 1 (low) to 4 (high); 0: chosen by the state of the chain. Default: `0`. */
  readonly priority?: number | undefined;
  /** Ignored: rings have the size of the network. Default: `0`. */
  readonly ring_size?: bigint | number | undefined;
  /**
   * Height or Unix time [s] at which the outputs unlock; 0: at once; interface 1.32 refuses others (-50).
   * Default: `0`.
   */
  readonly unlock_time?: bigint | number | undefined;
  /** Refused unless empty: integrated addresses contain payment ids. */
  readonly payment_id?: string | undefined;
  /** Key of the payment: a repeated call with the key pays once; absent: every call pays. */
  readonly idempotency_key?: string | undefined;
  /** Pays the failed transactions of the payment with the key again. Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  /** Payments to make. */
  readonly destinations?: readonly Destination[] | undefined;
  /** Index of the account to pay from. Default: `0`. */
  readonly account_index?: number | undefined;
  /** Indices of the addresses in the account whose outputs may be spent; empty: all. */
  readonly subaddr_indices?: readonly number[] | undefined;
  /** Indices of the destinations that share the fee; empty: the wallet pays it. */
  readonly subtract_fee_from_outputs?: readonly number[] | undefined;
  /** Number of outputs that the change is divided into, 1 to 14. Default: `1`. */
  readonly change_outputs?: number | undefined;
}

/** Result of transfer. */
export type TransferResult = MadeTransaction;

/** Parameters of transfer_split. */
export interface TransferSplitParams {
  /** Makes the transactions without relaying them: relay_tx relays them later. Default: `false`. */
  readonly do_not_relay?: boolean | undefined;
  /** Returns the transactions in hex, too. Default: `false`. */
  readonly get_tx_hex?: boolean | undefined;
  /** Returns the metadata that relay_tx takes, too. Default: `false`. */
  readonly get_tx_metadata?: boolean | undefined;
  /** Returns the secret keys of the transactions, too. Default: `false`. */
  readonly get_tx_key?: boolean | undefined;
  /** Returns the secret keys of the transactions, too. Default: `false`. */
  readonly get_tx_keys?: boolean | undefined;
  /** Highest fee of all transactions of the call [atomic units]; above it, nothing is paid (-70). */
  readonly max_fee?: bigint | number | undefined;
  /** Priority of the fee, 1 (low) to 4 (high); 0: chosen by the state of the chain. Default: `0`. */
  readonly priority?: number | undefined;
  /** Ignored: rings have the size of the network. Default: `0`. */
  readonly ring_size?: bigint | number | undefined;
  /**
   * Height or Unix time [s] at which the outputs unlock; 0: at once; interface 1.32 refuses others (-50).
   * Default: `0`.
   */
  readonly unlock_time?: bigint | number | undefined;
  /** Refused unless empty: integrated addresses contain payment ids. */
  readonly payment_id?: string | undefined;
  /** Key of the payment: a repeated call with the key pays once; absent: every call pays. */
  readonly idempotency_key?: string | undefined;
  /** Pays the failed transactions of the payment with the key again. Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  /** Payments to make. */
  readonly destinations?: readonly Destination[] | undefined;
  /** Index of the account to pay from. Default: `0`. */
  readonly account_index?: number | undefined;
  /** Indices of the addresses in the account whose outputs may be spent; empty: all. */
  readonly subaddr_indices?: readonly number[] | undefined;
}

/** Result of transfer_split. */
export type TransferSplitResult = MadeTransactions;

/** Parameters of untag_accounts. */
export interface UntagAccountsParams {
  /** Indices of the accounts. */
  readonly accounts?: readonly number[] | undefined;
}

/** Result of untag_accounts. */
export type UntagAccountsResult = NoMembers;

/** Parameters of validate_address. */
export interface ValidateAddressParams {
  /** Text to check: an address, or an OpenAlias name if allowed. */
  readonly address?: string | undefined;
  /**
   * Accepts addresses of every network; false: only of the network of the open wallet (-13). Default:
   * `false`.
   */
  readonly any_net_type?: boolean | undefined;
  /** Looks a text that is no address up as an OpenAlias name. Default: `false`. */
  readonly allow_openalias?: boolean | undefined;
}

/** Result of validate_address. */
export interface ValidateAddressResult {
  /** The text is an address of the network, or of any if asked. */
  readonly valid: boolean;
  /** It is an integrated address. */
  readonly integrated: boolean;
  /** It is a subaddress. */
  readonly subaddress: boolean;
  /** Network of the address; empty for an invalid one. */
  readonly nettype: 'mainnet' | 'testnet' | 'stagenet' | '';
  /**
   * The address was found under an OpenAlias name; API version 1.32: Address that an OpenAlias name resolves
   * to; empty for an address.
   */
  readonly openalias_address: boolean | string;
}

/** Parameters of verify. */
export interface VerifyParams {
  /** Text that was signed. */
  readonly data?: string | undefined;
  /** Address of the signer, or an OpenAlias name. */
  readonly address?: string | undefined;
  /** Signature, beginning with SigV1 or SigV2. */
  readonly signature?: string | undefined;
}

/** Result of verify. */
export interface VerifyResult {
  /** The signature is valid. */
  readonly good: boolean;
  /** It has the format of version 1. */
  readonly old: boolean;
  /** Key that signed. */
  readonly signature_type: 'spend' | 'view';
  /** Format of the signature; 0 for an invalid one. */
  readonly version: number;
}

/** Methods of the server. */
export interface WalletMethods {
  /** Adds an entry to the address book. */
  add_address_book(params?: AddAddressBookParams, options?: CallOptions): Promise<AddAddressBookResult>;
  /** Adds an endpoint that the events of the wallet are sent to; returns its secret once. */
  add_webhook(params: AddWebhookParams, options?: CallOptions): Promise<AddWebhookResult>;
  /** Approves payouts that wait for approvals, each on its own, with the terms that the client has seen. */
  approve_payouts(params?: ApprovePayoutsParams, options?: CallOptions): Promise<ApprovePayoutsResult>;
  /** Sets the refresh period of the wallet; on /json_rpc also of each wallet that becomes current later. */
  auto_refresh(params?: AutoRefreshParams, options?: CallOptions): Promise<AutoRefreshResult>;
  /**
   * Writes a checked copy of the wallet, its store and its keys file, to --backup-dir, while it stays in use.
   * Addition of this server.
   */
  backup_wallet(params?: BackupWalletParams, options?: CallOptions): Promise<BackupWalletResult>;
  /** Cancels a payment request that lacks money; later payments to it are late. */
  cancel_payment_request(
    params?: CancelPaymentRequestParams,
    options?: CallOptions,
  ): Promise<CancelPaymentRequestResult>;
  /** Cancels payouts that were not sent, each on its own. */
  cancel_payouts(params?: CancelPayoutsParams, options?: CallOptions): Promise<CancelPayoutsResult>;
  /** Changes the password of the open wallet. */
  change_wallet_password(
    params?: ChangeWalletPasswordParams,
    options?: CallOptions,
  ): Promise<ChangeWalletPasswordResult>;
  /** Verifies a reserve proof, and returns its amount and the part spent since. */
  check_reserve_proof(
    params?: CheckReserveProofParams,
    options?: CallOptions,
  ): Promise<CheckReserveProofResult>;
  /** Verifies a proof of having made a transaction. */
  check_spend_proof(params?: CheckSpendProofParams, options?: CallOptions): Promise<CheckSpendProofResult>;
  /** Returns the amount that a transaction paid to an address, from its secret key. */
  check_tx_key(params?: CheckTxKeyParams, options?: CallOptions): Promise<CheckTxKeyResult>;
  /** Verifies a payment proof and returns the amount paid. */
  check_tx_proof(params?: CheckTxProofParams, options?: CallOptions): Promise<CheckTxProofResult>;
  /** Closes the wallet; on /json_rpc, a wallet also opened under its own path stays open there. */
  close_wallet(params?: CloseWalletParams, options?: CallOptions): Promise<CloseWalletResult>;
  /** Creates an account. */
  create_account(params?: CreateAccountParams, options?: CallOptions): Promise<CreateAccountResult>;
  /** Creates addresses in an account. */
  create_address(params?: CreateAddressParams, options?: CallOptions): Promise<CreateAddressResult>;
  /** Creates a request for a payment to a new address, whose state follows from the payments to it. */
  create_payment_request(
    params?: CreatePaymentRequestParams,
    options?: OrderOptions,
  ): Promise<CreatePaymentRequestResult>;
  /** Records payouts, each on its own, which a queue pays in batches of up to 15. */
  create_payouts(params?: CreatePayoutsParams, options?: CallOptions): Promise<CreatePayoutsResult>;
  /** Creates a wallet and opens it; with an empty filename it exists in memory only. */
  create_wallet(params?: CreateWalletParams, options?: CallOptions): Promise<CreateWalletResult>;
  /** Removes an entry of the address book; the indices of later entries decrease by one. */
  delete_address_book(
    params?: DeleteAddressBookParams,
    options?: CallOptions,
  ): Promise<DeleteAddressBookResult>;
  /** Returns the payments in a set of unsigned or partly signed transactions. */
  describe_transfer(params?: DescribeTransferParams, options?: CallOptions): Promise<DescribeTransferResult>;
  /** Changes fields of an entry of the address book. */
  edit_address_book(params?: EditAddressBookParams, options?: CallOptions): Promise<EditAddressBookResult>;
  /** Enables an endpoint that was disabled because it answered with status 410. */
  enable_webhook(params: EnableWebhookParams, options?: CallOptions): Promise<EnableWebhookResult>;
  /** Computes the batches that the queue, and further payouts, would make now; changes nothing. */
  estimate_payouts(params?: EstimatePayoutsParams, options?: CallOptions): Promise<EstimatePayoutsResult>;
  /** Estimates the size and weight of a transaction. */
  estimate_tx_size_and_weight(
    params?: EstimateTxSizeAndWeightParams,
    options?: CallOptions,
  ): Promise<EstimateTxSizeAndWeightResult>;
  /** Completes a round of the key exchange; the last round makes the wallet ready. */
  exchange_multisig_keys(
    params?: ExchangeMultisigKeysParams,
    options?: CallOptions,
  ): Promise<ExchangeMultisigKeysResult>;
  /** Exports signed key images for a wallet without a spend key. */
  export_key_images(params?: ExportKeyImagesParams, options?: CallOptions): Promise<ExportKeyImagesResult>;
  /** Exports the multisig info of this signer; nonces of its earlier exports become invalid. */
  export_multisig_info(
    params?: ExportMultisigInfoParams,
    options?: CallOptions,
  ): Promise<ExportMultisigInfoResult>;
  /** Exports outputs for an offline wallet with the same keys. */
  export_outputs(params?: ExportOutputsParams, options?: CallOptions): Promise<ExportOutputsResult>;
  /** Exports the payment requests that were created in a period, with payments, price and refunds. */
  export_payment_requests(
    params: ExportPaymentRequestsParams,
    options?: CallOptions,
  ): Promise<ExportPaymentRequestsResult>;
  /** Exports all payments of a period, for accounting: mined ones by height, then the others. */
  export_payments(params: ExportPaymentsParams, options?: CallOptions): Promise<ExportPaymentsResult>;
  /** Lists the batches of a view-only wallet whose sets the wallet with the spend key is to sign. */
  export_payout_batches(
    params?: ExportPayoutBatchesParams,
    options?: CallOptions,
  ): Promise<ExportPayoutBatchesResult>;
  /** Exports the payouts that were created in a period, with fee shares, transactions and approvers. */
  export_payouts(params: ExportPayoutsParams, options?: CallOptions): Promise<ExportPayoutsResult>;
  /** Sets a later expiry of a payment request; late payments before it count. */
  extend_payment_request(
    params?: ExtendPaymentRequestParams,
    options?: CallOptions,
  ): Promise<ExtendPaymentRequestResult>;
  /** Completes a round of the key exchange, as exchange_multisig_keys does; its former name. */
  finalize_multisig(params?: FinalizeMultisigParams, options?: CallOptions): Promise<FinalizeMultisigResult>;
  /** Freezes an output, so that no payment spends it. */
  freeze(params?: FreezeParams, options?: CallOptions): Promise<FreezeResult>;
  /** Returns whether an output is frozen. */
  frozen(params?: FrozenParams, options?: CallOptions): Promise<FrozenResult>;
  /**
   * Creates a wallet from its keys and opens it; without the spend key it is view-only; it finds payments to
   * 200 addresses of 50 accounts, and to further ones once create_address with count or create_account has
   * made them again.
   */
  generate_from_keys(params?: GenerateFromKeysParams, options?: CallOptions): Promise<GenerateFromKeysResult>;
  /** Lists the tags of accounts, with their descriptions. */
  get_account_tags(params?: GetAccountTagsParams, options?: CallOptions): Promise<GetAccountTagsResult>;
  /** Lists accounts with their balances. */
  get_accounts(params?: GetAccountsParams, options?: CallOptions): Promise<GetAccountsResult>;
  /** Lists the addresses of an account. */
  get_address(params?: GetAddressParams, options?: CallOptions): Promise<GetAddressResult>;
  /** Lists entries of the address book. */
  get_address_book(params?: GetAddressBookParams, options?: CallOptions): Promise<GetAddressBookResult>;
  /** Returns the account and address index of an address of the wallet. */
  get_address_index(params?: GetAddressIndexParams, options?: CallOptions): Promise<GetAddressIndexResult>;
  /** Returns the text stored under a key. */
  get_attribute(params?: GetAttributeParams, options?: CallOptions): Promise<GetAttributeResult>;
  /** Returns the balance of an account; unlocked_balance excludes locked outputs. */
  get_balance(params?: GetBalanceParams, options?: CallOptions): Promise<GetBalanceResult>;
  /** Lists incoming payments with any of several payment ids, or all of them. */
  get_bulk_payments(params?: GetBulkPaymentsParams, options?: CallOptions): Promise<GetBulkPaymentsResult>;
  /** Returns the priority of a payment that sets none. */
  get_default_fee_priority(
    params?: GetDefaultFeePriorityParams,
    options?: CallOptions,
  ): Promise<GetDefaultFeePriorityResult>;
  /**
   * Returns events after a cursor, of the wallet of the path, or of all open wallets; waits for one if asked.
   */
  get_events(params?: GetEventsParams, options?: CallOptions): Promise<GetEventsResult>;
  /** Returns the number of blocks known to the wallet. */
  get_height(params?: GetHeightParams, options?: CallOptions): Promise<GetHeightResult>;
  /** Lists the languages of mnemonic seeds, or of Polyseeds. */
  get_languages(params?: GetLanguagesParams, options?: CallOptions): Promise<GetLanguagesResult>;
  /** Returns a message for the round after next, from some messages of the next round. */
  get_multisig_key_exchange_booster(
    params?: GetMultisigKeyExchangeBoosterParams,
    options?: CallOptions,
  ): Promise<GetMultisigKeyExchangeBoosterResult>;
  /** Returns the state and transactions of the payment with an idempotency key. */
  get_order(params: GetOrderParams, options?: CallOptions): Promise<GetOrderResult>;
  /** Returns a payment request with its state and payments. */
  get_payment_request(
    params?: GetPaymentRequestParams,
    options?: CallOptions,
  ): Promise<GetPaymentRequestResult>;
  /** Lists incoming payments with a payment id. */
  get_payments(params?: GetPaymentsParams, options?: CallOptions): Promise<GetPaymentsResult>;
  /** Returns a payout with its state and payment, or with the reason why it waits. */
  get_payout(params: GetPayoutParams, options?: CallOptions): Promise<GetPayoutResult>;
  /**
   * Proves the reserves of accounts at a height: a document that wallet-rpc verify-reserve checks without the
   * wallet.
   */
  get_reserve_bundle(params: GetReserveBundleParams, options?: CallOptions): Promise<GetReserveBundleResult>;
  /** Creates a proof of the balance of this wallet, or of a lower amount. */
  get_reserve_proof(params?: GetReserveProofParams, options?: CallOptions): Promise<GetReserveProofResult>;
  /** Creates a proof that this wallet made a transaction. */
  get_spend_proof(params?: GetSpendProofParams, options?: CallOptions): Promise<GetSpendProofResult>;
  /** Returns one transaction of an account. */
  get_transfer_by_txid(
    params?: GetTransferByTxidParams,
    options?: CallOptions,
  ): Promise<GetTransferByTxidResult>;
  /** Lists transfers of the requested kinds. */
  get_transfers(params?: GetTransfersParams, options?: CallOptions): Promise<GetTransfersResult>;
  /** Returns the secret key of a transaction made by this wallet. */
  get_tx_key(params?: GetTxKeyParams, options?: CallOptions): Promise<GetTxKeyResult>;
  /** Returns the notes of transactions, including empty ones. */
  get_tx_notes(params?: GetTxNotesParams, options?: CallOptions): Promise<GetTxNotesResult>;
  /** Creates a proof that a transaction paid an address. */
  get_tx_proof(params?: GetTxProofParams, options?: CallOptions): Promise<GetTxProofResult>;
  /** Returns the version of the interface: major in the high 16 bits, minor in the low 16. */
  get_version(params?: GetVersionParams, options?: CallOptions): Promise<GetVersionResult>;
  /** Imports signed key images and asks the daemon which of them are spent. */
  import_key_images(params?: ImportKeyImagesParams, options?: CallOptions): Promise<ImportKeyImagesResult>;
  /** Imports the multisig info of other signers, which completes key images and allows payments. */
  import_multisig_info(
    params?: ImportMultisigInfoParams,
    options?: CallOptions,
  ): Promise<ImportMultisigInfoResult>;
  /** Imports outputs exported by a wallet that reads the chain. */
  import_outputs(params?: ImportOutputsParams, options?: CallOptions): Promise<ImportOutputsResult>;
  /** Lists the outputs received by an account. */
  incoming_transfers(
    params?: IncomingTransfersParams,
    options?: CallOptions,
  ): Promise<IncomingTransfersResult>;
  /** Returns whether the wallet is multisig, and the progress of its key exchange. */
  is_multisig(params?: IsMultisigParams, options?: CallOptions): Promise<IsMultisigResult>;
  /** Sets the label of an account. */
  label_account(params?: LabelAccountParams, options?: CallOptions): Promise<LabelAccountResult>;
  /** Sets the label of an address. */
  label_address(params?: LabelAddressParams, options?: CallOptions): Promise<LabelAddressResult>;
  /** Lists the deliveries of an endpoint, the latest event first. */
  list_deliveries(params: ListDeliveriesParams, options?: CallOptions): Promise<ListDeliveriesResult>;
  /** Lists payments with an idempotency key, the latest first. */
  list_orders(params?: ListOrdersParams, options?: CallOptions): Promise<ListOrdersResult>;
  /** Lists payment requests, the latest first. */
  list_payment_requests(
    params?: ListPaymentRequestsParams,
    options?: CallOptions,
  ): Promise<ListPaymentRequestsResult>;
  /** Lists payouts, the latest first, with the pauses of the queue. */
  list_payouts(params?: ListPayoutsParams, options?: CallOptions): Promise<ListPayoutsResult>;
  /**
   * Lists the wallets of the wallet directory, with the state of open ones; in a cluster, all its wallets
   * too. An addition; no password.
   */
  list_wallets(params?: ListWalletsParams, options?: CallOptions): Promise<ListWalletsResult>;
  /** Lists the endpoints of the wallet with the state of their deliveries. */
  list_webhooks(params?: ListWebhooksParams, options?: CallOptions): Promise<ListWebhooksResult>;
  /** Creates an integrated address from an address and a payment id. */
  make_integrated_address(
    params?: MakeIntegratedAddressParams,
    options?: CallOptions,
  ): Promise<MakeIntegratedAddressResult>;
  /** Makes an unused wallet a multisig participant; at least one round of exchange_multisig_keys follows. */
  make_multisig(params?: MakeMultisigParams, options?: CallOptions): Promise<MakeMultisigResult>;
  /** Creates a payment URI. */
  make_uri(params?: MakeUriParams, options?: CallOptions): Promise<MakeUriResult>;
  /**
   * Gives a wallet of this process of a cluster to another one. Answers once the move has begun; calls for
   * the wallet wait for its next holder. An addition.
   */
  move_wallet(params?: MoveWalletParams, options?: CallOptions): Promise<MoveWalletResult>;
  /**
   * Opens a wallet of the wallet directory. On /json_rpc it becomes the current wallet, and the previous one
   * is closed unless it was also opened under its own path.
   */
  open_wallet(params?: OpenWalletParams, options?: CallOptions): Promise<OpenWalletResult>;
  /** Parses a payment URI. */
  parse_uri(params?: ParseUriParams, options?: CallOptions): Promise<ParseUriResult>;
  /** Stops sending payouts of an account, or of the wallet; payouts are still accepted. */
  pause_payouts(params: PausePayoutsParams, options?: CallOptions): Promise<PausePayoutsResult>;
  /** Returns the first key exchange message of this wallet. */
  prepare_multisig(params?: PrepareMultisigParams, options?: CallOptions): Promise<PrepareMultisigResult>;
  /** Returns a secret key or the mnemonic seed. */
  query_key(params?: QueryKeyParams, options?: CallOptions): Promise<QueryKeyResult>;
  /** Sends an event to an endpoint again, with all of its attempts. */
  redeliver_webhook(params: RedeliverWebhookParams, options?: CallOptions): Promise<RedeliverWebhookResult>;
  /**
   * Syncs the wallet to the daemon's tip. Unknown blocks below start_height are skipped, unless it lies above
   * the tip.
   */
  refresh(params?: RefreshParams, options?: CallOptions): Promise<RefreshResult>;
  /** Returns money of a payment request by a payout, never more than it has received. */
  refund_payment_request(
    params: RefundPaymentRequestParams,
    options?: CallOptions,
  ): Promise<RefundPaymentRequestResult>;
  /** Rejects payouts that wait for approvals, each on its own, which ends them. */
  reject_payouts(params?: RejectPayoutsParams, options?: CallOptions): Promise<RejectPayoutsResult>;
  /** Relays a transaction made with do_not_relay. */
  relay_tx(params?: RelayTxParams, options?: CallOptions): Promise<RelayTxResult>;
  /** Removes an endpoint with its secrets and deliveries. */
  remove_webhook(params: RemoveWebhookParams, options?: CallOptions): Promise<RemoveWebhookResult>;
  /**
   * Deletes the state derived from the chain and scans it again; hard also deletes tx keys and destinations.
   */
  rescan_blockchain(params?: RescanBlockchainParams, options?: CallOptions): Promise<RescanBlockchainResult>;
  /** Asks the daemon again which outputs are spent. */
  rescan_spent(params?: RescanSpentParams, options?: CallOptions): Promise<RescanSpentResult>;
  /** Restores a wallet from its mnemonic seed of 25 words, or its Polyseed of 16 words, and opens it. */
  restore_deterministic_wallet(
    params?: RestoreDeterministicWalletParams,
    options?: CallOptions,
  ): Promise<RestoreDeterministicWalletResult>;
  /** Ends the pause of an account, or of the wallet. */
  resume_payouts(params?: ResumePayoutsParams, options?: CallOptions): Promise<ResumePayoutsResult>;
  /**
   * Replaces the secret of an endpoint and returns the new one once; the former one signs as well for a time.
   */
  rotate_webhook_secret(
    params: RotateWebhookSecretParams,
    options?: CallOptions,
  ): Promise<RotateWebhookSecretResult>;
  /** Returns an OpenRPC document of the methods that the client may call. */
  'rpc.discover'(params?: RpcDiscoverParams, options?: CallOptions): Promise<RpcDiscoverResult>;
  /** Scans single transactions, apart from a refresh. */
  scan_tx(params?: ScanTxParams, options?: CallOptions): Promise<ScanTxResult>;
  /** Sends the queued payouts of an account now, as far as they can be paid, without waiting for others. */
  send_payouts(params?: SendPayoutsParams, options?: CallOptions): Promise<SendPayoutsResult>;
  /** Sets the description of a tag. */
  set_account_tag_description(
    params?: SetAccountTagDescriptionParams,
    options?: CallOptions,
  ): Promise<SetAccountTagDescriptionResult>;
  /** Stores a text under a key. */
  set_attribute(params?: SetAttributeParams, options?: CallOptions): Promise<SetAttributeResult>;
  /**
   * Sets the daemon of the server, for every wallet that is open or opened later, until the server ends;
   * needs no wallet.
   */
  set_daemon(params?: SetDaemonParams, options?: CallOptions): Promise<SetDaemonResult>;
  /** Sets the log categories: a list, a level, +list or -list; empty turns the log off. */
  set_log_categories(params?: SetLogCategoriesParams, options?: CallOptions): Promise<SetLogCategoriesResult>;
  /** Sets the log level, from 0 (least) to 4 (everything). */
  set_log_level(params?: SetLogLevelParams, options?: CallOptions): Promise<SetLogLevelResult>;
  /** Sets the number of accounts and addresses watched beyond the last created ones. */
  set_subaddress_lookahead(
    params?: SetSubaddressLookaheadParams,
    options?: CallOptions,
  ): Promise<SetSubaddressLookaheadResult>;
  /** Sets notes of transactions, known to the wallet or not. */
  set_tx_notes(params?: SetTxNotesParams, options?: CallOptions): Promise<SetTxNotesResult>;
  /** Sets how the wallet syncs without its spend key: off, with its password, or with another one. */
  setup_background_sync(
    params?: SetupBackgroundSyncParams,
    options?: CallOptions,
  ): Promise<SetupBackgroundSyncResult>;
  /** Signs a text with a key of an own address. */
  sign(params?: SignParams, options?: CallOptions): Promise<SignResult>;
  /** Signs transactions proposed by another signer; the last signature needed completes them. */
  sign_multisig(params?: SignMultisigParams, options?: CallOptions): Promise<SignMultisigResult>;
  /** Signs transactions created by a wallet without a spend key. */
  sign_transfer(params?: SignTransferParams, options?: CallOptions): Promise<SignTransferResult>;
  /** Returns the address and payment id of an integrated address. */
  split_integrated_address(
    params?: SplitIntegratedAddressParams,
    options?: CallOptions,
  ): Promise<SplitIntegratedAddressResult>;
  /** Starts background sync: wipes the spend key from memory and keeps syncing. */
  start_background_sync(
    params?: StartBackgroundSyncParams,
    options?: CallOptions,
  ): Promise<StartBackgroundSyncResult>;
  /** Starts mining of the daemon to the wallet's primary address. */
  start_mining(params?: StartMiningParams, options?: CallOptions): Promise<StartMiningResult>;
  /** Stops background sync: restores the spend key and recognises the spends of the time without it. */
  stop_background_sync(
    params?: StopBackgroundSyncParams,
    options?: CallOptions,
  ): Promise<StopBackgroundSyncResult>;
  /** Stops mining of the daemon. */
  stop_mining(params?: StopMiningParams, options?: CallOptions): Promise<StopMiningResult>;
  /** Stores the wallet, closes all wallets and stops the server. */
  stop_wallet(params?: StopWalletParams, options?: CallOptions): Promise<StopWalletResult>;
  /** Writes the open wallet to disk. */
  store(params?: StoreParams, options?: CallOptions): Promise<StoreResult>;
  /** Relays transactions signed by enough signers. */
  submit_multisig(params?: SubmitMultisigParams, options?: OrderOptions): Promise<SubmitMultisigResult>;
  /** Relays signed sets of batches, each on its own. */
  submit_payout_batches(
    params?: SubmitPayoutBatchesParams,
    options?: CallOptions,
  ): Promise<SubmitPayoutBatchesResult>;
  /** Relays transactions signed by an offline wallet. */
  submit_transfer(params?: SubmitTransferParams, options?: OrderOptions): Promise<SubmitTransferResult>;
  /** Sends all spendable outputs of an account, or of some of its addresses, to one address. */
  sweep_all(params?: SweepAllParams, options?: OrderOptions): Promise<SweepAllResult>;
  /** Sends outputs that cannot be mixed in a ring to the wallet itself. */
  sweep_dust(params?: SweepDustParams, options?: OrderOptions): Promise<SweepDustResult>;
  /** Sends one whole output to an address. */
  sweep_single(params?: SweepSingleParams, options?: OrderOptions): Promise<SweepSingleResult>;
  /** Sets the tag of accounts. */
  tag_accounts(params?: TagAccountsParams, options?: CallOptions): Promise<TagAccountsResult>;
  /**
   * Sends an event webhook.test to an endpoint once, signed as every delivery, and returns its answer; it is
   * not recorded.
   */
  test_webhook(params: TestWebhookParams, options?: CallOptions): Promise<TestWebhookResult>;
  /** Thaws a frozen output, so that it can be spent again. */
  thaw(params?: ThawParams, options?: CallOptions): Promise<ThawResult>;
  /** Pays one or more destinations with one transaction. */
  transfer(params?: TransferParams, options?: OrderOptions): Promise<TransferResult>;
  /** Pays destinations with as many transactions as needed. */
  transfer_split(params?: TransferSplitParams, options?: OrderOptions): Promise<TransferSplitResult>;
  /** Removes the tags of accounts. */
  untag_accounts(params?: UntagAccountsParams, options?: CallOptions): Promise<UntagAccountsResult>;
  /** Checks whether a text is an address, and returns its kind and network. */
  validate_address(params?: ValidateAddressParams, options?: CallOptions): Promise<ValidateAddressResult>;
  /** Verifies the signature of a text by an address. */
  verify(params?: VerifyParams, options?: CallOptions): Promise<VerifyResult>;
}
