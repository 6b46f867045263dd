import { minorOf } from '@relay-hub/contract';
import { secondsOfBeijing } from '#payments/beijing-time.ts';
import { StatementError, type StatementRow } from '#payments/gateway.ts';

const columns = {
  gatewayNo: '支付宝交易号',
  tradeNo: '商户订单号',
  kind: '业务类型',
  created: '创建时间',
  completed: '完成时间',
  amount: '订单金额',
};
type Column = keyof typeof columns;
const kinds: Record<string, StatementRow['kind']> = { 交易: 'payment', 退款: 'refund' };

/**
 * Reads the detail file of Alipay's transaction statement. Columns are found by their names; lines with `#` are
 * comments, and values are padded with tabs. Throws `StatementError`.
 */
export function readAlipayStatement(csv: string): ReturnType<typeof emptyResult> {
  const result = emptyResult();
  let places: Record<Column, number> | undefined;
  for (const [index, text] of csv
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    if (text.trim() === '' || text.startsWith('#')) continue;
    const cells = cellsOf(text);
    if (!places) {
      places = placesOf(cells);
      continue;
    }
    const line = index + 1;
    const row = rowOf(line, (column) => cells[places![column]] ?? ''); // set above
    if (typeof row === 'string') result.unreadable.push({ line, problem: row });
    else result.rows.push(row);
  }
  if (!places) throw new StatementError('the file is empty');
  return result;
}

const emptyResult = (): { rows: StatementRow[]; unreadable: { line: number; problem: string }[] } => ({
  rows: [],
  unreadable: [],
});

function placesOf(header: readonly string[]): Record<Column, number> {
  const names = header.map((name) => name.replace(/[（(]元[)）]$/, ''));
  const places = Object.entries(columns).map(([column, name]) => {
    const place = names.indexOf(name);
    if (place < 0) throw new StatementError(`the column ${name} is missing: choose the detail file, decoded from GBK`);
    return [column, place];
  });
  return Object.fromEntries(places) as Record<Column, number>; // one entry per column
}

function rowOf(line: number, cellOf: (column: Column) => string): StatementRow | string {
  const kind = kinds[cellOf('kind')];
  // Refunds are negative.
  const minor = minorOf(cellOf('amount').replace(/^-/, ''));
  if (!kind) return `unknown kind of transaction: ${cellOf('kind').slice(0, 20)}`;
  if (minor === undefined) return `not an amount: ${cellOf('amount').slice(0, 20)}`;
  return {
    line,
    kind,
    tradeNo: cellOf('tradeNo'),
    gatewayNo: cellOf('gatewayNo'),
    minor,
    state: cellOf('kind'),
    at: secondsOfBeijing(cellOf('completed')) || secondsOfBeijing(cellOf('created')),
  };
}

/** Cells of a line; quoted ones may contain commas. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:\s*"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g)].map(([, quoted, plain]) =>
    (quoted?.replaceAll('""', '"') ?? plain ?? '').trim(),
  );
