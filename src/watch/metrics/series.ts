import { workSlices } from '../../util/event-loop.js';
import { escapedLabel } from './labels.js';

/** A sample: suffix of the name of its metric, further labels, value. */
export type Sample = readonly [suffix: string, labels: string, value: number | bigint];

/** A metric with any number of series per wallet. */
export interface WalletMetric<T> {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: (wallet: T) => readonly Sample[];
}

/** Returns a series without further labels; none while its value is undefined. */
export const counted = (value: number | bigint | undefined): Sample[] =>
  value === undefined ? [] : [['', '', value]];

/**
 * Writes metrics of wallets in the text format of Prometheus. Yields to the event loop between wallets. Source: Prometheus
 * documentation, exposition formats.
 */
export async function writeSeries<T>(
  metrics: readonly WalletMetric<T>[],
  wallets: readonly T[],
  nameOf: (wallet: T) => string,
): Promise<string> {
  const names = await workSlices.map(wallets, (wallet) => escapedLabel(nameOf(wallet)));
  const texts: string[] = [];
  for (const { name, type, help, samples } of metrics) {
    const lines = await workSlices.map(wallets, (wallet, i) =>
      samples(wallet)
        .map(([suffix, labels, value]) => `${name}${suffix}{wallet="${names[i] ?? ''}"${labels}} ${value}\n`)
        .join(''),
    );
    texts.push(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`);
  }
  return texts.join('');
}
