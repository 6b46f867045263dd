import type { Insertable } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import type { UpstreamObjectKind } from '#db/tables/kept-objects.ts';

/** An object that a provider keeps for a user, and where. */
export interface UpstreamObject {
  kind: UpstreamObjectKind;
  id: string;
  channelId: number;
  keyId: number;
  /** The object that it belongs to; empty: none. */
  parentId: string;
  /** Tokens of the conversation that it continues. */
  tokens: number;
  /** The entry in lists, as JSON; left out: none. */
  data?: string;
}

/** An object as it was found, with its entry in lists and its end. */
export interface FoundObject extends UpstreamObject {
  /** JSON; empty: none. */
  data: string;
  /** Unix seconds. */
  expiresAt: number;
}

export interface ObjectOwner {
  userId: number;
  tokenId: number;
}

/** Lifetime, in seconds, of objects that providers keep until they are deleted. */
export const UNTIL_DELETED_S = 10 * 365 * 86_400;

/** Unix seconds. */
interface Lifetime {
  now: number;
  until: number;
}

const ROWS_PER_INSERT = 100;

const rowsOf = (
  { userId, tokenId }: ObjectOwner,
  objects: readonly UpstreamObject[],
  { now, until }: Lifetime,
): Insertable<Tables['upstream_objects']>[] =>
  objects.map((object) => ({
    kind: object.kind,
    object_id: object.id,
    user_id: userId,
    token_id: tokenId,
    channel_id: object.channelId,
    key_id: object.keyId,
    parent_id: object.parentId,
    tokens: object.tokens,
    data: object.data ?? '',
    created_at: now,
    expires_at: until,
  }));

/** Records where objects are kept. An object that is known already gets a new place and lifetime. */
export async function rememberObjects(
  db: Db,
  owner: ObjectOwner,
  objects: readonly UpstreamObject[],
  lifetime: Lifetime,
): Promise<void> {
  const rows = rowsOf(owner, objects, lifetime);
  for (let i = 0; i < rows.length; i += ROWS_PER_INSERT)
    await db
      .insertInto('upstream_objects')
      .values(rows.slice(i, i + ROWS_PER_INSERT))
      .onConflict((conflict) =>
        conflict.columns(['object_id', 'kind', 'user_id']).doUpdateSet(({ ref }) => ({
          token_id: ref('excluded.token_id'),
          channel_id: ref('excluded.channel_id'),
          key_id: ref('excluded.key_id'),
          tokens: ref('excluded.tokens'),
          data: ref('excluded.data'),
          expires_at: ref('excluded.expires_at'),
        })),
      )
      .execute();
}

/** The user's objects among these ids, by id. Objects of other users do not exist for them. */
export async function findObjects(
  db: Db,
  userId: number,
  kinds: readonly UpstreamObjectKind[],
  { ids, now }: { ids: readonly string[]; now: number },
): Promise<Map<string, FoundObject>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('upstream_objects')
    .where('object_id', 'in', ids)
    .where('kind', 'in', kinds)
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .selectAll()
    .execute();
  return new Map(
    rows.map((row) => [
      row.object_id,
      {
        kind: row.kind,
        id: row.object_id,
        channelId: row.channel_id,
        keyId: row.key_id,
        parentId: row.parent_id,
        tokens: row.tokens,
        data: row.data,
        expiresAt: row.expires_at,
      },
    ]),
  );
}

/** The user's objects of a kind, newest first, with what lists show of them. */
export const listObjects = (
  db: Db,
  userId: number,
  kind: UpstreamObjectKind,
  now: number,
): Promise<{ object_id: string; data: string; expires_at: number }[]> =>
  live(db, userId, kind, now)
    .select(['object_id', 'data', 'expires_at'])
    .orderBy('created_at', 'desc')
    .orderBy('object_id')
    .execute();

