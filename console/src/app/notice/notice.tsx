import { siteApi } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { apiQuery } from '#api/api-query.ts';
import { useStore } from '#api/store.ts';
import { notice, receiveNotice } from './notice-store.ts';

const NoticeDialog = lazy(async () => ({ default: (await import('./notice-dialog.tsx')).NoticeDialog }));

// On failure, keep the announcement of the last visit silently.
const noticeQuery = { ...apiQuery(siteApi.notice), staleTime: 5 * 60_000, meta: { quiet: true } };

/** Fetches the announcement and shows its dialog. */
export function Notice() {
  const { data } = useQuery(noticeQuery);
  const { open } = useStore(notice);
  useEffect(() => {
    if (data !== undefined) receiveNotice(data);
  }, [data]);
  if (!open) return null;
  return (
    <Suspense>
      <NoticeDialog />
    </Suspense>
  );
}
