/** Return word lists, one word a line, by the names of their files in `wordlists/`. Written by `bin/build-word-lists.js`. */
export const wordLists: Readonly<Record<string, () => string>>;
