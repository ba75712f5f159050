import CachedCompileEnvironment from './cached-compile-environment.js';
import { recordedCosts, type RecordedCosts } from './recorded-costs.js';
import { propertiesRestorer } from './restore-properties.js';

type Options = ConstructorParameters<typeof CachedCompileEnvironment>;

/** Environment of the files of a process. */
interface Shared {
  readonly environment: CachedCompileEnvironment;
  /** Functions that restore global properties, those of the process, its variables, and those of shared classes. */
  readonly restorers: (() => void)[];
}

let shared: Shared | undefined;

function create(options: Options): Shared {
  const environment = new CachedCompileEnvironment(...options);
  const { global } = environment;
  const restorers = [global.process.env, global.process, global].map((target) => propertiesRestorer(target));
  return { environment, restorers };
}

/** Equality testers of `expect`. Source: expect, jestMatchersObject.ts; the property cannot be deleted. */
const equalityTesters = (global: object): unknown[] =>
  (global as Record<symbol, { readonly customEqualityTesters: unknown[] } | undefined>)[
    Symbol.for('$$jest-matchers-object')
  ]?.customEqualityTesters ?? [];

/** Returns the objects with the properties of an export: of a class the class and its prototype. */
function objectsOf(value: unknown): readonly object[] {
  if (typeof value !== 'function') return [];
  const { prototype } = value as { readonly prototype?: unknown };
  return typeof prototype === 'object' && prototype !== null ? [value, prototype] : [value];
}

/**
 * Environment whose global object the test files of a process share, so that they share modules, too, which belong to a
 * global object (`shared-modules-runtime.ts`). After each file the properties of the global object and of the process,
 * variables, listeners, timers, spies, equality testers, and the properties of the classes and functions that shared
 * modules export, are as they were before.
 */
export default class SharedModulesEnvironment {
  readonly global: CachedCompileEnvironment['global'];
  readonly moduleMocker: CachedCompileEnvironment['moduleMocker'];
  readonly fakeTimers: CachedCompileEnvironment['fakeTimers'];
  readonly fakeTimersModern: CachedCompileEnvironment['fakeTimersModern'];
  readonly #shared: Shared;

  readonly #costs: RecordedCosts | undefined;

  constructor(...options: Options) {
    this.#costs = recordedCosts(options[1].testPath);
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

  /** Restores the properties of these exports of a shared module after each file. */
  keep(exports: readonly unknown[]): void {
    this.#shared.restorers.push(...exports.flatMap(objectsOf).map((object) => propertiesRestorer(object)));
  }

  teardown(): Promise<void> {
    this.moduleMocker?.restoreAllMocks();
    this.fakeTimers?.useRealTimers();
    this.fakeTimersModern?.useRealTimers();
    this.global.process.removeAllListeners();
    equalityTesters(this.global).length = 0;
    for (const restore of this.#shared.restorers) restore();
    this.#costs?.end();
    return Promise.resolve();
  }
}
