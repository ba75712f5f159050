/** Matches comments that begin with, or contain, a word that stands in the place of a noun. */
const VAGUE = /^\*\s+(?:What|Who|Of|Those|With its)\b|\btold\b|\bwhoever\b/;

/** Lint rule that reports comments which a newcomer cannot understand without the code. */
const plainComments = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { vague: 'Begin with verb and noun; no What, Who, Of, Those, told or whoever.' },
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments())
          if (VAGUE.test(comment.value)) context.report({ loc: comment.loc, messageId: 'vague' });
      },
    };
  },
};

export default { meta: { name: 'words' }, rules: { 'plain-comments': plainComments } };
