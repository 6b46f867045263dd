import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

type Rgb = [number, number, number];
type Tokens = Record<string, Rgb>;

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const tokensIn = (part: string): Tokens =>
  Object.fromEntries(
    [...part.matchAll(/--color-([\w-]+): #([0-9a-f]{6});/g)].map(([, name, hex]) => [`${name}`, rgbOf(`${hex}`)]),
  );
const rgbOf = (hex: string): Rgb => [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as Rgb; // three by construction

const [lightCss = '', darkCss = ''] = css.split("[data-theme='dark'] {");
const light = tokensIn(lightCss);
const themes: [string, Tokens][] = [
  ['light', light],
  ['dark', tokensIn(darkCss)],
];

const linear = ([r, g, b]: Rgb): Rgb =>
  [r, g, b].map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)) as Rgb; // as many as came
const luminance = (rgb: Rgb) => {
  const [r, g, b] = linear(rgb);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const dot = (row: Rgb, v: Rgb) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
const times = (matrix: Rgb[], v: Rgb): Rgb => matrix.map((row) => dot(row, v)) as Rgb; // three rows each
const toLms: Rgb[] = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const toLab: Rgb[] = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
/** Machado 2009, full strength, on linear RGB. */
const vision: Record<string, Rgb[]> = {
  full: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
function oklab(rgb: Rgb, seen: Rgb[]): Rgb {
  const visible = times(seen, linear(rgb)).map((c) => Math.min(1, Math.max(0, c))) as Rgb; // as many as came
  return times(toLab, times(toLms, visible).map(Math.cbrt) as Rgb); // as many as came
}

const grounds = ['page', 'card', 'float', 'sunk', 'hover', 'fill', 'accent-soft'];
const words: [string, string[]][] = [
  ['text', grounds],
  ['text2', grounds],
  ['text3', grounds],
  ['accent', ['page', 'card', 'float', 'sunk', 'hover', 'accent-soft']],
  ...['ok', 'warn', 'bad', 'ice'].map((tone): [string, string[]] => [
    tone,
    ['page', 'card', 'float', 'sunk', 'hover', 'accent-soft', `${tone}-soft`],
  ]),
  ['on-accent', ['accent-fill', 'accent-hover', 'bad-fill', 'bad-hover']],
  ['on-tip', ['tip']],
];
const shapes: [string, string[]][] = [
  ['control', ['page', 'card', 'float', 'sunk', 'hover', 'accent-soft']],
  ['focus', ['page', 'card', 'float', 'accent-soft']],
  ['accent-fill', ['page', 'card', 'float']],
  ...['ok-g', 'warn-g', 'bad-g', 'ice-g'].map((tone): [string, string[]] => [tone, ['card', 'float']]),
  ...[...Array.from({ length: 12 }, (_, at) => `${at + 1}`), 'other'].map((series): [string, string[]] => [
    `series-${series}`,
    ['card'],
  ]),
];
const pairs = (list: [string, string[]][]) =>
  list.flatMap(([front, backs]) => backs.map((back): [string, string] => [front, back]));

describe.each(themes)('%s theme', (_, tokens) => {
  const get = (name: string): Rgb => {
    const found = tokens[name];
    if (!found) throw new Error(`no token ${name}`);
    return found;
  };
  test('names the tokens of the light one', () =>
    expect(Object.keys(tokens).toSorted()).toEqual(Object.keys(light).toSorted()));
  test.each(pairs(words))('%s on %s is readable', (front, back) =>
    expect(contrast(get(front), get(back))).toBeGreaterThanOrEqual(4.5),
  );
  test.each(pairs(shapes))('%s on %s is visible', (front, back) =>
    expect(contrast(get(front), get(back))).toBeGreaterThanOrEqual(3),
  );

  const leaders = ['1', '2', '3', '4', '5', '6', 'other'].map((name) => `series-${name}`);
  const further = ['7', '8', '9', '10', '11', '12'].map((name) => `series-${name}`);
  const nearest = (palette: string[], kind: string) => {
    const seen = palette.map((name) => oklab(get(name), vision[kind] ?? []));
    const near = seen.flatMap((one, at) =>
      seen.slice(at + 1).map((other) => 100 * Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2])),
    );
    return Math.min(...near);
  };
  test.each(Object.keys(vision))('every two of the six largest series differ with %s vision', (kind) =>
    expect(nearest(leaders, kind)).toBeGreaterThanOrEqual(10),
  );
  test.each(Object.keys(vision))('every two of twelve series differ with %s vision', (kind) =>
    expect(nearest([...leaders, ...further], kind)).toBeGreaterThanOrEqual(kind === 'full' ? 10 : 6.5),
  );
});
