import { role, userStatus } from '@relay-hub/contract';
import type { BaseDeps } from '#base-deps.ts';

/** Receivers of mails about the installation: `NOTIFY_EMAIL`, else the super administrators; none if it is off. */
export async function operatorAddresses({
  config,
  db,
}: Pick<BaseDeps, 'config' | 'db'>): Promise<{ email: string; language?: string }[]> {
  if (config.notifyEmail === 'off') return [];
  if (config.notifyEmail !== undefined) return [{ email: config.notifyEmail }];
  return db
    .selectFrom('users')
    .where('role', '>=', role.root)
    .where('status', '=', userStatus.enabled)
    .where('deleted_time', 'is', null)
    .where('email', '<>', '')
    .select(['email', 'language'])
    .orderBy('id')
    .execute();
}
