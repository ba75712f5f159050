/** Matches comments that begin with, or contain, a word that stands in the place of a noun. */
const VAGUE = /^\*\s+(?:What|Who|Of|Those|With its)\b|\btold\b|\bwhoever\b/;

/** Matches doc comments that begin with a tag in place of a sentence. */
const TAG_FIRST = /^\*[\s*]*@(?:throws|returns?|param)\b/;

/** Matches the start of a constructor, whose class has the sentence: its tags say everything that is left. */
const CONSTRUCTOR = /^\s*(?:(?:public|protected|private)\s+)?constructor\b/;

/** Lint rule that reports comments which a newcomer cannot understand without the code. */
const plainComments = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      vague: 'Begin with verb and noun; no What, Who, Of, Those, told or whoever.',
      tag: 'Begin with a sentence: tags alone do not say the purpose, except of a constructor.',
    },
  },
  create(context) {
    return {
      Program() {
        const { sourceCode } = context;
        const isOfConstructor = ({ range }) =>
          CONSTRUCTOR.test(sourceCode.text.slice(range[1], range[1] + 100));
        for (const comment of sourceCode.getAllComments()) {
          const { loc, value } = comment;
          if (VAGUE.test(value)) context.report({ loc, messageId: 'vague' });
          if (TAG_FIRST.test(value) && !isOfConstructor(comment)) context.report({ loc, messageId: 'tag' });
        }
      },
    };
  },
};

export default { meta: { name: 'words' }, rules: { 'plain-comments': plainComments } };
