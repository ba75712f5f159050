/** Escapes the value of a label. Source: Prometheus documentation, exposition formats. */
export const escapedLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
