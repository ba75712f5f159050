import type { Daemon } from '../../daemon/daemon.js';
import { WalletError } from '../../model/wallet-error.js';
import { heightOfDatedWallet, readTip, type TipSource } from '../context/chain-tip.js';

/** Length of a day [ms]. */
const DAY_MS = 86_400_000;

/**
 * Returns the Unix time at which a date begins in UTC [s]. @param text date as YYYY-MM-DD. @throws WalletError
 * `invalid`
 */
function parseDate(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // JavaScript reads a day beyond the end of its month as a day of the next month, or not at all.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw new WalletError({ kind: 'invalid', reason: 'restore_date is a date as YYYY-MM-DD' });
  return time / 1000;
}

/**
 * Returns the height from which a wallet must be scanned that received nothing before a date. Asks for a header per
 * halving of the chain.
 * @param now Unix time [ms].
 * @throws WalletError `invalid` for a date in the future; DaemonError
 */
export async function heightOfDate(
  text: string,
  daemon: TipSource & Pick<Daemon, 'getBlockHeader'>,
  now: number,
): Promise<number> {
  const date = parseDate(text);
  // In the time zone of the user, the date may already be that of tomorrow.
  if (date * 1000 > now + DAY_MS)
    throw new WalletError({ kind: 'invalid', reason: 'restore_date lies in the future' });
  const { blocks } = await readTip(daemon);
  return heightOfDatedWallet(daemon, blocks, date);
}
