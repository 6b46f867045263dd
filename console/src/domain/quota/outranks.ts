import { role } from '@relay-hub/contract';

/** Whether a user may change an account, by the server's rule: accounts of lower roles; the super administrator all. */
export const outranks = (me: { role: number } | undefined, target: { role: number }): boolean =>
  me !== undefined && (me.role >= role.root || me.role > target.role);
