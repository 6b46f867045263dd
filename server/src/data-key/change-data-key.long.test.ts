import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { channelApi, channelTagApi, optionApi, redemptionApi, tokenApi, wayApi } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encryptedColumns } from '#db/encrypted-columns.ts';
import { openStorage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { cipherShape, openSecrets } from '#secrets.ts';
import { chat } from '#testing/chat.ts';
import type { EmptyDatabase } from '#testing/databases.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, startHub, type TestHub, upstreamForSuite } from '#testing/hub.ts';
import { changeDataKey } from './change-data-key.ts';
import { RotationError, rotateKey } from './rotate-key.ts';

const script = fileURLToPath(new URL('../../../scripts/rotate-key.ts', import.meta.url));
const nobodyRuns = () => false;

/** Columns with at least one value that the key decrypts. */
async function columnsWithSecrets(db: Kysely<Tables>, key: string): Promise<string[]> {
  const secrets = openSecrets(key);
  const found: string[] = [];
  for (const { name, columns } of await db.introspection.getTables()) {
    const rows = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db);
    for (const { name: column } of columns) {
      const texts = rows.rows.map((row) => JSON.stringify(row[column]) ?? '').join('\n');
      const opens = [...texts.matchAll(cipherShape)].some(([cipher]) => {
        try {
          return secrets.decrypt(cipher) !== undefined;
        } catch {
          return false;
        }
      });
      if (opens) found.push(`${name}.${column}`);
    }
  }
  return found.toSorted();
}

/** Runs the command as an operator does. `killAfterMs` kills it. */
async function runScript({ dataDir, databaseUrl }: EmptyDatabase, more: Record<string, string> = {}, killAfterMs = 0) {
  const child = spawn(process.execPath, [script, '--yes'], {
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }), ...more },
  });
  let text = '';
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (text += piece.toString()));
  const timer = killAfterMs > 0 && setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (timer) clearTimeout(timer);
  return { code, text };
}

