import { equalBytes } from '../../../util/bytes.js';
import type { OwnedOutput } from '../scan/findings.js';

/** Transaction and height of an output. */
type RelatedOutput = Pick<OwnedOutput, 'txHash' | 'height'>;

/*
 * Two outputs of one transaction or of nearby blocks, spent together, reveal to an observer that they have one owner.
 * Source: wallet2.cpp `get_output_relatedness`.
 */
export const SAME_TX = 1;
export const SAME_BLOCK = 0.9;
const NEXT_BLOCK = 0.8;
const NEAR = 0.2;
/** Distance from which two blocks count as unrelated [blocks]. */
export const NEAR_BLOCKS = 10;

/** Returns the relatedness of outputs of different transactions, in blocks at a distance. */
export function relatednessOfHeights(distance: number): number {
  if (distance === 0) return SAME_BLOCK;
  if (distance === 1) return NEXT_BLOCK;
  return distance < NEAR_BLOCKS ? NEAR : 0;
}

/**
 * Returns the relatedness of two outputs, from 0 (unrelated) to 1 (same transaction). Only the order of the values
 * matters.
 */
export const relatedness = (a: RelatedOutput, b: RelatedOutput): number =>
  equalBytes(a.txHash, b.txHash) ? SAME_TX : relatednessOfHeights(Math.abs(a.height - b.height));
