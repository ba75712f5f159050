import type { ForkHeights } from '../../regtest/rules/fork-schedule.js';
import { ConfigError } from './config-values.js';

/** Number of blocks between the two heights of the next fork, if only the first one is given. */
export const GRACE_BLOCKS = 10;

/** First height of the next fork, above those of the forks that regtest has had. */
const LEAST_HEIGHT = 2;

/**
 * Parses the heights of the next fork, `h` or `h,h2`.
 * @param flag name of the option. @throws ConfigError
 */
export function readForkHeights(flag: string, text: string | undefined): ForkHeights | undefined {
  if (text === undefined) return undefined;
  const [, first = '', second] = /^(\d{1,9})(?:,(\d{1,9}))?$/.exec(text) ?? [];
  const from = Number(first);
  const only = second === undefined ? from + GRACE_BLOCKS : Number(second);
  if (from < LEAST_HEIGHT || only <= from)
    throw new ConfigError(
      `--${flag}: one or two ascending heights from ${LEAST_HEIGHT} on are expected: h or h,h2`,
    );
  return { from, only };
}
