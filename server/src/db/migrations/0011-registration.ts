import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Codes and links that went out by mail, who invited whom, and what mails to an account are written in. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('mail_codes')
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('holder', 'text', (c) => c.notNull())
    .addColumn('code_hash', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('tries', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('strange_tries', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('expires_time', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('mail_codes_key', ['purpose', 'email', 'holder'])
    .execute();
  await schema.createIndex('mail_codes_expires').on('mail_codes').column('expires_time').execute();

  const users = () => schema.alterTable('users');
  await users().addColumn('aff_code', 'text').execute();
  await users()
    .addColumn('inviter_id', 'bigint', (c) => c.references('users.id'))
    .execute();
  await users()
    .addColumn('language', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await users()
    .addColumn('reminded_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  // People read codes out to each other.
  await schema
    .createIndex('users_aff_code')
    .unique()
    .on('users')
    .expression(sql`lower(aff_code)`)
    .execute();
  await schema
    .createIndex('users_inviter')
    .on('users')
    .column('inviter_id')
    .where(sql.ref('inviter_id'), 'is not', null)
    .execute();
  // Finds the few rewards of a user among the charges of their calls.
  await schema
    .createIndex('ledger_rewards')
    .on('ledger')
    .columns(['user_id', 'credits'])
    .where(sql.ref('kind'), '=', sql.lit('reward'))
    .execute();
  // Users who may need a reminder of a low balance, and users who received one.
  await schema
    .createIndex('users_to_remind')
    .on('users')
    .column('id')
    .where(sql<boolean>`email <> '' and used_quota > 0 and reminded_time = 0`)
    .execute();
  await schema.createIndex('users_reminded').on('users').column('id').where(sql.ref('reminded_time'), '>', 0).execute();
}
