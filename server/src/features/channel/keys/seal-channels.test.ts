import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { Migrator } from 'kysely/migration';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '#config.ts';
import { migrate } from '#db/migrate.ts';
import * as firstPath from '#db/migrations/0001-first-path.ts';
import type { Storage } from '#db/open.ts';
import { openStorage } from '#db/open.ts';
import { openSecrets } from '#secrets.ts';
import type { EmptyDatabase } from '#testing/databases.ts';
import { onEveryEmptyDatabase } from '#testing/databases.ts';
import { openKeys } from './channel-keys.ts';
import { opened } from './channel-secrets.ts';
import { sealChannels } from './seal-channels.ts';

interface OldTables {
  channels: Record<string, string | number | boolean>;
}

/** A channel as the first version stored it. */
const old = {
  type: 8,
  name: 'old',
  status: 1,
  base_url: 'http://host',
  other: '',
  models: 'm',
  group: 'default',
  tag: '',
  priority: 0,
  weight: 1,
  model_mapping: '',
  proxy: '',
  test_model: '',
  only_chat: false,
  pre_cost: 1,
  created_time: 7,
};

onEveryEmptyDatabase('the fields of channels', (make) => {
  let database: EmptyDatabase;
  let storage: Storage;
  beforeEach(async () => {
    database = await make();
    storage = openStorage(readConfig({ DATA_DIR: database.dataDir, DATABASE_URL: database.databaseUrl }));
  });
  afterEach(async () => {
    await storage.close();
    await database.remove();
  });

  test('a channel of the first version keeps its key, and its headers are sealed', async () => {
    const { db } = storage;
    const secrets = openSecrets('a-secret-key-for-this-test-only-0123456789');
    const migrations: Record<string, Migration> = { '0001-first-path': firstPath };
    const first = new Migrator({ db, provider: { getMigrations: async () => migrations } });
    expect((await first.migrateToLatest()).error).toBeUndefined();
    const before = db as unknown as Kysely<OldTables>;
    await before
      .insertInto('channels')
      .values([
        { ...old, key_cipher: secrets.encrypt('sk-one'), key_hint: 'one', model_headers: '{"x-a":"in clear"}' },
        { ...old, key_cipher: secrets.encrypt('sk-two'), key_hint: 'two', model_headers: '', name: 'other' },
      ])
      .execute();

    await migrate(db);
    await sealChannels(db, secrets);

    const [one, two] = await db.selectFrom('channels').selectAll().orderBy('id').execute();
    expect(await openKeys(db, secrets, one!.id)).toMatchObject([{ key: 'sk-one', status: 1 }]);
    expect(await openKeys(db, secrets, two!.id)).toMatchObject([{ key: 'sk-two', status: 1 }]);
    expect(one!.model_headers).not.toContain('in clear');
    expect(opened(secrets, one!)).toEqual({ model_headers: '{"x-a":"in clear"}', proxy: '', plugin: {} });
    expect(one).toMatchObject({ on_client_gone: 'drain', total_timeout: 0, balance_currency: 'USD' });
    const hashes = await db.selectFrom('channel_keys').select(['key_hash', 'key_hint']).orderBy('id').execute();
    expect(hashes.map(({ key_hint: hint }) => hint)).toEqual(['one', 'two']);
    expect(hashes.every(({ key_hash: hash }) => hash !== '')).toBe(true);
  });
});
