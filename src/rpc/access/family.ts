/**
 * Groups of methods that a credential allows or denies together.
 *
 * - view: reads, without changing money or secrets.
 * - receive: creates accounts, addresses and payment links, and labels them.
 * - spend: makes, signs, relays or submits transactions, freezes outputs (with the right to lock), signs messages,
 *   edits the payees of the address book; also the exchange of outputs and key images that signing elsewhere needs.
 * - admin: secrets, files and passwords of wallets, scanning, webhooks, the daemon, the log, the process.
 */
export const FAMILIES = ['view', 'receive', 'spend', 'admin'] as const;

export type Family = (typeof FAMILIES)[number];

/** Whether a text names a family. */
export const isFamily = (text: string): text is Family => (FAMILIES as readonly string[]).includes(text);
