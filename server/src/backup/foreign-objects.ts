import { BackupError } from './backup-error.ts';

/** Objects of an SQLite database that act by themselves; a column `name`. Relay Hub has none. */
export const foreignInSqlite = `
  select type || ' ' || name as name from sqlite_master
  where type in ('trigger', 'view') or sql like 'create virtual table%' order by 1`;

/** The same of the schema of a PostgreSQL connection, without those of extensions. */
export const foreignInPostgres = `
  select kind || ' ' || name as name from (
    select 'trigger' as kind, t.tgname as name, 'pg_trigger'::regclass as catalog, t.oid, c.relnamespace as place
      from pg_trigger t join pg_class c on c.oid = t.tgrelid where not t.tgisinternal
    union all select 'rule', r.rulename, 'pg_rewrite'::regclass, r.oid, c.relnamespace
      from pg_rewrite r join pg_class c on c.oid = r.ev_class where r.rulename <> '_RETURN'
    union all select 'policy', p.polname, 'pg_policy'::regclass, p.oid, c.relnamespace
      from pg_policy p join pg_class c on c.oid = p.polrelid
    union all select 'view', c.relname, 'pg_class'::regclass, c.oid, c.relnamespace
      from pg_class c where c.relkind in ('v', 'm', 'f')
    union all select 'function', p.proname, 'pg_proc'::regclass, p.oid, p.pronamespace from pg_proc p
  ) found
  where place = current_schema()::regnamespace
    and not exists (select from pg_depend d where d.classid = catalog and d.objid = found.oid and d.deptype = 'e')
  order by 1`;

/** Kinds of entries in the table of contents of a dump of this program's schema. */
const known = new Set([
  'SCHEMA',
  'EXTENSION',
  'COMMENT',
  'TABLE',
  'TABLE DATA',
  'TABLE ATTACH',
  'DEFAULT',
  'SEQUENCE',
  'SEQUENCE OWNED BY',
  'SEQUENCE SET',
  'CONSTRAINT',
  'FK CONSTRAINT',
  'INDEX',
  'INDEX ATTACH',
]);

/** Entries of other kinds in the list that `pg_restore --list` prints. */
export function foreignInDump(list: string): string[] {
  const entries = list.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  return entries.flatMap((line) => {
    const [, kind, rest] = /^\d+; \d+ \d+ ([A-Z]+(?: [A-Z]+)*) (.*)$/.exec(line) ?? [];
    return kind !== undefined && known.has(kind) ? [] : [`${kind?.toLowerCase() ?? 'entry'} ${rest ?? line}`];
  });
}

/**
 * Throws `BackupError` if a database has objects that Relay Hub did not create: triggers, views and functions run inside
 * of Relay Hub's statements, and an archive could bring them.
 */
export function refuseForeign(found: readonly string[]): void {
  if (found.length === 0) return;
  const names = `${found.slice(0, 5).join(', ')}${found.length > 5 ? ', …' : ''}`;
  throw new BackupError(
    `The database has ${names}, which Relay Hub did not create and does not restore, because it would run inside of its ` +
      'statements. Drop it from the database, then make a backup.',
  );
}
