import type { ColumnType } from 'kysely';

/** JSON columns are written as text and read as values, on both databases. */
export type Json<T> = ColumnType<T, string, string>;
export type OptionalJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
