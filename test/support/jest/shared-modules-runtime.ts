import runtimeModule from 'jest-runtime';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import SharedModulesEnvironment from './shared-modules-environment.js';

/** The package declares the types of its CommonJS form, and exports the class itself to ES modules. */
const Runtime = runtimeModule as unknown as typeof runtimeModule.default;
type Options = ConstructorParameters<typeof Runtime>;

/** Loader of ES modules of a runtime. */
interface Loader {
  /** Loads a module unless it is loaded. @param suffix query and fragment of the URL. */
  loadEsmModule(path: string, suffix?: string): Promise<vm.Module>;
  loadCjsAsEsm(
    from: string,
    path: string,
    suffix: string,
    context: vm.Context,
  ): vm.Module | Promise<vm.Module>;
  linkAndEvaluateModule(module: vm.Module): Promise<vm.Module>;
}

/** Parts of a runtime that its types do not declare. Source: jest-runtime, index.ts. */
interface Parts {
  readonly esmLoader: Loader;
  readonly registries: { esModuleRegistry: Map<string, vm.Module | Promise<vm.Module>> };
}

const partsOf = (runtime: InstanceType<typeof Runtime>): Parts => runtime as unknown as Parts;

/** Compiled sources of the project. */
const SOURCES = new URL('../../../src/', import.meta.url).href;
/** Modules of tests that take the place of sources (`moduleNameMapper`), those that they import, and a process of each worker. */
const KEPT = new Set(
  ['slow-hash-record.js', 'slow-hashes.js', '../processes/server-host.js'].map(
    (name) => new URL(name, import.meta.url).href,
  ),
);

/** True for modules that the test files of a process share: those of packages and of `src`. */
export const isShared = (url: string): boolean =>
  url.startsWith(SOURCES) || (url.startsWith('file:') && url.includes('/node_modules/')) || KEPT.has(url);

/** Modules that the test files of a process share, each loaded once. Their runtime never ends: they may load further ones. */
class SharedModules {
  readonly runtime: InstanceType<typeof Runtime>;
  readonly #loader: Loader;
  readonly #context: vm.Context;
  readonly #environment: SharedModulesEnvironment;
  readonly #facades = new Map<string, vm.Module>();
  /** Ends with the last load: Jest cannot load two graphs with common modules at the same time. */
  #loads: Promise<unknown> = Promise.resolve();

  constructor(
    environment: SharedModulesEnvironment,
    ...[config, , resolver, transformer, , ...rest]: Options
  ) {
    this.#environment = environment;
    this.runtime = new Runtime(config, environment, resolver, transformer, new Map(), ...rest);
    this.#loader = partsOf(this.runtime).esmLoader;
    this.#context = environment.getVmContext() as vm.Context;
  }

  /** Returns the facade of a module; undefined unless the module is loaded. */
  loaded(url: string): vm.Module | undefined {
    return this.#facades.get(url);
  }

  /** Loads a module unless it is loaded. @returns its facade. */
  async load(url: string, load: (loader: Loader) => vm.Module | Promise<vm.Module>): Promise<vm.Module> {
    const facade = this.#loads.then(() => this.#facades.get(url) ?? this.#load(url, load));
    this.#loads = facade.catch(() => undefined);
    return facade;
  }

  async #load(url: string, load: (loader: Loader) => vm.Module | Promise<vm.Module>): Promise<vm.Module> {
    const module = await this.#loader.linkAndEvaluateModule(await load(this.#loader));
    const facade = await this.#loader.linkAndEvaluateModule(this.#facadeOf(module));
    if (url.startsWith(SOURCES)) this.#environment.keep(Object.values(module.namespace));
    this.#facades.set(url, facade);
    return facade;
  }

  /**
   * Returns a module with the exports of another one, whose values do not change any more. Jest loads each graph with a
   * top-level `await` somewhere twice, although it may be evaluated; a facade has no graph.
   */
  #facadeOf({ namespace, identifier }: vm.Module): vm.Module {
    const exports = Object.entries(namespace);
    const names = exports.map(([name]) => name);
    const facade = new vm.SyntheticModule(
      names,
      () => {
        for (const [name, value] of exports) facade.setExport(name, value);
      },
      { context: this.#context, identifier },
    );
    return facade;
  }
}

/** Stands for a module that is not loaded. Jest then loads the graph asynchronously, without this promise. */
const NOT_LOADED = new Promise<never>(() => undefined);

/** Modules of a test file: its own ones, and facades of shared ones. */
class FileModules extends Map<string, vm.Module | Promise<vm.Module>> {
  readonly #shared: SharedModules;

  constructor(shared: SharedModules) {
    super();
    this.#shared = shared;
  }

  override get(url: string): vm.Module | Promise<vm.Module> | undefined {
    if (!isShared(url)) return super.get(url);
    return this.#shared.loaded(url) ?? NOT_LOADED;
  }

  override has(url: string): boolean {
    return isShared(url) || super.has(url);
  }
}

let shared: SharedModules | undefined;

/**
 * Runtime of a test file in `shared-modules-environment.ts`: the files of a process share the modules of `src`, of packages and
 * of Jest, with their state and their compiled code, as the parts of a server do. Modules of tests are loaded anew for each
 * file. In other environments, all are. Source of the overridden parts: jest-runtime, `EsmLoader`.
 */
export class SharedModulesRuntime extends Runtime {
  readonly #shared: SharedModules | undefined;

  constructor(...options: Options) {
    super(...options);
    const environment: unknown = options[1];
    if (!(environment instanceof SharedModulesEnvironment)) return;
    const modules = (this.#shared = shared ??= new SharedModules(environment, ...options));
    const { esmLoader, registries } = partsOf(this);
    registries.esModuleRegistry = new FileModules(modules);
    const loadEsm = esmLoader.loadEsmModule.bind(esmLoader);
    esmLoader.loadEsmModule = (path, suffix = '') => {
      const url = pathToFileURL(path).href + suffix;
      return isShared(url)
        ? modules.load(url, (loader) => loader.loadEsmModule(path, suffix))
        : loadEsm(path, suffix);
    };
    const loadCjs = esmLoader.loadCjsAsEsm.bind(esmLoader);
    esmLoader.loadCjsAsEsm = (from, path, suffix, context) => {
      const url = pathToFileURL(path).href + suffix;
      return isShared(url)
        ? modules.load(url, (loader) => loader.loadCjsAsEsm(from, path, suffix, context))
        : loadCjs(from, path, suffix, context);
    };
  }

  /** Loads a module of Jest. The first of a file has the state of its tests; those that it requires are shared. */
  override requireInternalModule<T>(from: string, to?: string): T {
    return to === undefined || this.#shared === undefined
      ? super.requireInternalModule(from, to)
      : this.#shared.runtime.requireInternalModule(from, to);
  }
}

/** Jest loads the class by `require`. */
export { SharedModulesRuntime as 'module.exports' };
