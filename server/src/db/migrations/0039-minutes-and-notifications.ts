import type { Kysely } from 'kysely';
import { inPrimaryKey, tableWithId } from '../dialect-differences.ts';

/** Calls of the last hour by minute and node (decision 0055), and notifications with who has read them. */
export async function up(db: Kysely<never>): Promise<void> {
  await inPrimaryKey(
    db,
    db.schema
      .createTable('call_minutes')
      .addColumn('minute', 'bigint', (c) => c.notNull())
      .addColumn('node', 'text', (c) => c.notNull())
      .addColumn('written_time', 'bigint', (c) => c.notNull())
      .addColumn('calls', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('call_minutes_pk', ['minute', 'node']),
  ).execute();
  await tableWithId(db, 'notifications')
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('fold', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('severity', 'text', (c) => c.notNull())
    .addColumn('object_id', 'bigint', (c) => c.notNull())
    .addColumn('params', 'text', (c) => c.notNull())
    .addColumn('first_time', 'bigint', (c) => c.notNull())
    .addColumn('time', 'bigint', (c) => c.notNull())
    .addColumn('count', 'bigint', (c) => c.notNull().defaultTo(1))
    .addUniqueConstraint('notifications_fold', ['user_id', 'fold'])
    .execute();
  await db.schema.createIndex('notifications_newest').on('notifications').columns(['user_id', 'time']).execute();
  await inPrimaryKey(
    db,
    db.schema
      .createTable('notification_reads')
      .addColumn('notification_id', 'bigint', (c) => c.notNull())
      .addColumn('user_id', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('notification_reads_pk', ['notification_id', 'user_id']),
  ).execute();
}
