/** Line of a plot. */
export interface PlotLine {
  readonly name: string;
  /** Coordinates above zero. */
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly dashed?: boolean;
}

/** Plot with a title and lines. */
export interface Panel {
  readonly title: string;
  readonly lines: readonly PlotLine[];
}

const [WIDTH, HEIGHT] = [330, 230];
const MARGIN = { left: 52, right: 12, top: 30, bottom: 34 };
const COLUMNS = 3;
const COLOURS = ['#0b62a4', '#d9541e', '#3a8a3a', '#8a4fa3'];

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const decades = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

const label = (exponent: number): string =>
  (10 ** exponent).toLocaleString('en', { maximumFractionDigits: 3 });

function panelSvg({ title, lines }: Panel, xLabel: string): string {
  const points = lines.flatMap((line) => line.points);
  const bounds = (values: readonly number[]): readonly [number, number] => {
    const low = Math.floor(Math.log10(Math.min(...values)));
    return [low, Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))];
  };
  const [x0, x1] = bounds(points.map(([x]) => x));
  const [y0, y1] = bounds(points.map(([, y]) => y));
  const inner = { w: WIDTH - MARGIN.left - MARGIN.right, h: HEIGHT - MARGIN.top - MARGIN.bottom };
  const px = (x: number): string => (MARGIN.left + (inner.w * (Math.log10(x) - x0)) / (x1 - x0)).toFixed(1);
  const py = (y: number): string =>
    (MARGIN.top + inner.h - (inner.h * (Math.log10(y) - y0)) / (y1 - y0)).toFixed(1);
  const [left, right] = [MARGIN.left, WIDTH - MARGIN.right];
  const [top, bottom] = [MARGIN.top, HEIGHT - MARGIN.bottom];
  const grid = [
    ...decades(y0, y1).map((e) => {
      const y = py(10 ** e);
      return (
        `<path d="M${left} ${y}H${right}" stroke="#ddd"/>` +
        `<text x="${left - 5}" y="${y}" dy="3" text-anchor="end">${label(e)}</text>`
      );
    }),
    ...decades(x0, x1).map((e) => {
      const x = px(10 ** e);
      return (
        `<path d="M${x} ${top}V${bottom}" stroke="#ddd"/>` +
        `<text x="${x}" y="${bottom + 13}" text-anchor="middle">${label(e)}</text>`
      );
    }),
  ];
  const drawn = lines.map(({ points: at, dashed }, i) => {
    const colour = COLOURS[i % COLOURS.length] ?? 'black';
    const path = at.map(([x, y]) => `${px(x)} ${py(y)}`).join('L');
    const dots = at.map(([x, y]) => `<circle cx="${px(x)}" cy="${py(y)}" r="2.5" fill="${colour}"/>`);
    const dash = dashed === true ? ' stroke-dasharray="5 3"' : '';
    return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="1.5"${dash}/>${dots.join('')}`;
  });
  const names = lines.map(
    ({ name }, i) =>
      `<text x="${left + 6 + i * 80}" y="${top + 12}" fill="${COLOURS[i % COLOURS.length] ?? 'black'}">${escaped(name)}</text>`,
  );
  return [
    ...grid,
    ...drawn,
    ...names,
    `<text x="${left}" y="18" font-size="12" font-weight="bold">${escaped(title)}</text>`,
    `<text x="${right}" y="${HEIGHT - 6}" text-anchor="end">${escaped(xLabel)}</text>`,
  ].join('\n');
}

/** Draws plots side by side with logarithmic axes. @returns SVG. */
export function logPlots(panels: readonly Panel[], xLabel: string): string {
  const rows = Math.ceil(panels.length / COLUMNS);
  const placed = panels.map(
    (panel, i) =>
      `<g transform="translate(${(i % COLUMNS) * WIDTH} ${Math.floor(i / COLUMNS) * HEIGHT})">\n${panelSvg(panel, xLabel)}\n</g>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${COLUMNS * WIDTH}" height="${rows * HEIGHT}" font-family="sans-serif" font-size="10">`,
    '<rect width="100%" height="100%" fill="white"/>',
    ...placed,
    '</svg>',
    '',
  ].join('\n');
}
