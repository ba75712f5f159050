import { i8, params, text } from '../../jsonrpc/params.js';
import { defineMethod, type WalletMethod } from '../method.js';

/** Methods that change how much is logged, with or without a wallet. */
export const loggingMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'set_log_level',
    summary: 'Sets how much is logged: 0 is least, 4 is everything.',
    meta: { needs: 'nothing', restricted: true },
    params: params({ level: i8.default(0) }),
    source: 'COMMAND_RPC_SET_LOG_LEVEL, on_set_log_level',
    handle({ server }, { level }) {
      server.logControl.setLevel(level);
      return {};
    },
  }),

  defineMethod({
    name: 'set_log_categories',
    summary: 'Sets how much is logged by category: a list, a level, +list or -list. Empty logs nothing.',
    meta: { needs: 'nothing', restricted: true },
    params: params({ categories: text.default('') }),
    source: 'COMMAND_RPC_SET_LOG_CATEGORIES, on_set_log_categories',
    handle: ({ server }, { categories }) => ({ categories: server.logControl.setCategories(categories) }),
  }),
];
