import { role } from '@relay-hub/contract';

/** Whether somebody may change an account, as the server will see it: those of lower roles; the super administrator all. */
export const outranks = (me: { role: number } | undefined, target: { role: number }): boolean =>
  me !== undefined && (me.role >= role.root || me.role > target.role);
