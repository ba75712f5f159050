import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Loads a module when it is needed, without waiting: for code that few machines run and that takes long to load. The
 * module and its imports must not use a top-level `await`.
 * @param url of the module relative to `import.meta.url`, in the form by which `bin/bundle.js` finds it.
 * @throws Error before Node.js 22.12.
 */
export const requireModule = (url: URL): unknown => createRequire(url)(fileURLToPath(url)) as unknown;
