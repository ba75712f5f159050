import { CARROT_ONLY_FORK, FORK_RULES } from '../fork-rules.js';
import { NEWEST_FORK } from './constants.js';

/** Names of the rules by which blocks of the next fork are read; with `none` they are not read. */
export const KNOWN_RULES = [FORK_RULES, 'none'] as const;

/** Name of rules of the next fork. */
export type ForkRules = (typeof KNOWN_RULES)[number];

/** Returns the rules that are in force unless others are named: none on the network of real money, as they may still change. */
export const defaultRules = (isMainnet: boolean): ForkRules => (isMainnet ? 'none' : FORK_RULES);

/** Returns the newest version of blocks whose rules are known. */
export const newestForkOf = (rules: ForkRules): number => (rules === 'none' ? NEWEST_FORK : CARROT_ONLY_FORK);
