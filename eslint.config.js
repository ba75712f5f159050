import js from '@eslint/js';
import tseslint from 'typescript-eslint';

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

export default tseslint.config(
  // Sources in assembly folders are AssemblyScript, which its own compiler checks.
  { ignores: ['build/**', 'build-*/**', 'node_modules/**', 'src/*/assembly/**'] },
  js.configs.recommended,
  {
    plugins: { words: { rules: { 'plain-comments': plainComments } } },
    rules: { 'words/plain-comments': 'error' },
  },
  ...tseslint.configs.strict,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Parsers of wire formats name control characters on purpose.
      'no-control-regex': 'off',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  {
    files: ['**/*.js', 'bin/*'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
  {
    // Scripts of browsers.
    files: ['pages/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['document', 'location', 'fetch', 'setTimeout', 'clearTimeout', 'DOMParser', 'EventSource'].map(
          (name) => [name, 'readonly'],
        ),
      ),
    },
  },
);
