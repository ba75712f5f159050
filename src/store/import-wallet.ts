import type {
  CachedBalance,
  CachedBalances,
  ImportedWallet,
} from '../monero/wallet/reference-cache/imported-wallet.js';
import { amount } from '../util/amount.js';
import type { WalletWriter } from './wallet-writer.js';

/** An address with its balances, as JSON; amounts are decimal texts. */
type Row = readonly [
  major: number,
  minor: number,
  total: string,
  locked: string,
  unconfirmed: string,
  unspentCount: number,
  blocksToUnlock: number,
];

interface Stored {
  readonly height: number;
  readonly all: readonly Row[];
  readonly strict: readonly Row[];
}

const toRow = ({ subaddress, total, locked, unconfirmed, ...rest }: CachedBalance): Row => [
  ...([subaddress.major, subaddress.minor, `${total}`, `${locked}`, `${unconfirmed}`] as const),
  ...([rest.unspentCount, rest.blocksToUnlock] as const),
];

const fromRow = ([major, minor, total, locked, unconfirmed, unspentCount, wait]: Row): CachedBalance => ({
  ...{ subaddress: { major, minor }, total: amount(BigInt(total)), locked: amount(BigInt(locked)) },
  ...{ unconfirmed: amount(BigInt(unconfirmed)), unspentCount, blocksToUnlock: wait },
});

/** Writes the value of the meta key `imported_balances`. */
export const writeCachedBalances = ({ height, all, strict }: CachedBalances): string =>
  JSON.stringify({ height, all: all.map(toRow), strict: strict.map(toRow) } satisfies Stored);

/** Reads the value of the meta key `imported_balances`. */
export function readCachedBalances(text: string): CachedBalances {
  const { height, all, strict } = JSON.parse(text) as Stored;
  return { height, all: all.map(fromRow), strict: strict.map(fromRow) };
}

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
