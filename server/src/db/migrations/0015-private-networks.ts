import { type Kysely, sql } from 'kysely';

/**
 * Private networks are reached where a setting allows them. An installation that is in use gets those that it reaches
 * already; proxies are encrypted, so this is only marked here, and done by `adoptPrivateNetworks` at the start.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`insert into options (key, value) select 'private-networks-adopted', 'no' from users limit 1`.execute(db);
}
