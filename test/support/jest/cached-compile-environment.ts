import { TestEnvironment } from 'jest-environment-node';
import vm from 'node:vm';

/** Source of a module or of a function body, and the code that V8 compiled from it. */
interface Compiled {
  readonly source: string;
  readonly cachedData: Buffer;
}

/** Compiled code of this process by file, the last source of each. */
type Cache = Map<string, Compiled>;

/** Adds compiled code of the same source to the options. @returns undefined if there is none. */
function fromCache<T extends object>(
  cache: Cache,
  name: string,
  source: string,
  options: T,
): (T & { readonly cachedData: Buffer }) | undefined {
  const known = cache.get(name);
  return known?.source === source ? { ...options, cachedData: known.cachedData } : undefined;
}

/** The types of Node.js lack the method. */
type SourceTextModule = vm.SourceTextModule & { createCachedData(): Buffer };
type ModuleOptions = vm.SourceTextModuleOptions;

/** The types of Node.js lack the member. */
type Loaded = ReturnType<typeof vm.compileFunction> & { readonly cachedDataRejected?: boolean };

/** Class of modules which compiles each source once. */
function cachingModules(Module: typeof vm.SourceTextModule): typeof vm.SourceTextModule {
  const cache: Cache = new Map();
  const compile = (source: string, options: ModuleOptions = {}): SourceTextModule => {
    const { identifier = '' } = options;
    const cached = fromCache(cache, identifier, source, options);
    if (cached !== undefined) {
      try {
        return new Module(source, cached) as SourceTextModule;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
      }
    }
    const module = new Module(source, options) as SourceTextModule;
    if (identifier !== '') cache.set(identifier, { source, cachedData: module.createCachedData() });
    return module;
  };
  return new Proxy(Module, {
    construct: (_, [source, options]: [string, ModuleOptions?]) => compile(source, options),
  });
}

/** Function that compiles each function body once. */
function cachingFunctions(compile: typeof vm.compileFunction): typeof vm.compileFunction {
  const cache: Cache = new Map();
  return (source, parameters, options = {}) => {
    const { filename = '' } = options;
    const name = `${filename}(${parameters?.join() ?? ''})`;
    const cached = fromCache(cache, name, source, options);
    if (cached !== undefined) {
      const compiled = compile(source, parameters, cached) as Loaded;
      if (compiled.cachedDataRejected !== true) return compiled;
    }
    const compiled = compile(source, parameters, { ...options, produceCachedData: filename !== '' });
    const { cachedData } = compiled;
    if (cachedData !== undefined) cache.set(name, { source, cachedData });
    return compiled;
  };
}

vm.SourceTextModule = cachingModules(vm.SourceTextModule);
vm.compileFunction = cachingFunctions(vm.compileFunction);

/**
 * Environment of Node.js in which a module that an earlier test file of the process loaded is not compiled again. Jest
 * loads every module anew for each file: its own, those of packages and ours. V8 rejects the code after a change of its
 * flags, which some tests make; it is compiled again then. Saves 30 ms of CPU in each file (15 files in one process, two runs
 * each by turns: 4.9 and 5.1 s in place of 5.3 and 5.6).
 *
 * Its global object is an ordinary one. By default V8 asks a proxy of Jest for each global that a module names, such as
 * `Uint8Array` or `Object`, each time.
 */
export default class CachedCompileEnvironment extends TestEnvironment {
  constructor(...options: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...options);
    } finally {
      vm.createContext = createContext;
    }
  }
}
