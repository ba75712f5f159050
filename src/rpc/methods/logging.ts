import { i8, params } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { setting } from '../kept-texts.js';
import { defineMethod, type WalletMethod } from '../method.js';

/** Methods for the log, which need no open wallet. */
export const loggingMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'set_log_level',
    summary: 'Sets the log level, from 0 (least) to 4 (everything).',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    faults: ['bad_log_level'],
    params: () => params({ level: i8.default(0).describe('Log level, 0 (least) to 4 (everything)') }),
    result: wire.nothing,
    source: 'COMMAND_RPC_SET_LOG_LEVEL, on_set_log_level',
    handle({ server }, { level }) {
      server.logControl.setLevel(level);
      return {};
    },
  }),

  defineMethod({
    name: 'set_log_categories',
    summary: 'Sets the log categories: a list, a level, +list or -list; empty turns the log off.',
    meta: { family: 'admin', needs: 'nothing', restricted: true },
    faults: ['invalid'],
    params: () =>
      params({
        categories: setting
          .default('')
          .describe(
            'List of category:level with commas, or a level 0 to 4; + or - before it adds to or removes from those in force; empty: nothing is logged',
          ),
      }),
    result: () => wire.object({ categories: wire.text('Log categories in force') }),
    source: 'COMMAND_RPC_SET_LOG_CATEGORIES, on_set_log_categories',
    handle: ({ server }, { categories }) => ({ categories: server.logControl.setCategories(categories) }),
  }),
];
