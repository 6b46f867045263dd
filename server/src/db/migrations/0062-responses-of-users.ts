import type { Kysely } from 'kysely';

/** The stored responses of a user by age, of which the oldest give way. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createIndex('stored_responses_user')
    .on('stored_responses')
    .columns(['user_id', 'created_at'])
    .execute();
}
