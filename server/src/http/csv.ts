import { setTimeout as rest } from 'node:timers/promises';
import type { Options } from 'csv-stringify/sync';
import { stringify } from 'csv-stringify/sync';

type Cell = string | number | boolean | null;

/** A column: its heading, and the value for a row. */
export interface CsvColumn<Row> {
  heading: string;
  cell: (row: Row) => Cell;
}

const options: Options = {
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  // Text must not run as a formula in a spreadsheet. Our own numbers stay numbers, also below zero.
  escape_formulas: true,
  // Some spreadsheets split cells at these, and the new cell would be unescaped.
  quoted_match: /[;\t]/,
  cast: {
    boolean: String,
    string: (text) => (text.startsWith('\n') ? `'${text}` : text),
  },
};

/** Enough rows to be worth sending, and few enough not to block the event loop. */
const ROWS_A_PIECE = 25;
/** An export uses at most half of the time, because the same thread relays calls. */
const LONGEST_REST_MS = 20;

/** Spreadsheets recognise UTF-8 by the byte order mark. */
const BOM = '\uFEFF';

/** Rows as CSV chunks, for `serveFile`. Rows are requested as the client reads. */
export async function* csv<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: AsyncIterable<Row> | Iterable<Row>,
  { goesOn = false } = {},
): AsyncGenerator<string, void> {
  const cellsOf = (row: Row) => columns.map(({ cell }) => cell(row));
  let cells: Cell[][] = goesOn ? [] : [columns.map(({ heading }) => heading)];
  let start = goesOn ? '' : BOM;
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

/** Last second that a `Date` can represent. */
const LAST_S = 8_640_000_000_000;

/**
 * Formats Unix seconds as spreadsheets read them, `2026-02-03 04:05:06`, in a time zone (default UTC). 0 becomes empty;
 * values out of range stay numbers.
 */
export function timeWriter(timeZone: string): (seconds: number) => string {
  // The Swedish format equals ISO 8601.
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
