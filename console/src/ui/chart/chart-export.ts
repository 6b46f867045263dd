import { csvText, fileName, saveFile } from '#ui/format/save-file.ts';
import { formatDates } from '#ui/format/time.ts';
import { fold, sumAt, type Point, type Series } from './series.ts';

export interface ExportedChart {
  title: string;
  points: readonly Point[];
  /** Bars, which have a total. */
  series?: readonly Series[] | undefined;
  lines?: readonly { label: string; values: readonly (number | undefined)[] }[] | undefined;
  /** Of the values of bars and lines, in the heads of their columns: "$". */
  unit?: string | undefined;
  /** A count over the same time; it has no unit. */
  beside?: { label: string; values: readonly number[] } | undefined;
  names: { time: string; total: string; other: (count: number) => string };
  language: string;
}

const dateOf = (point: Point | undefined): string => point?.date ?? point?.title ?? point?.label ?? '';

/** "Spending per day 2026-11-22 2026-11-28". */
function nameOf({ title, points }: ExportedChart): string {
  const ends = new Set([dateOf(points[0]).slice(0, 10), dateOf(points.at(-1)).slice(0, 10)]);
  return fileName([title, ...ends].join(' '));
}

/** Downloads the values of a chart as CSV: a row per point, with the columns of the chart's table. */
export function saveFigures(chart: ExportedChart): void {
  const { points, series = [], lines = [], unit, beside, names } = chart;
  const bars = fold(series, points.length, names.other);
  const total = { label: names.total, values: points.map((_, index) => sumAt(bars, index)) };
  const columns = [...(bars.length > 1 ? [total] : []), ...bars, ...lines];
  const withUnit = (label: string) => (unit ? `${label} (${unit})` : label);
  const all = beside ? [...columns, beside] : columns;
  const heads = [names.time, ...columns.map(({ label }) => withUnit(label)), ...(beside ? [beside.label] : [])];
  const rows = points.map((point, index) => [dateOf(point), ...all.map(({ values }) => exact(values[index]))]);
  saveFile(`${nameOf(chart)}.csv`, csvText([heads, ...rows]), 'text/csv');
}

/** Without the digits that sums of binary fractions add. */
const exact = (value: number | undefined): number | '' => (value === undefined ? '' : Number(value.toPrecision(12)));

const scale = 2;
const edge = 16;
const lineHeight = 20;
const swatchSize = 8;

/**
 * Downloads a chart as PNG: title, period, the drawing of `card` with its present colours and series, and the legend.
 * The card shows its chart, not the table.
 */
export async function savePicture(chart: ExportedChart, card: HTMLElement): Promise<void> {
  const drawing = card.querySelector<SVGSVGElement>('[role=group] > svg');
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d');
  if (!drawing || !pen) return;
  const { width, height } = drawing.getBoundingClientRect();
  const style = getComputedStyle(card);
  const color = (name: string) => style.getPropertyValue(`--color-${name}`);
  const fontOf = (size: number, weight = 400) => `${weight} ${size}px ${style.fontFamily}`;
  const top = edge + 2 * lineHeight + 8;
  pen.font = fontOf(12);
  const keys = keysOf(card, { pen, width });
  canvas.width = (width + 2 * edge) * scale;
  canvas.height = (top + height + (keys.at(-1)?.y ?? -lineHeight) + lineHeight + edge) * scale;
  pen.scale(scale, scale);
  pen.fillStyle = style.backgroundColor;
  pen.fillRect(0, 0, canvas.width, canvas.height);

  pen.font = fontOf(14, 600);
  pen.fillStyle = style.color;
  pen.fillText(chart.title, edge, edge + 14, width);
  pen.font = fontOf(12);
  pen.fillStyle = color('text2');
  const period = formatDates(dateOf(chart.points[0]), dateOf(chart.points.at(-1)), chart.language);
  const total = card.querySelector('[data-reading]');
  pen.fillText([total ? textOf(total) : '', period].filter(Boolean).join(' · '), edge, edge + lineHeight + 14, width);

  pen.translate(edge, top);
  pen.drawImage(await shapesOf(drawing), 0, 0, width, height);
  drawTexts(drawing, pen);
  pen.translate(0, height + 8);
  pen.font = fontOf(12);
  for (const { swatch, text, x, y } of keys) {
    const look = getComputedStyle(swatch);
    pen.fillStyle = look.backgroundColor;
    pen.strokeStyle = look.color;
    pen.fillRect(x, y + 6, swatchSize, swatchSize);
    pen.strokeRect(x + 0.5, y + 6.5, swatchSize - 1, swatchSize - 1);
    pen.fillStyle = style.color;
    pen.fillText(text, x + 2 * swatchSize, y + 14, width - x - 2 * swatchSize);
  }
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (picture) saveFile(`${nameOf(chart)}.png`, [picture], 'image/png');
}

/** The texts in it, in the case that the styles give them. */
const textOf = (parent: Element): string =>
  [...parent.childNodes]
    .map((node) => (node instanceof HTMLElement ? node.innerText : (node.textContent ?? '')).trim())
    .filter(Boolean)
    .join('  ');

/** The entries of the legend in rows as wide as the drawing; only the chosen ones if some are chosen. */
function keysOf(card: HTMLElement, { pen, width }: { pen: CanvasRenderingContext2D; width: number }) {
  const chosen = card.querySelectorAll('[aria-pressed=true] > [data-swatch]');
  const swatches = chosen.length > 0 ? chosen : card.querySelectorAll('[data-swatch]');
  let [x, y] = [0, 0];
  return [...swatches].map((swatch) => {
    const text = swatch.parentElement ? textOf(swatch.parentElement) : '';
    const room = 2 * swatchSize + pen.measureText(text).width;
    if (x > 0 && x + room > width) [x, y] = [0, y + lineHeight];
    const place = { swatch, text, x, y };
    x += room + edge;
    return place;
  });
}

/** The drawing without its texts, as a picture. A picture of SVG sees neither the page's colours nor its fonts. */
async function shapesOf(drawing: SVGSVGElement): Promise<HTMLImageElement> {
  const copy = drawing.cloneNode(true) as SVGSVGElement; // a clone has the type of its original
  const copies = copy.querySelectorAll('*');
  for (const [index, shape] of drawing.querySelectorAll('*').entries())
    for (const name of ['fill', 'stroke'] as const)
      if (shape.getAttribute(name)?.startsWith('var('))
        copies[index]?.setAttribute(name, getComputedStyle(shape).getPropertyValue(name));
  for (const gone of copy.querySelectorAll('text, [data-crosshair], [data-span]')) gone.remove();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const picture = new Image();
  picture.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await picture.decode();
  return picture;
}

/** Canvases have the page's fonts. */
function drawTexts(drawing: SVGSVGElement, pen: CanvasRenderingContext2D): void {
  for (const text of drawing.querySelectorAll('text')) {
    const matrix = text.getCTM();
    if (!matrix || !text.textContent) continue;
    const { x, y } = text.getStartPositionOfChar(0).matrixTransform(matrix);
    const { fontWeight, fontSize, fontFamily, fill } = getComputedStyle(text);
    pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    pen.fillStyle = fill;
    pen.fillText(text.textContent, x, y);
  }
}
