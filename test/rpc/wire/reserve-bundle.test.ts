import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { ProofError } from '../../../src/monero/wallet/proofs/proof-text.js';
import { MAX_BUNDLE_OUTPUTS } from '../../../src/monero/wallet/proofs/reserve-bundle.js';
import { checkBundle } from '../../../src/monero/wallet/proofs/reserve-bundle-check.js';
import { proveBundle } from '../../../src/monero/wallet/proofs/reserve-bundle-proof.js';
import { readReserveBundle, reserveBundleShape } from '../../../src/rpc/wire/reserve-bundle.js';
import { writeJson } from '../../../src/util/json-writer.js';
import { isObject, JsonError, parseJson, type Json } from '../../../src/util/json.js';
import { bundleOf, oneAccount, twoAccounts } from '../../monero/wallet/bundle-fixture.js';
import { randomRuns } from '../../support/fakes/random-runs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { mutatedText } from '../../support/values/mutations.js';

/* The document of a bundle, and what no change of it survives. */

const documentOf = (bundle: typeof oneAccount): Json =>
  parseJson(writeJson(reserveBundleShape(bundle) as unknown as Json));

const documents = { 'two accounts': documentOf(twoAccounts), 'one account': documentOf(oneAccount) };

/** Verifies a document. @returns the reason why it is refused; undefined for a proven one. */
function refusal(document: Json | string): string | undefined {
  try {
    checkBundle(readReserveBundle(typeof document === 'string' ? document : writeJson(document)));
    return undefined;
  } catch (error) {
    if (error instanceof ProofError) return error.message;
    throw error;
  }
}

type Path = readonly (string | number)[];

/** Lists the paths of all values in a document. */
function pathsIn(value: Json, path: Path = []): Path[] {
  const children: (readonly [string | number, Json])[] = Array.isArray(value)
    ? (value as Json[]).map((item, i) => [i, item] as const)
    : isObject(value)
      ? (Object.entries(value) as [string, Json][])
      : [];
  return [
    ...(path.length === 0 ? [] : [path]),
    ...children.flatMap(([key, item]) => pathsIn(item, [...path, key])),
  ];
}

type Change = (container: Record<string | number, Json>, key: string | number) => void;

/** Changes the value at a path of a copy. */
function changed(document: Json, path: Path, change: Change): Json {
  const copy = structuredClone(document);
  const container = path
    .slice(0, -1)
    .reduce<Json>((at, key) => (at as Record<string, Json>)[key] as Json, copy);
  change(container as Record<string | number, Json>, path.at(-1) ?? '');
  return copy;
}

/** Another value of the same form. */
function other(value: Json): Json {
  if (typeof value === 'bigint') return value + 1n;
  if (typeof value !== 'string') return value;
  const [first = ''] = value;
  if (/^\d+$/.test(value)) return String(BigInt(value) + 1n);
  if (/^[0-9a-f]+$/.test(value)) return (first === '0' ? '1' : '0') + value.slice(1);
  const last = value.at(-1) === '2' ? '3' : '2';
  return value.slice(0, -1) + last;
}

