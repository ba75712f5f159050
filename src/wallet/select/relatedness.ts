import { equalBytes } from '../../util/bytes.js';
import type { OwnedOutput } from '../model/records.js';

/** Origin of an output on the chain. */
type RelatedOutput = Pick<OwnedOutput, 'txHash' | 'height'>;

/*
 * Two outputs of one transaction or of neighbouring blocks, spent together, tell an observer that they have one
 * owner. Source: wallet2.cpp `get_output_relatedness`.
 */
export const SAME_TX = 1;
export const SAME_BLOCK = 0.9;
const NEXT_BLOCK = 0.8;
const NEAR = 0.2;
/** Blocks that lie as far apart as this have nothing to do with each other. */
export const NEAR_BLOCKS = 10;

/** Of outputs in blocks that lie so far apart, which share no transaction. */
export function relatednessOfHeights(distance: number): number {
  if (distance === 0) return SAME_BLOCK;
  if (distance === 1) return NEXT_BLOCK;
  return distance < NEAR_BLOCKS ? NEAR : 0;
}

/** 0 for strangers to 1 for outputs of one transaction; only the order means something. */
export const relatedness = (a: RelatedOutput, b: RelatedOutput): number =>
  equalBytes(a.txHash, b.txHash) ? SAME_TX : relatednessOfHeights(Math.abs(a.height - b.height));
