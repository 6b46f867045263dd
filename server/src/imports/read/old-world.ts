import type { UserGroup } from '@relay-hub/contract';
import type { OldRow } from '../old-row.ts';
import type { OldProgram } from '../program.ts';
import type { Report } from '../report.ts';
import type { OldDatabase } from '#imports/sources/old-database.ts';

export type ArrivingGroup = Omit<UserGroup, 'id' | 'token_limits'>;

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
