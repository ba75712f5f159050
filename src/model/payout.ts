import { keccak } from '../monero/crypto/keccak.js';
import type { Hash } from '../monero/crypto/types.js';
import type { Amount } from '../util/amount.js';
import { utf8 } from '../util/bytes.js';
import { WalletError } from './wallet-error.js';

/**
 * States of a payout. `awaiting_approval`: other persons must approve it. `queued`: waits for a batch.
 * `awaiting_signature`: its batch is a set that another wallet is to sign. `sending`: its
 * batch is recorded and about to be sent. `sent`: its batch is in the pool, as far as known. `mined`. `confirmed`: its
 * block has enough confirmations. `failed`: too many batches with it have failed, and none
 * can be mined any more. `cancelled`, `rejected`, `expired`:
 * it was not sent.
 */
export const PAYOUT_STATES = [
  'awaiting_approval',
  'queued',
  'awaiting_signature',
  'sending',
  'sent',
  'mined',
  'confirmed',
  'failed',
  'cancelled',
  'rejected',
  'expired',
] as const;
export type PayoutState = (typeof PAYOUT_STATES)[number];

/** States of a payout that no batch contains. It can be cancelled, unless an earlier batch may still be mined. */
export const WAITING_STATES = ['awaiting_approval', 'queued'] as const satisfies readonly PayoutState[];

export const isWaiting = (state: PayoutState): boolean =>
  (WAITING_STATES as readonly PayoutState[]).includes(state);

/** Side that pays a payout's share of the fee: the wallet in addition to the amount, or the payee out of it. */
export const FEE_PAYERS = ['wallet', 'payee'] as const;
export type FeePayer = (typeof FEE_PAYERS)[number];

/** Terms of a payout. A repeated creation must have the same terms. */
export interface PayoutTerms {
  readonly account: number;
  /** Address in the standard spelling; an integrated address has a payment id. */
  readonly address: string;
  /** Amount that the payee is owed [atomic units]; the payee receives less if it pays its share of the fee. */
  readonly amount: Amount;
  readonly feePayer: FeePayer;
  /** Largest share of the fee [atomic units]; absent: any share. */
  readonly maxFee?: Amount | undefined;
  /** Priority from 0 to 4; 0: chosen by the state of chain and pool. */
  readonly priority: number;
  /** True: the address may be an address of the paying wallet. */
  readonly allowOwn: boolean;
  /** Time before which it is not sent [Unix s]. */
  readonly notBefore?: number | undefined;
  /** Time from which it is not sent any more [Unix s]. */
  readonly expires?: number | undefined;
  /** Name of the payout in the system of the client, which other payouts may have, too. */
  readonly reference?: string | undefined;
  /** JSON object of the client, as text. */
  readonly metadata?: string | undefined;
}

/**
 * Kinds of refunds by the money that they return. `excess`: payments in time above the requested amount. `late`: payments
 * after the end of the request. `all`: all that was received and not refunded. `amount`: a given amount.
 */
export const REFUND_KINDS = ['excess', 'late', 'all', 'amount'] as const;
export type RefundKind = (typeof REFUND_KINDS)[number];

/** Payment request whose money a payout returns. */
export interface RefundOf {
  /** Number of the request. */
  readonly request: number;
  readonly kind: RefundKind;
}

/** A recorded payout. */
export interface Payout extends PayoutTerms {
  /** Number of the payout in the order of creation. */
  readonly sequence: number;
  /** Name that the client gave, unique in the wallet. */
  readonly payoutId: string;
  /** Time of creation [Unix s]. */
  readonly created: number;
  /** Name of the credential that created it; absent: a client with all rights. */
  readonly creator?: string;
  /** State as its latest event reports it. */
  readonly state: PayoutState;
  /** Reason of the latest return to the queue, or of the end. */
  readonly reason?: PayoutReason;
  /** Time of its latest event [Unix s]. */
  readonly changed: number;
  /** Time before which a returned payout is not sent again [Unix s]. */
  readonly retryAt?: number;
  /** Payment request whose money it returns; absent: it is no refund. */
  readonly refund?: RefundOf;
  /** Number of the batch that its state follows; absent: no batch contains it now. */
  readonly batch?: number;
}

