import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import { isPostgres } from './dialect-differences.ts';
import { finishUpgrade, migrate, MigrationError, migrations, refuseUnlessCurrent, waitingSteps } from './migrate.ts';
import { openStorage, type Storage } from './open.ts';

/** A next version: it adds a column, fills it, and removes what it has replaced. */
const next = {
  '9001-expand-new-note': {
    up: async (db) => db.schema.alterTable('model_owners').addColumn('note', 'text').execute(),
  },
  '9002-contract-old-note': {
    up: async (db) => db.schema.alterTable('model_owners').dropColumn('note').execute(),
  },
  '9003-expand-new-table': { up: async (db) => db.schema.createTable('notes').addColumn('id', 'bigint').execute() },
} satisfies Record<string, Migration>;

type Name = keyof typeof next;
const [added, removed, made] = Object.keys(next) as [Name, Name, Name];

const isAlive = () => true;

test('each migration since 0115 says whether older nodes may run beside it', () => {
  const names = Object.keys(migrations).filter((name) => name >= '0115');
  expect(names.filter((name) => !/^\d{4}-(expand|contract)-/.test(name))).toEqual([]);
});

onEveryDatabase('an upgrade beside running nodes', (make) => {
  let database: EmptyDatabase;
  let storage: Storage;
  beforeEach(async () => {
    database = await make();
    storage = openStorage(database);
  });
  afterEach(async () => {
    for (const name of Object.keys(next)) delete migrations[name];
    await storage.close();
    await database.remove();
  });

  /** This build is now one with these steps. */
  const become = (names: readonly string[]) => {
    for (const [name, step] of Object.entries(next)) {
      if (names.includes(name)) migrations[name] = step;
      else delete migrations[name];
    }
  };
  const register = (schema: string | null) =>
    storage.db
      .insertInto('nodes')
      .values({ id: 'other', host: 'elsewhere namespace', pid: 7, started_time: 1, seen_time: 1, version: '', schema })
      .execute();
  const hasColumn = () =>
    sql`select note from model_owners`.execute(storage.db).then(
      () => true,
      () => false,
    );

  test('adds what they tolerate at once, and removes what they need when they have stopped', async () => {
    await register('0115-expand-versions-of-nodes');
    become([added, removed, made]);
    expect(await migrate(storage.db, isAlive)).toEqual([added, made]);
    expect(await hasColumn()).toBe(true);
    expect(await finishUpgrade(storage.db, isAlive)).toEqual([removed]);
    await refuseUnlessCurrent(storage.db);

    await storage.db.deleteFrom('nodes').execute();
    expect(await finishUpgrade(storage.db, isAlive)).toEqual([]);
    expect(await hasColumn()).toBe(false);
    expect(await waitingSteps(storage.db)).toEqual([]);
  });

  test.each([
    ['that does not tell what it knows', null, [removed]],
    ['of the version before', '0115-expand-versions-of-nodes', [removed]],
    ['of this version', made, []],
    ['of a later version', '9999-expand-later', []],
  ])('knows what waits while a node %s is running', async (_, schema, waiting) => {
    await register(schema);
    become([added, removed, made]);
    await migrate(storage.db, isAlive);
    expect(await waitingSteps(storage.db)).toEqual(waiting);
  });

  test('holds up no statement of running nodes for long, while another transaction uses the table', async (context) => {
    if (!isPostgres(storage.db)) return context.skip();
    become([added]);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const holding = storage.db.transaction().execute(async (trx) => {
      await trx.selectFrom('model_owners').select('id').execute();
      await released;
    });
    const migrating = migrate(storage.patient, isAlive);
    const waits = async () =>
      (
        await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          storage.db,
        )
      ).rows.length;
    await expect.poll(waits, { message: 'the step waits for the table' }).toBe(1);
    await storage.db.selectFrom('model_owners').select('id').execute();
    release();
    expect(await migrating).toEqual([added]);
    await holding;
  });

  test('lets the version before start until something is removed, and nodes of one version start at once', async () => {
    await register('0115-expand-versions-of-nodes');
    become([added, removed]);
    await Promise.all([migrate(storage.db, isAlive), migrate(storage.db, isAlive)]);
    become([]);
    expect(await migrate(storage.db, isAlive)).toEqual([]);
    await refuseUnlessCurrent(storage.db);

    become([added, removed]);
    await Promise.all([migrate(storage.db), migrate(storage.db)]);
    become([]);
    await expect(migrate(storage.db, isAlive)).rejects.toThrow(MigrationError);
    await expect(migrate(storage.db, isAlive)).rejects.toThrow(/newer version: it has 9002-contract-old-note, unknown/);
    await expect(refuseUnlessCurrent(storage.db)).rejects.toThrow(/newer version/);
  });
});
