import { isAdmin, role } from '@relay-hub/contract';
import { useSearch } from '@tanstack/react-router';
import { session, useSession } from '#api/session.ts';
import { storage } from '#api/storage.ts';
import { createStore, useStore } from '#api/store.ts';

/** The dashboard's scope: the whole site, or the own account. */
export const scopes = ['hub', 'mine'] as const;
export type Scope = (typeof scopes)[number];

const key = 'dashboardScope';
const chosen = createStore<Scope>(storage.get(key) === 'mine' ? 'mine' : 'hub');

/** The scope an administrator chose last. Other users see their own calls. */
export const scopeNow = (): Scope => (isAdmin(session.get().user?.role ?? role.guest) ? chosen.get() : 'mine');

export function useScope(): Scope {
  const { isAdmin: sees } = useSession();
  const scope = useStore(chosen);
  return sees ? scope : 'mine';
}

export function chooseScope(scope: Scope): void {
  storage.set(key, scope);
  chosen.set(scope);
}

/** Contents of the scope of the whole site: today's figures, or the calls of the last hour as they happen. */
export const views = ['overview', 'live'] as const;
type View = (typeof views)[number];

/** The view in the address, for those who may see the whole site. */
export function useView(): View {
  const scope = useScope();
  const view = useSearch({ strict: false, select: ({ view: named }) => named });
  return scope === 'hub' && view === 'live' ? 'live' : 'overview';
}
