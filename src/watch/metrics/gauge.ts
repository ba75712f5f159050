import { Gauge, type Registry } from 'prom-client';

/** Adds a gauge that is read by each scrape, and is absent while its value is undefined. */
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
