import { role } from '@relay-hub/contract';
import type { Insertable, Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { shapeOfName } from '#name-shape.ts';
import { postImported } from '#quota/imported-credits.ts';
import { fingerprint } from '#secrets.ts';
import { type ArrivingUser, isPrivileged } from '#imports/read/read-users.ts';
import type { ImportRun, RecordRules } from './record-rules.ts';
import { rowsHere } from './rows-here.ts';

/** Unique names, addresses and codes of existing accounts and of those that this run has added. */
interface TakenNames {
  names: Map<string, { id: number; role: number; balance: number; calls: number; hasAccessToken: boolean }>;
  shapes: Set<string>;
  emails: Set<string>;
  invitations: Set<string>;
  accessTokens: Set<string>;
}

interface PreparedUser {
  /** The account here that it becomes part of. */
  mergeWith: number | undefined;
  username: string;
  shape: string | null;
  email: string;
  invitation: string | null;
  accessToken: string;
}

const columns = [
  'username',
  'display_name',
  'role',
  'status',
  'email',
  'group',
  'password_time',
  'deleted_time',
] as const;

export async function userRules(run: ImportRun): Promise<RecordRules<ArrivingUser, PreparedUser>> {
  const taken = await takenNames(run.db);
  return {
    kind: 'user',
    label: ({ username }) => `user ${username}`,
    // The imported role, so that a later run with the option finds a change.
    state: ({
      oldId: _id,
      quota: _quota,
      used_quota: _used,
      request_count: _count,
      last_login_time: _seen,
      ...rest
    }) => ({
      ...rest,
      role: isTaken(run, rest) ? rest.role : role.user,
    }),
    figures: ({ username, quota, used_quota: used }) => ({ name: username, quota, used }),
    prepare: (user) => prepareUser(run, taken, user),
    existing: ({ mergeWith }) => mergeWith,
    add: async (trx, user, prepared) => {
      const id = prepared.mergeWith ?? (await insertUser(trx, user, prepared, run));
      if (prepared.mergeWith !== undefined) {
        await addUsage(trx, id, user.used_quota, user.request_count);
        await addAccessToken(trx, id, prepared.accessToken, run.now);
      }
      await addIdentities(trx, id, user, run);
      await openBalance(trx, id, user, run);
      return id;
    },
    change: (trx, user, id) => changeUser(trx, id, user, run),
    move: (trx, user, record) => moveFigures(trx, user, { run, record }),
    here: (db, ids) => rowsHere(db, 'users', columns, ids),
  };
}

/** Rights of administrators are taken over only on request. */
const isTaken = ({ administrators }: ImportRun, user: Pick<ArrivingUser, 'role'>): boolean =>
  administrators || !isPrivileged(user);

async function takenNames(db: Kysely<Tables>): Promise<TakenNames> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username', 'username_shape', 'role', 'email', 'aff_code', 'deleted_time'])
    .select(['quota', 'held', 'request_count', 'access_token_hash'])
    .execute();
  const alive = rows.filter(({ deleted_time }) => deleted_time === null);
  return {
    names: new Map(
      rows.map(
        ({ id, username, role: is, deleted_time, quota, held, request_count: calls, access_token_hash: hash }) => [
          username.toLowerCase(),
          { id, role: deleted_time === null ? is : 0, balance: quota + held, calls, hasAccessToken: hash !== null },
        ],
      ),
    ),
    shapes: new Set(rows.flatMap(({ username_shape }) => username_shape ?? [])),
    emails: new Set(alive.map(({ email }) => email.toLowerCase())),
    invitations: new Set(rows.flatMap(({ aff_code }) => aff_code?.toLowerCase() ?? [])),
    accessTokens: new Set(rows.flatMap(({ access_token_hash }) => access_token_hash ?? [])),
  };
}

