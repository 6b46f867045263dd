import { sql } from 'kysely';

/** Columns of `users` with an account's invitations. */
export const invitationColumns = [
  sql<string>`coalesce(users.aff_code, '')`.as('aff_code'),
  sql<number>`coalesce(users.inviter_id, 0)`.as('inviter_id'),
  sql<number>`(select count(*) from users as invited where invited.inviter_id = users.id)`.as('aff_count'),
] as const;
