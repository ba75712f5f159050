/** Calls that wait for a time, in sources and in scripts within their strings. */
const WAIT =
  /\bsetTimeout\(|'(?:node:)?timers\/promises'|(?:\b|\\n)sleep(?:\(| [\d.$])|\bAtomics\.wait\([^)]*,[^)]*,[^)]*,/g;

/** Comment that allows the wait in the next statement, and gives its reason. */
const REASON = /^\W*Timer: \S.{20,}/s;

/**
 * Reports waits for a fixed time: a test waits for a condition, an order of events or a virtual clock. A comment
 * `Timer: reason` in the line before allows one.
 */
const noFixedWait = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      wait: 'Wait for a condition (`until`), an order of events or a virtual clock, or give the reason: `// Timer: …`.',
    },
  },
  create(context) {
    return {
      Program() {
        const { sourceCode } = context;
        const comments = sourceCode.getAllComments();
        const allowed = new Set(
          comments.filter(({ value }) => REASON.test(value)).map(({ loc }) => loc.end.line + 1),
        );
        for (const { index, 0: call } of sourceCode.text.matchAll(WAIT)) {
          const start = sourceCode.getLocFromIndex(index);
          const isComment = comments.some(({ range: [from, to] }) => from <= index && index < to);
          if (isComment || allowed.has(start.line)) continue;
          const end = sourceCode.getLocFromIndex(index + call.length);
          context.report({ loc: { start, end }, messageId: 'wait' });
        }
      },
    };
  },
};

export default { meta: { name: 'tests' }, rules: { 'no-fixed-wait': noFixedWait } };