export async function countObjects(db: Db, userId: number, kind: UpstreamObjectKind, now: number): Promise<number> {
  const { count } = await live(db, userId, kind, now)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Where the user's newest object of a kind is, among these channels; undefined: they have none there. */
export async function newestObject(
  db: Db,
  userId: number,
  kind: UpstreamObjectKind,
  { channelIds, now }: { channelIds: readonly number[]; now: number },
): Promise<{ channelId: number; keyId: number } | undefined> {
  if (channelIds.length === 0) return undefined;
  const row = await live(db, userId, kind, now)
    .where('channel_id', 'in', channelIds)
    .select(['channel_id', 'key_id'])
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  return row && { channelId: row.channel_id, keyId: row.key_id };
}

const live = (db: Db, userId: number, kind: UpstreamObjectKind, now: number) =>
  db
    .selectFrom('upstream_objects')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('expires_at', '>', now);

/** Adds to the tokens of a conversation that grew. */
export async function addTokens(db: Db, userId: number, id: string, tokens: number): Promise<void> {
  if (tokens === 0) return;
  await db
    .updateTable('upstream_objects')
    .set((eb) => ({ tokens: eb('tokens', '+', tokens) }))
    .where('object_id', '=', id)
    .where('user_id', '=', userId)
    .execute();
}

/** Sets the tokens of a conversation, as a reply has counted them. */
export async function setTokens(db: Db, userId: number, id: string, tokens: number): Promise<void> {
  await db
    .updateTable('upstream_objects')
    .set({ tokens })
    .where('object_id', '=', id)
    .where('user_id', '=', userId)
    .where('kind', '=', 'conversation')
    .execute();
}

/** Forgets an object with everything that belongs to it. */
export async function forgetObject(db: Db, userId: number, id: string): Promise<void> {
  await db
    .deleteFrom('upstream_objects')
    .where('user_id', '=', userId)
    .where((where) => where.or([where('object_id', '=', id), where('parent_id', '=', id)]))
    .execute();
}

/** Replaces what lists show of an object, not its lifetime. */
export async function renewData(db: Db, userId: number, id: string, data: string): Promise<void> {
  await db
    .updateTable('upstream_objects')
    .set({ data })
    .where('object_id', '=', id)
    .where('user_id', '=', userId)
    .where('data', '!=', '')
    .execute();
}

/** Records objects that a provider made during a call, unless they are known. */
export async function rememberUnknown(
  db: Db,
  owner: ObjectOwner,
  objects: readonly UpstreamObject[],
  lifetime: Lifetime,
): Promise<void> {
  if (objects.length === 0) return;
  await db
    .insertInto('upstream_objects')
    .values(rowsOf(owner, objects, lifetime))
    .onConflict((conflict) => conflict.columns(['object_id', 'kind', 'user_id']).doNothing())
    .execute();
}

/** An object whose paid time is over. */
export interface ExpiredObject {
  kind: UpstreamObjectKind;
  id: string;
  userId: number;
  channelId: number;
  keyId: number;
}

/** Kinds whose objects are paid for a time, and deleted at their provider after it. */
const PAID_KINDS: readonly UpstreamObjectKind[] = ['vector_store', 'container'];
/** Time in which the deletion of an expired object is tried. */
const REMOVAL_S = 30 * 86_400;
const MOST_REMOVED = 100;

/** Objects that have to be deleted at their providers, the latest first: one that fails does not delay new ones. */
export async function expiredObjects(db: Db, now: number): Promise<ExpiredObject[]> {
  const rows = await db
    .selectFrom('upstream_objects')
    .where('expires_at', '<=', now)
    .where('kind', 'in', PAID_KINDS)
    .where('data', '!=', '')
    .select(['kind', 'object_id', 'user_id', 'channel_id', 'key_id'])
    .orderBy('expires_at', 'desc')
    .limit(MOST_REMOVED)
    .execute();
  return rows.map(({ kind, object_id, user_id, channel_id, key_id }) => ({
    kind,
    id: object_id,
    userId: user_id,
    channelId: channel_id,
    keyId: key_id,
  }));
}

/** Removes expired objects. Paid objects remain until they are deleted at their providers. */
export async function pruneObjects(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('upstream_objects')
    .where('expires_at', '<=', now)
    .where((of) =>
      of.or([of('kind', 'not in', PAID_KINDS), of('data', '=', ''), of('expires_at', '<=', now - REMOVAL_S)]),
    )
    .execute();
  await db.deleteFrom('stored_responses').where('expires_at', '<=', now).execute();
  await db.deleteFrom('client_secrets').where('expires_at', '<=', now).execute();
}
