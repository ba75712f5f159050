import { registerHooks } from 'node:module';

/* Preloaded by servers under test (`node --import`): their results are checked against the schemas of the methods. */

registerHooks({
  resolve(specifier, context, next) {
    const isCall =
      specifier === '../rpc/service.js' && context.parentURL?.endsWith('/src/cli/server.js') === true;
    return next(isCall ? new URL('checked-service.js', import.meta.url).href : specifier, context);
  },
});
