import { closeSync, openSync, rmSync } from 'node:fs';
import { lockWallet, type WalletLock } from '../../../src/store/file/wallet-lock.js';
import { WalletError } from '../../../src/model/wallet-error.js';

/*
 * Acquires and releases a wallet's lock a number of times, and prints how often another process held it at the same
 * time: the marker file may exist only while its creator holds the lock.
 */
const [, , path = '', rounds = '0'] = process.argv;
const marker = `${path}.marker`;

const pause = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() / 2);

function acquire(): WalletLock {
  for (;;) {
    try {
      return lockWallet(path, 'w');
    } catch (error) {
      if (!(error instanceof WalletError && error.fault.kind === 'wallet_locked')) throw error;
      pause();
    }
  }
}

let doubles = 0;
for (let i = 0; i < Number(rounds); i++) {
  const lock = acquire();
  let isAlone = true;
  try {
    closeSync(openSync(marker, 'wx'));
  } catch {
    isAlone = false;
    doubles += 1;
  }
  pause();
  if (isAlone) rmSync(marker);
  lock.release();
}
process.stdout.write(`${JSON.stringify({ doubles })}\n`);
