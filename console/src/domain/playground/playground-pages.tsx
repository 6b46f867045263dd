import { logApi } from '@relay-hub/contract';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { toast } from '#ui/feedback/toast.ts';
import { Playground } from './playground.tsx';
import { draftStore, emptyConversation, newId, openConversation } from './store/playground-store.ts';

const route = getRouteApi('/panel/playground');

// One module for both pages: the bundler moves code that two modules share into a chunk that every page loads.

/** Fills the console below its top bar, over the margins of a page. */
export function PanelPlayground() {
  useLoggedRequest();
  return (
    <div
      data-fills
      className="-mx-6 -my-5 h-[calc(100%+40px)] min-h-100 max-sm:-mx-4 max-sm:-my-3 max-sm:h-[calc(100%+24px)]"
    >
      <Playground />
    </div>
  );
}

/** The same below the header of the public site. */
export function PublicPlayground() {
  return (
    <div data-fills className="-mx-6 min-h-100 flex-1 border-x border-line text-14 max-sm:-mx-4">
      <Playground />
    </div>
  );
}

/** Opens the request of a log row of one's own that the address names. */
function useLoggedRequest(): void {
  const { t } = useTranslation('playground');
  const { request, dialect, model } = route.useSearch();
  const navigate = route.useNavigate();
  const { user } = useSession();
  const userId = user?.id ?? 0;
  useEffect(() => {
    if (request === 0 || userId === 0) return;
    const left = new AbortController();
    const open = async (): Promise<void> => {
      const { request: body } = await call(logApi.ownContent, { params: { id: request }, signal: left.signal });
      const { isDialect, sameRequest } = await import('./request/same-request.ts');
      const same = isDialect(dialect) ? sameRequest({ dialect, model, body }) : undefined;
      if (left.signal.aborted) return;
      if (same) {
        const rounds = same.rounds.map((round) => ({ ...round, id: newId() }));
        openConversation({ ...emptyConversation(userId), settings: same.settings, rounds });
        draftStore.set(same.draft);
      } else toast.error(t('requestUnreadable'));
      void navigate({ search: {}, replace: true });
    };
    // The handler of failed calls has shown why.
    void open().catch(() => undefined);
    return () => left.abort();
  }, [request, dialect, model, userId, navigate, t]);
}
