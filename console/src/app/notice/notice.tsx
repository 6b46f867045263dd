import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { noticeQuery } from '#api/notice.ts';
import { useStore } from '#api/store.ts';
import { notice, receiveNotice } from './notice-store.ts';

const NoticeDialog = lazy(async () => ({ default: (await import('./notice-dialog.tsx')).NoticeDialog }));

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
