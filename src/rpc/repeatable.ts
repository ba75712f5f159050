import * as z from 'zod';
import { registry } from './registry.js';

/**
 * True for a method whose second run changes nothing beyond its first: one that only reads, or one whose call has an
 * idempotency key. @param hasKey true if the call has an idempotency key.
 */
export function isRepeatable(name: string, hasKey: boolean): boolean {
  const method = registry.find(name);
  if (method === undefined) return true;
  if (method.meta.family === 'view') return true;
  const { params } = method;
  return hasKey && params instanceof z.ZodObject && 'idempotency_key' in params.shape;
}
