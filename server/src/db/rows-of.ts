/** Rows as objects, of what a thread gave as arrays; all of one shape. */
export function rowsOf({
  columns,
  values,
}: {
  columns: readonly string[];
  values: readonly unknown[][];
}): Record<string, unknown>[] {
  return values.map((row) => {
    const object: Record<string, unknown> = {};
    for (let at = 0; at < columns.length; at++) object[columns[at]!] = row[at]; // as many as there are columns
    return object;
  });
}
