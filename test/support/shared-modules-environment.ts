import CachedCompileEnvironment from './cached-compile-environment.js';
import { propertiesRestorer } from './restore-properties.js';

type Options = ConstructorParameters<typeof CachedCompileEnvironment>;

/** Environment of the files of a process. */
interface Shared {
  readonly environment: CachedCompileEnvironment;
  /** Restores global properties, properties of the process and its variables. */
  readonly restore: () => void;
}

let shared: Shared | undefined;

function create(options: Options): Shared {
  const environment = new CachedCompileEnvironment(...options);
  const { global } = environment;
  const restorers = [global.process.env, global.process, global].map((target) => propertiesRestorer(target));
  return {
    environment,
    restore: () => {
      for (const restore of restorers) restore();
    },
  };
}

/** Equality testers of `expect`. Source: expect, jestMatchersObject.ts; the property cannot be deleted. */
const equalityTesters = (global: object): unknown[] =>
  (global as Record<symbol, { readonly customEqualityTesters: unknown[] } | undefined>)[
    Symbol.for('$$jest-matchers-object')
  ]?.customEqualityTesters ?? [];

/**
 * Environment whose global object the test files of a process share, so that they share modules, too, which belong to a
 * global object (`shared-modules-runtime.ts`). After each file the properties of the global object and of the process,
 * variables, listeners, timers and equality testers are as they were before.
 */
export default class SharedModulesEnvironment {
  readonly sharesModules = true;
  readonly global: CachedCompileEnvironment['global'];
  readonly moduleMocker: CachedCompileEnvironment['moduleMocker'];
  readonly fakeTimers: CachedCompileEnvironment['fakeTimers'];
  readonly fakeTimersModern: CachedCompileEnvironment['fakeTimersModern'];
  readonly #shared: Shared;

  constructor(...options: Options) {
    this.#shared = shared ??= create(options);
    const { global, moduleMocker, fakeTimers, fakeTimersModern } = this.#shared.environment;
    this.global = global;
    this.moduleMocker = moduleMocker;
    this.fakeTimers = fakeTimers;
    this.fakeTimersModern = fakeTimersModern;
  }

  getVmContext(): ReturnType<CachedCompileEnvironment['getVmContext']> {
    return this.#shared.environment.getVmContext();
  }

  exportConditions(): string[] {
    return this.#shared.environment.exportConditions();
  }

  setup(): Promise<void> {
    return Promise.resolve();
  }

  teardown(): Promise<void> {
    this.fakeTimers?.useRealTimers();
    this.fakeTimersModern?.useRealTimers();
    this.global.process.removeAllListeners();
    equalityTesters(this.global).length = 0;
    this.#shared.restore();
    return Promise.resolve();
  }
}
