import { yieldToEventLoop } from '../util/event-loop.js';
import type { WalletStore } from './wallet-store.js';

/**
 * Waits one turn of the event loop between two parts of a long write, and longer while another thread moves the
 * write-ahead log into the main file.
 */
export async function betweenWrites(store: Pick<WalletStore, 'waitForCheckpoint'>): Promise<void> {
  await yieldToEventLoop();
  await store.waitForCheckpoint();
}
