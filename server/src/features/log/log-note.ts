import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';

interface LogNote {
  user: { id: number; username: string };
  type: number;
  /** Change of the balance, in credits. */
  quota: number;
  content: string;
  /** Reference of the ledger entry; stored as the request id. */
  reference: string;
  sourceIp: string;
  now: number;
}

/** Writes a log row that is no call: a top-up, an administrative change or a gift. */
export async function noteInLog(trx: Transaction<Tables>, note: LogNote): Promise<void> {
  await trx
    .insertInto('logs')
    .values({
      request_id: note.reference,
      user_id: note.user.id,
      username: note.user.username,
      created_at: note.now,
      type: note.type,
      content: note.content,
      quota: note.quota,
      source_ip: note.sourceIp,
      token_id: 0,
      token_name: '',
      model_name: '',
      prompt_tokens: 0,
      completion_tokens: 0,
      cached_tokens: 0,
      channel_id: 0,
      request_time: 0,
      is_stream: false,
      failed: false,
      metadata: null,
    })
    .execute();
}
