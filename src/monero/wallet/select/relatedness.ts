import { equalBytes } from '../../../util/bytes.js';
import type { OwnedOutput } from '../model/records.js';

/** Origin of an output on the chain. */
type RelatedOutput = Pick<OwnedOutput, 'txHash' | 'height'>;

/*
 * Two outputs of one transaction or of nearby blocks, spent together, reveal to an observer that they have one owner.
 * Source: wallet2.cpp `get_output_relatedness`.
 */
export const SAME_TX = 1;
export const SAME_BLOCK = 0.9;
const NEXT_BLOCK = 0.8;
const NEAR = 0.2;
/** Distance from which on two blocks count as unrelated. */
export const NEAR_BLOCKS = 10;

/** Relatedness of outputs of different transactions in blocks at this distance. */
export function relatednessOfHeights(distance: number): number {
  if (distance === 0) return SAME_BLOCK;
  if (distance === 1) return NEXT_BLOCK;
  return distance < NEAR_BLOCKS ? NEAR : 0;
}

/** Relatedness from 0 (unrelated) to 1 (same transaction); only the order of the values matters. */
export const relatedness = (a: RelatedOutput, b: RelatedOutput): number =>
  equalBytes(a.txHash, b.txHash) ? SAME_TX : relatednessOfHeights(Math.abs(a.height - b.height));
