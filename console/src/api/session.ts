import { isAdmin, role, type SessionUser } from '@relay-hub/contract';
import { atBase } from '#base-path.ts';
import { accountOf, type ChosenAccount } from './account.ts';
import { isShaped, type Shape, storage } from './storage.ts';
import { createStore, useStore } from './store.ts';

export const userKey = 'user';
/** Set when the server ended the session, not the user: other tabs keep their open page too. */
export const endedKey = 'session_ended';

const userShape: Shape<SessionUser> = {
  id: 'number',
  username: 'string',
  display_name: 'string',
  avatar_url: 'string',
  role: 'number',
  status: 'number',
};

/**
 * A session that ended on the server while a page of the console was open; the page stays until the user signs in
 * again.
 */
export interface EndedSession {
  user: SessionUser;
  /** In milliseconds. */
  endedAt: number;
  /** Whether the sign-in dialog is open. */
  asking: boolean;
  /** True if a user action was refused, false if only a query noticed. */
  pressed: boolean;
  /** Whether unsaved input was refused. */
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
  return isShaped(stored, userShape) ? acting(stored) : undefined; // the server checks every call anyway
}

/** The rights of an administrator rest while a person acts for a team. */
function acting(user: SessionUser): SessionUser {
  return accountOf(user.id) ? { ...user, role: Math.min(user.role, role.user) } : user;
}

export function rememberUser({ id, username, display_name, avatar_url, role: rank, status }: SessionUser): void {
  const user = { id, username, display_name, avatar_url, role: rank, status };
  const text = JSON.stringify(user);
  // Guards need no update for known values.
  if (text === JSON.stringify(session.get().user)) return;
  storage.set(userKey, text);
  session.set({ user: acting(user), ended: undefined });
}

/** Signs out in this browser: on the user's request, or when no open page is worth keeping. */
export function forgetUser(): void {
  storage.remove(endedKey);
  storage.remove(userKey);
  session.set(none);
}

// Follows sign-in and sign-out in other tabs. A session that ended is noticed by this tab's own next call.
storage.onChange(userKey, () => {
  const user = readUser();
  if (user) session.set({ user, ended: undefined });
  else if (!storage.get(endedKey)) session.set(none);
});

/** Whether the page shows account data, and so is worth keeping when the session ends. */
export const openPage = { isRead: false };

/** Whether the address is in the console, whose pages are kept when the session ends. */
export const isConsole = (): boolean => location.pathname.startsWith(atBase('/panel'));

/** The team for which the signed-in person acts. */
export const currentAccount = (): ChosenAccount | undefined => accountOf(currentUser()?.id);

/** The open page's account: signed in, or until its session ended. */
export function currentUser(): SessionUser | undefined {
  const { user, ended } = session.get();
  return user ?? ended?.user;
}

export interface Session {
  user: SessionUser | undefined;
  isAdmin: boolean;
  isRoot: boolean;
  /** The team for which they act. */
  account: ChosenAccount | undefined;
}

/** The open page's account, with the role last reported by the server. */
export function useSession(): Session {
  useStore(session);
  const user = currentUser();
  const rank = user?.role ?? role.guest;
  return { user, isAdmin: isAdmin(rank), isRoot: rank >= role.root, account: accountOf(user?.id) };
}
