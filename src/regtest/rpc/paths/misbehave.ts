import { params, text } from '../../../http/methods/params.js';
import { parseFaults } from '../../fault-injection.js';
import { refuse } from '../errors.js';
import { defineMethod, type DaemonMethod } from '../method.js';
import { replied } from '../shapes.js';

/** Path that sets the injected faults. It exists in this daemon only, not in `monerod`. */
export const MISBEHAVE_PATH = '/misbehave';

export const misbehavePaths: readonly DaemonMethod[] = [
  defineMethod({
    name: MISBEHAVE_PATH,
    summary: 'Sets the faults that the daemon injects; needs --misbehave.',
    meta: { unrestricted: true },
    params: params({ what: text.default('') }),
    source: 'ours: fault-injection.ts',
    handle({ daemon: { faults } }, { what }) {
      if (!faults.isAllowed) throw refuse('wrongParam', 'the daemon was started without --misbehave');
      try {
        faults.set(parseFaults(what));
      } catch (error) {
        if (error instanceof RangeError) return replied({}, error.message);
        throw error;
      }
      return replied({});
    },
  }),
];
