import type { Daemon } from '../../daemon/daemon.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import { belowTip, heightOfTime, readTip, type TipSource } from '../context/chain-tip.js';

/**
 * Time subtracted from a date [s]: users date a wallet by their own clock and time zone, and the timestamp of a block
 * may differ from its time by two hours.
 */
const MARGIN_SECONDS = 86_400;

/** Milliseconds of a day. */
const DAY_MS = 86_400_000;

/** Unix time at which a date begins in UTC [s]. @param text YYYY-MM-DD. @throws WalletError `invalid` */
export function parseDate(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // A day that its month lacks is read as one of the next month, or not at all.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw new WalletError({ kind: 'invalid', reason: 'restore_date is a date as YYYY-MM-DD' });
  return time / 1000;
}

/**
 * Returns the height from which a wallet must be scanned that received nothing before a date: of the first block whose
 * timestamp is at most a day before it, below the tip. Asks for a header per halving of the chain.
 * @param now Unix time [ms].
 * @throws WalletError `invalid` for a date that lies in the future; DaemonError
 */
export async function heightOfDate(
  text: string,
  daemon: TipSource & Pick<Daemon, 'getBlockHeader'>,
  now: number,
): Promise<number> {
  const date = parseDate(text);
  // It may be tomorrow in the user's time zone.
  if (date * 1000 > now + DAY_MS)
    throw new WalletError({ kind: 'invalid', reason: 'restore_date lies in the future' });
  const { blocks } = await readTip(daemon);
  return Math.min(belowTip(blocks), await heightOfTime(daemon, blocks, date - MARGIN_SECONDS));
}
