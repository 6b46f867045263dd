import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, type ReactNode } from 'react';
import { siteQuery } from '#api/site.ts';
import { AnnouncementBanner } from '../notice/announcement-banner.tsx';
import { contentId, SkipLink } from '../skip-link.tsx';
import { Footer } from './footer.tsx';
import { PublicTop } from './public-top.tsx';

const CannotConnect = lazy(async () => ({ default: (await import('../connection/cannot-connect.tsx')).CannotConnect }));

/** The public site: top bar, content, footer. */
export function PublicLayout() {
  const { data, isError } = useQuery(siteQuery);
  const nothing = isError && data === undefined;
  return (
    <PublicFrame>
      {nothing ? (
        <Suspense>
          <CannotConnect />
        </Suspense>
      ) : (
        <Outlet />
      )}
    </PublicFrame>
  );
}

export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      {/* A page that fills the window leaves room for banners above it; the footer follows below. */}
      <div className="contents has-data-fills:flex has-data-fills:h-dvh has-data-fills:flex-col">
        <PublicTop />
        <AnnouncementBanner centred />
        <main
          id={contentId}
          tabIndex={-1}
          className="mx-auto flex w-full max-w-300 flex-1 flex-col px-6 text-16 outline-none has-data-fills:min-h-0 max-sm:px-4"
        >
          {children}
        </main>
      </div>
      <Footer />
    </div>
  );
}
