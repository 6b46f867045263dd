import type { UserGroup } from '@relay-hub/contract';
import { type OldRow, OldValueError } from '../old-row.ts';
import type { OldProgram } from '../program.ts';
import type { ImportKind, Report, Topic } from '../report.ts';
import type { OldDatabase } from '#imports/sources/old-database.ts';

export type ArrivingGroup = Omit<
  UserGroup,
  'id' | 'token_limits' | 'model_switch' | 'limit_wait' | 'channel_preference'
>;

/** The old database with what every reader needs: its program, its settings and its groups. */
export interface OldWorld extends OldProgram {
  database: OldDatabase;
  /** Settings that were saved; others are absent. */
  options: ReadonlyMap<string, string>;
  groups: ReadonlyMap<string, ArrivingGroup>;
  report: Report;
}

/** Whether the database belongs to one-hub or done-hub, which share their tables. */
export const isHubLine = ({ program }: Pick<OldWorld, 'program'>): boolean =>
  program === 'one-hub' || program === 'done-hub';

interface RowReader<T> {
  table: string;
  kind: ImportKind;
  name: (row: OldRow) => string;
  /** Undefined: the row is not taken over, without a word. */
  read: (row: OldRow) => T | undefined;
  /** Where a row is named that cannot be taken over. */
  topic?: Topic;
  lost?: (row: OldRow) => void;
}

/** Reads the rows of a table. One with a value that cannot be taken over is named, counted as lost and skipped. */
export async function* readRows<T>(
  { database, report }: Pick<OldWorld, 'database' | 'report'>,
  { table, kind, name, read, topic = 'lost', lost }: RowReader<T>,
): AsyncIterable<T> {
  for await (const row of database.rows(table))
    try {
      const found = read(row);
      if (found !== undefined) yield found;
    } catch (error) {
      if (!(error instanceof OldValueError)) throw error;
      report.count(kind, 'lost');
      report.remark(topic, `${name(row)}: ${error.message}`);
      lost?.(row);
    }
}

/** All rows of a small table. */
export async function allRows(database: OldDatabase, table: string): Promise<OldRow[]> {
  const rows: OldRow[] = [];
  for await (const row of database.rows(table)) rows.push(row);
  return rows;
}

/** The symbol here of an old group. A group without settings was charged with ratio 1. */
export function symbolOf(world: Pick<OldWorld, 'groups'>, oldName: string): string {
  return world.groups.get(oldName)?.symbol ?? oldName;
}
