import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';

interface Note {
  user: { id: number; username: string };
  type: number;
  /** Credits that the balance moved by. */
  quota: number;
  content: string;
  /** The ledger's entry that it belongs to; stands as the request id. */
  reference: string;
  sourceIp: string;
  now: number;
}

/** Writes a row that is no call: a top-up, something that was managed, a gift. */
export async function noteInLog(trx: Transaction<Tables>, note: Note): Promise<void> {
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
