import type { IncomingMessage } from 'node:http';
import { launchApi, launchItems, type LaunchList } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { launchState } from './launch-state.ts';

/** Operators' decisions about the checklist. */
const storedChoices = z.object({ skipped: z.array(z.enum(launchItems)), dismissed: z.boolean() });
type LaunchChoices = z.infer<typeof storedChoices>;

/** Not a setting: it has no effect, no history and no page. */
const KEY = 'launch-checklist';
const none: LaunchChoices = { skipped: [], dismissed: false };

async function readChoices(db: Db): Promise<LaunchChoices> {
  const row = await db.selectFrom('options').where('key', '=', KEY).select('value').executeTakeFirst();
  return row ? parsed(row.value) : none;
}

/** Changes the decisions; two changes at the same time are both kept. */
async function changeChoices(
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
  const read = storedChoices.safeParse(JSON.parse(text));
  return read.success ? read.data : none;
}

/** The checklist "before you open to others". */
export function launchRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;

  serve(app, deps, launchApi.get, async (_, { request }) => listed(await readChoices(db), request.raw));

  serve(app, deps, launchApi.update, async ({ body: { item, skipped, dismissed } }, { request }) => {
    const choices = await changeChoices(db, (before) => {
      const others = before.skipped.filter((each) => each !== item);
      return {
        skipped: item === undefined || skipped === undefined ? before.skipped : skipped ? [...others, item] : others,
        dismissed: dismissed ?? before.dismissed,
      };
    });
    return listed(choices, request.raw);
  });

  async function listed({ skipped, dismissed }: LaunchChoices, request: IncomingMessage): Promise<LaunchList> {
    const state = await launchState(deps, request);
    return {
      dismissed,
      items: launchItems.map((id) => {
        const found = state[id];
        const count = typeof found === 'number' ? found : 0;
        const isDone = typeof found === 'number' ? found === 0 : found;
        return { id, state: isDone ? 'done' : skipped.includes(id) ? 'skipped' : 'open', count };
      }),
    };
  }
}
