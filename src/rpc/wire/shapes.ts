import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import * as wire from '../../http/methods/wire.js';
import type { HistoryEntry, PaymentView } from '../../services/history/history-rows.js';
import { bytes32, fromHex, isHex, toHex } from '../../util/bytes.js';
import { WalletError } from '../../model/wallet-error.js';
import type { Hash, KeyImage } from '../../monero/crypto/types.js';
import type { Texts } from '../faults/fault-entry.js';
import type { OpenWallet } from '../../services/open-wallet.js';

/** Index of an address in the form of the API: account and address index. */
export const indexShape = ({ major, minor }: SubaddressIndex) => ({ major, minor });

export const indexSchema = (description: string) =>
  wire.object(
    { major: wire.u32('Index of the account'), minor: wire.u32('Index of the address in its account') },
    description,
  );

/** Schema of the gap before new addresses, which the reference does not leave. */
export const skippedAddresses = () => ({
  skipped_addresses: wire
    .u32(
      'Number of addresses left out before the new ones, since the wallet may have given them out before it was restored; absent: none',
    )
    .optional(),
});

/** Returns the member of {@link skippedAddresses}. */
export const skippedOf = (skipped: number): { readonly skipped_addresses?: number } =>
  skipped === 0 ? {} : { skipped_addresses: skipped };

/** Error messages of methods with an address or OpenAlias name. Source: wallet_rpc_server.cpp `validate_transfer`. */
export const WRONG_ADDRESS = {
  wrong_address: ({ address, text, reason }) =>
    address === undefined ? (text ?? reason) : `WALLET_RPC_ERROR_CODE_WRONG_ADDRESS: ${address}`,
} satisfies Partial<Texts>;

const NO_PAYMENT_ID = '0'.repeat(16);

/** Writes a payment id: 16 hex digits, 64 for a long payment id; zeros if there is no payment id. */
export const paymentIdShape = (paymentId: Uint8Array | undefined): string =>
  paymentId === undefined ? NO_PAYMENT_ID : toHex(paymentId);

/**
 * Row of get_transfers, with its members in the order of the answer, so that they need not be sorted. Source:
 * wallet_rpc_server_commands_defs.h `transfer_entry`.
 */
export function transferEntry(entry: HistoryEntry) {
  return {
    address: entry.address,
    amount: entry.amount,
    amounts: entry.amounts,
    change_amount: entry.change === undefined || entry.change === 0n ? undefined : entry.change,
    confirmations: entry.confirmations,
    destinations: entry.destinations.map(({ address, amount }) => ({ address, amount })),
    double_spend_seen: entry.doubleSpendSeen,
    fee: entry.fee,
    height: entry.height,
    locked: entry.locked,
    note: entry.note,
    payment_id: paymentIdShape(entry.paymentId),
    subaddr_index: indexShape(entry.subaddress),
    subaddr_indices: entry.subaddresses.map(indexShape),
    suggested_confirmations_threshold: entry.suggestedConfirmationsThreshold,
    timestamp: entry.timestamp,
    txid: toHex(entry.txHash),
    type: entry.type,
    unlock_time: entry.unlockTime,
    verified_confirmations: entry.verifiedConfirmations,
  };
}

const unlockTime = () => wire.u64('Height or Unix time [s] at which it unlocks; 0: no lock of its own');

/** Schema of the confirmations by blocks whose proof of work is verified. */
export const verifiedConfirmations = () =>
  wire
    .uint('Number of these blocks whose proof of work is verified; absent without --verify-work')
    .optional();

