/** Word lists by the names of their files in `wordlists/`, one word a line. Written by `bin/build-word-lists.js`. */
export const wordLists: Readonly<Record<string, string>>;
