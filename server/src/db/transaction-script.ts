/**
 * Runs one statement with `$1`-style parameters and resolves with its rows, whose columns are as its caller declares;
 * on SQLite it returns them directly.
 */
export type RunStatement = <Row extends SqlRow = SqlRow>(
  sql: string,
  params: readonly unknown[],
) => Row[] | Promise<Row[]>;
export type SqlRow = Record<string, unknown>;

/** The clause that makes a `select` lock its rows. Empty on SQLite, where a write transaction is alone anyway. */
export type RowLock = '' | ' for update';

/**
 * The work of one transaction as plain SQL. On SQLite it runs inside the writer thread, one message each way, so the
 * thread has to load it: `module` is the URL of the file that exports this object as `script`.
 */
export interface TransactionScript<Input, Output> {
  readonly module: string;
  run(query: RunStatement, input: Input, lock: RowLock): Promise<Output>;
}
