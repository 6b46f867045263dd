import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Asynchronous tasks: images, music, lyrics, videos. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  const texts = [
    'task_id',
    'platform',
    'action',
    'model',
    'mode',
    'status',
    'fail_reason',
    'prompt',
    'prompt_en',
    'description',
    'state',
    'image_url',
    'request_id',
    'key_cipher',
    'base_url',
    'upstream_id',
    'upstream_model',
    'parent_task_id',
    'notify_hook',
    'notified_status',
    'polled_by',
    'request_key',
  ];
  const numbers = [
    'code',
    'progress',
    'created_at',
    'updated_at',
    'submit_ms',
    'start_ms',
    'finish_ms',
    'quota',
    'token_quota',
    'user_id',
    'token_id',
    'channel_id',
    'channel_type',
    'key_id',
    'next_poll_at',
    'polls',
    'missed',
    'unanswered',
    'odd',
    'notified_progress',
    'deadline',
    'hidden_at',
  ];
  await withNumbers(withTexts(tableWithId(db, 'tasks'), texts), numbers)
    .addColumn('buttons', 'json', (c) => c.notNull().defaultTo('[]'))
    .addColumn('data', 'json')
    .addColumn('media', 'json', (c) => c.notNull().defaultTo('[]'))
    .addColumn('vendor', 'json', (c) => c.notNull().defaultTo('{}'))
    .addColumn('request', 'json', (c) => c.notNull().defaultTo('{}'))
    .addColumn('properties', 'json', (c) => c.notNull().defaultTo('{}'))
    .addColumn('refunded', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('cancellable', 'boolean', (c) => c.notNull().defaultTo(false))
    .addUniqueConstraint('tasks_task_id', ['task_id'])
    .execute();
  // A channel's id names one task only, so that no user receives the result of another.
  await schema
    .createIndex('tasks_upstream_id')
    .unique()
    .on('tasks')
    .columns(['channel_id', 'upstream_id'])
    .where('upstream_id' as never, '<>', '')
    .execute();
  await schema
    .createIndex('tasks_due')
    .on('tasks')
    .columns(['channel_id', 'next_poll_at'])
    .where('next_poll_at' as never, '>', 0)
    .execute();
  await schema
    .createIndex('tasks_request_key')
    .on('tasks')
    .columns(['request_key'])
    .where('request_key' as never, '<>', '')
    .execute();
  await schema
    .createIndex('tasks_unnotified')
    .on('tasks')
    .columns(['id'])
    .where(sql<boolean>`notify_hook <> '' and (notified_status <> status or notified_progress <> progress)`)
    .execute();
  const index = (name: string, columns: string[]) => schema.createIndex(name).on('tasks').columns(columns).execute();
  await index('tasks_user', ['user_id', 'id']);
  await index('tasks_submitted', ['platform', 'submit_ms']);
  await index('tasks_channel', ['channel_id', 'id']);
  // Until when the polls of a channel that takes one task per request are used up, by all nodes.
  await schema
    .createTable('task_paces')
    .addColumn('channel_id', 'bigint', (c) => c.primaryKey())
    .addColumn('free_at_ms', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createTable('task_claims')
    .addColumn('request_key', 'text', (c) => c.primaryKey())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
}

type Table = CreateTableBuilder<string, string>;

const withTexts = (table: Table, names: readonly string[]): Table =>
  names.reduce((built, name) => built.addColumn(name, 'text', (c) => c.notNull().defaultTo('')), table);

const withNumbers = (table: Table, names: readonly string[]): Table =>
  names.reduce((built, name) => built.addColumn(name, 'bigint', (c) => c.notNull().defaultTo(0)), table);
