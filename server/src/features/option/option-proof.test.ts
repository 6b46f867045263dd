import { optionApi, role } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { isGuarded } from '#settings/guarded-settings.ts';
import { isSecret, type SettingKey, settings } from '#settings.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';

const keys = Object.keys(settings) as SettingKey[];
const guarded = keys.filter(isGuarded);
const values: Partial<Record<SettingKey, string>> = {
  SMTPServer: 'evil.example',
  TelegramProxy: 'http://1.1.1.1:80',
  FamilyMode: 'true',
};

onEveryDatabase('settings that hold a secret, or say where one is sent', (make) => {
  const hub = hubForSuite(make);
  let root: TestPerson;
  beforeAll(async () => {
    root = await addPerson(hub(), { role: role.root });
    await hub().server.deps.db.updateTable('sessions').set({ proved_time: 1 }).where('user_id', '=', root.id).execute();
  });
  const stored = () => hub().server.deps.db.selectFrom('options').select(['key', 'value']).orderBy('key').execute();

  test('are the secrets, and what each of them goes to', () => {
    expect(guarded.filter((key) => !isSecret(key)).toSorted()).toEqual(
      [
        'BackupFolder',
        'CFWorkerImageUrl',
        'FamilyMode',
        'GitHubAddress',
        'GitHubApiAddress',
        'LarkAddress',
        'LogArchiveFolder',
        'OIDCIssuer',
        'SMTPServer',
      ]
        .concat([
          'ServerAddress',
          'TaskMediaS3Endpoint',
          'TelegramApiAddress',
          'TelegramProxy',
          'TurnstileAddress',
          'WeChatServerAddress',
        ])
        .toSorted(),
    );
  });

  test.each(guarded)('%s is changed by nobody who has not proved who they are', async (key) => {
    const value = values[key] ?? 'https://evil.example';
    const before = await stored();
    for (const answer of [
      await root.client.try(optionApi.set, { body: { key, value } }),
      await root.client.try(optionApi.setMany, { body: { values: { SystemName: 'Half', [key]: value } } }),
      await root.client.try(optionApi.setMany, { body: { values: { [key]: null } } }),
    ])
      expect(answer).toMatchObject({ status: 403, body: { success: false, code: 'session.proof' } });
    expect(await stored()).toEqual(before);
  });

  test('an earlier address is not put back without a proof, either', async () => {
    await hub().root.call(optionApi.set, { body: { key: 'ServerAddress', value: 'https://hub.example' } });
    const { data } = await hub().root.call(optionApi.history, { query: { key: 'ServerAddress' } });
    const params = { id: data[0]!.id };
    expect(await root.client.try(optionApi.restore, { params })).toMatchObject({ body: { code: 'session.proof' } });
    expect((await hub().root.try(optionApi.restore, { params })).status).toBe(200);
  });

  test('others need none', async () => {
    const answer = await root.client.try(optionApi.set, { body: { key: 'SystemName', value: 'Ours' } });
    expect(answer.status).toBe(200);
  });
});
