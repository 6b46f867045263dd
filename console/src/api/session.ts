import { isAdmin, role, type SessionUser } from '@relay-hub/contract';
import { isShaped, type Shape, storage } from './storage.ts';
import { createStore, useStore } from './store.ts';

export const userKey = 'user';
/** Set where the server, and not the user, has ended the session: other tabs keep their open page as well. */
export const endedKey = 'session_ended';

const userShape: Shape<SessionUser> = {
  id: 'number',
  username: 'string',
  display_name: 'string',
  avatar_url: 'string',
  role: 'number',
  status: 'number',
};

/** A session that the server has ended while a page of the console was open; the page stays until somebody signs in. */
export interface EndedSession {
  user: SessionUser;
  /** In milliseconds. */
  endedAt: number;
  /** Whether the sign-in dialog is open. */
  asking: boolean;
  /** Whether somebody pressed something that was refused; else a query found it. */
  pressed: boolean;
  /** Whether something was to be saved, and was refused. */
  unsent: boolean;
}

interface SessionState {
  user: SessionUser | undefined;
  /** Set only while there is no `user`. */
  ended: EndedSession | undefined;
}

const none: SessionState = { user: undefined, ended: undefined };

export const session = createStore<SessionState>({ user: readUser(), ended: undefined });

function readUser(): SessionUser | undefined {
  const stored = storage.getJson(userKey);
  return isShaped(stored, userShape) ? stored : undefined; // the server checks every call anyway
}

export function rememberUser({ id, username, display_name, avatar_url, role: rank, status }: SessionUser): void {
  const user = { id, username, display_name, avatar_url, role: rank, status };
  const text = JSON.stringify(user);
  // What is known already is no news for the guards.
  if (text === JSON.stringify(session.get().user)) return;
  storage.set(userKey, text);
  session.set({ user, ended: undefined });
}

/** Signs out in this browser: for a press of the user, or when no open page is worth keeping. */
export function forgetUser(): void {
  storage.remove(endedKey);
  storage.remove(userKey);
  session.set(none);
}

// Signing in or out in another tab counts here too; that a session has ended is found by this tab's own next call.
addEventListener('storage', ({ key }) => {
  if ((key ?? userKey) !== userKey) return;
  const user = readUser();
  if (user) session.set({ user, ended: undefined });
  else if (!storage.get(endedKey)) session.set(none);
});

/** Whether the server has told this page whose it is: else it has nothing worth keeping when the session ends. */
export const openPage = { isRead: false };

/** Whether the address is one of the console, whose pages are kept when the session ends. */
export const isConsole = (): boolean => location.pathname.startsWith('/panel');

/** Who the open page belongs to: who is signed in, or was until the session ended under it. */
export function currentUser(): SessionUser | undefined {
  const { user, ended } = session.get();
  return user ?? ended?.user;
}

export interface Session {
  user: SessionUser | undefined;
  isAdmin: boolean;
  isRoot: boolean;
}

/** Who the page belongs to, with the role that the server last told. */
export function useSession(): Session {
  useStore(session);
  const user = currentUser();
  const rank = user?.role ?? role.guest;
  return { user, isAdmin: isAdmin(rank), isRoot: rank >= role.root };
}
