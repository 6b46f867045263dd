import { isAdmin, role, type SessionUser } from '@relay-hub/contract';
import { storage } from './storage.ts';
import { createStore, useStore } from './store.ts';

const key = 'user';

export const session = createStore<SessionUser | undefined>(readUser());

function readUser(): SessionUser | undefined {
  const stored = storage.getJson(key);
  const isUser =
    typeof stored === 'object' && stored !== null && 'id' in stored && 'username' in stored && 'role' in stored;
  return isUser ? (stored as SessionUser) : undefined; // only rememberUser writes this key; the server checks every call anyway
}

export function rememberUser(user: SessionUser): void {
  const { id, username, display_name, avatar_url, role: rank, status } = user;
  storage.set(key, JSON.stringify({ id, username, display_name, avatar_url, role: rank, status }));
  session.set(readUser());
}

export function forgetUser(): void {
  storage.remove(key);
  session.set(undefined);
}

// Signing in or out in another tab counts here too.
addEventListener('storage', (event) => {
  if (event.key === key || event.key === null) session.set(readUser());
});

export interface Session {
  user: SessionUser | undefined;
  isAdmin: boolean;
  isRoot: boolean;
}

/** Who is signed in, with the role that the server last told. */
export function useSession(): Session {
  const user = useStore(session);
  const rank = user?.role ?? role.guest;
  return { user, isAdmin: isAdmin(rank), isRoot: rank >= role.root };
}
