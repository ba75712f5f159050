import { encode } from 'uqr';
import { html, type Html } from '../html.js';

/** Width of the quiet zone around a QR code [modules]. Source: ISO/IEC 18004, 4 modules. */
const QUIET_ZONE = 4;
/** Number of codes that are kept: encoding takes some milliseconds, and pages are loaded again and again. */
const MAX_KEPT = 256;

const kept = new Map<string, Html>();

/** Writes the dark modules of a row as a path: one rectangle for each run of dark modules. */
const rowPath = (row: readonly boolean[], y: number): string => {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    if (row[x] !== true) continue;
    let end = x + 1;
    while (row[end] === true) end++;
    path += `M${x} ${y}h${end - x}v1h-${end - x}z`;
    x = end;
  }
  return path;
};

/** Draws the QR code of a text as SVG: dark modules on a light ground, which scanners need, also in dark mode. */
export function qrCode(text: string): Html {
  const code = kept.get(text) ?? drawn(text);
  kept.delete(text);
  kept.set(text, code);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return code;
}

function drawn(text: string): Html {
  const { size, data } = encode(text, { border: QUIET_ZONE });
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <rect fill="#fff" width="${size}" height="${size}" />
    <path fill="#000" d="${data.map(rowPath)}" />
  </svg>`;
}
