import type { Hash, KeyImage } from '../../src/monero/crypto/types.js';
import type { WalletEvent } from '../../src/model/events.js';
import { fromHex } from '../../src/util/bytes.js';
import type { Loose } from '../support/network/json-rpc.js';

/** Facts of wire events that the event ledger reads, by their wire names. */
const AMOUNTS = { amount: 'amount', amount_in: 'amountIn', change: 'change', fee: 'fee' } as const;

/** Reads an event as clients get it. The ledger of events needs neither addresses nor payment ids. */
export function readWireEvent(text: string): WalletEvent {
  const { id, type, timestamp, data } = JSON.parse(text) as Loose;
  const facts: Loose = { ...data };
  for (const [wire, name] of Object.entries(AMOUNTS))
    if (data[wire] !== undefined) facts[name] = BigInt(data[wire] as number);
  if (data.tx_hash !== undefined) facts.txHash = fromHex(data.tx_hash as string) as Hash;
  if (data.key_image !== undefined) facts.keyImage = fromHex(data.key_image as string) as KeyImage;
  if (data.subaddr_index !== undefined) facts.subaddress = data.subaddr_index;
  return { id, type, timestamp, data: facts } as unknown as WalletEvent;
}
