import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Result files that are still to be fetched, and notifications of tasks for their callers. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await tableWithId(db, 'task_fetches')
    .addColumn('task_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addUniqueConstraint('task_fetches_file', ['task_id', 'position'])
    .execute();
  await schema.createIndex('task_fetches_due').on('task_fetches').columns(['next_at']).execute();

  await tableWithId(db, 'task_notifications')
    .addColumn('task', 'bigint', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('is_final', 'boolean', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('delivered_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('failure', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await schema.createIndex('task_notifications_task').on('task_notifications').columns(['task']).execute();
  await schema.createIndex('task_notifications_created').on('task_notifications').columns(['created_at']).execute();
  await schema
    .createIndex('task_notifications_due')
    .on('task_notifications')
    .columns(['next_at'])
    .where('next_at' as never, '>', 0)
    .execute();
}
