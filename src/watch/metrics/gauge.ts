import { Gauge, type Registry } from 'prom-client';

/** Adds a gauge whose value is read at each scrape; it is absent from the scrape while the value is undefined. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  value: () => number | undefined,
): void {
  new Gauge({
    ...{ name, help, registers: [registry] },
    collect() {
      const now = value();
      if (now === undefined) this.remove();
      else this.set(now);
    },
  });
}