function prepareUser(run: ImportRun, taken: TakenNames, user: ArrivingUser): PreparedUser | undefined {
  const { report } = run;
  // Listed where it was read.
  if (!isTaken(run, user)) return undefined;
  const here = taken.names.get(user.username.toLowerCase());
  const isMerged = here !== undefined && here.role === role.root && user.role === role.root;
  const accessToken = freeAccessToken(run, taken, user, isMerged && here.hasAccessToken);
  if (isMerged) {
    report.remark('merged', `${user.username}: ${sumOf(here.balance, user.quota, 'credits')}`);
    report.remark('merged', `${user.username}: ${sumOf(here.calls, user.request_count, 'calls')}`);
    return { mergeWith: here.id, username: user.username, shape: null, email: '', invitation: null, accessToken };
  }
  let { username } = user;
  for (let n = 2; taken.names.has(username.toLowerCase()); n++) username = `${user.username}_${n}`;
  if (username !== user.username) report.remark('renamed', `${user.username} → ${username}`);
  const shape = shapeOfName(username);
  const looksAlike = taken.shapes.has(shape);
  if (looksAlike && username === user.username) report.remark('look_alike', username);
  const isShared = user.email !== '' && taken.emails.has(user.email.toLowerCase());
  if (isShared) report.remark('email', `${user.username}: ${user.email}`);
  const invitation = user.aff_code === '' || taken.invitations.has(user.aff_code.toLowerCase()) ? null : user.aff_code;
  taken.names.set(username.toLowerCase(), { id: 0, role: 0, balance: 0, calls: 0, hasAccessToken: false });
  taken.shapes.add(shape);
  if (!isShared) taken.emails.add(user.email.toLowerCase());
  if (invitation !== null) taken.invitations.add(invitation.toLowerCase());
  if (user.quota < 0) report.remark('negative', `${user.username}: ${user.quota} credits`);
  return {
    mergeWith: undefined,
    username,
    shape: looksAlike ? null : shape,
    email: isShared ? '' : user.email,
    invitation,
    accessToken,
  };
}

const sumOf = (here: number, there: number, unit: string): string =>
  `${here} ${unit} here + ${there} there = ${Math.max(0, here + there)}`;

/** The access token of an account that has none here; one token opens one account. */
function freeAccessToken(
  { report }: ImportRun,
  { accessTokens }: TakenNames,
  { username, access_token: token }: ArrivingUser,
  hasOne: boolean,
): string {
  if (token === '') return '';
  const hash = fingerprint(token);
  if (hasOne || accessTokens.has(hash)) {
    report.remark('access_token', `${username}: ${hasOne ? 'there is one here' : 'another account has the same one'}`);
    return '';
  }
  accessTokens.add(hash);
  return token;
}

async function insertUser(
  trx: Transaction<Tables>,
  user: ArrivingUser,
  { username, shape, email, invitation, accessToken }: PreparedUser,
  { ids, now, secrets, pending }: ImportRun,
): Promise<number> {
  const row: Insertable<Tables['users']> = {
    username,
    username_shape: shape,
    password_hash: user.password_hash,
    display_name: user.display_name,
    role: user.role,
    status: user.status,
    email,
    avatar_url: user.avatar_url,
    group: user.group,
    used_quota: user.used_quota,
    request_count: user.request_count,
    created_time: user.created_time || now,
    last_login_time: user.last_login_time,
    aff_code: invitation,
    inviter_id: ids.user.get(user.inviter) ?? null,
    language: user.language,
    import_pending: pending,
    ...(accessToken !== '' && accessTokenColumns(accessToken, now)),
  };
  const { id } = await trx.insertInto('users').values(row).returning('id').executeTakeFirstOrThrow();
  if (user.totpSeed !== '')
    await trx
      .insertInto('totp')
      .values({ user_id: id, seed_cipher: secrets.encrypt(user.totpSeed), confirmed_time: now })
      .execute();
  if (user.oidcByName)
    await trx
      .insertInto('awaited_identities')
      .values({ provider: 'oidc', name: user.username.toLowerCase(), user_id: id })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return id;
}

