import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

const one = <T>(column: 'name' | 'subject', provider: string): RawBuilder<T> =>
  sql<T>`(select ${sql.ref(column)} from identities where identities.user_id = users.id and provider = ${sql.lit(provider)})`;

const text = (column: 'name' | 'subject', provider: string) =>
  sql<string>`coalesce(${one<string | null>(column, provider)}, '')`;

const number = (provider: string) =>
  sql<number>`cast(coalesce(${one<string | null>('subject', provider)}, '0') as bigint)`;

/** Select expressions for a user's connected identities, named as `boundIds` of the contract. */
export const boundColumns = [
  text('name', 'github').as('github_id'),
  number('github').as('github_id_new'),
  text('subject', 'oidc').as('oidc_id'),
  text('subject', 'lark').as('lark_id'),
  text('subject', 'wechat').as('wechat_id'),
  number('telegram').as('telegram_id'),
] as const;
