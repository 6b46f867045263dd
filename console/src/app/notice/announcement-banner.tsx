import { announcementApi } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { apiQuery } from '#api/api-query.ts';

const Strips = lazy(async () => ({ default: (await import('./announcement-strips.tsx')).AnnouncementStrips }));

/** Announcements change by themselves when their time comes. */
const currentQuery = {
  ...apiQuery(announcementApi.current),
  staleTime: 60_000,
  refetchInterval: 60_000,
  meta: { quiet: true },
};

/** Announcements and maintenance above the page; `centred`: as wide as the public site. */
export function AnnouncementBanner({ centred = false }: { centred?: boolean }) {
  const { data = [] } = useQuery(currentQuery);
  if (data.length === 0) return null;
  return (
    <Suspense>
      <Strips all={data} centred={centred} />
    </Suspense>
  );
}
