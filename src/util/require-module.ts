import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Loads a module synchronously when it is needed: for code that few machines need and that takes long to load. The
 * module and its imports must not use a top-level `await`.
 * @param url URL of the module relative to `import.meta.url`, in the form that `bin/bundle.js` finds.
 * @throws Error before Node.js 22.12.
 */
export const requireModule = (url: URL): unknown => createRequire(url)(fileURLToPath(url)) as unknown;
