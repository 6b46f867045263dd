import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { channelApi, noLimits } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { chat } from '#testing/chat.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { emptySqlite, onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, ROOT_PASSWORD, upstreamForSuite } from '#testing/hub.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { isPassword } from '#passwords.ts';
import { exportHub } from './export-hub.ts';
import { openLines } from './secret-file.ts';

onEveryDatabase('an export', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const to = async (more: { format?: 'jsonl' | 'csv'; passphrase?: string } = {}) => {
    const folder = path.join((await emptySqlite()).dataDir, 'export');
    const { storage, secrets } = hub().server.deps;
    await exportHub(storage, secrets, { folder, format: 'jsonl', passphrase: undefined, ...more });
    return folder;
  };
  const rowsIn = (folder: string, table: string): Record<string, unknown>[] =>
    readFileSync(path.join(folder, `${table}.jsonl`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  test('has every row, and no secret unless it is asked for', async () => {
    const id = await addChannel(hub(), upstream().url);
    await hub().root.call(channelApi.update, { body: { id, model_headers: '{"X-Secret":"header-value-1"}' } });
    const limits = { ...noLimits, models: ['gpt-4o'] };
    const { key, id: tokenId } = await addToken(hub(), { limits, tag: 'team' });
    expect((await chat(hub(), key)).status).toBe(200);
    await caughtUp(hub().server.deps.db);

    const folder = await to();
    const { db } = hub().server.deps;
    for (const table of ['users', 'tokens', 'channels', 'prices', 'ledger', 'logs'] as const) {
      const { count } = await db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      expect({ table, rows: rowsIn(folder, table).length }).toEqual({ table, rows: count });
    }
    expect(rowsIn(folder, 'tokens').find((row) => row['id'] === tokenId)).toMatchObject({ limits, tag: 'team' });
    const credits = rowsIn(folder, 'ledger').reduce((sum, entry) => sum + Number(entry['credits']), 0);
    const [root] = rowsIn(folder, 'users');
    expect(credits).toBe(Number(root!['quota']) + Number(root!['held']));
    const all = readdirSync(folder)
      .map((file) => readFileSync(path.join(folder, file), 'utf8'))
      .join('');
    expect(all).not.toMatch(/argon2|header-value-1|sk-upstream-key-0001|v1\.[\w-]{38}/);
    expect(all).not.toContain(key);

    const withSecrets = await to({ passphrase: 'correct horse battery' });
    const lines = readFileSync(path.join(withSecrets, 'secrets.jsonl.enc'), 'utf8').trimEnd().split('\n');
    const found = (await openLines('correct horse battery', lines)).map(
      (line) => JSON.parse(line) as Record<string, string>,
    );
    expect(found.find(({ table, id: of }) => table === 'tokens' && Number(of) === tokenId)).toMatchObject({ key });
    expect(found.find(({ table }) => table === 'channel_keys')).toMatchObject({ key: 'sk-upstream-key-0001' });
    expect(found.find(({ table }) => table === 'channels')?.['model_headers']).toContain('header-value-1');
    expect(await isPassword(ROOT_PASSWORD, found.find(({ table }) => table === 'users')!['password_hash']!)).toBe(true);
    await expect(openLines('another passphrase', lines)).rejects.toThrow();
    await expect(openLines('correct horse battery', lines.slice(0, -1))).rejects.toThrow();
    await expect(openLines('correct horse battery', [lines[0]!, ...lines.slice(2)])).rejects.toThrow();
  });

  test('that was broken off goes on behind its last row, in both formats, with what came since', async () => {
    const { db, storage, secrets, now } = hub().server.deps;
    const more = (name: string) =>
      insertLogs(
        db,
        Array.from({ length: 1500 }, (_, n) =>
          logRow({ request_id: `${name}-${n}`, user_id: 1, created_at: now(), content: 'a "b"\r\né' }),
        ),
      );
    await more('before');
    for (const format of ['jsonl', 'csv'] as const) {
      const folder = path.join((await emptySqlite()).dataDir, 'export');
      const options = { folder, format, passphrase: undefined };
      const told: string[] = [];
      const broken = exportHub(storage, secrets, {
        ...options,
        progress(file, rows, of) {
          told.push(`${file} ${rows} of ${of}`);
          if (file === 'logs' && rows > 0) throw new Error('the disk is away');
        },
      });
      await expect(broken).rejects.toThrow('the disk is away');
      const count = (await db.selectFrom('logs').select('id').execute()).length;
      expect(told).toContain(`logs 0 of ${count}`);
      // The end of the page was written, and its place was not recorded.
      appendFileSync(path.join(folder, `logs.${format}`), 'half a li');
      await more(`since-${format}`);
      await expect(
        exportHub(storage, secrets, { ...options, format: format === 'csv' ? 'jsonl' : 'csv' }),
      ).rejects.toThrow('unfinished export');
      await exportHub(storage, secrets, options);
      const whole = await to({ format });
      // Accounts change meanwhile: idle leases go back.
      for (const file of [`logs.${format}`, `ledger.${format}`])
        expect(readFileSync(path.join(folder, file), 'utf8') === readFileSync(path.join(whole, file), 'utf8')).toBe(
          true,
        );
      expect(readdirSync(folder)).toEqual(readdirSync(whole));
    }
  });

  test('as CSV has the same rows; a folder with files in it is refused', async () => {
    const folder = await to({ format: 'csv' });
    expect(readFileSync(path.join(folder, 'users.csv'), 'utf8')).toMatch(/^\uFEFFid,username,.*\r\n1,root,/);
    const { storage, secrets } = hub().server.deps;
    await expect(exportHub(storage, secrets, { folder, format: 'csv', passphrase: undefined })).rejects.toThrow(
      'not empty',
    );
  });
});