onOneDatabase('changing the data key', (make) => {
  const upstream = upstreamForSuite();
  let database: EmptyDatabase;
  let token: { id: number; key: string };
  const file = (suffix = '') => path.join(database.dataDir, `secret.key${suffix}`);
  const keyOf = (suffix = '') => readFileSync(file(suffix), 'utf8').trim();

  async function onStorage<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const storage = openStorage(database);
    try {
      return await work(storage.db);
    } finally {
      await storage.close();
    }
  }

  async function onHub<T>(work: (hub: TestHub) => Promise<T>): Promise<T> {
    const hub = await startHub(database);
    try {
      return await work(hub);
    } finally {
      await hub.close();
    }
  }

  /** Works only with the right key: revealing a token's key, and a call through a channel with an encrypted key. */
  const works = () =>
    onHub(async (hub) => {
      expect(await hub.root.call(tokenApi.reveal, { params: { id: token.id } })).toMatchObject({ key: token.key });
      expect((await chat(hub, token.key)).status).toBe(200);
      const sent = upstream().requests.at(-1)?.headers;
      expect(sent).toMatchObject({ authorization: 'Bearer sk-upstream-key-0001', 'x-secret': 'header' });
    });

  const change = (db: Kysely<Tables>, next?: string) =>
    changeDataKey({ db, dataDir: database.dataDir, present: keyOf(), inFile: true, next, isAlive: nobodyRuns });

  beforeAll(async () => {
    database = await make();
    await onHub(async (hub) => {
      const { root, server } = hub;
      const { db, secrets, now } = server.deps;
      await addChannel(hub, upstream().url, {
        model_headers: '{"x-secret":"header"}',
        proxy: '',
        plugin: { headers: { 'x-more': 'secret' } },
      });
      await addChannel(hub, upstream().url, { models: 'spare', tag: 'spare', proxy: 'http://u:p@127.0.0.1:9' });
      token = await addToken(hub);
      await root.send('POST', '/api/token/', { name: 'once' }, { 'idempotency-key': 'kept' });
      const kept = { address: 'https://hooks.example/a-secret-path' };
      await root.call(wayApi.create, { body: { site: true, kind: 'slack', config: kept } });
      await root.call(redemptionApi.create, { body: { name: 'x', quota: 5, count: 1 } });
      await root.call(channelTagApi.update, { params: { tag: 'spare' }, body: { model_headers: '{"x-a":"b"}' } });
      await root.call(optionApi.set, { body: { key: 'SMTPToken', value: 'a-secret-option' } });
      await root.call(optionApi.set, { body: { key: 'SystemName', value: 'v1.0' } });
      await db
        .insertInto('totp')
        .values({ user_id: 1, seed_cipher: secrets.encrypt('seed') })
        .execute();
      await db
        .insertInto('payment_gateways')
        .values({
          type: 'epay',
          uuid: 'x',
          name: 'x',
          icon: 'x',
          notify_domain: '',
          currency: 'CNY',
          fixed_fee_minor: 0,
          percent_fee_bp: 0,
          sort: 0,
          enable: true,
          created_at: 1,
          updated_at: 1,
          config: '{}',
          secrets_cipher: secrets.encrypt('{"key":"a-gateway-key"}'),
          deleted_time: null,
        })
        .execute();
      await db
        .insertInto('bill_sources')
        .values({
          vendor: 'openai',
          name: 'x',
          base_url: 'https://api.openai.com',
          key_cipher: secrets.encrypt('an-admin-key'),
          key_hint: '',
          channel_ids: JSON.stringify([]),
          fetched_time: 0,
          last_error: '',
        })
        .execute();
      await db
        .insertInto('usage_exports')
        .values({
          name: 'x',
          kind: 'stripe',
          address: '',
          config_cipher: secrets.encrypt('{"key":"a-billing-key"}'),
          key_hint: '',
          signed: false,
          event: 'x',
          measure: 'credits',
          enabled: false,
          log_position: 0,
          ledger_position: 0,
        })
        .execute();
      const state = { state_hash: 'x', provider: 'oidc', browser_hash: 'x', user_id: null };
      await db
        .insertInto('stored_responses')
        .values({
          response_id: 'resp_1',
          user_id: 1,
          token_id: 1,
          content_cipher: secrets.encrypt('{}'),
          created_at: 1,
          expires_at: 9_999_999_999,
        })
        .execute();
      await db
        .insertInto('client_secrets')
        .values({
          secret_hash: 'x',
          token_id: 1,
          session_cipher: secrets.encrypt('{}'),
          created_at: 1,
          expires_at: 9_999_999_999,
        })
        .execute();
      await db
        .insertInto('cached_replies')
        .values({ key: 'x', user_id: 1, reply_cipher: secrets.encrypt('{}'), bytes: 2, expires_at: now() + 3600 })
        .execute();
      await db
        .insertInto('oauth_states')
        .values({ ...state, kept: secrets.encrypt('{}'), expires_time: now() + 600 })
        .execute();
      await db
        .insertInto('tasks')
        .values({
          task_id: 'x',
          platform: 'midjourney',
          action: 'IMAGINE',
          model: 'mj_imagine',
          mode: 'fast',
          status: 'SUCCESS',
          created_at: now(),
          updated_at: now(),
          submit_ms: 0,
          request_id: '',
          user_id: 1,
          token_id: 0,
          channel_id: 0,
          channel_type: 0,
          key_id: 0,
          key_cipher: secrets.encrypt('a-task-key'),
          base_url: '',
          next_poll_at: 0,
          deadline: 0,
        })
        .execute();
    });
  }, 60_000);
  afterAll(async () => database?.remove());

  test('the list of encrypted columns is complete and has no other column', async () => {
    const known = encryptedColumns.map(({ table, column }) => `${table}.${column}`).toSorted();
    expect(await onStorage((db) => columnsWithSecrets(db, keyOf()))).toEqual(known);
  });

  test('is refused while a server runs', async () => {
    const before = keyOf();
    await onHub(async () => {
      const { code, text } = await runScript(database);
      expect(text).toContain('running on this database');
      expect(code).toBe(1);
    });
    expect(keyOf()).toBe(before);
    await works();
  });

  test('changes nothing when one secret cannot be decrypted', async () => {
    const other = openSecrets('another key, with which one row was written').encrypt('x');
    const before = keyOf();
    await onStorage(async (db) => {
      const row = await db.selectFrom('redemptions').select(['id', 'key_cipher']).executeTakeFirstOrThrow();
      const put = (key_cipher: string) =>
        db.updateTable('redemptions').set({ key_cipher }).where('id', '=', row.id).execute();
      await put(other);
      await expect(change(db)).rejects.toThrow(RotationError);
      await put(row.key_cipher);
    });
    expect(keyOf()).toBe(before);
    await works();
  });

  test('is refused when a column outside the list holds a secret', async () => {
    await onStorage(async (db) => {
      const cipher = openSecrets(keyOf()).encrypt('forgotten');
      await db
        .insertInto('model_owners')
        .values({ id: 5000, name: 'x', icon: `a ${cipher}` })
        .execute();
      await expect(change(db)).rejects.toThrow('model_owners.icon');
      await db.deleteFrom('model_owners').where('id', '=', 5000).execute();
    });
    await works();
  });

  describe('in the file', () => {
    test('everything is readable with the new key, and nothing with the old one', async () => {
      const before = keyOf();
      const { code, text } = await runScript(database);
      expect(text).toMatch(/\d+ secrets were encrypted with the new key/);
      expect(code).toBe(0);
      expect(keyOf()).not.toBe(before);
      expect(keyOf('.old')).toBe(before);
      expect(existsSync(file('.next'))).toBe(false);
      expect(await onStorage((db) => columnsWithSecrets(db, before))).toEqual([]);
      await works();
      expect(await onHub(({ root }) => root.call(channelApi.list))).toMatchObject({ total_count: 2 });
    });

    test('a run that stopped before the database change resumes with the same key', async () => {
      const next = 'the-next-key-that-was-written-down-already';
      writeFileSync(file('.next'), `${next}\n`);
      await works();
      expect((await runScript(database)).code).toBe(0);
      expect(keyOf()).toBe(next);
      await works();
    });

    test('a run that stopped after the database change is completed', async () => {
      const next = 'the-next-key-that-the-database-knows-already';
      writeFileSync(file('.next'), `${next}\n`);
      await onStorage((db) => rotateKey(db, openSecrets(keyOf()), openSecrets(next), nobodyRuns));
      await expect(startHub(database)).rejects.toThrow('rotate-key');
      expect((await runScript(database)).text).toContain('already');
      expect(keyOf()).toBe(next);
      await works();
    });

    test('kill -9 at any moment loses nothing', async () => {
      const startMs = performance.now();
      await runScript(database);
      const wholeMs = performance.now() - startMs;
      for (const part of [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1]) await runScript(database, {}, part * wholeMs);
      expect((await runScript(database)).code).toBe(0);
      await works();
    }, 60_000);
  });

  test('in SECRET_KEY: the next one is named, and an unnamed one is asked for', async () => {
    const present = keyOf();
    const next = 'another-key-that-the-operator-keeps-himself';
    expect(await runScript(database, { SECRET_KEY: present })).toMatchObject({
      code: 1,
      text: expect.stringContaining('NEW_SECRET_KEY'),
    });
    expect((await runScript(database, { SECRET_KEY: present, NEW_SECRET_KEY: next })).code).toBe(0);
    const hub = await startHub(database, { SECRET_KEY: next });
    expect(await hub.root.call(tokenApi.reveal, { params: { id: token.id } })).toMatchObject({ key: token.key });
    await hub.close();
    expect((await runScript(database, { SECRET_KEY: present, NEW_SECRET_KEY: next })).text).toContain('already');
  });
});
