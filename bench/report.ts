import type { Figures } from './measure.ts';
import { median } from './statistics.ts';

export interface Measured {
  name: string;
  /** One for each round. */
  rounds: Figures[];
}

interface Spread {
  median: number;
  min: number;
  max: number;
}

type Numeric = { [K in keyof Figures]: Figures[K] extends number | undefined ? K : never }[keyof Figures];

interface Row {
  label: string;
  of: (figures: Figures) => number | undefined;
  unit: string;
  digits: number;
}

const rows: Row[] = [
  {
    label: 'requests per second and core',
    of: (f) => (f.cpuUsPerRequest === undefined ? f.requestsPerSecond : 1e6 / f.cpuUsPerRequest),
    unit: '',
    digits: 0,
  },
  { label: 'CPU per request', of: (f) => f.cpuUsPerRequest, unit: 'µs', digits: 1 },
  { label: 'CPU per paced SSE chunk', of: (f) => f.cpuUsPerPacedChunk, unit: 'µs', digits: 1 },
  { label: 'CPU per SSE chunk in a burst', of: (f) => f.cpuUsPerBurstChunk, unit: 'µs', digits: 2 },
];

const latencies: Row[] = [
  { label: 'added latency p50', of: (f) => f.addedP50Ms, unit: 'ms', digits: 2 },
  { label: 'added latency p99', of: (f) => f.addedP99Ms, unit: 'ms', digits: 2 },
  { label: 'added time to first token p50', of: (f) => f.addedFirstTokenP50Ms, unit: 'ms', digits: 2 },
  { label: 'added time to first token p99', of: (f) => f.addedFirstTokenP99Ms, unit: 'ms', digits: 2 },
  { label: 'memory idle', of: (f) => f.idleMb, unit: 'MB', digits: 0 },
  { label: 'memory loaded, with 200 streams', of: (f) => f.loadedMb, unit: 'MB', digits: 0 },
];

const gates: { label: string; most: number; unit: string; digits: number; key: Numeric; ratio: boolean }[] = [
  {
    label: 'CPU per request against the bare proxy',
    most: 2,
    unit: '×',
    digits: 2,
    key: 'cpuUsPerRequest',
    ratio: true,
  },
  { label: 'added latency p50', most: 0.8, unit: 'ms', digits: 2, key: 'addedP50Ms', ratio: false },
  { label: 'added latency p99', most: 2.5, unit: 'ms', digits: 2, key: 'addedP99Ms', ratio: false },
  {
    label: 'added time to first token p50',
    most: 1.5,
    unit: 'ms',
    digits: 2,
    key: 'addedFirstTokenP50Ms',
    ratio: false,
  },
  { label: 'memory idle', most: 150, unit: 'MB', digits: 0, key: 'idleMb', ratio: false },
  { label: 'memory loaded', most: 300, unit: 'MB', digits: 0, key: 'loadedMb', ratio: false },
];

/** The first measured is the yardstick of the ratios; gates are those of `gated`. */
export function render(measured: readonly Measured[], gated: string): string {
  const [yardstick] = measured;
  if (!yardstick) return '';
  const ratioRows = rows.map((row) => [row.label, ...measured.map((one) => ratioCell(one, yardstick, row))]);
  const plainRows = latencies.map((row) => [row.label, ...measured.map((one) => plainCell(one, row))]);
  const names = measured.map(({ name }) => name);
  const subject = measured.find(({ name }) => name === gated);
  return [
    `Ratios to the bare proxy of the same round: median (min–max); in brackets the median as it is.`,
    ...table([['', ...names], ...ratioRows]),
    '',
    `Medians (min–max) of the rounds.`,
    ...table([['', ...names], ...plainRows]),
    '',
    ...(subject ? gateLines(subject, yardstick) : []),
    ...measured.flatMap(notes),
    '',
  ].join('\n');
}

/** The same as numbers. */
export function summary(measured: readonly Measured[]): object {
  const [yardstick] = measured;
  const spread = (one: Measured, row: Row) => ({
    value: spreadOf(one.rounds.map(row.of)),
    ratio: yardstick && spreadOf(ratios(one, yardstick, row.of)),
  });
  return measured.map((one) => ({
    name: one.name,
    figures: Object.fromEntries(
      [...rows, ...latencies].map((row) => [row.label, { unit: row.unit, ...spread(one, row) }]),
    ),
    rounds: one.rounds,
  }));
}

function gateLines(subject: Measured, yardstick: Measured): string[] {
  return gates.map(({ label, most, unit, digits, key, ratio }) => {
    const found = spreadOf(ratio ? ratios(subject, yardstick, (f) => f[key]) : subject.rounds.map((f) => f[key]));
    const verdict = found === undefined ? 'unknown' : found.median <= most ? 'met' : 'not met';
    return `${verdict.padEnd(8)} ${label}: ${found ? `${shown(found, digits)} ${unit}` : 'not readable on this system'}, gate ≤ ${most} ${unit}`;
  });
}

function notes({ name, rounds }: Measured): string[] {
  const failed = rounds.reduce((sum, figures) => sum + figures.failed, 0);
  const idle = rounds.some(({ busy }) => busy !== undefined && busy < 0.9);
  return [
    ...(failed > 0 ? [`Beware: ${failed} calls through ${name} failed.`] : []),
    ...(idle
      ? [
          `${name} did not fill its core in the closed loop; its requests per second and core are calculated from its CPU time.`,
        ]
      : []),
  ];
}

function ratios(one: Measured, yardstick: Measured, of: Row['of']): (number | undefined)[] {
  return one.rounds.map((figures, round) => {
    const base = yardstick.rounds[round];
    const [above, below] = [of(figures), base && of(base)];
    return above !== undefined && below !== undefined ? above / below : undefined;
  });
}

function ratioCell(one: Measured, yardstick: Measured, { of, unit, digits }: Row): string {
  const [value, ratio] = [spreadOf(one.rounds.map(of)), spreadOf(ratios(one, yardstick, of))];
  if (!value || !ratio) return '–';
  return `${one === yardstick ? '1' : shown(ratio, 2)} [${value.median.toFixed(digits)}${unit && ` ${unit}`}]`;
}

function plainCell(one: Measured, { of, unit, digits }: Row): string {
  const value = spreadOf(one.rounds.map(of));
  return value ? `${shown(value, digits)} ${unit}` : '–';
}

function shown({ median: middle, min, max }: Spread, digits: number): string {
  const [text, low, high] = [middle, min, max].map((value) => value.toFixed(digits));
  return low === high ? text! : `${text} (${low}–${high})`;
}

function spreadOf(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : { median: median(known), min: Math.min(...known), max: Math.max(...known) };
}

function table(lines: readonly string[][]): string[] {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('   ')
      .trimEnd(),
  );
}
