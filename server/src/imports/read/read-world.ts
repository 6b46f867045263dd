import { textIn } from '../old-row.ts';
import { detectProgram } from '../program.ts';
import type { Report } from '../report.ts';
import type { OldDatabase } from '#imports/sources/old-database.ts';
import { allRows, type OldWorld } from './old-world.ts';
import { readGroups } from './read-groups.ts';

/** Detects the program and reads its settings and groups. Throws `OldDatabaseError`. */
export async function readWorld(database: OldDatabase, report: Report): Promise<OldWorld> {
  const program = detectProgram(database);
  for (const table of program.unknown) report.remark('unknown_table', table);
  const options = new Map<string, string>();
  for (const row of await allRows(database, 'options')) options.set(textIn(row, 'key'), textIn(row, 'value'));
  const groups = await readGroups({ ...program, database, options, report });
  return { ...program, database, options, report, groups };
}
