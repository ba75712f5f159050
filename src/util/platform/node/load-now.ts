import { createRequire } from 'node:module';

/**
 * Loads a module of this program synchronously, which only few machines need. The module and its imports must have no
 * top-level `await`.
 * @param url of the module, relative to `import.meta.url` in the source, by which bundles find it.
 */
export const loadNow = (url: URL): unknown => createRequire(url)(`./${url.pathname.split('/').pop() ?? ''}`);
