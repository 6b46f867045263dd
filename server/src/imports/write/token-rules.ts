import { tokenLimits, tokenStatus, type UserGroup } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { moveTokenQuota } from '#quota/imported-credits.ts';
import { fingerprint, hintOf } from '#secrets.ts';
import type { ArrivingToken, TokenRestriction } from '#imports/read/read-tokens.ts';
import type { Report } from '../report.ts';
import type { ImportRun, RecordRules } from './record-rules.ts';
import { rowsHere } from './rows-here.ts';

interface PreparedToken {
  userId: number;
  hash: string;
}

const columns = ['name', 'status', 'expired_time', 'unlimited_quota', 'group', 'key_hash', 'deleted_time'] as const;

export async function tokenRules(
  run: ImportRun,
  groups: ReadonlyMap<string, Pick<UserGroup, 'public'>>,
): Promise<RecordRules<ArrivingToken, PreparedToken>> {
  const { db, report, ids } = run;
  const hashes = new Set((await db.selectFrom('tokens').select('key_hash').execute()).map(({ key_hash }) => key_hash));
  const label = ({ oldId, name }: ArrivingToken): string => `token ${oldId} (${name})`;
  return {
    kind: 'token',
    label,
    state: ({
      oldId: _id,
      remain_quota: _left,
      used_quota: _used,
      accessed_time: _seen,
      restriction: _limits,
      ...rest
    }) => rest,
    figures: ({ name, remain_quota: quota, used_quota: used, restriction }) => ({
      name,
      quota,
      used,
      ...(restriction && { restriction }),
    }),
    prepare: (token) => {
      const userId = ids.user.get(token.owner);
      const hash = fingerprint(token.key);
      if (userId === undefined || hashes.has(hash)) {
        report.remark(
          'lost',
          `${label(token)}: ${userId === undefined ? 'its owner did not come' : 'its key is already here'}`,
        );
        return undefined;
      }
      hashes.add(hash);
      const own = run.owners.get(token.owner)?.group;
      if (token.group !== '' && token.group !== own && !groups.get(token.group)?.public)
        report.remark('group_forbidden', `${label(token)}: ${token.group}`);
      if (token.restriction) reportRestriction(report, label(token), token.restriction);
      if (token.remain_quota < 0 && !token.unlimited_quota)
        report.remark('negative', `${label(token)}: ${token.remain_quota} credits`);
      return { userId, hash };
    },
    add: (trx, token, prepared) => insertToken(trx, token, { run, prepared }),
    change: async (trx, token, id) => {
      const { name, expired_time, unlimited_quota, group } = token;
      const key = keyColumns(run, token.key);
      await trx
        .updateTable('tokens')
        .set({ name, expired_time, unlimited_quota, group, ...key, ...restrictionColumns(token) })
        .where('id', '=', id)
        .execute();
    },
    move: async (trx, token, { new_id: id, figures }) => {
      if (token.restriction) reportRestriction(report, label(token), token.restriction);
      if (!trx) return;
      const missing = await moveTokenQuota(trx, id, token.remain_quota - (figures.quota ?? 0));
      if (missing > 0 && !token.unlimited_quota) report.remark('below_zero', `${label(token)}: ${missing} credits`);
      const used = token.used_quota - (figures.used ?? 0);
      await trx
        .updateTable('tokens')
        .set((eb) => ({ used_quota: eb('used_quota', '+', used) }))
        .where('id', '=', id)
        .execute();
    },
    here: (database, newIds) => rowsHere(database, 'tokens', columns, newIds),
    end: async (trx, id) => {
      await trx.updateTable('tokens').set({ deleted_time: run.now }).where('id', '=', id).execute();
    },
  };
}

async function insertToken(
  trx: Transaction<Tables>,
  token: ArrivingToken,
  { run, prepared }: { run: ImportRun; prepared: PreparedToken },
): Promise<number> {
  const { id } = await trx
    .insertInto('tokens')
    .values({
      user_id: prepared.userId,
      name: token.name,
      ...keyColumns(run, token.key),
      ...restrictionColumns(token),
      created_time: token.created_time || run.now,
      accessed_time: token.accessed_time,
      expired_time: token.expired_time,
      remain_quota: Math.max(0, token.remain_quota),
      unlimited_quota: token.unlimited_quota,
      used_quota: token.used_quota,
      group: token.group,
      enable_cache: false,
      deleted_time: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The key, unchanged: callers keep it. */
const keyColumns = ({ secrets }: ImportRun, key: string) => ({
  key_hash: fingerprint(key),
  key_cipher: secrets.encrypt(`sk-${key}`),
  key_hint: hintOf(`sk-${key}`),
});

/** Columns of a token whose restriction becomes its limits here. A restriction that is not valid here disables it. */
function restrictionColumns({ restriction, status }: Pick<ArrivingToken, 'restriction' | 'status'>): {
  limits: string | null;
  status: number;
} {
  if (!restriction) return { limits: null, status };
  const { success, data } = tokenLimits.safeParse(restriction);
  return success ? { limits: JSON.stringify(data), status } : { limits: null, status: tokenStatus.disabled };
}

/** Lists a restriction in the report. */
function reportRestriction(report: Report, label: string, restriction: TokenRestriction): void {
  const { models, addresses } = restriction;
  const parts = [
    ...(models.length > 0 ? [`models ${models.join(', ')}`] : []),
    ...(addresses.length > 0 ? [`addresses ${addresses.join(', ')}`] : []),
  ];
  const text = `${label}: ${parts.join('; ').slice(0, 200)}`;
  if (tokenLimits.safeParse(restriction).success) report.remark('restriction', text);
  else report.remark('restriction_lost', text);
}
