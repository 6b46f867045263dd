import { sql } from 'kysely';
import { migrations } from '#db/migrate.ts';

/*
 * The server as a made-up next version: the database gets a column in the tables that every call reads and writes, and
 * loses it again when the version before is gone.
 */
const tables = ['users', 'tokens', 'channels', 'leases', 'ledger', 'logs', 'nodes'];

migrations['9001-expand-next-version'] = {
  async up(db) {
    for (const table of tables)
      await sql`alter table ${sql.table(table)} add column next_version text not null default ''`.execute(db);
  },
};
migrations['9002-contract-next-version'] = {
  async up(db) {
    for (const table of tables) await sql`alter table ${sql.table(table)} drop column next_version`.execute(db);
  },
};

await import('../server/src/main.ts');
