import { expect, test } from 'vitest';
import type { Figures } from './measure.ts';
import type { Measured } from './measured.ts';
import { render } from './report.ts';

const figures: Figures = {
  requestsPerSecond: 1000,
  cpuUsPerRequest: 100,
  busy: 1,
  requestsPerSecond256: 1000,
  cpuUsPerRequest256: 100,
  addedP50Ms: 0.3,
  addedP99Ms: 0.9,
  addedFirstTokenP50Ms: 0.5,
  addedFirstTokenP99Ms: 1,
  cpuUsPerPacedChunk: 30,
  cpuUsPerBurstChunk: 3,
  idleMb: 90,
  loadedMb: 190,
  chunksPerSecond: 10_000,
  cpuUsPerStreamChunk: 25,
  addedChunkP50Ms: 0.2,
  addedChunkP99Ms: 0.8,
  idleStreamKb: 30,
  failed: 0,
};

const target = (name: string, ...rounds: Partial<Figures>[]): Measured => ({
  name,
  rounds: rounds.map((changed) => ({ ...figures, ...changed })),
});

/** Cells of a line, without positions. */
const cells = (text: string, label: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(label))
    ?.split(/ {2,}/);

test('a ratio is of two targets in the same round, never of their medians', () => {
  const bare = target('bare proxy', { cpuUsPerRequest: 50 }, { cpuUsPerRequest: 100 }, { cpuUsPerRequest: 200 });
  const hub = target('Relay Hub', { cpuUsPerRequest: 150 }, { cpuUsPerRequest: 150 }, { cpuUsPerRequest: 260 });
  expect(cells(render([bare, hub], 'Relay Hub'), 'CPU per request against the bare proxy')).toEqual([
    'CPU per request against the bare proxy',
    '1.50 (1.30–3.00) ×',
    '≤ 2 ×',
    'met',
    '≤ 1.35 ×',
    'NOT MET',
  ]);
});

test('where more is better, the gate is the least', () => {
  const rows = (hubUs: number) =>
    cells(
      render(
        [target('bare proxy', {}), target('Relay Hub', { cpuUsPerRequest: hubUs }), target('Portkey', {})],
        'Relay Hub',
      ),
      'requests per second and core against Portkey',
    );
  expect(rows(10)?.slice(1)).toEqual(['10.00 ×', '≥ 5 ×', 'met', '≥ 10 ×', 'met']);
  expect(rows(15)?.slice(1)).toEqual(['6.67 ×', '≥ 5 ×', 'met', '≥ 10 ×', 'NOT MET']);
  expect(rows(25)?.slice(1)).toEqual(['4.00 ×', '≥ 5 ×', 'NOT MET', '≥ 10 ×', 'NOT MET']);
});

test('what was not measured is not called met', () => {
  const text = render([target('bare proxy', {}), target('Relay Hub', { idleStreamKb: undefined })], 'Relay Hub');
  expect(cells(text, 'CPU per request against nginx')?.slice(1)).toEqual([
    'nginx was not measured',
    '≤ 6 ×',
    'not measured',
    '≤ 4 ×',
    'not measured',
  ]);
  expect(cells(text, 'memory per open idle stream  ')?.slice(1, 4)).toEqual(['unknown', '≤ 40 KB', 'not measured']);
});

test('failed calls and an idle core are reported', () => {
  const text = render([target('bare proxy', {}), target('Relay Hub', { failed: 2 }, { failed: 1, busy: 0.5 })], 'none');
  expect(text).toContain('Beware: 3 calls through Relay Hub failed.');
  expect(text).toContain('Relay Hub did not fill its core');
  expect(text).not.toContain('bare proxy did not');
});
