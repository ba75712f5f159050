/** Mode in which a wallet synchronises while its spend key is not in memory. */
export type BackgroundSyncType = 'off' | 'reuse-wallet-password' | 'custom-background-password';

/** Types in the order of the reference's numbers. Source: wallet2_types.h `BackgroundSyncType`. */
const NUMBERED: readonly BackgroundSyncType[] = [
  'off',
  'reuse-wallet-password',
  'custom-background-password',
];

export const isBackgroundSyncType = (text: string): text is BackgroundSyncType =>
  NUMBERED.some((type) => type === text);

export const backgroundSyncTypeNumber = (type: BackgroundSyncType): bigint => BigInt(NUMBERED.indexOf(type));

/** Returns the type with a number of the reference; `off` for an unknown number. */
export const backgroundSyncTypeOf = (number: unknown): BackgroundSyncType =>
  (typeof number === 'bigint' ? NUMBERED[Number(number)] : undefined) ?? 'off';

/**
 * Reason why a wallet that is not view-only has no spend key in memory. `syncing`: background sync has removed it until
 * background sync stops. `wallet`: the background files were opened, which do not contain the spend key.
 */
export type Background = 'syncing' | 'wallet';

/** Error of a call that needs the spend key, by the reason for its absence. */
export const BACKGROUND_FAULT = {
  syncing: 'background_syncing',
  wallet: 'background_wallet',
} as const satisfies Record<Background, string>;
