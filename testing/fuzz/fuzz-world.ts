import { randomBytes } from 'node:crypto';
import { channelApi, optionApi, redemptionApi, role, tokenApi, userStatus } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Storage } from '#db/open.ts';
import { openStorage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { hashPassword } from '#passwords.ts';
import { post } from '#quota/ledger.ts';
import { fingerprint, randomText } from '#secrets.ts';
import { startUpstream, type Upstream } from '#upstream-simulator/start-upstream.ts';
import type { EmptyDatabase } from '#testing/databases.ts';
import { addChannel, ApiClient } from '#testing/hub.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { type ServerProcess, startProcess } from '#testing/process.ts';
import type { Actor } from './fuzz-requests.ts';
import { SeenValues } from './fuzz-seen.ts';

const SECRET_KEY = 'the-data-key-that-no-answer-may-have-in-it';
const CHANNEL_KEY = 'sk-the-channel-key-that-no-answer-may-have-in-it';
const HEADER = 'the-header-that-no-answer-may-have-in-it';
const PASSWORD = 'a-password-of-somebody-who-fuzzes';

/** A server process with records of every kind, and sessions of each role. */
export interface FuzzWorld {
  process: ServerProcess;
  storage: Storage;
  seen: SeenValues;
  /** Texts that no reply may contain. */
  secrets: string[];
  /** The session cookie of a role. */
  cookieOf(actor: Actor): string | undefined;
  /** Log output since the last call. */
  logged(): string;
  /** Adds records of every kind again, because requests delete them. */
  furnish(): Promise<void>;
  /** Replaces a role's account and session, which requests may have ended. */
  renew(actor: Actor): Promise<void>;
  close(): Promise<void>;
}

/** Starts it on an empty database. */
export async function openWorld(database: EmptyDatabase): Promise<FuzzWorld> {
  const upstream = await startUpstream({});
  const process = await startProcess(database, {
    SECRET_KEY,
    TRUSTED_PROXIES: '127.0.0.1',
    OUTBOUND_PRIVATE: '127.0.0.1',
  });
  let log = '';
  process.child.stdout?.on('data', (piece: Buffer) => (log += piece.toString()));
  const storage = openStorage(database);
  const seen = new SeenValues();
  const cookies = new Map<Actor, string>();
  const hash = await hashPassword(PASSWORD);
  const renew = async (actor: Actor): Promise<void> => {
    if (actor !== 'nobody') cookies.set(actor, await newSession(storage.db, role[actor], hash));
  };
  for (const actor of ['user', 'admin', 'root'] as const) await renew(actor);
  const again = () => furnish(storage.db, process.url, cookies.get('root')!, upstream, seen); // opened above
  await again();
  return {
    process,
    storage,
    seen,
    secrets: [SECRET_KEY, CHANNEL_KEY, HEADER, hash],
    logged() {
      const text = log;
      log = '';
      return text;
    },
    cookieOf: (actor) => cookies.get(actor),
    furnish: again,
    renew,
    async close() {
      process.child.kill('SIGTERM');
      await process.exited;
      await storage.close();
      await upstream.close();
    },
  };
}

/** Creates an account with credits and a session directly in the database. */
async function newSession(db: Kysely<Tables>, rank: number, passwordHash: string): Promise<string> {
  const created_time = Math.floor(Date.now() / 1000);
  const { id } = await db
    .insertInto('users')
    .values({
      username: `fuzz-${randomText(8)}`,
      password_hash: passwordHash,
      role: rank,
      status: userStatus.enabled,
      group: 'default',
      created_time,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.transaction().execute((trx) =>
    post(trx, {
      user_id: id,
      kind: 'gift',
      credits: 1_000_000,
      reference: `fuzz:${id}`,
      actor_id: id,
      remark: '',
      created_time,
    }),
  );
  const value = randomBytes(32).toString('base64url');
  await db
    .insertInto('sessions')
    .values({
      id_hash: fingerprint(value),
      user_id: id,
      created_time,
      seen_time: created_time,
      expires_time: created_time + 86_400,
      ip: '127.0.0.1',
      user_agent: 'fuzz',
    })
    .execute();
  return `session=${value}`;
}

/** Creates records of every kind through the API. */
async function furnish(
  db: Kysely<Tables>,
  url: string,
  cookie: string,
  upstream: Upstream,
  seen: SeenValues,
): Promise<void> {
  const root = new ApiClient(url);
  root.cookie = cookie;
  // Requests change it, and the upstream is on this machine.
  await root.call(optionApi.set, { body: { key: 'OutboundPrivateNetworks', value: '127.0.0.1' } });
  const secret = { key: CHANNEL_KEY, model_headers: JSON.stringify({ 'x-secret': HEADER }), tag: 'east' };
  for (const name of ['first', 'second', 'third']) await addChannel({ root }, upstream.url, { ...secret, name });
  for (const name of ['one', 'two'])
    seen.learn(await root.call(tokenApi.create, { body: { name, unlimited_quota: true } }));
  const codes = await root.call(redemptionApi.create, { body: { name: 'fuzz', quota: 500, count: 3 } });
  seen.learn(codes, 'key');
  seen.learn(await root.call(channelApi.list));
  for (const name of ['base_url', 'url', 'address']) seen.learn(upstream.url, name);
  const people = await db.selectFrom('users').select('id').where('username', 'like', 'fuzz-%').execute();
  const created_at = Math.floor(Date.now() / 1000);
  await insertLogs(
    db,
    people.map(({ id }) => logRow({ request_id: `fuzz-${randomText(8)}`, user_id: id, created_at })),
  );
}