/**
 * Reason why a payout returned to the queue or failed. `not_sent`: its batch certainly never left this server.
 * `refused`: the daemon refused the transaction. `overtaken`: another transaction spends an input of its batch. `lost`:
 * neither pool nor chain contains its batch any more. `reorganised`: its block was replaced.
 * `unsigned`: the set was not signed in time.
 */
export const PAYOUT_REASONS = [
  'not_sent',
  'refused',
  'overtaken',
  'lost',
  'reorganised',
  'unsigned',
] as const;
export type PayoutReason = (typeof PAYOUT_REASONS)[number];

/** Share of a payout in a batch. */
export interface PayoutShare {
  /** Number of the payout. */
  readonly payout: number;
  /** Number of the order of the batch. */
  readonly batch: number;
  /** Amount that the payee receives [atomic units]. */
  readonly amount: Amount;
  /** Share of the fee of the transaction [atomic units]. */
  readonly fee: Amount;
}

/** Facts of a change of a payout, without the terms of the payout. */
export interface PayoutChange {
  /** Number of the payout. */
  readonly sequence: number;
  readonly account: number;
  readonly amount: Amount;
  /** State before the change; absent: the payout was created. */
  readonly was?: PayoutState | undefined;
  readonly reason?: PayoutReason | undefined;
  /** Hash of the transaction that pays it. */
  readonly txHash?: Hash | undefined;
  /** Height of the block that contains the transaction. */
  readonly height?: number | undefined;
  /** Share of the fee [atomic units]; absent until a batch contains the payout. */
  readonly fee?: Amount | undefined;
}

/** A change of a payout, as an event reports it. */
export interface PayoutFacts extends PayoutChange {
  readonly payoutId: string;
  readonly address: string;
  readonly reference?: string;
}

/** Client that acts on payouts. */
export interface PayoutClient {
  /** Name of its credential; undefined: a client with all rights. */
  readonly credential: string | undefined;
  /** Address of its connection; undefined: not known. */
  readonly address: string | undefined;
}

/** Actions of clients on a payout. `sent`: it was sent at once, without waiting for others. */
export const PAYOUT_ACTIONS = ['created', 'approved', 'rejected', 'cancelled', 'sent'] as const;

/** An action of a client on a payout. */
export interface PayoutAction {
  readonly action: (typeof PAYOUT_ACTIONS)[number];
  readonly client: PayoutClient;
  /** Time of the action [Unix s]. */
  readonly time: number;
  /** Hash of the terms that were approved ({@link termsHash}). */
  readonly terms?: Hash;
}

/** Returns the hash of the terms of a payout to which an approval binds: id, account, address, amount and fee rule. */
export const termsHash = ({ payoutId, account, address, amount, feePayer, maxFee }: Payout): Hash =>
  keccak(utf8(JSON.stringify([payoutId, account, address, String(amount), feePayer, String(maxFee ?? '')])));

/** Returns the name under which a payout counts against the limits of the credential that created it. */
export const spendingHash = (payoutId: string): Hash => keccak(utf8(`payout ${payoutId}`));

/** An account whose payouts wait; account -1 stands for the whole wallet. */
export interface PayoutPause {
  readonly account: number;
  readonly reason: string;
  /** Time of the pause [Unix s]. */
  readonly time: number;
}

/** Account of a {@link PayoutPause} of the whole wallet. */
export const WHOLE_WALLET = -1;

/** Number of batches with a payout that must fail, and must be excluded for good, before the payout itself fails. */
export const MOST_ATTEMPTS = 10;

/** Number of confirmations of a confirmed payout, unless the configuration says another number. */
export const DEFAULT_PAYOUT_CONFIRMATIONS = 10;

/** Returns the time since which a payout could have been sent [Unix s]. */
export const readySince = ({ created, notBefore = 0, retryAt = 0 }: Payout): number =>
  Math.max(created, notBefore, retryAt);

/** Creates the error `bad_payout`. */
export const badPayout = (reason: string): WalletError => new WalletError({ kind: 'bad_payout', reason });
