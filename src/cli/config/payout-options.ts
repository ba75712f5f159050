import { DEFAULT_PAYOUT_CONFIRMATIONS } from '../../model/payout.js';
import { integer, type Given, type Options } from './option.js';

/** Options of the queue of payouts. */
export const PAYOUT_OPTIONS = {
  'payout-interval': {
    argument: 'seconds',
    help: 'time that a payout waits for others, so that one transaction pays up to 15; 0 sends it at once',
    default: '60',
    value: integer(0, 86_400),
  },
  'payout-patience': {
    argument: 'seconds',
    help: 'time after which unlocked money is kept for the oldest payout, which smaller ones overtake until then',
    default: '1800',
    value: integer(0, 30 * 86_400),
  },
  'payout-max-fee-rate': {
    argument: 'rate',
    help: 'highest fee of a payout in atomic units a byte; above it payouts wait; 0 is any fee',
    default: '0',
    value: integer(0, 1_000_000_000),
  },
  'payout-outputs': {
    argument: 'n',
    help: 'outputs that a paying account keeps, by dividing its change; 0 is as many as its payouts need, 1 never divides',
    default: '0',
    value: integer(0, 1000),
  },
  'payout-signing-time': {
    argument: 'seconds',
    help: 'time until which the set of a batch of a view-only wallet may be signed; then its payouts are paid anew',
    default: '86400',
    value: integer(1, 30 * 86_400),
  },
  'payout-confirmations': {
    argument: 'n',
    help: 'confirmations at which payout.confirmed is reported',
    default: String(DEFAULT_PAYOUT_CONFIRMATIONS),
    value: integer(1, 10_000),
  },
} as const satisfies Options;

/** Returns the settings of the queue of payouts. */
export function payoutConfig(given: Given<typeof PAYOUT_OPTIONS>) {
  const rate = given['payout-max-fee-rate'];
  return {
    interval: given['payout-interval'],
    patience: given['payout-patience'],
    ...(rate === 0 ? {} : { maxFeeRate: BigInt(rate) }),
    outputs: given['payout-outputs'],
    signingTime: given['payout-signing-time'],
    confirmations: given['payout-confirmations'],
  };
}
