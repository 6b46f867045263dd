/** Converts rows that a database thread sent as arrays of values to objects. */
export function objectsFromArrays<Row extends Record<string, unknown>>({
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
    return object as Row; // the author of the statement declares its columns
  });
}
