import { role, userStatus, type SessionUser, type User, type UserAction } from '@relay-hub/contract';
import { outranks } from '#domain/quota/outranks.ts';

type Ranked = Pick<User, 'id' | 'role' | 'status'> & Partial<Pick<User, 'deleted_time'>>;
type Actor = Pick<SessionUser, 'id' | 'role'> | undefined;

export type Rank = 'user' | 'admin' | 'root' | 'unknown';

const ranks: Record<number, Rank> = { [role.user]: 'user', [role.admin]: 'admin', [role.root]: 'root' };

/** Name of a role; `unknown` for other numbers. */
export const rankOf = (number: number): Rank => ranks[number] ?? 'unknown';

/** Whether the user may do this to an account now, by the server's rules; locking oneself out is not allowed. */
export function may(me: Actor, action: UserAction, target: Ranked): boolean {
  if (!me || !outranks(me, target) || (target.deleted_time ?? 0) > 0) return false;
  const another = me.id !== target.id;
  const disabled = target.status === userStatus.disabled;
  const can: Record<UserAction, boolean> = {
    enable: disabled,
    disable: another && !disabled,
    promote: me.role >= role.root && target.role < role.admin,
    demote: another && target.role > role.user,
    delete: another,
  };
  return can[action];
}
