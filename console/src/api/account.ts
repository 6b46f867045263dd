import type { Team, TeamRole } from '@relay-hub/contract';
import { atBase } from '#base-path.ts';
import { isShaped, type Shape, storage } from './storage.ts';

/** The team for whose account this browser acts. */
export interface ChosenAccount {
  id: number;
  name: string;
  role: TeamRole;
  /** The person who chose it. */
  user: number;
}

const key = 'account';
const shape: Shape<ChosenAccount> = { id: 'number', name: 'string', role: 'string', user: 'number' };
const stored = storage.getJson(key);
const chosen = isShaped(stored, shape) ? stored : undefined;

/** The chosen account of a person; undefined: their own. It does not change while a page is open. */
export const accountOf = (user: number | undefined): ChosenAccount | undefined =>
  chosen?.user === user ? chosen : undefined;

/** Switches to a team's account, or to one's own, and reloads the console, so that no data of the other one is kept. */
export function chooseAccount(
  user: number,
  team?: Pick<Team, 'id' | 'name' | 'role'>,
  path = '/panel/dashboard',
): void {
  if (team) storage.set(key, JSON.stringify({ id: team.id, name: team.name, role: team.role, user }));
  else storage.remove(key);
  location.assign(atBase(path));
}

// Another tab has switched: this page would show one account and change the other.
storage.onChange(key, () => location.reload());
