import type { Kysely } from 'kysely';

/** A service of the operator that a guardrail asks (decision 0127). */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('guard_rules').addColumn('hook', 'json').execute();
}
