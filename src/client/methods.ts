// Written by `npm run docs` from the method registry, `src/rpc/registry.ts`: edit that.
import type { CallOptions, OrderOptions } from './call-options.js';

/** Object without members. */
export type NoMembers = Readonly<Record<string, never>>;

/** Object whose members the types do not name. Integers beyond the safe ones are bigint. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Parameters of add_address_book. */
export interface AddAddressBookParams {
  readonly address?: string | undefined;
  readonly payment_id?: string | undefined;
  readonly description?: string | undefined;
}

/** Result of add_address_book. */
export interface AddAddressBookResult {
  /** Index of the new entry. */
  readonly index: number;
}

/** Parameters of add_webhook. */
export interface AddWebhookParams {
  readonly url: string;
  readonly types?: readonly string[] | undefined;
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
  /** Event types that it gets; absent: all. */
  readonly types: readonly string[];
}

/** Parameters of auto_refresh. */
export interface AutoRefreshParams {
  /** Default: `true`. */
  readonly enable?: boolean | undefined;
  /** Default: `0`. */
  readonly period?: number | undefined;
}

/** Result of backup_wallet. */
export interface BackupWalletResult {
  /** Directory of the copy. */
  readonly directory: string;
  /** Number of blocks known to the copy. */
  readonly height: number;
  /** Size of the copy [bytes]. */
  readonly bytes: number;
}

/** Parameters of change_wallet_password. */
export interface ChangeWalletPasswordParams {
  readonly old_password?: string | undefined;
  readonly new_password?: string | undefined;
}

/** Parameters of check_reserve_proof. */
export interface CheckReserveProofParams {
  readonly address?: string | undefined;
  readonly message?: string | undefined;
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
  readonly txid?: string | undefined;
  readonly message?: string | undefined;
  readonly signature?: string | undefined;
}

/** Result of check_spend_proof. */
export interface CheckSpendProofResult {
  /** The proof is valid. */
  readonly good: boolean;
}

/** Parameters of check_tx_key. */
export interface CheckTxKeyParams {
  readonly txid?: string | undefined;
  readonly tx_key?: string | undefined;
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
}

/** Parameters of check_tx_proof. */
export interface CheckTxProofParams {
  readonly txid?: string | undefined;
  readonly address?: string | undefined;
  readonly message?: string | undefined;
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
  /** The proof is valid. */
  readonly good: boolean;
}

/** Parameters of close_wallet. */
export interface CloseWalletParams {
  /** Default: `true`. */
  readonly autosave_current?: boolean | undefined;
}

/** Parameters of create_account. */
export interface CreateAccountParams {
  readonly label?: string | undefined;
}

/** Result of create_account. */
export interface CreateAccountResult {
  /** Index of the new account. */
  readonly account_index: number;
  /** Address 0 of the new account. */
  readonly address: string;
}

/** Parameters of create_address. */
export interface CreateAddressParams {
  /** Default: `0`. */
  readonly account_index?: number | undefined;
  /** Default: `1`. */
  readonly count?: number | undefined;
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
}

/** Parameters of create_wallet. */
export interface CreateWalletParams {
  readonly filename?: string | undefined;
  readonly password?: string | undefined;
  readonly language?: string | undefined;
}

/** Parameters of delete_address_book. */
export interface DeleteAddressBookParams {
  /** Default: `0`. */
  readonly index?: number | undefined;
}

/** Parameters of describe_transfer. */
export interface DescribeTransferParams {
  readonly unsigned_txset?: string | undefined;
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
  /** Default: `0`. */
  readonly index?: number | undefined;
  /** Default: `false`. */
  readonly set_address?: boolean | undefined;
  readonly address?: string | undefined;
  /** Default: `false`. */
  readonly set_payment_id?: boolean | undefined;
  readonly payment_id?: string | undefined;
  /** Default: `false`. */
  readonly set_description?: boolean | undefined;
  readonly description?: string | undefined;
}

/** Parameters of enable_webhook. */
export interface EnableWebhookParams {
  readonly id: string;
  readonly wallet?: string | undefined;
}

/** Parameters of estimate_tx_size_and_weight. */
export interface EstimateTxSizeAndWeightParams {
  /** Default: `0`. */
  readonly n_inputs?: number | undefined;
  /** Default: `0`. */
  readonly n_outputs?: number | undefined;
  /** Default: `0`. */
  readonly ring_size?: number | undefined;
  /** Default: `true`. */
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
  readonly multisig_info?: readonly string[] | undefined;
  readonly password?: string | undefined;
  /** Default: `false`. */
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
  /** Default: `false`. */
  readonly all?: boolean | undefined;
}

export interface SignedKeyImage {
  /** Key image. */
  readonly key_image: string;
  /** Signature by the one-time key of the output, 128 hex digits. */
  readonly signature: string;
}

/** Result of export_key_images. */
export interface ExportKeyImagesResult {
  /** Index of the first output. */
  readonly offset: number;
  /** Key images in the order of the outputs. */
  readonly signed_key_images: readonly SignedKeyImage[];
}

/** Result of export_multisig_info. */
export interface ExportMultisigInfoResult {
  /** Multisig info, for import_multisig_info of the other signers. */
  readonly info: string;
}

/** Parameters of export_outputs. */
export interface ExportOutputsParams {
  /** Default: `false`. */
  readonly all?: boolean | undefined;
  /** Default: `0`. */
  readonly start?: number | undefined;
  /** Default: `4294967295`. */
  readonly count?: number | undefined;
}

