import { lockWallet } from '../../../src/store/file/wallet-lock.js';

/*
 * Tries the lock of a new path at times that two processes share, and prints the successful attempts.
 * Arguments: directory, first time [ms since 1970], number of attempts.
 */

const PERIOD_MS = 50;
const HELD_MS = 30;

const pause = (ms: number): Promise<void> =>
  // Timer: the clock is all that the two processes share until one has the lock.
  new Promise((resolve) => setTimeout(resolve, ms));

const [directory = '', first = '', attempts = ''] = process.argv.slice(2);
const won: boolean[] = [];
for (let i = 0; i < Number(attempts); i++) {
  const moment = Number(first) + i * PERIOD_MS;
  await pause(Math.max(0, moment - Date.now() - 5));
  while (Date.now() < moment);
  try {
    const lock = lockWallet(`${directory}/${i}.lock`, String(i));
    won.push(true);
    await pause(HELD_MS);
    lock.release();
  } catch {
    won.push(false);
  }
}
process.stdout.write(JSON.stringify(won));
