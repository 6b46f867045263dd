import type { ListQuery, Page, Token, tokenEdit } from '@relay-hub/contract';
import { limitsNothing, newToken, playgroundToken, tokenStatus } from '@relay-hub/contract';
import { type Expression, type Kysely, sql, type SqlBool, type Transaction } from 'kysely';
import type * as z from 'zod/mini';
import { locked, startsWith } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { given as present } from '#db/given.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';
import { addEvent } from '#notifications/add-event.ts';
import { type TokenRow, withUse } from './token-limits.ts';
import { isPlaygroundToken } from '#live/playground-token.ts';
import { ownRowsOf } from '#http/session/acting.ts';
import type { Viewer } from '#http/session/session.ts';
import type { Secrets } from '#secrets.ts';
import { fingerprint, hintOf, randomText } from '#secrets.ts';

/** Hint of the bare key, because clients of the product family add `sk-`; older rows have the prefix. */
export const bareHint = sql<string>`case when key_hint like 'sk-%' then substr(key_hint, 4) else key_hint end`;

/** A token's visible columns; `key_hint` is called `key` on the wire. */
export const tokenColumnsShown = [
  'id',
  'user_id',
  'member_id',
  sql<string>`coalesce((select people.username from users people where people.id = tokens.member_id), '')`.as('holder'),
  'name',
  bareHint.as('key'),
  'status',
  'created_time',
  'accessed_time',
  'expired_time',
  // Credits reserved by calls in progress still count as the token's.
  sql<number>`remain_quota + held`.as('remain_quota'),
  'unlimited_quota',
  'used_quota',
  'group',
  'enable_cache',
  'response_store_hours',
  'tag',
  'note',
  'metadata',
  'limits',
  'rotated_time',
] as const;

const KEY_LENGTH = 48;
const MOST_TOKENS = 500;

/** A random key without its prefix. */
export const newBareKey = (): string => randomText(KEY_LENGTH);

/** A user's own tokens, without the playground's; all queries below are limited to them. */
export const ownTokens = (db: Db, userId: number) =>
  db
    .selectFrom('tokens')
    .where('user_id', '=', userId)
    .where('deleted_time', 'is', null)
    .where((eb) => eb.not(isPlaygroundToken(eb)));

/** `status` is the current one: a token past its expiry or quota is no longer enabled. */
export async function listTokens(
  db: Db,
  userId: number,
  query: ListQuery & { keyword: string; status: number; tag: string; member_id?: number },
  now: number,
): Promise<Page<Token>> {
  let tokens = ownTokens(db, userId).select(tokenColumnsShown);
  const { keyword, tag, status } = query;
  if (keyword !== '')
    tokens = tokens.where((eb) =>
      eb.or([
        startsWith('name', keyword),
        startsWith('tag', keyword),
        ...(isKeyEnd(keyword) ? [endsWith(keyword)] : []),
      ]),
    );
  if (tag !== '') tokens = tokens.where('tag', '=', tag);
  if (query.member_id) tokens = tokens.where('member_id', '=', query.member_id);
  if (status !== 0) tokens = tokens.where(effectiveStatus(now), '=', status);
  const page = await pageOfRows(tokens, query);
  return { ...page, data: await withUse(db, page.data, now) };
}

/** The present status: a token past its expiry or quota is no longer enabled. */
export const effectiveStatus = (now: number) => sql<number>`case
  when tokens.status <> ${tokenStatus.enabled} then tokens.status
  when expired_time <> -1 and expired_time <= ${now} then ${tokenStatus.expired}
  when not unlimited_quota and remain_quota + tokens.held <= 0 then ${tokenStatus.exhausted}
  else tokens.status end`;

/** Masked keys show this many characters of their end. */
const SHOWN_END = 4;

/** Whether a text can be the visible end of a key, or a whole key, of which only the end is compared. */
export const isKeyEnd = (text: string): boolean => /^[\w-]+$/.test(text) && text.length >= SHOWN_END;

/** Tokens whose present or old key ends as `text` does. */
export function endsWith(text: string): Expression<SqlBool> {
  const end = text.slice(-SHOWN_END);
  const matches = (hint: string) =>
    sql<SqlBool>`substr(${sql.ref(hint)}, length(${sql.ref(hint)}) - ${SHOWN_END - 1}) = ${end}`;
  return sql<SqlBool>`(${matches('tokens.key_hint')} or exists (
    select 1 from token_old_keys where token_old_keys.token_id = tokens.id and ${matches('token_old_keys.key_hint')}))`;
}

/** The tags of an account's tokens, or of those that a member holds. */
export async function listTags(db: Db, userId: number, holder?: number): Promise<string[]> {
  let tokens = ownTokens(db, userId).where('tag', '<>', '');
  if (holder !== undefined) tokens = tokens.where('member_id', '=', holder);
  const rows = await tokens.select('tag').distinct().orderBy('tag').execute();
  return rows.map(({ tag }) => tag);
}

export async function getToken(db: Db, userId: number, id: number, now: number): Promise<Token> {
  const token = await ownTokens(db, userId).where('id', '=', id).select(tokenColumnsShown).executeTakeFirst();
  ensure(token, 'record.not_found', { field: 'id' });
  return shown(db, token, now);
}