/** Result of export_outputs. */
export interface ExportOutputsResult {
  /** Encrypted outputs. */
  readonly outputs_data_hex: string;
}

/** Parameters of finalize_multisig. */
export interface FinalizeMultisigParams {
  readonly multisig_info?: readonly string[] | undefined;
  readonly password?: string | undefined;
  /** Default: `false`. */
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
  readonly key_image?: string | undefined;
}

/** Parameters of frozen. */
export interface FrozenParams {
  readonly key_image?: string | undefined;
}

/** Result of frozen. */
export interface FrozenResult {
  /** The output is frozen. */
  readonly frozen: boolean;
}

/** Parameters of generate_from_keys. */
export interface GenerateFromKeysParams {
  readonly filename?: string | undefined;
  readonly password?: string | undefined;
  readonly address?: string | undefined;
  readonly viewkey?: string | undefined;
  readonly spendkey?: string | undefined;
  /** Default: `0`. */
  readonly restore_height?: number | undefined;
  readonly restore_date?: string | undefined;
  readonly language?: string | undefined;
  /** Default: `true`. */
  readonly autosave_current?: boolean | undefined;
}

/** Result of generate_from_keys. */
export interface GenerateFromKeysResult {
  /** Primary address. */
  readonly address: string;
  /** Message for users. */
  readonly info: string;
}

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
  readonly tag?: string | undefined;
  /** Default: `false`. */
  readonly strict_balances?: boolean | undefined;
  /** Default: `false`. */
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
   * Present, and false, until the history of a restored or imported wallet is scanned; an imported balance is
   * then that of its old cache.
   */
  readonly synced?: boolean;
}

/** Parameters of get_address. */
export interface GetAddressParams {
  /** Default: `0`. */
  readonly account_index?: number | undefined;
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
}

/** Parameters of get_address_book. */
export interface GetAddressBookParams {
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
  readonly address?: string | undefined;
}

export interface SubaddressIndex {
  /** Index of the account. */
  readonly major: number;
  /** Index of the address in its account. */
  readonly minor: number;
}

/** Result of get_address_index. */
export interface GetAddressIndexResult {
  /** Account and address index. */
  readonly index: SubaddressIndex;
}

/** Parameters of get_attribute. */
export interface GetAttributeParams {
  readonly key?: string | undefined;
}

/** Result of get_attribute. */
export interface GetAttributeResult {
  /** Text stored under the key. */
  readonly value: string;
}

/** Parameters of get_balance. */
export interface GetBalanceParams {
  /** Default: `0`. */
  readonly account_index?: number | undefined;
  readonly address_indices?: readonly number[] | undefined;
  /** Default: `false`. */
  readonly all_accounts?: boolean | undefined;
  /** Default: `false`. */
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
   * Present, and false, until the history of a restored or imported wallet is scanned; an imported balance is
   * then that of its old cache.
   */
  readonly synced?: boolean;
}

/** Parameters of get_bulk_payments. */
export interface GetBulkPaymentsParams {
  readonly payment_ids?: readonly string[] | undefined;
  /** Default: `0`. */
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
  readonly subaddr_index: SubaddressIndex;
  /** Receiving address. */
  readonly address: string;
}

/** Result of get_bulk_payments. */
export interface GetBulkPaymentsResult {
  /** Payments, oldest first. */
  readonly payments: readonly Payment[];
}

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
  | 'wallet.synced'
  | 'wallet.reorganised';

/** Parameters of get_events. */
export interface GetEventsParams {
  readonly after?: number | undefined;
  /** Default: `100`. */
  readonly limit?: number | undefined;
  readonly types?: readonly EventType[] | undefined;
  /** Default: `0`. */
  readonly wait_ms?: number | undefined;
}

