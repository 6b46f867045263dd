import type { ArrivingPasskey } from '#imports/read/read-passkeys.ts';
import type { ImportRun, RecordRules } from './record-rules.ts';
import { rowsHere } from './rows-here.ts';

const columns = ['name', 'host'] as const;

/** Passkeys sign in with the old device, as long as the site keeps its address. */
export async function passkeyRules(run: ImportRun): Promise<RecordRules<ArrivingPasskey, { userId: number }>> {
  const { db, ids, report, now } = run;
  const rows = await db.selectFrom('passkeys').select('credential_id').execute();
  const taken = new Set(rows.map(({ credential_id }) => credential_id));
  const label = ({ oldId, owner }: ArrivingPasskey): string => `passkey ${oldId} of user ${owner}`;
  return {
    kind: 'passkey',
    label,
    state: ({ oldId: _id, counter: _uses, ...rest }) => rest,
    figures: () => ({}),
    prepare: (passkey) => {
      const userId = ids.user.get(passkey.owner);
      const isTaken = taken.has(passkey.credential_id);
      const isGuarded = !run.administrators && run.owners.get(passkey.owner)?.privileged === true;
      if (userId === undefined || isTaken || isGuarded) {
        const why = isGuarded
          ? 'its owner is an administrator'
          : isTaken
            ? 'it is already here'
            : 'its owner did not come';
        report.remark('passkey_lost', `${label(passkey)}: ${why}`);
        return undefined;
      }
      taken.add(passkey.credential_id);
      report.remark('passkey', `${label(passkey)}: ${passkey.host}`);
      return { userId };
    },
    add: async (trx, { oldId: _id, owner: _owner, ...passkey }, { userId }) => {
      const { id } = await trx
        .insertInto('passkeys')
        .values({ ...passkey, user_id: userId, created_time: passkey.created_time || now })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    change: async (trx, { name }, id) => {
      await trx.updateTable('passkeys').set({ name }).where('id', '=', id).execute();
    },
    here: (database, newIds) => rowsHere(database, 'passkeys', columns, newIds),
    end: async (trx, id) => {
      await trx.deleteFrom('passkeys').where('id', '=', id).execute();
    },
  };
}
