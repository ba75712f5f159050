import { registerHooks } from 'node:module';

/* Preloaded by servers under test (`node --import`), in each of their threads. */

registerHooks({
  resolve(specifier, context, next) {
    return next(replacementOf(specifier, context.parentURL ?? ''), context);
  },
});

/** Module that a server under test loads in the place of another: its specifier, or that of the other. */
function replacementOf(specifier: string, parent: string): string {
  // Results are checked against the schemas of the methods.
  if (specifier === '../rpc/service.js' && parent.endsWith('/src/cli/server.js'))
    return new URL('checked-service.js', import.meta.url).href;
  // Slow hashes of the same passwords are computed once.
  if (specifier.endsWith('/slow-hash-worker.js') && !parent.endsWith('/slow-hash-record.js'))
    return new URL('slow-hash-record.js', import.meta.url).href;
  return specifier;
}
