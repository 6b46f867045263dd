import { redemptionStatus } from '@relay-hub/contract';
import { codeHint, plainCode } from '#features/redemption/redemption-code.ts';
import { fingerprint } from '#secrets.ts';
import type { ArrivingCode } from '#imports/read/read-codes.ts';
import type { ImportRun, RecordRules } from './record-rules.ts';
import { rowsHere } from './rows-here.ts';

const columns = ['name', 'status', 'quota', 'expired_time', 'deleted_time'] as const;

export async function codeRules(run: ImportRun): Promise<RecordRules<ArrivingCode, { hash: string }>> {
  const { db, report, ids, now } = run;
  const taken = await db.selectFrom('redemptions').select('key_hash').execute();
  const hashes = new Set(taken.map(({ key_hash }) => key_hash));
  const label = ({ oldId, name }: ArrivingCode): string => `code ${oldId} (${name})`;
  return {
    kind: 'code',
    label,
    state: ({ oldId: _id, ...rest }) => rest,
    figures: ({ name }) => ({ name }),
    prepare: (code) => {
      const hash = fingerprint(plainCode(code.key));
      if (hashes.has(hash)) {
        report.remark('lost', `${label(code)}: it is already here`);
        return undefined;
      }
      hashes.add(hash);
      return { hash };
    },
    add: async (trx, code, { hash }) => {
      const plain = plainCode(code.key);
      const { id } = await trx
        .insertInto('redemptions')
        .values({
          user_id: ids.user.get(code.maker) ?? run.actorId,
          name: code.name,
          key_hash: hash,
          key_cipher: run.secrets.encrypt(plain),
          key_hint: codeHint(plain),
          status: code.status,
          quota: code.quota,
          created_time: code.created_time || now,
          expired_time: code.expired_time,
          redeemed_time: code.status === redemptionStatus.used ? code.redeemed_time : 0,
          redeemed_user_id: ids.user.get(code.redeemer) ?? 0,
          import_pending: run.pending,
          deleted_time: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    change: async (trx, code, id) => {
      const { name, status, quota, expired_time, redeemed_time } = code;
      await trx
        .updateTable('redemptions')
        .set({ name, status, quota, expired_time })
        .$if(status === redemptionStatus.used, (query) =>
          query.set({ redeemed_time, redeemed_user_id: ids.user.get(code.redeemer) ?? 0 }),
        )
        .where('id', '=', id)
        .execute();
    },
    here: (database, newIds) => rowsHere(database, 'redemptions', columns, newIds),
    end: async (trx, id) => {
      await trx.updateTable('redemptions').set({ deleted_time: now }).where('id', '=', id).execute();
    },
  };
}
