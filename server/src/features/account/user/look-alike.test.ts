import { profileApi, userAdminApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { addShapes } from '#db/migrations/0016-names-and-routing-fields.ts';
import { shapeOfName } from '#name-shape.ts';
import { browserFrom } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';
import { freeName } from '#features/account/oauth/name-for.ts';

const PASSWORD = 'a-password-of-somebody-new';

onEveryDatabase('names that look alike', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  const db = () => hub().server.deps.db;
  const register = (username: string) =>
    browserFrom(hub()).send('POST', '/api/user/register', { username, password: PASSWORD });
  const refused = { status: 409, body: { success: false, code: 'user.name_alike', field: 'username' } };

  test.each(['rоot', 'r00t', 'ｒｏｏｔ', 'ROОT'])('%s is not registered beside root', async (username) => {
    expect(await register(username)).toMatchObject(refused);
  });

  test('an identical name is reported as taken', async () => {
    expect(await register('ROOT')).toMatchObject({ status: 409, body: { code: 'record.exists', field: 'username' } });
  });

  test('two forms of one name, registered at once, become one account', async () => {
    const answers = await Promise.all(['Zoe\u0308-1', 'Zoë-1', 'zoё-1', 'Zoë-l'].map(register));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
  });

  test('no account can be created, or renamed, to look like another one', async () => {
    const { root } = hub();
    const ann = await addPerson(hub());
    expect(await register('victim')).toMatchObject({ status: 200 });
    const made = { username: 'vіctim', password: PASSWORD, group: 'default' };
    expect(await root.send('POST', '/api/user/', made)).toMatchObject(refused);
    expect(await root.try(userAdminApi.update, { body: { id: ann.id, username: 'victіm' } })).toMatchObject(refused);
    expect(await ann.client.try(profileApi.update, { body: { username: 'VІCTIM' } })).toMatchObject(refused);
    // One's own name may change its case or form; a different name frees the old one.
    expect((await ann.client.try(profileApi.update, { body: { username: 'annalisa' } })).status).toBe(200);
    expect((await ann.client.try(profileApi.update, { body: { username: 'AnnaIisa' } })).status).toBe(200);
    expect((await ann.client.try(profileApi.update, { body: { username: 'ann' } })).status).toBe(200);
    expect(await register('annalisa')).toMatchObject({ status: 200 });
  });

  test('a name from elsewhere that looks like one gets something added', async () => {
    const identity = {
      provider: 'github',
      issuer: '',
      subject: '1',
      name: '',
      displayName: '',
      email: '',
      avatarUrl: '',
    };
    const name = await freeName(db(), { ...identity, username: 'rооt' } as never);
    expect(name).toMatch(/^rооt_\w{5}$/);
  });

  test('accounts that look alike already stay, and sign in', async () => {
    await db().schema.dropIndex('users_username_shape').execute();
    await db().schema.alterTable('users').dropColumn('username_shape').execute();
    const before = await addPerson(hub(), { username: 'оldtimer' });
    const alike = await addPerson(hub(), { username: 'oldtimer' });
    await addShapes(db() as never);
    const rows = await db().selectFrom('users').select(['username', 'username_shape']).orderBy('id').execute();
    expect(rows.filter(({ username }) => /ldtimer/.test(username)).map((row) => row.username_shape)).toEqual([
      shapeOfName('oldtimer'),
      null,
    ]);
    expect(rows[0]).toEqual({ username: 'root', username_shape: 'root' });
    for (const { client } of [before, alike])
      expect((await client.try(profileApi.update, { body: { display_name: 'old' } })).status).toBe(200);
    expect(await register('0ldtimer')).toMatchObject(refused);
  });

  test('a name is one line, without what turns its direction', async () => {
    const ann = await addPerson(hub());
    await ann.client.call(profileApi.update, { body: { display_name: ' An\r\nna\u202E\u0007 B\u2028' } });
    const { display_name: shown } = await db()
      .selectFrom('users')
      .where('id', '=', ann.id)
      .select('display_name')
      .executeTakeFirstOrThrow();
    expect(shown).toBe('An na  B');
  });
});
