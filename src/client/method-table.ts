import type { Shape } from './results.js';
export type MethodKind = 'read' | 'order' | 'act';
export const METHOD_KINDS = { get_balance: 'read', transfer: 'order', open_wallet: 'act' } as const satisfies Readonly<Record<string, MethodKind>>;
export const RESULT_SHAPES = { get_balance: { balance: 'bigint' }, get_events: { events: [{ data: { amount: 'bigint' } }] } } as const satisfies Readonly<Record<string, Shape>>;
