/** How a wallet may be kept in step with the chain while its spend key is put away. */
export type BackgroundSyncType = 'off' | 'reuse-wallet-password' | 'custom-background-password';

/** As the reference numbers them. Source: wallet2_types.h `BackgroundSyncType`. */
const NUMBERED: readonly BackgroundSyncType[] = [
  'off',
  'reuse-wallet-password',
  'custom-background-password',
];

export const isBackgroundSyncType = (text: string): text is BackgroundSyncType =>
  NUMBERED.some((type) => type === text);

export const numberOfType = (type: BackgroundSyncType): bigint => BigInt(NUMBERED.indexOf(type));

/** Anything unknown is off. */
export const typeOfNumber = (number: unknown): BackgroundSyncType =>
  (typeof number === 'bigint' ? NUMBERED[Number(number)] : undefined) ?? 'off';

/**
 * Why the spend key is not there, though it is no view-only wallet. syncing: it was put away for a while.
 * wallet: the background files were opened, which do not have it.
 */
export type Background = 'syncing' | 'wallet';

/** What a call is told that needs the spend key. */
export const BACKGROUND_FAULT = {
  syncing: 'background_syncing',
  wallet: 'background_wallet',
} as const satisfies Record<Background, string>;
