import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the working tree. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Areas that decide about money, each with its folders and files below `src`. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  payments: ['services/payments', 'monero/wallet/select/fees', 'store/tables/reported'],
  spending: ['store/tables/credential-spends', 'model/spender', 'services/sync/output-freezing'],
  orders: [
    ...['model/keyed-call', 'model/order', 'store/tables/idempotency-keys', 'store/tables/orders'],
    'store/tables/order-tracker',
  ],
  payouts: ['services/payouts', 'model/payout', 'model/payout-rule', 'store/tables/payouts'],
  requests: [
    'services/requests',
    'model/arrival',
    'model/payment-request',
    'model/request-state',
    'store/tables/payment-requests',
    'store/tables/request-payments',
    'store/tables/request-row',
  ],
  scan: ['monero/wallet/scan'],
  events: ['store/events'],
  access: ['rpc/access'],
  proofs: ['services/proofs', 'monero/wallet/proofs'],
};

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.includes('assembly'))
  .map((name) => name.slice(0, -'.ts'.length))
  .sort();

/** Sources that decide about money, relative to `src` and without an extension, by area. */
export const TARGETS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(AREAS).map(([area, parts]) => {
    const files = parts.flatMap((part) =>
      sources.filter((name) => name === part || name.startsWith(`${part}/`)),
    );
    return [area, files];
  }),
);

/** All of these sources. */
export const TARGET_FILES: readonly string[] = [...TARGETS.values()].flat();

/** Returns the compiled file of a source. */
export const compiledFile = (source: string): string => join(ROOT, 'build', 'src', `${source}.js`);

/** Returns the source of a compiled file; undefined if it is no target. */
export const targetOf = (compiled: string): string | undefined =>
  TARGET_FILES.find((source) => compiledFile(source) === compiled);
