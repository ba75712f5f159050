/** Writes an integer with a comma between groups of three digits. */
export const grouped = (integer: number): string => integer.toLocaleString('en-US');

/** Writes a fraction (0 to 1) as a percentage, rounded down, so that `100.0 %` means all. */
export const percentage = (share: number): string => `${(Math.floor(1000 * share) / 10).toFixed(1)} %`;

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Writes a duration in its two largest units at most, such as `3 h 20 min`. @param seconds duration [s]. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const first = Math.max(
    0,
    UNITS.findIndex(([, length]) => whole >= length),
  );
  if (whole === 0) return '0 s';
  // Leaves seconds out beside minutes, as too precise.
  const shown = UNITS.slice(first, first + 2).filter(([unit], i) => i === 0 || unit !== 's');
  let rest = whole;
  const parts = shown.map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}
