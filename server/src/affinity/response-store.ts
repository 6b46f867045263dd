import { type Kysely, sql } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { isObject, listOr, objectOr, parseJson, type Json } from '#json.ts';
import type { Secrets } from '#secrets.ts';
import type { ObjectOwner } from './upstream-objects.ts';

/** A response that is kept here, with the input of its call. */
export interface StoredResponse {
  /** As the caller received it. */
  response: Json;
  /** Items of the caller's input, without those of earlier responses. */
  input: Json[];
  /** The process that makes it in the background; left out: it has ended. */
  node?: string;
}

interface Store {
  db: Kysely<Tables>;
  secrets: Secrets;
}

/** Longest chain of responses that is resolved. */
const MAX_CHAIN = 1000;

/** Keeps a response, encrypted. Times in Unix seconds. */
export async function storeResponse(
  { db, secrets }: Store,
  { userId, tokenId }: ObjectOwner,
  { response, input, previousId, node = '' }: StoredResponse & { previousId: string },
  { now, until }: { now: number; until: number },
): Promise<void> {
  const row = {
    response_id: String(response['id']),
    user_id: userId,
    token_id: tokenId,
    previous_id: previousId,
    content_cipher: secrets.encrypt(JSON.stringify({ response, input })),
    node,
    created_at: now,
    expires_at: until,
  };
  await db
    .insertInto('stored_responses')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('response_id').doUpdateSet({ content_cipher: row.content_cipher, node, expires_at: until }),
    )
    .execute();
  await makeRoom(db, userId, row.content_cipher.length);
}

/** Bytes that the responses of one user may take; the oldest give way. */
export const MAX_STORED_BYTES = 64 * 1024 * 1024;
/** Bytes that this process stores for a user before it looks how many there are. */
const UNCHECKED_BYTES = 4 * 1024 * 1024;
const MAX_USERS = 10_000;

/** Bytes stored by user since the last look. */
const unchecked = new WeakMap<Kysely<Tables>, Map<number, number>>();

/** Deletes the oldest responses of a user beyond their share. Looks rarely, so each process may exceed it a little. */
async function makeRoom(db: Kysely<Tables>, userId: number, bytes: number): Promise<void> {
  let users = unchecked.get(db);
  if (!users) unchecked.set(db, (users = new Map()));
  const since = (users.get(userId) ?? 0) + bytes;
  users.delete(userId);
  if (since < UNCHECKED_BYTES) {
    users.set(userId, since);
    const [longestAgo] = users.keys();
    if (users.size <= MAX_USERS || longestAgo === undefined) return;
    users.delete(longestAgo);
    return deleteOldest(db, longestAgo);
  }
  return deleteOldest(db, userId);
}

/** Responses that are being made in the background stay. */
async function deleteOldest(db: Kysely<Tables>, userId: number): Promise<void> {
  const byAge = db
    .selectFrom('stored_responses')
    .where('user_id', '=', userId)
    .select([
      'response_id',
      sql<number>`sum(octet_length(content_cipher)) over (order by created_at desc, response_id desc)`.as('total'),
    ]);
  const beyond = db.selectFrom(byAge.as('aged')).where('total', '>', MAX_STORED_BYTES).select('response_id');
  await db.deleteFrom('stored_responses').where('response_id', 'in', beyond).where('node', '=', '').execute();
}

/** Replaces a response that has ended. One that its owner has deleted meanwhile stays deleted. */
export async function endResponse(
  { db, secrets }: Store,
  { userId }: ObjectOwner,
  { response, input }: StoredResponse,
  until: number,
): Promise<void> {
  await db
    .updateTable('stored_responses')
    .set({ content_cipher: secrets.encrypt(JSON.stringify({ response, input })), node: '', expires_at: until })
    .where('response_id', '=', String(response['id']))
    .where('user_id', '=', userId)
    .execute();
}

/** More is stored than one request may load. */
export class TooMuchStored extends Error {}

/** Longest ciphertext that one request loads: that of the largest request body. */
const MAX_CIPHER = 44 * 1024 * 1024;

/** The user's stored responses among these ids. Rejects with `TooMuchStored`. */
export async function findResponses(
  store: Store,
  userId: number,
  ids: readonly string[],
  now: number,
): Promise<Map<string, StoredResponse>> {
  if (ids.length > 1) checkSizes(await ownRows(store, userId, ids, now).select(sizeOf).execute());
  return load(store, userId, ids, now);
}

async function load(
  store: Store,
  userId: number,
  ids: readonly string[],
  now: number,
): Promise<Map<string, StoredResponse>> {
  if (ids.length === 0) return new Map();
  const rows = await ownRows(store, userId, ids, now).select(['response_id', 'content_cipher', 'node']).execute();
  return new Map(
    rows.map(({ response_id, content_cipher, node }) => [
      response_id,
      { ...opened(store.secrets, content_cipher), node },
    ]),
  );
}

const ownRows = ({ db }: Store, userId: number, ids: readonly string[], now: number) =>
  db
    .selectFrom('stored_responses')
    .where('response_id', 'in', ids)
    .where('user_id', '=', userId)
    .where('expires_at', '>', now);

/**
 * A stored response after all responses that it continues, oldest first. Undefined: it is not stored, or a part of its
 * conversation has been deleted. Rejects with `TooMuchStored`.
 */
export async function findChain(
  store: Store,
  userId: number,
  id: string,
  now: number,
): Promise<StoredResponse[] | undefined> {
  const chain = await store.db
    .withRecursive('chain(response_id, previous_id, size, depth)', (query) =>
      query
        .selectFrom('stored_responses')
        .where('response_id', '=', id)
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .select((of) => ['response_id', 'previous_id', sizeOf, of.lit(0).as('depth')])
        .unionAll((next) =>
          next
            .selectFrom('stored_responses')
            .innerJoin('chain', 'chain.previous_id', 'stored_responses.response_id')
            .where('stored_responses.user_id', '=', userId)
            .where('stored_responses.expires_at', '>', now)
            .where('chain.depth', '<', MAX_CHAIN)
            .select((of) => [
              'stored_responses.response_id',
              'stored_responses.previous_id',
              sizeOf,
              of('chain.depth', '+', of.lit(1)).as('depth'),
            ]),
        ),
    )
    .selectFrom('chain')
    .select(['response_id', 'previous_id', 'size'])
    .orderBy('depth', 'desc')
    .execute();
  if (chain.length === 0 || chain[0]?.previous_id !== '') return undefined;
  checkSizes(chain);
  const ids = chain.map(({ response_id }) => response_id);
  const found = await load(store, userId, ids, now);
  const responses = ids.flatMap((each) => found.get(each) ?? []);
  return responses.length === ids.length ? responses : undefined;
}

const sizeOf = sql<number>`length(content_cipher)`.as('size');

function checkSizes(rows: readonly { size: number }[]): void {
  if (rows.reduce((sum, { size }) => sum + size, 0) > MAX_CIPHER) throw new TooMuchStored();
}

/** Deletes a stored response; false: there was none. */
export async function deleteResponse(db: Kysely<Tables>, userId: number, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('stored_responses')
    .where('response_id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

function opened(secrets: Secrets, cipher: string): StoredResponse {
  const content = objectOr(parseJson(secrets.decrypt(cipher)));
  return { response: objectOr(content['response']), input: listOr(content['input']).filter(isObject) };
}
