import { z } from 'zod/mini';
import type { Kysely } from 'kysely';
import { MigrationError } from '#db/migrate.ts';
import type { Tables } from '#db/tables.ts';
import { commandLine } from '#process/command-line.ts';

/** Option with the mark of a move. It belongs to one database and is never copied. */
export const MOVED = 'moved';

const moveMark = z.object({
  /** `arriving`: a copy that is not complete; `leaving`: being moved away; `left`: moved away. */
  state: z.enum(['arriving', 'leaving', 'left']),
  /** Id of the move, new with each time that calls have ended for it. */
  id: z.string(),
  /** Where the other database is, without a password. */
  other: z.string(),
  time: z.number(),
});
export type MoveMark = z.infer<typeof moveMark>;

/** The mark of a database whose tables exist; undefined: none. */
export async function readMoveMark(db: Kysely<Tables>): Promise<MoveMark | undefined> {
  const row = await db.selectFrom('options').where('key', '=', MOVED).select('value').executeTakeFirst();
  return row && moveMark.parse(JSON.parse(row.value));
}

export async function writeMoveMark(db: Kysely<Tables>, mark: MoveMark): Promise<void> {
  const value = JSON.stringify(mark);
  await db
    .insertInto('options')
    .values({ key: MOVED, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Throws `MigrationError` for a database that a server must not use, because calls are accepted on another one. */
export async function refuseMoved(db: Kysely<Tables>): Promise<void> {
  const mark = await readMoveMark(db);
  if (!mark) return;
  const { state, other, time } = mark;
  const since = new Date(time * 1000).toISOString();
  if (state === 'arriving')
    throw new MigrationError(
      `This database is an incomplete copy of ${other}, begun ${since}. Run the same \`${commandLine('move')}\` again to complete ` +
        'it, or delete it.',
    );
  throw new MigrationError(
    `This database ${state === 'left' ? 'was moved' : 'is being moved'} to ${other} (${since}). Start the server on that one` +
      `${state === 'left' ? '' : `, after \`${commandLine('move')}\` has ended`}. To use this one again, without anything that ` +
      `happened there, run \`${commandLine('move', '--take-back')}\` first.`,
  );
}
