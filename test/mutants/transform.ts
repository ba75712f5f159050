import { mutantsOf, withSwitches } from './mutants.js';
import { targetOf } from './target-files.js';

/** Transformation of Jest that writes all mutants of a target into its compiled code. */
export default {
  process(code: string, path: string): { code: string } {
    const target = targetOf(path);
    return { code: target === undefined ? code : withSwitches(code, mutantsOf(target)) };
  },
};
