/** Openings and words of comments that stand in the place of a noun. */
const VAGUE = /^\*\s+(?:What|Who|Of|Those|With its)\b|\btold\b|\bwhoever\b/;

/** Reports comments that a newcomer could not understand without reading the code. */
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
