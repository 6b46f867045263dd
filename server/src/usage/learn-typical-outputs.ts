import { logType } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { TypicalOutputs } from './typical-outputs.ts';

/** Newest rows of the log that are read when the server starts. */
const ROWS = 2000;

/** Usual lengths of answers, learned from the newest rows of the log; finished calls are added to them. */
export async function learnTypicalOutputs(db: Kysely<Tables>): Promise<TypicalOutputs> {
  const typical = new TypicalOutputs();
  const rows = await db
    .selectFrom('logs')
    .select(['type', 'model_name', 'completion_tokens', 'metadata'])
    .orderBy('id', 'desc')
    .limit(ROWS)
    .execute();
  for (const { type, model_name: model, completion_tokens: tokens, metadata } of rows.toReversed())
    if (type === logType.consume && metadata?.outcome === 'answered' && metadata.endpoint !== undefined)
      typical.note(model, metadata.endpoint, tokens);
  return typical;
}
