import type { ColumnType } from 'kysely';

/** JSON columns are written as text and read as values, on both databases. */
export type JsonColumn<T> = ColumnType<T, string, string>;
export type OptionalJsonColumn<T> = ColumnType<T | null, string | null | undefined, string | null>;
