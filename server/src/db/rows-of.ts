/** Rows as objects, of what a thread gave as arrays; all of one shape. */
export function rowsOf<Row extends Record<string, unknown>>({
  columns,
  values,
}: {
  columns: readonly string[];
  values: readonly unknown[][];
}): Row[] {
  return values.map((row) => {
    const object: Record<string, unknown> = {};
    let i = 0;
    for (const column of columns) object[column] = row[i++];
    return object as Row; // the statement's author declares its columns
  });
}
