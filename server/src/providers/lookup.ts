import { lookUp } from '#chat/fields.ts';

/** A table lookup that is safe for untrusted keys of any type. */
export const lookup =
  <Value>(table: Readonly<Record<string, Value>>) =>
  (name: unknown): Value | undefined =>
    typeof name === 'string' ? lookUp(table, name) : undefined;