/** Schema of {@link transferEntry}. */
export const transferSchema = (description = '') =>
  wire.object(
    {
      address: wire.text('Receiving address; of an outgoing transaction, address 0 of the account'),
      amount: wire.amount('Amount received, or paid without fee and change'),
      amounts: wire.list(wire.amount('Amount of an output'), 'Amounts of the outputs of an incoming payment'),
      confirmations: wire.uint('Number of blocks from its block to the tip; 0 if it is not in a block'),
      double_spend_seen: wire.flag('The mempool has seen a double spend of its inputs'),
      fee: wire.amount('Fee of the transaction'),
      height: wire.uint('Height of its block; 0 if it is not in a block'),
      note: wire.text('Note of the transaction; empty without one'),
      payment_id: wire.hex('Payment id as 16 hex digits, or 64 for a long one; zeros if there is none'),
      subaddr_index: indexSchema('Receiving address; of an outgoing transaction, address 0 of the account'),
      subaddr_indices: wire.list(indexSchema('An address'), 'Receiving address, or addresses of the inputs'),
      suggested_confirmations_threshold: wire.uint('Number of confirmations after which it counts as safe'),
      timestamp: wire.uint('Time of its block, or of its first sight [Unix s]'),
      txid: wire.hash('Transaction hash'),
      type: wire.oneOf(
        ['in', 'out', 'pending', 'failed', 'pool', 'block'],
        'List of the entry; block: a miner reward, in the list `in`',
      ),
      unlock_time: unlockTime(),
      locked: wire.flag('Its outputs cannot be spent yet'),
      destinations: wire.list(
        wire.object({ address: wire.text('Address paid'), amount: wire.amount('Amount paid') }),
        'Payments of an outgoing transaction',
      ),
      change_amount: wire.amount('Change of an outgoing transaction; absent for 0').optional(),
      verified_confirmations: verifiedConfirmations(),
    },
    description,
  );

/** Schema of {@link paymentShape}. */
export const paymentSchema = () =>
  wire.object({
    payment_id: wire.hex('Payment id as requested; as 64 hex digits if all were'),
    tx_hash: wire.hash('Transaction hash'),
    amount: wire.amount('Amount received'),
    block_height: wire.uint('Height of its block'),
    unlock_time: unlockTime(),
    locked: wire.flag('Its outputs cannot be spent yet'),
    subaddr_index: indexSchema('Receiving address'),
    address: wire.text('Receiving address'),
  });

/**
 * Row of get_payments and get_bulk_payments, with its members in the order of the answer. @param paymentId payment id as
 * the client wrote it [hex].
 */
export const paymentShape = ({ payment, address, locked }: PaymentView, paymentId: string) => ({
  address,
  amount: payment.amount,
  block_height: payment.tx.height,
  locked,
  payment_id: paymentId,
  subaddr_index: indexShape(payment.subaddress),
  tx_hash: toHex(payment.tx.txHash),
  unlock_time: payment.tx.unlockTime,
});

/** Parses a key image. @throws WalletError `wrong_key_image` */
export function readKeyImage(text: string): KeyImage {
  if (!isHex(text) || text.length !== 64)
    throw new WalletError({ kind: 'wrong_key_image', reason: 'a key image has 64 hex digits' });
  return bytes32<'KeyImage'>(fromHex(text), 'KeyImage');
}

/** Parses a transaction hash. @throws WalletError `wrong_tx_hash` */
export function readTxHash(text: string): Hash {
  if (!isHex(text) || text.length !== 64)
    throw new WalletError({
      kind: 'wrong_tx_hash',
      reason: 'a transaction hash has 64 hex digits',
    });
  return fromHex(text) as Hash;
}

/** Schema of the check for which new blocks of a wallet wait. */
export const waitingFor = () =>
  wire
    .oneOf(
      ['work', 'nodes'],
      'Present while new blocks do not count yet: their proof of work is not verified (--verify-work), or too few nodes name them (--daemon-quorum)',
    )
    .optional();

/** Schema of the state of the scan, which the reference does not have. */
export const scanState = () => ({
  synced: wire
    .flag(
      'Present, and false, until the history of a restored or imported wallet is scanned, and while blocks are read again for addresses that were not watched before: payments may be missing. An imported balance is first that of its old cache',
    )
    .optional(),
  waiting_for: waitingFor(),
});

/** Returns the members of {@link scanState}. */
export function scanStateOf({ balances, sync, context }: OpenWallet): {
  readonly synced?: false;
  readonly waiting_for?: 'work' | 'nodes';
} {
  const { waitingFor } = context.daemon;
  return {
    ...(balances.isScanned && sync.catchUp === undefined ? {} : { synced: false }),
    ...(waitingFor === undefined ? {} : { waiting_for: waitingFor }),
  };
}
