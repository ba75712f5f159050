import type { CallOptions } from './call-options.js';
export type WalletEvent = { readonly id: number; readonly type: string };
export type EventType = WalletEvent['type'];
export interface WalletMethods { get_balance(params?: object, options?: CallOptions): Promise<object> }
