import { yieldToEventLoop } from '../util/yield-to-event-loop.js';
import type { WalletStore } from './wallet-store.js';

/** Yields to the event loop between two parts of a long write, and waits while a long log is moved into the main file. */
export async function betweenWrites(store: Pick<WalletStore, 'waitForCheckpoint'>): Promise<void> {
  await yieldToEventLoop();
  await store.waitForCheckpoint();
}
