import { params, text } from '../../../jsonrpc/params.js';
import { parseWrongs } from '../../misbehaviour.js';
import { refuse } from '../errors.js';
import { defineMethod, type DaemonMethod } from '../method.js';
import { replied } from '../shapes.js';

/** Ours alone; no other daemon has it. */
export const MISBEHAVE_PATH = '/misbehave';

export const misbehavePaths: readonly DaemonMethod[] = [
  defineMethod({
    name: MISBEHAVE_PATH,
    summary: 'Says what the daemon does wrong from now on; where --misbehave was given only.',
    meta: { unrestricted: true },
    params: params({ what: text.default('') }),
    source: 'ours: misbehaviour.ts',
    handle({ daemon: { misbehaviour } }, { what }) {
      if (!misbehaviour.isAllowed) throw refuse('wrongParam', 'the daemon was started without --misbehave');
      try {
        misbehaviour.set(parseWrongs(what));
      } catch (error) {
        if (error instanceof RangeError) return replied({}, error.message);
        throw error;
      }
      return replied({});
    },
  }),
];
