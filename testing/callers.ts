import { memberScope, role, type SubjectLimits, tokenStatus, userStatus } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { setLimits } from '#features/limit/subject-limits.ts';
import { addMember, createTeam } from '#features/team/team-changes.ts';
import { caughtUp } from './caught-up.ts';
import { post } from '#quota/ledger.ts';
import { fingerprint, randomText } from '#secrets.ts';

export interface TestCaller {
  userId: number;
  tokenId: number;
  /** With the prefix `sk-`. */
  key: string;
}

const nowS = (): number => Math.floor(Date.now() / 1000);

/** A user with credits and a token; `remain` limits the token. */
export async function addCaller(
  db: Kysely<Tables>,
  {
    quota = 1_000_000,
    remain,
    group = 'default',
    tokenGroup = '',
  }: { quota?: number; remain?: number; group?: string; tokenGroup?: string } = {},
): Promise<TestCaller> {
  const username = `user-${randomText(10)}`;
  const userId = await db.transaction().execute(async (trx) => {
    const user = {
      username,
      password_hash: '',
      role: role.user,
      status: userStatus.enabled,
      group,
      created_time: nowS(),
    };
    const { id } = await trx.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
    if (quota > 0)
      await post(trx, {
        user_id: id,
        kind: 'gift',
        credits: quota,
        reference: `gift:${id}`,
        actor_id: id,
        remark: '',
        created_time: nowS(),
      });
    return id;
  });
  return { userId, ...(await addKey(db, userId, { ...(remain !== undefined && { remain }), group: tokenGroup })) };
}

/** A team with credits, and a caller for each of its two members; the second has a budget of a month. */
export async function addTeamCallers(
  db: Kysely<Tables>,
  { quota, budget }: { quota: number; budget: number },
): Promise<TestCaller[]> {
  const people = [await addCaller(db, { quota: 0 }), await addCaller(db, { quota: 0 })];
  const [owner, other] = people.map(({ userId }) => userId);
  const team = await createTeam(db, owner!, `team-${randomText(10)}`, nowS());
  await db.transaction().execute(async (trx) => {
    await addMember(trx, { team, user: other!, role: 'member', invitedBy: owner!, now: nowS() });
    const gift = { kind: 'gift', reference: `gift:${team}`, remark: '', created_time: nowS() } as const;
    await post(trx, { ...gift, user_id: team, credits: quota, actor_id: owner! });
    const limits: SubjectLimits = {
      caps: [{ measure: 'credits', period: 'month', amount: budget }],
      reset: 'calendar',
      time_zone: 'UTC',
      anchor: 0,
    };
    await setLimits(trx, { accountId: team, scope: memberScope(team, other!) }, limits, nowS());
  });
  return Promise.all(
    [owner!, other!].map(async (member) => ({ userId: team, ...(await addKey(db, team, { member })) })),
  );
}

export async function addKey(
  db: Kysely<Tables>,
  userId: number,
  {
    remain,
    group = '',
    status = tokenStatus.enabled,
    expires = -1,
    member,
  }: { remain?: number; group?: string; status?: number; expires?: number; member?: number } = {},
): Promise<{ tokenId: number; key: string }> {
  const bare = randomText(48);
  const { id } = await db
    .insertInto('tokens')
    .values({
      user_id: userId,
      member_id: member ?? null,
      name: 'test',
      key_hash: fingerprint(bare),
      key_cipher: '',
      key_hint: '',
      status,
      created_time: nowS(),
      expired_time: expires,
      remain_quota: remain ?? 0,
      unlimited_quota: remain === undefined,
      group,
      enable_cache: false,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { tokenId: id, key: `sk-${bare}` };
}

export async function userOf(db: Kysely<Tables>, { userId }: Pick<TestCaller, 'userId'>) {
  await caughtUp(db);
  const { quota, held, ...user } = await db
    .selectFrom('users')
    .where('id', '=', userId)
    .select(['quota', 'held', 'used_quota', 'request_count'])
    .executeTakeFirstOrThrow();
  return { balance: quota + held, ...user };
}

export async function tokenOf(db: Kysely<Tables>, { tokenId }: Pick<TestCaller, 'tokenId'>) {
  await caughtUp(db);
  const { remain_quota, held, used_quota } = await db
    .selectFrom('tokens')
    .where('id', '=', tokenId)
    .select(['remain_quota', 'held', 'used_quota'])
    .executeTakeFirstOrThrow();
  return { remain_quota: remain_quota + held, used_quota };
}

/** A user's log rows, oldest first. */
export async function rowsOf(db: Kysely<Tables>, { userId }: Pick<TestCaller, 'userId'>) {
  await caughtUp(db);
  return db.selectFrom('logs').where('user_id', '=', userId).selectAll().orderBy('id').execute();
}
