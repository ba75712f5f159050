import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { z } from 'zod';
import { ADDITION } from '../../src/rpc/method.js';
import { registry } from '../../src/rpc/registry.js';
import { parseJson } from '../../src/util/json.js';

/** A method of the specification or of the reference, with the parameters of both. */
interface Known {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly params: readonly string[];
  readonly restricted: boolean;
  readonly in: readonly ('1.3' | '0.18' | '1.32')[];
}

const folder = new URL('../../../test/vectors/rpc/', import.meta.url);
const { methods: known } = JSON.parse(readFileSync(new URL('methods.json', folder), 'utf8')) as {
  methods: readonly Known[];
};
const pairFile = (name: string): URL => new URL(`recorded/${name}.json`, folder);
const recorded = readdirSync(new URL('recorded/', folder)).map((file) => file.replace(/\.json$/, ''));

/** Methods without a recorded answer, and the reason. */
const unanswered: Readonly<Record<string, string>> = {
  finalize_multisig: '0.18 has the method and answers every call of it with an error',
};

/** Methods that a real server of release 0.18 answers. */
const ofRelease = known.filter(({ name, in: where }) => where.includes('0.18') && !(name in unanswered));

describe('completeness', () => {
  test.each(known)('$name is defined', ({ name }) => {
    expect(registry.find(name)).toBeDefined();
  });

  it('has no other methods, beside those that say that they are additions', () => {
    const names = known.map(({ name }) => name);
    const others = registry.methods.filter(({ name }) => !names.includes(name));
    const additions = registry.methods.filter(({ source }) => source === ADDITION);
    expect(others.map(({ name }) => name)).toEqual(additions.map(({ name }) => name));
  });

  test.each(known)(
    '$name has its aliases, parameters and restriction',
    ({ name, aliases, params, restricted }) => {
      const method = registry.find(name);
      expect(method?.name).toBe(name);
      expect([...(method?.aliases ?? [])]).toEqual(aliases);
      expect(method?.meta.restricted).toBe(restricted);
      const takes = method?.params instanceof z.ZodObject ? Object.keys(method.params.shape) : [];
      expect(params.filter((param) => !takes.includes(param))).toEqual([]);
    },
  );

  test.each(ofRelease)('$name accepts the request of its recorded pair', ({ name }) => {
    expect(recorded).toContain(name);
    const pair = parseJson(readFileSync(pairFile(name), 'utf8')) as unknown as {
      readonly request: { readonly method: string; readonly params: unknown };
      readonly response: { readonly result: object };
    };
    expect(pair.request.method).toBe(name);
    expect(registry.find(name)?.params.safeParse(pair.request.params).error).toBeUndefined();
    expect(pair.response.result).toBeDefined();
  });

  it('has pairs of known methods only', () => {
    const names = known.map(({ name }) => name);
    expect(recorded.filter((name) => !names.includes(name))).toEqual([]);
  });
});
