import { describe, expect, it } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';

const compile = (body: string, filename: string): (() => unknown) =>
  vm.compileFunction(body, [], { filename }) as () => unknown;

/** Evaluates a module that exports one value. */
async function exported(source: string, identifier: string): Promise<unknown> {
  const module = new vm.SourceTextModule(source, { identifier });
  await module.link(() => Promise.reject(new Error('no imports')));
  await module.evaluate();
  return (module.namespace as { readonly value?: unknown }).value;
}

describe('the environment of test files', () => {
  it('compiles the body of a changed file anew', () => {
    expect(compile('return 1', '/changed.js')()).toBe(1);
    // V8 compares the lengths of sources only.
    expect(compile('return 2', '/changed.js')()).toBe(2);
  });

  it('compiles a function with other parameters anew', () => {
    const x = 5;
    expect(vm.compileFunction('return x', ['x'], { filename: '/parameters.js' })(x)).toBe(x);
    expect(vm.compileFunction('return x', ['y', 'x'], { filename: '/parameters.js' })(1, x)).toBe(x);
  });

  it('compiles anew after a change of flags, which V8 rejects the compiled code for', async () => {
    const load = async (): Promise<unknown> => [
      compile('return 3', '/flags.js')(),
      await exported('export const value = 4;', '/flags-module.js'),
    ];
    expect(await load()).toEqual([3, 4]);
    setFlagsFromString('--allow-natives-syntax');
    try {
      expect(await load()).toEqual([3, 4]);
    } finally {
      setFlagsFromString('--no-allow-natives-syntax');
    }
    expect(await load()).toEqual([3, 4]);
  });

  it('evaluates each module of a file by itself', async () => {
    const source = 'export const value = {};';
    expect(await exported(source, '/own.js')).not.toBe(await exported(source, '/own.js'));
  });

  it('compiles the module of a changed file anew', async () => {
    expect(await exported('export const value = 1;', '/module.js')).toBe(1);
    expect(await exported('export const value = 2;', '/module.js')).toBe(2);
  });
});