export interface PaymentSeenEventData {
  /** Transaction hash. */
  readonly tx_hash: string;
  /** Receiving address. */
  readonly address: string;
  /** Receiving address. */
  readonly subaddr_index: SubaddressIndex;
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
  readonly subaddr_index: SubaddressIndex;
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
  readonly subaddr_index: SubaddressIndex;
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
  readonly subaddr_index: SubaddressIndex;
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
  readonly subaddr_index: SubaddressIndex;
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
  /** Id of the latest event payment.seen or payment.mined of the payment. */
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
  readonly subaddr_index: SubaddressIndex;
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
  readonly subaddr_index: SubaddressIndex;
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
  | WalletSyncedEvent
  | WalletReorganisedEvent;

/** Result of get_events. */
export interface GetEventsResult {
  /** Events in the order of their ids. */
  readonly events: readonly WalletEvent[];
  /** Cursor for the next call: id up to which events were read. */
  readonly cursor: number;
}

/** Result of get_height. */
export interface GetHeightResult {
  /** Number of blocks known to the wallet. */
  readonly height: number;
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
  readonly multisig_info?: readonly string[] | undefined;
  /** Default: `0`. */
  readonly threshold?: number | undefined;
  /** Default: `0`. */
  readonly num_signers?: number | undefined;
  readonly password?: string | undefined;
}

/** Result of get_multisig_key_exchange_booster. */
export interface GetMultisigKeyExchangeBoosterResult {
  /** Message for the round after next. */
  readonly multisig_info: string;
}

/** Parameters of get_order. */
export interface GetOrderParams {
  readonly idempotency_key: string;
}

export interface PaidDestination {
  /** Address paid. */
  readonly address: string;
  /** Amount paid. */
  readonly amount: bigint;
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

/** Result of get_order. */
export interface GetOrderResult {
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

/** Parameters of get_payments. */
export interface GetPaymentsParams {
  readonly payment_id?: string | undefined;
}

/** Result of get_payments. */
export interface GetPaymentsResult {
  /** Payments, oldest first. */
  readonly payments: readonly Payment[];
}

/** Parameters of get_reserve_proof. */
export interface GetReserveProofParams {
  /** Default: `false`. */
  readonly all?: boolean | undefined;
  /** Default: `0`. */
  readonly account_index?: number | undefined;
  /** Default: `0`. */
  readonly amount?: bigint | number | undefined;
  readonly message?: string | undefined;
}

/** Result of get_reserve_proof. */
export interface GetReserveProofResult {
  /** Proof, beginning with ReserveProofV2. */
  readonly signature: string;
}

/** Parameters of get_spend_proof. */
export interface GetSpendProofParams {
  readonly txid?: string | undefined;
  readonly message?: string | undefined;
}

/** Result of get_spend_proof. */
export interface GetSpendProofResult {
  /** Proof, beginning with SpendProofV1. */
  readonly signature: string;
}

/** Parameters of get_transfer_by_txid. */
export interface GetTransferByTxidParams {
  readonly txid?: string | undefined;
  /** Default: `0`. */
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
  readonly subaddr_index: SubaddressIndex;
  /** Receiving address, or addresses of the inputs. */
  readonly subaddr_indices: readonly SubaddressIndex[];
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
}

/** Result of get_transfer_by_txid. */
export interface GetTransferByTxidResult {
  /** First entry of the list. */
  readonly transfer: TransferEntry;
  /** Entries of the transaction in the account. */
  readonly transfers: readonly TransferEntry[];
}

/** Parameters of get_transfers. */
export interface GetTransfersParams {
  /** Default: `false`. */
  readonly in?: boolean | undefined;
  /** Default: `false`. */
  readonly out?: boolean | undefined;
  /** Default: `false`. */
  readonly pending?: boolean | undefined;
  /** Default: `false`. */
  readonly failed?: boolean | undefined;
  /** Default: `false`. */
  readonly pool?: boolean | undefined;
  /** Default: `false`. */
  readonly filter_by_height?: boolean | undefined;
  /** Default: `0`. */
  readonly min_height?: number | undefined;
  /** Default: `500000000`. */
  readonly max_height?: number | undefined;
  /** Default: `0`. */
  readonly account_index?: number | undefined;
  readonly subaddr_indices?: readonly number[] | undefined;
  /** Default: `false`. */
  readonly all_accounts?: boolean | undefined;
  /** Default: `0`. */
  readonly limit?: number | undefined;
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
}

/** Parameters of get_tx_key. */
export interface GetTxKeyParams {
  readonly txid?: string | undefined;
}

/** Result of get_tx_key. */
export interface GetTxKeyResult {
  /** Secret key of the transaction, then the additional ones. */
  readonly tx_key: string;
}

/** Parameters of get_tx_notes. */
export interface GetTxNotesParams {
  readonly txids?: readonly string[] | undefined;
}

/** Result of get_tx_notes. */
export interface GetTxNotesResult {
  /** Notes in the order of the txids. */
  readonly notes: readonly string[];
}

/** Parameters of get_tx_proof. */
export interface GetTxProofParams {
  readonly txid?: string | undefined;
  readonly address?: string | undefined;
  readonly message?: string | undefined;
}

/** Result of get_tx_proof. */
export interface GetTxProofResult {
  /** Proof, beginning with OutProofV2 or InProofV2. */
  readonly signature: string;
}

/** Result of get_version. */
export interface GetVersionResult {
  /** Major version in the high 16 bits, minor in the low 16. */
  readonly version: number;
  /** The server is a release. */
  readonly release: boolean;
}

export interface ImportedKeyImage {
  readonly key_image?: string | undefined;
  readonly signature?: string | undefined;
}

/** Parameters of import_key_images. */
export interface ImportKeyImagesParams {
  /** Default: `0`. */
  readonly offset?: number | undefined;
  readonly signed_key_images?: readonly ImportedKeyImage[] | undefined;
}

/** Result of import_key_images. */
export interface ImportKeyImagesResult {
  /** Number of blocks known to the wallet. */
  readonly height: number;
  /** Sum of the imported outputs that are spent. */
  readonly spent: bigint;
  /** Sum of the imported outputs that are not spent. */
  readonly unspent: bigint;
}

/** Parameters of import_multisig_info. */
export interface ImportMultisigInfoParams {
  readonly info?: readonly string[] | undefined;
  /** Default: `true`. */
  readonly refresh_after_import?: boolean | undefined;
}

/** Result of import_multisig_info. */
export interface ImportMultisigInfoResult {
  /** Number of outputs with info of all signers needed. */
  readonly n_outputs: number;
}

/** Parameters of import_outputs. */
export interface ImportOutputsParams {
  readonly outputs_data_hex?: string | undefined;
}

/** Result of import_outputs. */
export interface ImportOutputsResult {
  /** Number of imported outputs. */
  readonly num_imported: number;
}

/** Parameters of incoming_transfers. */
export interface IncomingTransfersParams {
  readonly transfer_type?: string | undefined;
  /** Default: `0`. */
  readonly account_index?: number | undefined;
  readonly subaddr_indices?: readonly number[] | undefined;
  /** Default: `false`. */
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
  readonly subaddr_index: number | SubaddressIndex;
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
}

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
  /** Default: `0`. */
  readonly account_index?: number | undefined;
  readonly label?: string | undefined;
}

export interface IndexParams {
  /** Default: `0`. */
  readonly major?: number | undefined;
  /** Default: `0`. */
  readonly minor?: number | undefined;
}

/** Parameters of label_address. */
export interface LabelAddressParams {
  readonly index?: IndexParams | undefined;
  readonly label?: string | undefined;
}

/** Parameters of list_deliveries. */
export interface ListDeliveriesParams {
  readonly id: string;
  readonly state?: 'pending' | 'delivered' | 'failed' | undefined;
  /** Default: `100`. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly wallet?: string | undefined;
}

export interface WebhookDelivery {
  /** Id of the event. */
  readonly event_id: number;
  /** State of the delivery. */
  readonly state: 'pending' | 'delivered' | 'failed';
  /** Number of attempts. */
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
  readonly state?: 'prepared' | 'relayed' | 'mined' | 'failed' | undefined;
  /** Default: `100`. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
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

/** Result of list_orders. */
export interface ListOrdersResult {
  /** Payments, latest first. */
  readonly orders: readonly Order[];
  /** Cursor for the next page; absent on the last one. */
  readonly cursor?: string;
}

export interface ListedWallet {
  /** Name of the wallet. */
  readonly name: string;
  /** The wallet is open. */
  readonly open: boolean;
  /** Number of blocks known to the wallet; open ones only. */
  readonly height?: number;
  /** Number of blocks of the daemon; open ones only. */
  readonly daemon_height?: number;
  /** The wallet has no spend key; open ones only. */
  readonly view_only?: boolean;
  /** The wallet is multisig; open ones only. */
  readonly multisig?: boolean;
  /** The wallet is behind the daemon; open ones only. */
  readonly syncing?: boolean;
}

/** Result of list_wallets. */
export interface ListWalletsResult {
  /** Wallets of the directory. */
  readonly wallets: readonly ListedWallet[];
}

/** Parameters of list_webhooks. */
export interface ListWebhooksParams {
  readonly wallet?: string | undefined;
}

export interface Webhook {
  /** Id of the endpoint. */
  readonly id: string;
  /** URL that events are sent to. */
  readonly url: string;
  /** Event types that it gets; absent: all. */
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
  readonly standard_address?: string | undefined;
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
  readonly multisig_info?: readonly string[] | undefined;
  /** Default: `0`. */
  readonly threshold?: number | undefined;
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
  readonly address?: string | undefined;
  /** Default: `0`. */
  readonly amount?: bigint | number | undefined;
  readonly payment_id?: string | undefined;
  readonly tx_description?: string | undefined;
  readonly recipient_name?: string | undefined;
}

/** Result of make_uri. */
export interface MakeUriResult {
  /** The URI. */
  readonly uri: string;
}

/** Parameters of open_wallet. */
export interface OpenWalletParams {
  readonly filename?: string | undefined;
  readonly password?: string | undefined;
  /** Default: `true`. */
  readonly autosave_current?: boolean | undefined;
}

/** Parameters of parse_uri. */
export interface ParseUriParams {
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

/** Parameters of prepare_multisig. */
export interface PrepareMultisigParams {
  /** Default: `false`. */
  readonly enable_multisig_experimental?: boolean | undefined;
}

/** Result of prepare_multisig. */
export interface PrepareMultisigResult {
  /** Message for the other signers. */
  readonly multisig_info: string;
}

/** Parameters of query_key. */
export interface QueryKeyParams {
  readonly key_type?: string | undefined;
}

/** Result of query_key. */
export interface QueryKeyResult {
  /** Secret key as 64 hex digits, or the mnemonic seed. */
  readonly key: string;
}

/** Parameters of redeliver_webhook. */
export interface RedeliverWebhookParams {
  readonly id: string;
  readonly event_id: number;
  readonly wallet?: string | undefined;
}

/** Parameters of refresh. */
export interface RefreshParams {
  /** Default: `0`. */
  readonly start_height?: number | undefined;
}

/** Result of refresh. */
export interface RefreshResult {
  /** Number of blocks that were scanned. */
  readonly blocks_fetched: number;
  /** An output was received. */
  readonly received_money: boolean;
}

/** Parameters of relay_tx. */
export interface RelayTxParams {
  readonly hex?: string | undefined;
}

/** Result of relay_tx. */
export interface RelayTxResult {
  /** Transaction hash. */
  readonly tx_hash: string;
}

/** Parameters of remove_webhook. */
export interface RemoveWebhookParams {
  readonly id: string;
  readonly wallet?: string | undefined;
}

/** Parameters of rescan_blockchain. */
export interface RescanBlockchainParams {
  /** Default: `false`. */
  readonly hard?: boolean | undefined;
  /** Default: `false`. */
  readonly keep_key_images?: boolean | undefined;
}

/** Parameters of restore_deterministic_wallet. */
export interface RestoreDeterministicWalletParams {
  readonly filename?: string | undefined;
  readonly password?: string | undefined;
  readonly seed?: string | undefined;
  /** Default: `0`. */
  readonly restore_height?: number | undefined;
  readonly restore_date?: string | undefined;
  readonly language?: string | undefined;
  readonly seed_offset?: string | undefined;
  /** Default: `true`. */
  readonly autosave_current?: boolean | undefined;
  /** Default: `false`. */
  readonly enable_multisig_experimental?: boolean | undefined;
}

/** Result of restore_deterministic_wallet. */
export interface RestoreDeterministicWalletResult {
  /** Primary address. */
  readonly address: string;
  /** Message for users. */
  readonly info: string;
  /** Mnemonic seed, with the offset removed. */
  readonly seed: string;
  /** The seed has an old format; seed is its current one. */
  readonly was_deprecated: boolean;
}

/** Parameters of rotate_webhook_secret. */
export interface RotateWebhookSecretParams {
  readonly id: string;
  /** Default: `86400`. */
  readonly overlap_seconds?: number | undefined;
  readonly wallet?: string | undefined;
}

/** Result of rotate_webhook_secret. */
export interface RotateWebhookSecretResult {
  /** Id of the endpoint. */
  readonly id: string;
  /** Secret that deliveries are signed with; shown this once. */
  readonly secret: string;
}

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
  readonly txids?: readonly string[] | undefined;
}

/** Parameters of set_account_tag_description. */
export interface SetAccountTagDescriptionParams {
  readonly tag?: string | undefined;
  readonly description?: string | undefined;
}

/** Parameters of set_attribute. */
export interface SetAttributeParams {
  readonly key?: string | undefined;
  readonly value?: string | undefined;
}

/** Parameters of set_daemon. */
export interface SetDaemonParams {
  readonly address?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Default: `false`. */
  readonly trusted?: boolean | undefined;
  /** Default: `"autodetect"`. */
  readonly ssl_support?: string | undefined;
  readonly ssl_private_key_path?: string | undefined;
  readonly ssl_certificate_path?: string | undefined;
  readonly ssl_ca_file?: string | undefined;
  readonly ssl_allowed_fingerprints?: readonly string[] | undefined;
  /** Default: `false`. */
  readonly ssl_allow_any_cert?: boolean | undefined;
  readonly proxy?: string | undefined;
}

/** Parameters of set_log_categories. */
export interface SetLogCategoriesParams {
  readonly categories?: string | undefined;
}

/** Result of set_log_categories. */
export interface SetLogCategoriesResult {
  /** Log categories in force. */
  readonly categories: string;
}

/** Parameters of set_log_level. */
export interface SetLogLevelParams {
  /** Default: `0`. */
  readonly level?: number | undefined;
}

/** Parameters of set_subaddress_lookahead. */
export interface SetSubaddressLookaheadParams {
  readonly password?: string | undefined;
  /** Default: `0`. */
  readonly major_idx?: number | undefined;
  /** Default: `0`. */
  readonly minor_idx?: number | undefined;
}

/** Parameters of set_tx_notes. */
export interface SetTxNotesParams {
  readonly txids?: readonly string[] | undefined;
  readonly notes?: readonly string[] | undefined;
}

/** Parameters of setup_background_sync. */
export interface SetupBackgroundSyncParams {
  readonly background_sync_type?: string | undefined;
  readonly wallet_password?: string | undefined;
  readonly background_cache_password?: string | undefined;
}

/** Parameters of sign. */
export interface SignParams {
  readonly data?: string | undefined;
  /** Default: `0`. */
  readonly account_index?: number | undefined;
  /** Default: `0`. */
  readonly address_index?: number | undefined;
  readonly signature_type?: string | undefined;
}

/** Result of sign. */
export interface SignResult {
  /** Signature, beginning with SigV2. */
  readonly signature: string;
}

/** Parameters of sign_multisig. */
export interface SignMultisigParams {
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
  readonly unsigned_txset?: string | undefined;
  /** Default: `false`. */
  readonly export_raw?: boolean | undefined;
  /** Default: `false`. */
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

/** Parameters of start_mining. */
export interface StartMiningParams {
  /** Default: `0`. */
  readonly threads_count?: number | undefined;
  /** Default: `false`. */
  readonly do_background_mining?: boolean | undefined;
  /** Default: `false`. */
  readonly ignore_battery?: boolean | undefined;
}

/** Parameters of stop_background_sync. */
export interface StopBackgroundSyncParams {
  readonly wallet_password?: string | undefined;
  readonly seed?: string | undefined;
  readonly seed_offset?: string | undefined;
}

/** Parameters of submit_multisig. */
export interface SubmitMultisigParams {
  readonly idempotency_key?: string | undefined;
  /** Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  readonly tx_data_hex?: string | undefined;
}

/** Result of submit_multisig. */
export interface SubmitMultisigResult {
  /** Hashes of the transactions. */
  readonly tx_hash_list: readonly string[];
}

/** Parameters of submit_transfer. */
export interface SubmitTransferParams {
  readonly idempotency_key?: string | undefined;
  /** Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  readonly tx_data_hex?: string | undefined;
}

/** Result of submit_transfer. */
export interface SubmitTransferResult {
  /** Hashes of the transactions. */
  readonly tx_hash_list: readonly string[];
}

/** Parameters of sweep_all. */
export interface SweepAllParams {
  /** Default: `false`. */
  readonly do_not_relay?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_hex?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_metadata?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_key?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_keys?: boolean | undefined;
  /** Default: `0`. */
  readonly priority?: number | undefined;
  /** Default: `0`. */
  readonly ring_size?: bigint | number | undefined;
  /** Default: `0`. */
  readonly unlock_time?: bigint | number | undefined;
  readonly payment_id?: string | undefined;
  readonly idempotency_key?: string | undefined;
  /** Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  readonly address?: string | undefined;
  /** Default: `1`. */
  readonly outputs?: bigint | number | undefined;
  /** Default: `0`. */
  readonly account_index?: number | undefined;
  readonly subaddr_indices?: readonly number[] | undefined;
  /** Default: `false`. */
  readonly subaddr_indices_all?: boolean | undefined;
  /** Default: `0`. */
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

/** Result of sweep_all. */
export interface SweepAllResult {
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

/** Parameters of sweep_dust. */
export interface SweepDustParams {
  /** Default: `false`. */
  readonly do_not_relay?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_hex?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_metadata?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_key?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_keys?: boolean | undefined;
  readonly idempotency_key?: string | undefined;
  /** Default: `false`. */
  readonly retry_failed?: boolean | undefined;
}

/** Result of sweep_dust. */
export interface SweepDustResult {
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

/** Parameters of sweep_single. */
export interface SweepSingleParams {
  /** Default: `false`. */
  readonly do_not_relay?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_hex?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_metadata?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_key?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_keys?: boolean | undefined;
  /** Default: `0`. */
  readonly priority?: number | undefined;
  /** Default: `0`. */
  readonly ring_size?: bigint | number | undefined;
  /** Default: `0`. */
  readonly unlock_time?: bigint | number | undefined;
  readonly payment_id?: string | undefined;
  readonly idempotency_key?: string | undefined;
  /** Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  readonly address?: string | undefined;
  /** Default: `1`. */
  readonly outputs?: bigint | number | undefined;
  readonly key_image?: string | undefined;
}

/** Result of sweep_single. */
export interface SweepSingleResult {
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

/** Parameters of tag_accounts. */
export interface TagAccountsParams {
  readonly tag?: string | undefined;
  readonly accounts?: readonly number[] | undefined;
}

/** Parameters of thaw. */
export interface ThawParams {
  readonly key_image?: string | undefined;
}

export interface Destination {
  /** Default: `0`. */
  readonly amount?: bigint | number | undefined;
  readonly address?: string | undefined;
}

/** Parameters of transfer. */
export interface TransferParams {
  /** Default: `false`. */
  readonly do_not_relay?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_hex?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_metadata?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_key?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_keys?: boolean | undefined;
  /** Default: `0`. */
  readonly priority?: number | undefined;
  /** Default: `0`. */
  readonly ring_size?: bigint | number | undefined;
  /** Default: `0`. */
  readonly unlock_time?: bigint | number | undefined;
  readonly payment_id?: string | undefined;
  readonly idempotency_key?: string | undefined;
  /** Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  readonly destinations?: readonly Destination[] | undefined;
  /** Default: `0`. */
  readonly account_index?: number | undefined;
  readonly subaddr_indices?: readonly number[] | undefined;
  readonly subtract_fee_from_outputs?: readonly number[] | undefined;
  /** Default: `1`. */
  readonly change_outputs?: number | undefined;
}

/** Result of transfer. */
export interface TransferResult {
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

/** Parameters of transfer_split. */
export interface TransferSplitParams {
  /** Default: `false`. */
  readonly do_not_relay?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_hex?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_metadata?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_key?: boolean | undefined;
  /** Default: `false`. */
  readonly get_tx_keys?: boolean | undefined;
  /** Default: `0`. */
  readonly priority?: number | undefined;
  /** Default: `0`. */
  readonly ring_size?: bigint | number | undefined;
  /** Default: `0`. */
  readonly unlock_time?: bigint | number | undefined;
  readonly payment_id?: string | undefined;
  readonly idempotency_key?: string | undefined;
  /** Default: `false`. */
  readonly retry_failed?: boolean | undefined;
  readonly destinations?: readonly Destination[] | undefined;
  /** Default: `0`. */
  readonly account_index?: number | undefined;
  readonly subaddr_indices?: readonly number[] | undefined;
}

/** Result of transfer_split. */
export interface TransferSplitResult {
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

/** Parameters of untag_accounts. */
export interface UntagAccountsParams {
  readonly accounts?: readonly number[] | undefined;
}

/** Parameters of validate_address. */
export interface ValidateAddressParams {
  readonly address?: string | undefined;
  /** Default: `false`. */
  readonly any_net_type?: boolean | undefined;
  /** Default: `false`. */
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
  readonly data?: string | undefined;
  readonly address?: string | undefined;
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
  /** Sets the refresh period of the wallet; on /json_rpc also of each wallet that becomes current later. */
  auto_refresh(params?: AutoRefreshParams, options?: CallOptions): Promise<NoMembers>;
  /**
   * Writes a checked copy of the wallet, its store and its keys file, to --backup-dir, while it stays in use.
   * Addition of this server.
   */
  backup_wallet(params?: NoMembers, options?: CallOptions): Promise<BackupWalletResult>;
  /** Changes the password of the open wallet. */
  change_wallet_password(params?: ChangeWalletPasswordParams, options?: CallOptions): Promise<NoMembers>;
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
  close_wallet(params?: CloseWalletParams, options?: CallOptions): Promise<NoMembers>;
  /** Creates an account. */
  create_account(params?: CreateAccountParams, options?: CallOptions): Promise<CreateAccountResult>;
  /** Creates addresses in an account. */
  create_address(params?: CreateAddressParams, options?: CallOptions): Promise<CreateAddressResult>;
  /** Creates a wallet and opens it; with an empty filename it exists in memory only. */
  create_wallet(params?: CreateWalletParams, options?: CallOptions): Promise<NoMembers>;
  /** Removes an entry of the address book; the indices of later entries decrease by one. */
  delete_address_book(params?: DeleteAddressBookParams, options?: CallOptions): Promise<NoMembers>;
  /** Returns the payments in a set of unsigned or partly signed transactions. */
  describe_transfer(params?: DescribeTransferParams, options?: CallOptions): Promise<DescribeTransferResult>;
  /** Changes fields of an entry of the address book. */
  edit_address_book(params?: EditAddressBookParams, options?: CallOptions): Promise<NoMembers>;
  /** Enables an endpoint that was disabled because it answered with status 410. */
  enable_webhook(params: EnableWebhookParams, options?: CallOptions): Promise<NoMembers>;
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
  export_multisig_info(params?: NoMembers, options?: CallOptions): Promise<ExportMultisigInfoResult>;
  /** Exports outputs for an offline wallet with the same keys. */
  export_outputs(params?: ExportOutputsParams, options?: CallOptions): Promise<ExportOutputsResult>;
  /** Completes a round of the key exchange, as exchange_multisig_keys does; its former name. */
  finalize_multisig(params?: FinalizeMultisigParams, options?: CallOptions): Promise<FinalizeMultisigResult>;
  /** Freezes an output, so that no payment spends it. */
  freeze(params?: FreezeParams, options?: CallOptions): Promise<NoMembers>;
  /** Returns whether an output is frozen. */
  frozen(params?: FrozenParams, options?: CallOptions): Promise<FrozenResult>;
  /** Creates a wallet from its keys and opens it; without the spend key it is view-only. */
  generate_from_keys(params?: GenerateFromKeysParams, options?: CallOptions): Promise<GenerateFromKeysResult>;
  /** Lists the tags of accounts, with their descriptions. */
  get_account_tags(params?: NoMembers, options?: CallOptions): Promise<GetAccountTagsResult>;
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
  get_default_fee_priority(params?: NoMembers, options?: CallOptions): Promise<GetDefaultFeePriorityResult>;
  /**
   * Returns events after a cursor, of the wallet of the path, or of all open wallets; waits for one if asked.
   */
  get_events(params?: GetEventsParams, options?: CallOptions): Promise<GetEventsResult>;
  /** Returns the number of blocks known to the wallet. */
  get_height(params?: NoMembers, options?: CallOptions): Promise<GetHeightResult>;
  /** Lists the languages of mnemonic seeds. */
  get_languages(params?: NoMembers, options?: CallOptions): Promise<GetLanguagesResult>;
  /** Returns a message for the round after next, from some messages of the next round. */
  get_multisig_key_exchange_booster(
    params?: GetMultisigKeyExchangeBoosterParams,
    options?: CallOptions,
  ): Promise<GetMultisigKeyExchangeBoosterResult>;
  /** Returns the state and transactions of the payment with an idempotency key. */
  get_order(params: GetOrderParams, options?: CallOptions): Promise<GetOrderResult>;
  /** Lists incoming payments with a payment id. */
  get_payments(params?: GetPaymentsParams, options?: CallOptions): Promise<GetPaymentsResult>;
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
  get_version(params?: NoMembers, options?: CallOptions): Promise<GetVersionResult>;
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
  is_multisig(params?: NoMembers, options?: CallOptions): Promise<IsMultisigResult>;
  /** Sets the label of an account. */
  label_account(params?: LabelAccountParams, options?: CallOptions): Promise<NoMembers>;
  /** Sets the label of an address. */
  label_address(params?: LabelAddressParams, options?: CallOptions): Promise<NoMembers>;
  /** Lists the deliveries of an endpoint, the latest event first. */
  list_deliveries(params: ListDeliveriesParams, options?: CallOptions): Promise<ListDeliveriesResult>;
  /** Lists payments with an idempotency key, the latest first. */
  list_orders(params?: ListOrdersParams, options?: CallOptions): Promise<ListOrdersResult>;
  /** Lists the wallets of the wallet directory, with the state of open ones. An addition; no password. */
  list_wallets(params?: NoMembers, options?: CallOptions): Promise<ListWalletsResult>;
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
   * Opens a wallet of the wallet directory. On /json_rpc it becomes the current wallet, and the previous one
   * is closed unless it was also opened under its own path.
   */
  open_wallet(params?: OpenWalletParams, options?: CallOptions): Promise<NoMembers>;
  /** Parses a payment URI. */
  parse_uri(params?: ParseUriParams, options?: CallOptions): Promise<ParseUriResult>;
  /** Returns the first key exchange message of this wallet. */
  prepare_multisig(params?: PrepareMultisigParams, options?: CallOptions): Promise<PrepareMultisigResult>;
  /** Returns a secret key or the mnemonic seed. */
  query_key(params?: QueryKeyParams, options?: CallOptions): Promise<QueryKeyResult>;
  /** Sends an event to an endpoint again, with all of its attempts. */
  redeliver_webhook(params: RedeliverWebhookParams, options?: CallOptions): Promise<NoMembers>;
  /**
   * Syncs the wallet to the daemon's tip. Unknown blocks below start_height are skipped, unless it lies above
   * the tip.
   */
  refresh(params?: RefreshParams, options?: CallOptions): Promise<RefreshResult>;
  /** Relays a transaction made with do_not_relay. */
  relay_tx(params?: RelayTxParams, options?: CallOptions): Promise<RelayTxResult>;
  /** Removes an endpoint with its secrets and deliveries. */
  remove_webhook(params: RemoveWebhookParams, options?: CallOptions): Promise<NoMembers>;
  /**
   * Deletes the state derived from the chain and scans it again; hard also deletes tx keys and destinations.
   */
  rescan_blockchain(params?: RescanBlockchainParams, options?: CallOptions): Promise<NoMembers>;
  /** Asks the daemon again which outputs are spent. */
  rescan_spent(params?: NoMembers, options?: CallOptions): Promise<NoMembers>;
  /** Restores a wallet from its mnemonic seed and opens it. */
  restore_deterministic_wallet(
    params?: RestoreDeterministicWalletParams,
    options?: CallOptions,
  ): Promise<RestoreDeterministicWalletResult>;
  /**
   * Replaces the secret of an endpoint and returns the new one once; the former one signs as well for a time.
   */
  rotate_webhook_secret(
    params: RotateWebhookSecretParams,
    options?: CallOptions,
  ): Promise<RotateWebhookSecretResult>;
  /** Returns an OpenRPC document of the methods that the client may call. */
  'rpc.discover'(params?: NoMembers, options?: CallOptions): Promise<RpcDiscoverResult>;
  /** Scans single transactions, apart from a refresh. */
  scan_tx(params?: ScanTxParams, options?: CallOptions): Promise<NoMembers>;
  /** Sets the description of a tag. */
  set_account_tag_description(
    params?: SetAccountTagDescriptionParams,
    options?: CallOptions,
  ): Promise<NoMembers>;
  /** Stores a text under a key. */
  set_attribute(params?: SetAttributeParams, options?: CallOptions): Promise<NoMembers>;
  /** Sets the daemon of the server, for every open wallet. */
  set_daemon(params?: SetDaemonParams, options?: CallOptions): Promise<NoMembers>;
  /** Sets the log categories: a list, a level, +list or -list; empty turns the log off. */
  set_log_categories(params?: SetLogCategoriesParams, options?: CallOptions): Promise<SetLogCategoriesResult>;
  /** Sets the log level, from 0 (least) to 4 (everything). */
  set_log_level(params?: SetLogLevelParams, options?: CallOptions): Promise<NoMembers>;
  /** Sets the number of accounts and addresses watched beyond the last created ones. */
  set_subaddress_lookahead(params?: SetSubaddressLookaheadParams, options?: CallOptions): Promise<NoMembers>;
  /** Sets notes of transactions, known to the wallet or not. */
  set_tx_notes(params?: SetTxNotesParams, options?: CallOptions): Promise<NoMembers>;
  /** Sets how the wallet syncs without its spend key: off, with its password, or with another one. */
  setup_background_sync(params?: SetupBackgroundSyncParams, options?: CallOptions): Promise<NoMembers>;
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
  start_background_sync(params?: NoMembers, options?: CallOptions): Promise<NoMembers>;
  /** Starts mining of the daemon to the wallet's primary address. */
  start_mining(params?: StartMiningParams, options?: CallOptions): Promise<NoMembers>;
  /** Stops background sync: restores the spend key and recognises the spends of the time without it. */
  stop_background_sync(params?: StopBackgroundSyncParams, options?: CallOptions): Promise<NoMembers>;
  /** Stops mining of the daemon. */
  stop_mining(params?: NoMembers, options?: CallOptions): Promise<NoMembers>;
  /** Stores the wallet, closes all wallets and stops the server. */
  stop_wallet(params?: NoMembers, options?: CallOptions): Promise<NoMembers>;
  /** Writes the open wallet to disk. */
  store(params?: NoMembers, options?: CallOptions): Promise<NoMembers>;
  /** Relays transactions signed by enough signers. */
  submit_multisig(params?: SubmitMultisigParams, options?: OrderOptions): Promise<SubmitMultisigResult>;
  /** Relays transactions signed by an offline wallet. */
  submit_transfer(params?: SubmitTransferParams, options?: OrderOptions): Promise<SubmitTransferResult>;
  /** Sends all spendable outputs of an account, or of some of its addresses, to one address. */
  sweep_all(params?: SweepAllParams, options?: OrderOptions): Promise<SweepAllResult>;
  /** Sends outputs that cannot be mixed in a ring to the wallet itself. */
  sweep_dust(params?: SweepDustParams, options?: OrderOptions): Promise<SweepDustResult>;
  /** Sends one whole output to an address. */
  sweep_single(params?: SweepSingleParams, options?: OrderOptions): Promise<SweepSingleResult>;
  /** Sets the tag of accounts. */
  tag_accounts(params?: TagAccountsParams, options?: CallOptions): Promise<NoMembers>;
  /** Thaws a frozen output, so that it can be spent again. */
  thaw(params?: ThawParams, options?: CallOptions): Promise<NoMembers>;
  /** Pays one or more destinations with one transaction. */
  transfer(params?: TransferParams, options?: OrderOptions): Promise<TransferResult>;
  /** Pays destinations with as many transactions as needed. */
  transfer_split(params?: TransferSplitParams, options?: OrderOptions): Promise<TransferSplitResult>;
  /** Removes the tags of accounts. */
  untag_accounts(params?: UntagAccountsParams, options?: CallOptions): Promise<NoMembers>;
  /** Checks whether a text is an address, and returns its kind and network. */
  validate_address(params?: ValidateAddressParams, options?: CallOptions): Promise<ValidateAddressResult>;
  /** Verifies the signature of a text by an address. */
  verify(params?: VerifyParams, options?: CallOptions): Promise<VerifyResult>;
}
