import { lookUp } from '#chat/fields.ts';

/** A table whose keys come from outside, and may be no texts at all. */
export const lookup =
  <Value>(table: Readonly<Record<string, Value>>) =>
  (name: unknown): Value | undefined =>
    typeof name === 'string' ? lookUp(table, name) : undefined;
