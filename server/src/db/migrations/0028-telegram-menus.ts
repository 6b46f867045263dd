import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Commands that the operator adds to the Telegram bot. */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'telegram_menus')
    .addColumn('command', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('parse_mode', 'text', (c) => c.notNull())
    .addColumn('reply_message', 'text', (c) => c.notNull())
    .addUniqueConstraint('telegram_menus_command', ['command'])
    .execute();
}
