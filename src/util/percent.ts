/** Decodes `%XX` in UTF-8. @returns undefined if a percent sign begins no valid character. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
