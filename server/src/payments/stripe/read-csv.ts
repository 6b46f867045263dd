/** Records of a CSV text with the line on which each starts. Quoted cells may hold commas, quotes and line ends. */
export function readCsv(text: string): { line: number; cells: string[] }[] {
  const records: { line: number; cells: string[] }[] = [];
  const shape = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  const csv = text.replace(/^\uFEFF/, '');
  let line = 1;
  let record = { line, cells: [] as string[] };
  while (shape.lastIndex < csv.length) {
    const match = shape.exec(csv);
    // A stray quote: the rest of the text cannot be divided into cells.
    if (!match) break;
    const [whole, quoted, plain = '', end] = match;
    record.cells.push(quoted?.replaceAll('""', '"') ?? plain);
    line += whole.split('\n').length - 1;
    if (end === ',') continue;
    if (record.cells.length > 1 || record.cells[0] !== '') records.push(record);
    record = { line, cells: [] };
  }
  if (record.cells.length > 0) records.push(record);
  return records;
}