async function shown(db: Db, row: TokenRow, now: number): Promise<Token> {
  const [token] = await withUse(db, [row], now);
  return token!; // one for each row
}

/** The columns of an input; the family's fields are in `limits`. */
function columnsOf<T extends Omit<z.output<typeof tokenEdit>, 'id' | 'used_quota'>>(input: T) {
  const {
    models: _models,
    subnet: _subnet,
    model_limits: _names,
    model_limits_enabled: _enabled,
    allow_ips: _ips,
    setting: _setting,
    limits,
    metadata,
    ...plain
  } = input;
  return {
    ...plain,
    ...(limits && { limits: limitsNothing(limits) ? null : JSON.stringify(limits) }),
    ...(metadata && { metadata: JSON.stringify(metadata) }),
  };
}

/**
 * Throws `record.not_found` unless the viewer may reach the token: members of a team reach those that they hold. For
 * `key` only the holder may, whatever their role.
 */
export async function checkHolder(db: Db, viewer: Viewer, id: number, what: 'token' | 'key' = 'token'): Promise<void> {
  const holder = what === 'key' ? viewer.member?.id : ownRowsOf(viewer);
  if (holder === undefined) return;
  const token = await ownTokens(db, viewer.id).where('id', '=', id).select('member_id').executeTakeFirst();
  ensure(token?.member_id === holder, 'record.not_found', { field: 'id' });
}

/** An own token's full key, with its prefix. */
export async function revealKey(db: Db, secrets: Secrets, userId: number, id: number): Promise<string> {
  const token = await ownTokens(db, userId).where('id', '=', id).select('key_cipher').executeTakeFirst();
  ensure(token, 'record.not_found', { field: 'id' });
  return secrets.decrypt(token.key_cipher);
}

/** The keys of a viewer's own tokens by id, with `sk-`; ids of others are left out. */
export async function revealKeys(
  db: Db,
  secrets: Secrets,
  { id: userId, member }: TokenOwner,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await ownTokens(db, userId)
    .where('id', 'in', [...ids])
    .$if(member !== undefined, (found) => found.where('member_id', '=', member?.id ?? 0))
    .select(['id', 'key_cipher'])
    .execute();
  return new Map(rows.map(({ id, key_cipher }) => [id, secrets.decrypt(key_cipher)]));
}

/** Account of a new token, and the member of a team who holds it. */
export type TokenOwner = Pick<Viewer, 'id' | 'member'>;

/**
 * Creates a token with its event; pass a transaction. Returns the key; later only `revealKey` does. Throws
 * `token.key_taken` for a given key in use.
 */
export async function createToken(
  { db, secrets, now }: Pick<Deps, 'secrets' | 'now'> & { db: Db },
  { id: userId, member }: TokenOwner,
  { key: given, ...input }: Omit<z.output<typeof newToken>, 'user_id'>,
): Promise<{ token: Token; key: string }> {
  await ensureRoom(db, userId);
  const bare = given === '' ? newBareKey() : given;
  const old = await db
    .selectFrom('token_old_keys')
    .where('key_hash', '=', fingerprint(bare))
    .select('token_id')
    .execute();
  ensure(old.length === 0, 'token.key_taken', { field: 'key' });
  const key = `sk-${bare}`;
  const token = await db
    .insertInto('tokens')
    .values({
      ...columnsOf(input),
      user_id: userId,
      member_id: member?.id ?? null,
      ...(input.tag === '' && member && { tag: member.costCentre }),
      key_hash: fingerprint(bare),
      key_cipher: secrets.encrypt(key),
      key_hint: hintOf(bare),
      status: tokenStatus.enabled,
      created_time: now(),
    })
    .onConflict((conflict) => conflict.column('key_hash').doNothing())
    .returning(tokenColumnsShown)
    .executeTakeFirst();
  ensure(token, 'token.key_taken', { field: 'key' });
  const { id, name } = token;
  await addEvent(db, { type: 'key.created', object: `key:${id}`, userId, data: { id, name }, now: now() });
  return { token: await shown(db, token, now()), key };
}

/** Throws `token.too_many` if an account cannot have another token. */
export async function ensureRoom(db: Db, userId: number): Promise<void> {
  const { count } = await ownTokens(db, userId)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  ensure(count < MOST_TOKENS, 'token.too_many', { limit: MOST_TOKENS });
}

/**
 * The bare key of the token that clients of the product family play with: an ordinary one, which its owner sees in the
 * list. Throws `token.disabled` while its owner has disabled it.
 */
export async function playgroundKey(deps: Pick<Deps, 'db' | 'secrets' | 'now'>, owner: TokenOwner): Promise<string> {
  const { db, secrets } = deps;
  const known = await ownTokens(db, owner.id)
    .where('name', '=', playgroundToken)
    .where('member_id', 'is not distinct from', owner.member?.id ?? null)
    .select(['status', 'key_cipher'])
    .orderBy('id')
    .executeTakeFirst();
  if (known) ensure(known.status === tokenStatus.enabled, 'token.disabled');
  const input = { ...newToken.parse({ name: playgroundToken }), unlimited_quota: true };
  const key = known
    ? secrets.decrypt(known.key_cipher)
    : (await db.transaction().execute((trx) => createToken({ ...deps, db: trx }, owner, input))).key;
  return key.replace(/^sk-/, '');
}

