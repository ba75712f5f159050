/** Kinds of things that the support desk finds. */
export const ITEM_KINDS = ['wallet', 'request', 'order', 'payout', 'transaction', 'address'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** Name of a thing in a wallet. */
export interface Item {
  readonly kind: ItemKind;
  /** Name of the wallet. */
  readonly wallet: string;
  /** Id of a request or payout, key of an order, hash of a transaction, text of an address; empty for the wallet itself. */
  readonly id: string;
}

/** Names of the kinds. */
export const KIND_NAMES: Readonly<Record<ItemKind, string>> = {
  wallet: 'Wallet',
  request: 'Payment request',
  order: 'Order',
  payout: 'Payout',
  transaction: 'Transaction',
  address: 'Address',
};

/** Methods that return the same facts as the page of a thing: a client that may not call one may not see the page. */
export const METHOD_OF: Readonly<Record<ItemKind, string>> = {
  wallet: 'get_transfers',
  request: 'get_payment_request',
  order: 'get_order',
  payout: 'get_payout',
  transaction: 'get_transfer_by_txid',
  address: 'get_address',
};

/** Path of the page of one thing. */
export const ITEM_PATH = '/status/item';

/** Returns the address of the page of a thing. */
export const pathOf = ({ kind, wallet, id }: Item): string =>
  `${ITEM_PATH}?${new URLSearchParams({ kind, wallet, ...(id === '' ? {} : { id }) }).toString()}`;

/** True for the name of a kind. */
export const isItemKind = (text: string): text is ItemKind =>
  (ITEM_KINDS as readonly string[]).includes(text);
