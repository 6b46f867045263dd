import { type OldDatabase, OldDatabaseError } from './old-database.ts';
import { openMysqlSource } from './mysql.ts';
import { openPostgresSource } from './postgres.ts';
import { openSqliteSource } from './sqlite.ts';

/** Opens the old database read-only: a file, or a `mysql://` or `postgres://` address. Throws `OldDatabaseError`. */
export function openSource(from: string): Promise<OldDatabase> {
  if (/^(mysql|mariadb):\/\//i.test(from)) return openMysqlSource(from.replace(/^mariadb:/i, 'mysql:'));
  if (/^postgres(ql)?:\/\//i.test(from)) return openPostgresSource(from);
  if (/^[a-z]+:\/\//i.test(from)) throw new OldDatabaseError('The address must begin with mysql:// or postgres://.');
  return openSqliteSource(from);
}
