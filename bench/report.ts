import { gateLines } from './gates.ts';
import { OFFERED_PER_SECOND, STREAMS } from './measure-streams.ts';
import { type Figure, type Measured, perCore, perCore256, ratios } from './measured.ts';
import { formatSpread, spreadOf } from './statistics.ts';

interface Row {
  label: string;
  of: Figure;
  unit: string;
  digits: number;
}

const rows: Row[] = [
  { label: 'requests per second and core', of: perCore, unit: '', digits: 0 },
  { label: 'CPU per request', of: (f) => f.cpuUsPerRequest, unit: 'µs', digits: 1 },
  { label: 'the same over 256 connections', of: perCore256, unit: '', digits: 0 },
  { label: 'CPU per request over 256 connections', of: (f) => f.cpuUsPerRequest256, unit: 'µs', digits: 1 },
  { label: 'CPU per paced SSE chunk', of: (f) => f.cpuUsPerPacedChunk, unit: 'µs', digits: 1 },
  { label: 'CPU per SSE chunk in a burst', of: (f) => f.cpuUsPerBurstChunk, unit: 'µs', digits: 2 },
  { label: `CPU per chunk of ${STREAMS} streams`, of: (f) => f.cpuUsPerStreamChunk, unit: 'µs', digits: 1 },
  {
    label: 'chunks per second and core of them',
    of: (f) => f.cpuUsPerStreamChunk && 1e6 / f.cpuUsPerStreamChunk,
    unit: '',
    digits: 0,
  },
];

const plainRows: Row[] = [
  { label: 'added latency p50', of: (f) => f.addedP50Ms, unit: 'ms', digits: 2 },
  { label: 'added latency p99', of: (f) => f.addedP99Ms, unit: 'ms', digits: 2 },
  { label: 'added time to first token p50', of: (f) => f.addedFirstTokenP50Ms, unit: 'ms', digits: 2 },
  { label: 'added time to first token p99', of: (f) => f.addedFirstTokenP99Ms, unit: 'ms', digits: 2 },
  { label: 'memory idle', of: (f) => f.idleMb, unit: 'MB', digits: 0 },
  { label: 'memory loaded, with 200 streams', of: (f) => f.loadedMb, unit: 'MB', digits: 0 },
  {
    label: `chunks per second of ${STREAMS} streams (sent: ${OFFERED_PER_SECOND})`,
    of: (f) => f.chunksPerSecond,
    unit: '',
    digits: 0,
  },
  { label: 'added delay of their chunks p50', of: (f) => f.addedChunkP50Ms, unit: 'ms', digits: 2 },
  { label: 'added delay of their chunks p99', of: (f) => f.addedChunkP99Ms, unit: 'ms', digits: 2 },
  { label: `memory per open idle stream, of ${STREAMS}`, of: (f) => f.idleStreamKb, unit: 'KB', digits: 1 },
];

/** The first target is the baseline of ratios; gates apply to `gated`. */
export function render(measured: readonly Measured[], gated: string): string {
  const [baseline] = measured;
  if (!baseline) return '';
  const asRatios = rows.map((row) => [row.label, ...measured.map((one) => ratioCell(one, baseline, row))]);
  const asValues = plainRows.map((row) => [row.label, ...measured.map((one) => plainCell(one, row))]);
  const names = measured.map(({ name }) => name);
  return [
    `Ratios to the bare proxy of the same round: median (min–max); the median in its unit in brackets.`,
    ...table([['', ...names], ...asRatios]),
    '',
    `Medians (min–max) of the rounds.`,
    ...table([['', ...names], ...asValues]),
    '',
    ...gatesOf(measured, gated),
    ...measured.flatMap(notes),
    '',
  ].join('\n');
}

function gatesOf(measured: readonly Measured[], gated: string): string[] {
  const lines = gateLines(measured, gated);
  return lines.length === 0 ? [] : [`Gates (must be met) and aims of ${gated}.`, ...table(lines), ''];
}

/** The same as numbers. */
export function summary(measured: readonly Measured[]): object {
  const [baseline] = measured;
  const spread = (one: Measured, row: Row) => ({
    value: spreadOf(one.rounds.map(row.of)),
    ratio: baseline && spreadOf(ratios(one, baseline, row.of)),
  });
  return measured.map((one) => ({
    name: one.name,
    figures: Object.fromEntries(
      [...rows, ...plainRows].map((row) => [row.label, { unit: row.unit, ...spread(one, row) }]),
    ),
    rounds: one.rounds,
  }));
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

function ratioCell(one: Measured, baseline: Measured, { of, unit, digits }: Row): string {
  const [value, ratio] = [spreadOf(one.rounds.map(of)), spreadOf(ratios(one, baseline, of))];
  if (!value || !ratio) return '–';
  return `${one === baseline ? '1' : formatSpread(ratio, 2)} [${value.median.toFixed(digits)}${unit && ` ${unit}`}]`;
}

function plainCell(one: Measured, { of, unit, digits }: Row): string {
  const value = spreadOf(one.rounds.map(of));
  return value ? `${formatSpread(value, digits)} ${unit}`.trimEnd() : '–';
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
