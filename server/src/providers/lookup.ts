/** A table whose keys come from outside: `constructor` is in none of them. */
export const lookup =
  <Value>(table: Readonly<Record<string, Value>>) =>
  (name: unknown): Value | undefined =>
    typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
