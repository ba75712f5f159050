import type { ImportedWallet } from '../monero/wallet/reference-cache/imported-wallet.js';
import { writeCachedBalances } from './imported-balances.js';
import type { WalletWriter } from './wallet-writer.js';

/** Writes the data of another program's wallet into a new store. */
export function importWallet(w: WalletWriter, memory: ImportedWallet): void {
  memory.accounts.forEach(({ labels, tag }, major) => {
    w.accounts.reach({ major, minor: labels.length - 1 });
    labels.forEach((label, minor) => w.subaddresses.setLabel({ major, minor }, label));
    if (tag !== '') w.accountTags.assign([major], tag);
  });
  for (const { tag, description } of memory.tagDescriptions) w.accountTags.setDescription(tag, description);
  w.subaddresses.add(memory.subaddresses);
  for (const { address, description } of memory.addressBook) w.addressBook.add(address, description);
  for (const { name, value } of memory.attributes) w.attributes.set(name, value);
  for (const { txHash, note } of memory.notes) w.notes.set(txHash, note);
  for (const { txHash, keys } of memory.txKeys) w.txKeys.set(txHash, keys);
  for (const payment of memory.paid) w.outgoing.storeFacts(payment);
  for (const payment of memory.unmined) w.outgoing.insert(payment);
  w.outputs.freezeUnseen(memory.frozen);
  for (const keyImage of memory.keyImages) w.importedKeyImages.set(keyImage);
  if (memory.balances !== undefined) w.meta.set('imported_balances', writeCachedBalances(memory.balances));
}
