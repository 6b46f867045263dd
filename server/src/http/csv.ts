import { setTimeout as rest } from 'node:timers/promises';
import type { Options } from 'csv-stringify/sync';
import { stringify } from 'csv-stringify/sync';

type Cell = string | number | boolean | null;

/** A column of a table: its heading, and what stands in it for a row. */
export interface CsvColumn<Row> {
  heading: string;
  cell: (row: Row) => Cell;
}

const options: Options = {
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  // A spreadsheet must show what a person has typed, never reckon with it. Numbers of ours stay numbers, also below zero.
  escape_formulas: true,
  // Some spreadsheets part cells at these; what follows one would be a cell that nobody has looked at.
  quoted_match: /[;\t]/,
  cast: {
    boolean: String,
    string: (text) => (text.startsWith('\n') ? `'${text}` : text),
  },
};

/** So many that a piece is worth sending, and so few that writing them holds up nobody. */
const ROWS_A_PIECE = 25;
/** An export takes at most half of the time: calls are relayed by the same thread. */
const LONGEST_REST_MS = 20;

/** The byte order mark, by which spreadsheets know that it is UTF-8. */
const BOM = '\uFEFF';

/** Rows as CSV, piece by piece while it is read; for `serveFile`. Rows are asked for no sooner than they are needed. */
export async function* csv<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: AsyncIterable<Row> | Iterable<Row>,
): AsyncGenerator<string, void> {
  const cellsOf = (row: Row) => columns.map(({ cell }) => cell(row));
  let cells: Cell[][] = [columns.map(({ heading }) => heading)];
  let start = BOM;
  let began = performance.now();
  for await (const row of rows) {
    cells.push(cellsOf(row));
    if (cells.length < ROWS_A_PIECE) continue;
    yield start + stringify(cells, options);
    start = '';
    cells = [];
    await rest(Math.min(performance.now() - began, LONGEST_REST_MS));
    began = performance.now();
  }
  if (cells.length > 0) yield start + stringify(cells, options);
}

/** The last second that a `Date` has. */
const LAST_S = 8_640_000_000_000;

/** Writes Unix seconds as spreadsheets read them: `2026-02-03 04:05:06` in a time zone, UTC by default; 0 as nothing. Beyond the end of time they stay what they are. */
export function timeWriter(timeZone: string): (seconds: number) => string {
  // The Swedish spelling is that of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timeZone || 'UTC',
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (seconds) => {
    if (seconds === 0) return '';
    return Math.abs(seconds) > LAST_S ? String(seconds) : format.format(seconds * 1000);
  };
}
