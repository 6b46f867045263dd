import { Outlet } from '@tanstack/react-router';
import { Suspense, useSyncExternalStore } from 'react';
import { connection } from '#api/connection.ts';
import { ToastMount } from '#ui/feedback/toast-mount.tsx';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { Notice } from './notice/notice.tsx';
import { PageAnnouncer } from './page-announcer.tsx';
import { RouteProgress } from './route-progress.tsx';
import { SignInAgainMount } from '#app/sign-in-again/sign-in-again-mount.tsx';
import { useSiteEffects } from './use-site-effects.ts';

export function Root() {
  useSiteEffects();
  const offline = useSyncExternalStore(connection.subscribe, isOffline);
  return (
    <>
      <RouteProgress />
      <PageAnnouncer />
      <Outlet />
      <Notice />
      <SignInAgainMount />
      <SavingDisabled value={offline}>
        <Suspense>
          <ToastMount />
        </Suspense>
      </SavingDisabled>
    </>
  );
}

const isOffline = (): boolean => !connection.get().online;
