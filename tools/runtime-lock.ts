/* Without imports of other sources, so that Node.js runs this file before anything is compiled. */

/** Entry of a package in the lock file, as far as it is read. */
export interface LockedPackage {
  /** Name of the package; absent where its folder has it. */
  readonly name?: string;
  readonly version?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  /** Operating systems for which the package is installed; absent: all. */
  readonly os?: readonly string[];
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/** Lock file of npm, version 3: its packages by their folders; the root has the folder ''. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Lists the packages that running needs, those of other packages too, by their folders. */
export const runtimePackages = ({ packages }: LockFile): ReadonlyMap<string, LockedPackage> =>
  new Map(
    Object.entries(packages).filter(
      ([folder, { dev, devOptional, link }]) =>
        folder.startsWith('node_modules/') && !(dev ?? devOptional ?? link ?? false),
    ),
  );

/**
 * Lists the packages that running needs on every machine: without the compiled files of other packages for one platform,
 * of which each machine installs its own.
 */
export const portablePackages = (lock: LockFile): ReadonlyMap<string, LockedPackage> =>
  new Map([...runtimePackages(lock)].filter(([, { os }]) => os === undefined));

const ofDevelopment = ['devDependencies', 'workspaces'];

const without = (object: object): object =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !ofDevelopment.includes(key)));

/**
 * Removes from a manifest and its lock file what only development needs. `npm sbom --omit dev` alone omits packages that
 * running needs as well as a tool of the tests.
 */
export function runtimeLock(manifest: object, lock: LockFile): { manifest: object; lock: LockFile } {
  const root = without(lock.packages[''] ?? {});
  const packages = { '': root, ...Object.fromEntries(runtimePackages(lock)) };
  return { manifest: without(manifest), lock: { ...lock, packages } };
}
