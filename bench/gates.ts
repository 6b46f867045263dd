import { type Figure, type Measured, perCore, perCore256, ratios } from './measured.ts';
import { formatSpread, spreadOf } from './statistics.ts';

interface Gate {
  label: string;
  of: Figure;
  /** Target whose figure is the denominator of this ratio. */
  against?: 'bare proxy' | 'nginx' | 'Portkey';
  /** The gate must be met, the aim is the goal. Both are upper or lower bounds. */
  gate: number;
  aim?: number;
  least?: true;
  unit?: string;
  digits?: number;
}

const gates: readonly Gate[] = [
  { label: 'requests per second and core', of: perCore, against: 'Portkey', gate: 5, aim: 10, least: true },
  { label: '… over 256 connections', of: perCore256, against: 'Portkey', gate: 5, aim: 10, least: true },
  { label: 'CPU per request', of: (f) => f.cpuUsPerRequest, against: 'bare proxy', gate: 2, aim: 1.35 },
  { label: '… over 256 connections', of: (f) => f.cpuUsPerRequest256, against: 'bare proxy', gate: 2, aim: 1.35 },
  { label: 'CPU per request', of: (f) => f.cpuUsPerRequest, against: 'nginx', gate: 6, aim: 4 },
  { label: 'CPU per paced SSE chunk', of: (f) => f.cpuUsPerPacedChunk, against: 'Portkey', gate: 0.7, aim: 0.45 },
  {
    label: 'CPU per SSE chunk in a burst',
    of: (f) => f.cpuUsPerBurstChunk,
    against: 'Portkey',
    gate: 1 / 3,
    aim: 1 / 6,
  },
  { label: 'added latency p50', of: (f) => f.addedP50Ms, gate: 0.8, aim: 0.4, unit: 'ms' },
  { label: 'added latency p99', of: (f) => f.addedP99Ms, gate: 2.5, aim: 1, unit: 'ms' },
  { label: 'added time to first token p50', of: (f) => f.addedFirstTokenP50Ms, gate: 1.5, aim: 0.6, unit: 'ms' },
  { label: 'memory idle', of: (f) => f.idleMb, gate: 150, aim: 100, unit: 'MB', digits: 0 },
  { label: 'memory loaded', of: (f) => f.loadedMb, gate: 300, aim: 200, unit: 'MB', digits: 0 },
  { label: 'memory per open idle stream', of: (f) => f.idleStreamKb, gate: 40, unit: 'KB', digits: 1 },
];

/** One line per gate with a heading, in columns. */
export function gateLines(measured: readonly Measured[], gated: string): string[][] {
  const subject = measured.find(({ name }) => name === gated);
  if (!subject) return [];
  return [['', 'measured', 'gate', '', 'aim', ''], ...gates.map((gate) => lineOf(gate, subject, measured))];
}

function lineOf(gate: Gate, subject: Measured, measured: readonly Measured[]): string[] {
  const { label, of, against, unit = '×', digits = 2 } = gate;
  const name =
    against === undefined ? label : `${label} against ${against === 'bare proxy' ? 'the bare proxy' : against}`;
  const other = measured.find((one) => one.name === against);
  const limits = (verdict: (limit: number) => string) => [
    ...limitCells(gate, gate.gate, verdict),
    ...limitCells(gate, gate.aim, verdict),
  ];
  if (against !== undefined && !other) return [name, `${against} was not measured`, ...limits(() => 'not measured')];
  const spread = spreadOf(other ? ratios(subject, other, of) : subject.rounds.map(of));
  if (!spread) return [name, 'unknown', ...limits(() => 'not measured')];
  const isMet = (limit: number) => (gate.least ? spread.median >= limit : spread.median <= limit);
  return [name, `${formatSpread(spread, digits)} ${unit}`, ...limits((limit) => (isMet(limit) ? 'met' : 'NOT MET'))];
}

function limitCells({ least, unit = '×' }: Gate, limit: number | undefined, verdict: (limit: number) => string) {
  if (limit === undefined) return ['–', ''];
  return [`${least ? '≥' : '≤'} ${Number(limit.toFixed(2))} ${unit}`, verdict(limit)];
}
