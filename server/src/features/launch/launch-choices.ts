import { launchItems } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import * as z from 'zod/mini';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';

/** Operators' decisions about the checklist. */
const choices = z.object({ skipped: z.array(z.enum(launchItems)), dismissed: z.boolean() });
export type LaunchChoices = z.infer<typeof choices>;

/** Not a setting: it has no effect, no history and no page. */
const KEY = 'launch-checklist';
const none: LaunchChoices = { skipped: [], dismissed: false };

export async function readChoices(db: Db): Promise<LaunchChoices> {
  const row = await db.selectFrom('options').where('key', '=', KEY).select('value').executeTakeFirst();
  return row ? parsed(row.value) : none;
}

/** Changes the decisions; two changes at the same time are both kept. */
export async function changeChoices(
  db: Kysely<Tables>,
  change: (before: LaunchChoices) => LaunchChoices,
): Promise<LaunchChoices> {
  return db.transaction().execute(async (trx) => {
    const value = JSON.stringify(none);
    await trx
      .insertInto('options')
      .values({ key: KEY, value })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute();
    const row = await locked(trx.selectFrom('options').where('key', '=', KEY).select('value'), trx).executeTakeFirst();
    const after = change(row ? parsed(row.value) : none);
    await trx
      .updateTable('options')
      .set({ value: JSON.stringify(after) })
      .where('key', '=', KEY)
      .execute();
    return after;
  });
}

function parsed(text: string): LaunchChoices {
  const read = choices.safeParse(JSON.parse(text));
  return read.success ? read.data : none;
}