const accessTokenColumns = (token: string, now: number) => ({
  access_token_hash: fingerprint(token),
  access_token_hint: `${token.slice(0, 4)}••••••••${token.slice(-4)}`,
  access_token_time: now,
});

/** Gives an account its old access token, if it has none here and no other account has it. */
async function addAccessToken(trx: Transaction<Tables>, id: number, token: string, now: number): Promise<void> {
  if (token === '') return;
  const given = accessTokenColumns(token, now);
  await trx
    .updateTable('users')
    .set(given)
    .where('id', '=', id)
    .where('access_token_hash', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('users as other').where('other.access_token_hash', '=', given.access_token_hash).select('id'),
        ),
      ),
    )
    .execute();
}

async function addIdentities(
  trx: Transaction<Tables>,
  userId: number,
  { identities, username }: ArrivingUser,
  { now, report }: ImportRun,
): Promise<void> {
  for (const { provider, issuer, subject } of identities) {
    const added = await trx
      .insertInto('identities')
      .values({ user_id: userId, provider, issuer, subject, created_time: now })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!added) report.remark('identity', `${username}: ${provider} is bound to another account, or has another one`);
  }
}

/** The only entry about the old side: its own history is text without amounts. */
async function openBalance(trx: Transaction<Tables>, id: number, user: ArrivingUser, run: ImportRun): Promise<void> {
  await postImported(trx, {
    user_id: id,
    kind: 'opening',
    credits: user.quota,
    reference: `import:${run.source}:${user.oldId}`,
    actor_id: run.actorId,
    remark: run.remark,
    created_time: run.now,
  });
  run.report.credits += Math.max(0, user.quota);
}

async function changeUser(trx: Transaction<Tables>, id: number, user: ArrivingUser, run: ImportRun): Promise<void> {
  const { now } = run;
  const before = await trx
    .selectFrom('users')
    .where('id', '=', id)
    .select(['import_pending', 'email', 'role'])
    .executeTakeFirstOrThrow();
  await addAccessToken(trx, id, user.access_token, now);
  // An account here that was joined keeps its own fields.
  if (!before.import_pending && before.role === role.root) return;
  await trx
    .updateTable('users')
    .set({
      display_name: user.display_name,
      ...(isTaken(run, user) && { role: user.role }),
      status: user.status,
      group: user.group,
      ...(user.password_hash !== '' && { password_hash: user.password_hash }),
    })
    .where('id', '=', id)
    .execute();
  const isFree = await trx
    .selectFrom('users')
    .where(sql<boolean>`lower(email) = lower(${user.email})`)
    .where('id', '<>', id)
    .where('deleted_time', 'is', null)
    .select('id')
    .executeTakeFirst();
  if (!isFree && user.email !== before.email)
    await trx.updateTable('users').set({ email: user.email }).where('id', '=', id).execute();
  await addIdentities(trx, id, user, { ...run, now });
}

async function moveFigures(
  trx: Transaction<Tables> | undefined,
  user: ArrivingUser,
  { run, record }: { run: ImportRun; record: { new_id: number; figures: { quota?: number; used?: number } } },
): Promise<void> {
  const credits = user.quota - (record.figures.quota ?? 0);
  if (!trx) return;
  const missing = await postImported(trx, {
    user_id: record.new_id,
    kind: 'opening',
    credits,
    reference: `import:${run.source}:${user.oldId}:${run.run}`,
    actor_id: run.actorId,
    remark: run.remark,
    created_time: run.now,
  });
  run.report.credits += credits;
  if (missing > 0) run.report.remark('below_zero', `${user.username}: ${missing} credits`);
  await addUsage(trx, record.new_id, user.used_quota - (record.figures.used ?? 0));
}

async function addUsage(trx: Transaction<Tables>, id: number, used: number, calls = 0): Promise<void> {
  if (used === 0 && calls === 0) return;
  await trx
    .updateTable('users')
    .set((eb) => ({ used_quota: eb('used_quota', '+', used), request_count: eb('request_count', '+', calls) }))
    .where('id', '=', id)
    .execute();
}