/** True if a text is JSON with the members of another, each once. */
function sameFacts(text: string, other: string): boolean {
  try {
    return writeJson(parseJson(text, { uniqueKeys: true })) === other;
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
}

describe.each(Object.entries(documents))('the document of %s', (_, document) => {
  const paths = pathsIn(document);
  const isLeaf = (path: Path): boolean => {
    const value = path.reduce<Json>((at, key) => (at as Record<string, Json>)[key] as Json, document);
    return typeof value !== 'object';
  };

  it('is proven as it was written', () => {
    expect(refusal(document)).toBeUndefined();
  });

  test.each(paths.filter(isLeaf).map((path) => [path.join('.'), path] as const))(
    'is refused with another value of %s',
    (name, path) => {
      const tampered = changed(document, path, (container, key) => {
        container[key] = other(container[key] as Json);
      });
      expect([name, refusal(tampered)]).toEqual([name, expect.any(String)]);
    },
  );

  test.each(paths.map((path) => [path.join('.'), path] as const))('is refused without %s', (name, path) => {
    const tampered = changed(document, path, (container, key) => {
      if (Array.isArray(container)) (container as Json[]).splice(Number(key), 1);
      else Reflect.deleteProperty(container, key);
    });
    expect([name, refusal(tampered)]).toEqual([name, expect.any(String)]);
  });

  const items = paths.filter((path) => typeof path.at(-1) === 'number');
  test.each(items.map((path) => [path.join('.'), path] as const))(
    'is refused with %s twice',
    (name, path) => {
      const tampered = changed(document, path, (container, key) => {
        (container as unknown as Json[]).splice(Number(key), 0, structuredClone(container[key]) as Json);
      });
      expect([name, refusal(tampered)]).toEqual([name, expect.any(String)]);
    },
  );

  test.each(paths.map((path) => [path.join('.'), path] as const))(
    'is refused with a value of another kind as %s',
    (name, path) => {
      for (const value of [null, true, -1n, 1.5, '', 'ff', 1n << 64n, [], {}, [[]]] as Json[]) {
        const tampered = changed(document, path, (container, key) => {
          container[key] = value;
        });
        expect([name, value, refusal(tampered)]).toEqual([name, value, expect.any(String)]);
      }
    },
  );

  it('is refused with an unknown member at any place', () => {
    const objects = [[], ...paths].filter((path) =>
      isObject(path.reduce<Json>((at, key) => (at as Record<string, Json>)[key] as Json, document)),
    );
    for (const path of objects) {
      const tampered = changed(document, [...path, 'more'], (container, key) => {
        container[key] = 1n;
      });
      expect([path, refusal(tampered)]).toEqual([path, expect.any(String)]);
    }
  });

  it('is refused, or the same document, after any change of its text', () => {
    const text = writeJson(document);
    fc.assert(
      fc.property(mutatedText(text, '0123456789abcdef"{}[],:'), (tampered) => {
        // Spaces between members, and escapes in texts, change no fact.
        if (sameFacts(tampered, text)) return;
        expect(refusal(tampered)).toEqual(expect.any(String));
      }),
      { numRuns: randomRuns(400) },
    );
  });
});

describe('a dishonest bundle', () => {
  const rng = seededRng('dishonest bundles');

  it.each<[string, string, () => unknown]>([
    [
      'an amount that the transaction does not pay',
      'another amount',
      () => {
        const given = bundleOf([0]);
        const [{ outputs, ...account }] = given.accounts as [(typeof given.accounts)[number]];
        const more = outputs.map((output) => ({
          ...output,
          amount: ((output.amount as bigint) + 1n) as never,
        }));
        return proveBundle({ ...given, accounts: [{ ...account, outputs: more }] }, rng);
      },
    ],
    [
      'an output in two accounts',
      'is listed twice',
      () => {
        const given = bundleOf([0]);
        const [{ outputs }] = given.accounts as [(typeof given.accounts)[number]];
        const moved = outputs.map((output) => ({ ...output, subaddress: { major: 1, minor: 0 } }));
        return proveBundle({ ...given, accounts: [...given.accounts, { account: 1, outputs: moved }] }, rng);
      },
    ],
    [
      'a transaction above its height',
      'above 94',
      () => {
        const given = bundleOf([0]);
        return proveBundle({ ...given, facts: { ...given.facts, height: 94 } }, rng);
      },
    ],
    [
      'a message that is too long',
      'a message of more than',
      () => {
        const given = bundleOf([0]);
        return proveBundle({ ...given, facts: { ...given.facts, message: 'x'.repeat(4097) } }, rng);
      },
    ],
    ['no outputs', 'no outputs', () => proveBundle(bundleOf([7]), rng)],
  ])('is refused with %s', (_, reason, make) => {
    expect(refusal(documentOf(make() as typeof oneAccount))).toContain(reason);
  });

  it('is refused before a signature is checked if it has too many parts', () => {
    const many = <T>(item: T): T[] => Array.from({ length: MAX_BUNDLE_OUTPUTS + 1 }, () => item);
    const [account] = oneAccount.accounts;
    const [output, address] = [account?.outputs[0], account?.addresses[0]];
    if (account === undefined || output === undefined || address === undefined) throw new Error('no account');
    const reasonOf = (change: Partial<typeof account>): string => {
      try {
        checkBundle({ ...oneAccount, accounts: [{ ...account, ...change }] });
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(reasonOf({ outputs: many(output) })).toBe(`more than ${MAX_BUNDLE_OUTPUTS} outputs`);
    expect(reasonOf({ addresses: many(address) })).toBe('more addresses than outputs');
    expect(() => checkBundle({ ...oneAccount, accounts: many(account) })).toThrow('more than');
    const [tx] = oneAccount.transactions;
    if (tx === undefined) throw new Error('no transaction');
    const long = [{ ...tx, blob: new Uint8Array(16 * 1024 * 1024 + 1) }];
    expect(() => checkBundle({ ...oneAccount, transactions: long })).toThrow('transactions with more than');
  });

  it('is refused by the lengths of its lists, before their items are read', () => {
    const bundle = documents['one account'] as Record<string, Json>;
    const [account] = bundle['accounts'] as Record<string, Json>[];
    const many = Array.from({ length: 90_000 }, (): Json => ({}));
    const withAccount = (change: Record<string, Json>): string =>
      refusal({ ...bundle, accounts: [{ ...account, ...change }] }) ?? '';
    expect(withAccount({ outputs: many })).toBe(`more than ${MAX_BUNDLE_OUTPUTS} outputs`);
    expect(withAccount({ addresses: many })).toBe('more addresses than outputs');
    expect(refusal({ ...bundle, transactions: many })).toBe('more transactions than outputs');
    expect(refusal({ ...bundle, accounts: many })).toMatch(/^accounts\.0\.\w+: /);
    expect(withAccount({ outputs: many.slice(0, 10_000) })).toMatch(/^accounts\.0\.outputs\.0\.\w+: /);
    expect(refusal({ ...bundle, reserve_proof: 'ReserveProofV2'.padEnd(10_000, '1') })).toBe(
      'a reserve proof that is too long',
    );
  });
});