type TokenChanges = Omit<z.output<typeof tokenEdit>, 'id' | 'status'> & { status?: 1 | 2 | undefined };

/**
 * Updates an own token. Throws `token.expired` or `token.exhausted` if it would be enabled but unusable. An exhausted
 * or expired token with new room is enabled again. A `remain_quota` that is old by the `used_quota` next to it is
 * ignored.
 */
export async function updateToken(
  db: Kysely<Tables>,
  { userId, id }: { userId: number; id: number },
  { used_quota: seen, ...given }: TokenChanges,
  now: number,
): Promise<Token> {
  return db.transaction().execute(async (trx) => {
    const row = trx.selectFrom('tokens').where('id', '=', id).where('user_id', '=', userId).select('id');
    await locked(row, trx).execute();
    const before = await getToken(trx, userId, id, now);
    const changes = seen !== undefined && isStale(given, seen, before) ? { ...given, remain_quota: undefined } : given;
    return writeToken(trx, before, changes, now);
  });
}

/** Whether the remaining quota is what it was before the use that a client has not seen. */
function isStale({ remain_quota: given }: TokenChanges, seen: number, before: Token): boolean {
  if (given === undefined || before.unlimited_quota) return false;
  return seen !== before.used_quota && Math.max(0, given - (before.used_quota - seen)) === before.remain_quota;
}

async function writeToken(trx: Transaction<Tables>, before: Token, changes: TokenChanges, now: number): Promise<Token> {
  const { id, user_id: userId } = before;
  const after = { ...before, ...present(changes) };
  const expired = after.expired_time !== -1 && after.expired_time <= now;
  const exhausted = !after.unlimited_quota && after.remain_quota <= 0;
  if (changes.status === tokenStatus.enabled) {
    ensure(!expired, 'token.expired', { field: 'status' });
    ensure(!exhausted, 'token.exhausted', { field: 'status' });
  }
  const ranOut = before.status === tokenStatus.expired || before.status === tokenStatus.exhausted;
  // Written only if changed, so that a concurrent disable is not overridden.
  const status = changes.status ?? (ranOut && !expired && !exhausted ? tokenStatus.enabled : undefined);
  if (changes.remain_quota !== undefined) await takeIn(trx, { userId, id }, changes.remain_quota);
  const updated = await trx
    .updateTable('tokens')
    .set({
      ...present(columnsOf(changes)),
      status: status ?? sql.ref<number>('status'),
      ...(changes.remain_quota !== undefined && {
        remain_quota: sql<number>`cast(${changes.remain_quota} as bigint) - held`,
      }),
    })
    .where('id', '=', id)
    .returning(tokenColumnsShown)
    .executeTakeFirstOrThrow();
  if (status === tokenStatus.disabled && before.status !== status)
    await tellEnd(trx, { id, name: updated.name, userId, reason: 'disabled', now });
  return shown(trx, updated, now);
}

/**
 * If the new quota is below what calls have reserved, the reservations are cut, because returning their rest would
 * exceed the owner's limit. The calls are charged all the same, against the new quota.
 */
async function takeIn(trx: Transaction<Tables>, { userId, id }: { userId: number; id: number }, quota: number) {
  const { held } = await trx.selectFrom('tokens').where('id', '=', id).select('held').executeTakeFirstOrThrow();
  if (held <= quota) return;
  await trx.deleteFrom('leases').where('user_id', '=', userId).where('token_id', '=', id).execute();
  await trx.updateTable('tokens').set({ held: 0 }).where('id', '=', id).execute();
}

export async function removeToken(db: Kysely<Tables>, userId: number, id: number, now: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const removed = await trx
      .updateTable('tokens')
      .set({ deleted_time: now })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('deleted_time', 'is', null)
      .where((eb) => eb.not(isPlaygroundToken(eb)))
      .returning('name')
      .executeTakeFirst();
    ensure(removed, 'record.not_found', { field: 'id' });
    await tellEnd(trx, { id, name: removed.name, userId, reason: 'deleted', now });
  });
}

interface EndedToken {
  id: number;
  name: string;
  userId: number;
  reason: 'disabled' | 'deleted';
  now: number;
}

const tellEnd = (trx: Db, { id, name, userId, reason, now }: EndedToken): Promise<number> =>
  addEvent(trx, { type: 'key.ended', object: `key:${id}`, userId, data: { id, name, reason }, now });

/** Names the fields of an update that kept another value than the given one, because they were read before later use. */
export function tellIgnoredQuota(
  given: Pick<TokenChanges, 'remain_quota' | 'used_quota'>,
  { remain_quota: remaining, used_quota: used }: Token,
  ignored: (field: string) => void,
): void {
  if (given.remain_quota !== undefined && given.remain_quota !== remaining) ignored('remain_quota');
  if (given.used_quota !== undefined && given.used_quota !== used) ignored('used_quota');
}
