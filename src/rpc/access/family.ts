/**
 * Groups of methods that a credential allows or denies together.
 *
 * - view: methods that read, without changing money or secrets.
 * - receive: methods that create and label accounts, addresses and payment links.
 * - spend: methods that make, sign, relay or submit transactions, freeze outputs (with the right to lock), sign
 *   messages, edit the payees of the address book, and exchange the outputs and key images that signing elsewhere
 *   needs.
 * - admin: methods for secrets, files and passwords of wallets, scanning, webhooks, the daemon, the log, the process.
 */
export const FAMILIES = ['view', 'receive', 'spend', 'admin'] as const;

export type Family = (typeof FAMILIES)[number];

/** True if a text is the name of a family. */
export const isFamily = (text: string): text is Family => (FAMILIES as readonly string[]).includes(text);
