import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { binaryEndpoints, methods, paths } from '../../../src/regtest/rpc/service.js';

/** Method or path of the specification or of the reference. */
interface Known {
  readonly kind: 'method' | 'path' | 'binary';
  /** Name and aliases. */
  readonly names: readonly string[];
  /** True when it does not exist at a restricted port; null when the reference lacks it. */
  readonly restricted: boolean | null;
}

const { endpoints: known } = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/regtest/endpoints.json', import.meta.url), 'utf8'),
) as { readonly endpoints: readonly Known[] };

/** Our additional methods and paths, with reasons. */
const additions: Readonly<Record<string, string>> = {
  '/misbehave': 'sets the injected faults',
  pay_carrot: 'pays in the form of the next fork',
};

/** Available at a restricted port as in 0.18, whose clients use them; today's servers exclude them. */
const open: readonly string[] = ['/get_alt_blocks_hashes', '/get_transaction_pool'];

const registries = { method: methods, path: paths } as const;

describe('completeness of the daemon', () => {
  test.each(known)('$kind $names is served, restricted or not as upstream', ({ kind, names, restricted }) => {
    for (const name of names) {
      if (kind === 'binary') {
        expect(binaryEndpoints.some((endpoint) => endpoint.paths.includes(name))).toBe(true);
        continue;
      }
      const found = registries[kind].find(name);
      expect(found).toBeDefined();
      if (restricted !== null)
        expect(found?.meta.unrestricted ?? false).toBe(restricted && !open.includes(name));
    }
  });

  it('serves no method or path beyond these and our listed additions', () => {
    const names = known.flatMap((endpoint) => endpoint.names);
    const served = [
      ...[...methods.methods, ...paths.methods].flatMap(({ name, aliases = [] }) => [name, ...aliases]),
      ...binaryEndpoints.flatMap((endpoint) => endpoint.paths),
    ];
    expect(served.filter((name) => !names.includes(name) && !(name in additions))).toEqual([]);
  });
});
